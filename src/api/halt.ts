import { setMaxListeners } from 'node:events';
import type { StopCause } from '../domain/sending/stop-cause.ts';

/** The stop flag of a run: raised by the user's signal or by what an answer says. */
export interface Halt {
  /** Once it is aborted, no further try starts and every wait ends. */
  readonly signal: AbortSignal;
  /** Null while the run goes on, and when only the user stopped it. */
  readonly cause: () => StopCause | null;
  /** Stops the run; the first cause counts. */
  readonly raise: (cause: StopCause) => void;
}

export function createHalt(stopSignal: AbortSignal): Halt {
  const controller = new AbortController();
  const signal = AbortSignal.any([stopSignal, controller.signal]);
  // Every row that waits listens, so their number says nothing about a leak.
  setMaxListeners(0, signal);
  let first: StopCause | null = null;
  return {
    signal,
    cause: () => first,
    raise(cause) {
      first ??= cause;
      controller.abort();
    },
  };
}
