/* Standard output and standard error, and what happens when writing to them fails. */

import type { SizedStream } from '../views/stream-width.ts';

/** An output stream for text. */
export interface OutputStream extends SizedStream {
  write(text: string | Uint8Array): unknown;
}

/** The output streams of a command line: one for results, the other for messages and progress. */
export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/**
 * The reader of the output may end early (`paybatch status | head`), its disk may be full, or its terminal closed.
 * This neither stops a run nor changes its result: after the first failed write, further output is discarded.
 */
export function giveUpFailingStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      stream.write = writeToNobody;
    });
  }
}

/** Discards everything, and calls back as a stream would. */
function writeToNobody(_chunk: unknown, ...rest: unknown[]): boolean {
  const done = rest.at(-1);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}
