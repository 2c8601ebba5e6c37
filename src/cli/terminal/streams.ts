import type { SizedStream } from '../views/stream-width.ts';

/** A stream that text goes to. */
export interface OutputStream extends SizedStream {
  write(text: string | Uint8Array): unknown;
}

/** Where a command line writes: results to one, all that happens on the way to the other. */
export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}
