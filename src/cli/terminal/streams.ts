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

/** How wide lines may be on a stream at this moment: as wide as they are, where it is no terminal. */
export function columnsOf(stream: OutputStream): number {
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY;
  return stream.getWindowSize?.()[0] ?? stream.columns ?? 80;
}
