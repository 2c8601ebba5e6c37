import type { Timing } from './timing.ts';

/** Waiting rows leave within this time after the gate opens, so that they do not meet the API all at once. */
const longestSpreadInMs = 1000;

/** The one gate before every request of a run: closed while the API wants to be left alone. */
export interface Gate {
  /** Keeps every try back for this long from now; never shortens a longer wait. */
  readonly closeFor: (durationInMs: number) => void;
  readonly isClosed: () => boolean;
  /** Waits until the gate is open, however often it is closed meanwhile; comes back at once on abort. */
  readonly pass: (signal: AbortSignal) => Promise<void>;
}

export function createGate(timing: Timing): Gate {
  let opensAtInMs = Number.NEGATIVE_INFINITY;
  let spreadInMs = 0;
  const isClosed = () => timing.monotonicInMs() < opensAtInMs;
  return {
    isClosed,
    closeFor(durationInMs) {
      const untilInMs = timing.monotonicInMs() + durationInMs;
      if (untilInMs <= opensAtInMs) return;
      opensAtInMs = untilInMs;
      spreadInMs = Math.min(durationInMs, longestSpreadInMs);
    },
    async pass(signal) {
      while (isClosed() && !signal.aborted) {
        const waitInMs = opensAtInMs - timing.monotonicInMs() + timing.random() * spreadInMs;
        await timing.sleep(waitInMs, signal);
      }
    },
  };
}
