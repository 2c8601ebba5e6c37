/**
 * How much of a table's content its newest reading has passed. A piece counts once its rows were taken, not when it
 * came from the disk.
 */
export class ReadingShare {
  #readBytes = 0;
  #totalBytes = 0;

  /** @param totalBytes of the content, as its pieces are counted */
  begin(totalBytes: number): void {
    this.#readBytes = 0;
    this.#totalBytes = totalBytes;
  }

  pass(bytes: number): void {
    this.#readBytes += bytes;
  }

  /** From 0 to 1. */
  get value(): number {
    return this.#totalBytes === 0 ? 0 : Math.min(1, this.#readBytes / this.#totalBytes);
  }
}
