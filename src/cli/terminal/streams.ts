/** A stream that text goes to. */
export interface OutputStream {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  /** Its width, where it is a terminal. */
  readonly columns?: number;
  /** Columns and lines at this moment, where it is a terminal. */
  getWindowSize?(): [number, number];
}

/** Where a command line writes: results to one, all that happens on the way to the other. */
export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}
