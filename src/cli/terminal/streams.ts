/* Standard output and standard error, and what happens when writing to them fails. */

import type { SizedStream } from '../views/stream-width.ts';

/* Standard output and standard error, and what happens when writing to them fails. */

/** A stream that text goes to. */
export interface OutputStream extends SizedStream {
  write(text: string | Uint8Array): unknown;
}

/** Where a command line writes: results to one, all that happens on the way to the other. */
export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/**
 * Whoever reads the output may leave early (`paybatch status | head`), its disk may be full, its terminal
 * gone. That neither stops a run nor changes how it ends: from the first failed
 * write on, what is left is written to nobody.
 */
export function giveUpFailingStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      stream.write = writeToNobody;
    });
  }
}

/** Takes everything, and calls back as a stream would. */
function writeToNobody(_chunk: unknown, ...rest: unknown[]): boolean {
  const done = rest.at(-1);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}
