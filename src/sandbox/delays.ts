/** Timers that can all be called off when the sandbox closes. */
export class Delays {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Calls back after the time; at once when it is 0. */
  after(timeInMs: number, callback: () => void): void {
    if (timeInMs <= 0) {
      callback();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, timeInMs);
    this.#timers.add(timer);
  }

  cancelAll(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
