/* Standard output and standard error: their width, and the handling of failed writes. */

/** The size of a stream. */
interface SizedStream {
  readonly isTTY?: boolean;
  /** The width if it is a terminal. It is updated only some time after a change. */
  readonly columns?: number;
  /** The current columns and lines if it is a terminal. */
  getWindowSize?(): [number, number];
}

const usualWidth = 80;

/** The current width of a terminal in columns; the usual width for a terminal without a size, which reports 0. */
export function terminalWidth(stream: SizedStream): number {
  return (stream.getWindowSize?.()[0] ?? stream.columns) || usualWidth;
}

/** The width of text for a stream: the terminal's width, or `elsewhere` columns if the stream is not a terminal. */
export function widthFor(stream: SizedStream, elsewhere: number): number {
  return stream.isTTY === true ? terminalWidth(stream) : elsewhere;
}

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
 * The reader of the output may end early (`paybatch status | head`), its disk may be full, or its terminal closed. A failed
 * write neither stops a run nor changes its result. After the first failed write, further output is discarded.
 */
export function giveUpFailingStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      stream.write = discardOutput;
    });
  }
}

/** Discards everything, and calls back as a stream would. */
function discardOutput(_chunk: unknown, ...rest: unknown[]): boolean {
  const done = rest.at(-1);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}
