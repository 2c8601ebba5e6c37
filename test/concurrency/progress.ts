/**
 * Counts what happens in a world: steps of programs at their database, and requests at the API. Schedules wait for
 * counts rather than for times, so that they come out alike on a machine that is busy.
 */
export class Progress {
  #count = 0;
  #waiting: { readonly count: number; readonly go: () => void }[] = [];

  get count(): number {
    return this.#count;
  }

  tick(): void {
    this.#count += 1;
    const due = this.#waiting.filter(({ count }) => count <= this.#count);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#count);
    for (const { go } of due) go();
  }

  /** Resolves when so much has happened since the beginning, or after a number of real milliseconds. */
  reach(count: number, atMostInMs: number): Promise<void> {
    if (count <= this.#count) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = { count, go: resolve };
      this.#waiting.push(waiter);
      setTimeout(
        () => {
          this.#waiting = this.#waiting.filter((each) => each !== waiter);
          resolve();
        },
        Math.max(0, atMostInMs),
      );
    });
  }
}
