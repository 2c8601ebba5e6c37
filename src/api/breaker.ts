import type { Outcome, UnknownReason } from '../domain/sending/outcome.ts';

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

/** Whole JSON that confirms nothing comes from an API that is up. */
const answersOfTheApi: ReadonlySet<UnknownReason> = new Set([
  'answer_without_id',
  'answer_too_large',
  'error_in_answer',
]);

/** A 429 or a conflict comes from an API that is up as well. */
function isUnavailability(outcome: Outcome): boolean {
  if (outcome.kind === 'not_sent') return true;
  if (outcome.kind !== 'unknown') return false;
  return !answersOfTheApi.has(outcome.reason);
}
