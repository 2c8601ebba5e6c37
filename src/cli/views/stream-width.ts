/* The width of a stream: that of its terminal, or a usual width. */

/** The size of a stream. */
export interface SizedStream {
  readonly isTTY?: boolean;
  /** Its width if it is a terminal; updated only some time after a change. */
  readonly columns?: number;
  /** The current columns and lines if it is a terminal. */
  getWindowSize?(): [number, number];
}

const usualWidth = 80;

/** The current width of a terminal in columns; the usual width for a terminal without a size, which reports 0. */
export function terminalWidth(stream: SizedStream): number {
  return (stream.getWindowSize?.()[0] ?? stream.columns) || usualWidth;
}

/** The width of text for a stream: the terminal's width, or `elsewhere` columns without a terminal. */
export function widthFor(stream: SizedStream, elsewhere: number): number {
  return stream.isTTY === true ? terminalWidth(stream) : elsewhere;
}
