import type { Outcome } from '../domain/outcome.ts';

/** Finished tries in a row without a usable answer after which the API counts as down. */
export const defaultBreakerThreshold = 20;

/** Stops a run when the API is down, after some tens of requests and not after one for each row. */
export interface Breaker {
  /**
   * Notes a finished try.
   *
   * @returns true when this one makes the API count as down
   */
  readonly record: (outcome: Outcome) => boolean;
}

export function createBreaker(threshold: number = defaultBreakerThreshold): Breaker {
  let failuresInARow = 0;
  return {
    record(outcome) {
      failuresInARow = isUnavailability(outcome) ? failuresInARow + 1 : 0;
      return failuresInARow === threshold;
    },
  };
}

/** A 429, a conflict, or whole JSON without an id comes from an API that is up. */
function isUnavailability(outcome: Outcome): boolean {
  if (outcome.kind === 'not_sent') return true;
  if (outcome.kind !== 'unknown') return false;
  return outcome.reason !== 'answer_without_id' && outcome.reason !== 'answer_too_large';
}
