/* Whether and when one row is tried again within a run, and how long the API may ask to wait. */

import type { Attempt, Outcome } from './outcome.ts';

/** The limits of one row's tries within one run. */
export interface RetrySettings {
  /** Requests for one row in one run. */
  readonly maxAttempts: number;
  /** How often a 409 is tried again before a person has to look at it. */
  readonly maxConflictRetries: number;
  /** How often a whole 2xx answer without a usable id is asked for again. */
  readonly maxUnreadableRetries: number;
  /** The first delay is random between 0 and this; each further one doubles the upper end. */
  readonly baseDelayInMs: number;
  readonly maxDelayInMs: number;
}

export const defaultRetrySettings: RetrySettings = {
  maxAttempts: 5,
  maxConflictRetries: 3,
  maxUnreadableRetries: 1,
  baseDelayInMs: 500,
  maxDelayInMs: 20_000,
};

/** Reasons that a repetition rarely changes: the API gives the stored answer of the same key again. */
const unreadableReasons: ReadonlySet<string | null> = new Set(['answer_without_id', 'answer_too_large']);

/**
 * How long a row waits before its next try: exponential with full jitter, so that rows that failed together do not come
 * back together.
 *
 * @param failedTries this row's tries in this run so far, 1 or more
 * @param random a number from 0 (inclusive) to 1
 */
export function retryDelayInMs(failedTries: number, settings: RetrySettings, random: number): number {
  const ceilingInMs = Math.min(settings.maxDelayInMs, settings.baseDelayInMs * 2 ** (failedTries - 1));
  return Math.round(random * ceilingInMs);
}

/**
 * Whether another try may change an outcome, however many there are still to have.
 *
 * @param attempts this row's tries in this run, the one with this outcome included
 */
export function isWorthRetrying(
  outcome: Outcome,
  attempts: readonly Attempt[],
  settings: RetrySettings,
): boolean {
  switch (outcome.kind) {
    case 'created':
    case 'refused':
    case 'stop':
      return false;
    case 'throttled':
    case 'not_sent':
      return true;
    case 'conflict':
      return (
        attempts.filter((attempt) => attempt.outcome === 'conflict').length <= settings.maxConflictRetries
      );
    case 'unknown':
      // The API has said its word; the same key would only give it again.
      if (outcome.reason === 'error_in_answer') return false;
      if (!unreadableReasons.has(outcome.reason)) return true;
      return (
        attempts.filter((attempt) => unreadableReasons.has(attempt.reason)).length <=
        settings.maxUnreadableRetries
      );
  }
}

/** No answer may make us wait longer than this at a time; afterwards the API is simply asked again. */
export const longestRetryAfterInMs = 10 * 60_000;

const secondsPattern = /^[+-]?\d+(\.\d+)?$/;

// `Date.parse` alone takes nearly any text with a number in it for a date.
const httpDatePattern =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): whole seconds or an HTTP date.
 *
 * @param value the header's text, or null when it is absent
 * @param now the moment at which the answer came, to which a date is relative
 * @returns milliseconds from 0 to {@link longestRetryAfterInMs}, or null when the header says nothing usable
 */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  const text = value?.trim() ?? '';
  if (secondsPattern.test(text)) return withinBounds(Number(text) * 1000);
  if (!httpDatePattern.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : withinBounds(at - now.getTime());
}

function withinBounds(waitInMs: number): number {
  return Math.round(Math.min(Math.max(waitInMs, 0), longestRetryAfterInMs));
}
