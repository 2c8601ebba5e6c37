/* How wide a stream is: what its terminal says, or a usual width. */

/* How wide a stream is: what its terminal says, or a usual width. */

/** What a stream says of its size. */
export interface SizedStream {
  readonly isTTY?: boolean;
  /** Its width, where it is a terminal; told of a change only later. */
  readonly columns?: number;
  /** Columns and lines at this moment, where it is a terminal. */
  getWindowSize?(): [number, number];
}

const usualWidth = 80;

/** How wide a terminal is at this moment, in columns; as usual where nobody gave it a size: then it says 0. */
export function terminalWidth(stream: SizedStream): number {
  return (stream.getWindowSize?.()[0] ?? stream.columns) || usualWidth;
}

/** How wide text for a stream may be: as a terminal is, and so many columns where it goes elsewhere. */
export function widthFor(stream: SizedStream, elsewhere: number): number {
  return stream.isTTY === true ? terminalWidth(stream) : elsewhere;
}
