/** How many requests may be in flight: additive increase, multiplicative decrease. */
export interface ConcurrencyLimit {
  readonly current: () => number;
  /** The API answered without complaint. */
  readonly onAnswer: () => void;
  /**
   * The API is overloaded (429, 503): halves the limit, once for all the requests that were in flight
   * together.
   *
   * @param span when the try began and ended, by the same monotonic clock
   */
  readonly onCongestion: (span: { readonly startedAtInMs: number; readonly endedAtInMs: number }) => void;
}

interface ConcurrencySettings {
  /** The user's limit; it is the start and is never passed. */
  readonly maximum: number;
  readonly onLimitChange: (limit: number) => void;
}

export function createConcurrencyLimit({ maximum, onLimitChange }: ConcurrencySettings): ConcurrencyLimit {
  let limit = maximum;
  let answersInWindow = 0;
  let halvedAtInMs = Number.NEGATIVE_INFINITY;
  const change = (next: number) => {
    answersInWindow = 0;
    if (next === limit) return;
    limit = next;
    onLimitChange(limit);
  };
  return {
    current: () => limit,
    onAnswer() {
      answersInWindow += 1;
      if (answersInWindow >= limit) change(Math.min(maximum, limit + 1));
    },
    onCongestion({ startedAtInMs, endedAtInMs }) {
      answersInWindow = 0;
      // What was under way at the last halving complains about the load before it.
      if (startedAtInMs < halvedAtInMs) return;
      halvedAtInMs = endedAtInMs;
      change(Math.max(1, Math.floor(limit / 2)));
    },
  };
}
