import type { ServerResponse } from 'node:http';

/** The requests that have no whole answer yet, so that closing can wait for them and for nothing else. */
export class OpenRequests {
  readonly #open = new Set<ServerResponse>();
  readonly #neverAnswered = new Set<ServerResponse>();
  #whenDrained: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      this.#neverAnswered.delete(response);
      if (this.#open.size === 0) this.#whenDrained?.();
    });
  }

  /** Leaves a request without an answer until its client gives up. */
  neverAnswer(response: ServerResponse): void {
    this.#neverAnswered.add(response);
  }

  /** Drops those that would never be answered, and waits for the others, but not for longer than this. */
  async drain(patienceInMs: number): Promise<void> {
    for (const response of this.#neverAnswered) response.socket?.destroy();
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, patienceInMs);
      this.#whenDrained = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }
}
