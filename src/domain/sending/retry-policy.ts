/* When a request may be sent again: how long its key may be used, and how long to wait before the next attempt. */

import type { Attempt, Outcome, UnknownReason } from './outcome.ts';

/** How long after its first sending a row may be sent again under its key without a person's decision. */
export interface KeyLifetime {
  readonly durationInMs: number;
  /**
   * Whether the duration is a cautious assumption, because no setting states how long the API of a live environment keeps
   * its keys.
   */
  readonly isAssumed: boolean;
}

/**
 * Used if no lifetime is stated. Providers keep keys for ten minutes to thirty days. In live mode a longer assumption could
 * create an object twice.
 */
const unstatedInMs = { sandbox: 24 * 3_600_000, live: 10 * 60_000 } as const;

/** @param statedInMs the stated key lifetime of the API; undefined if none is stated */
export function keyLifetimeOf(mode: keyof typeof unstatedInMs, statedInMs: number | undefined): KeyLifetime {
  return {
    durationInMs: statedInMs ?? unstatedInMs[mode],
    isAssumed: statedInMs === undefined && mode === 'live',
  };
}

/**
 * How far the clock that recorded a first sending may be ahead of the present clock. The ledger's claims allow the same
 * difference.
 */
const toleratedClockSkewInMs = 5 * 60_000;

/**
 * The minimum remaining lifetime of a key for sending a request again although its object exists. A mistake would create a
 * second object, and only facts are gained. Half of it is for differences of clocks, half for the transport.
 */
const marginInMs = 2 * toleratedClockSkewInMs;

/**
 * The maximum age of a key for sending the request of an existing object again.
 * @returns null if the lifetime of keys is only assumed; then no such request is sent
 */
export function repeatableAgeInMs({ durationInMs, isAssumed }: KeyLifetime): number | null {
  return isAssumed ? null : Math.max(0, durationInMs - marginInMs);
}

/** How often a request is tried again after a 409 before a person has to look into it. */
const maxConflictRetries = 3;

/** How often a request is sent again after a whole 2xx answer without a usable id. */
const maxUnreadableRetries = 1;

/** The number of tries without an answer after which a row is set aside, so that other rows are sent first. */
const triesBeforeAside = 2;

/** The first delay is random between 0 and this value. For each further delay the upper end doubles. */
const baseDelayInMs = 500;

const maxDelayInMs = 20_000;

/** Reasons that a retry rarely changes, because the API repeats its stored answer for the same key. */
const unreadableReasons: ReadonlySet<string | null> = new Set(['answer_without_id', 'answer_too_large']);

/**
 * How long a row waits before its next try. The delay is exponential with full jitter, so that rows that failed together do
 * not retry together.
 * @param failedTries this row's tries in this run so far, 1 or more
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function retryDelayInMs(failedTries: number, random: number): number {
  const ceilingInMs = Math.min(maxDelayInMs, baseDelayInMs * 2 ** (failedTries - 1));
  return Math.round(random * ceilingInMs);
}

/**
 * How long a row that was set aside waits after its latest try. The delay grows each time, and is at least half of the
 * maximum, because a short pause does not help a row that failed more than once.
 * @param failedTries this row's tries in this run so far, 1 or more
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function asideDelayInMs(failedTries: number, random: number): number {
  const ceilingInMs = Math.min(maxDelayInMs, baseDelayInMs * 2 ** failedTries);
  return Math.round((ceilingInMs * (1 + random)) / 2);
}

/**
 * Whether an API that is down may have caused an outcome. Whole JSON that confirms nothing, a 429 and a conflict show that
 * the API is up.
 */
export function mayBeOutage(outcome: Outcome): boolean {
  if (outcome.kind === 'not_sent') return true;
  return outcome.kind === 'unknown' && !answersOfTheApi.has(outcome.reason);
}

const answersOfTheApi: ReadonlySet<UnknownReason> = new Set([
  'answer_without_id',
  'answer_too_large',
  'error_in_answer',
]);

/**
 * Whether other rows go before a row that may be tried again. A row that timed out has occupied its place for long, so it is
 * set aside at once.
 * @param triesInRun this row's tries in this run so far
 */
export function isToBeSetAside(outcome: Outcome, triesInRun: number): boolean {
  if (!mayBeOutage(outcome)) return false;
  const isTimeout = outcome.kind === 'unknown' && outcome.reason === 'timeout';
  return isTimeout || triesInRun >= triesBeforeAside;
}

/**
 * Whether another try may change an outcome, whatever the number of remaining tries is.
 * @param attempts this row's tries in this run, including the one with this outcome
 */
export function isWorthRetrying(outcome: Outcome, attempts: readonly Attempt[]): boolean {
  switch (outcome.kind) {
    case 'created':
    case 'refused':
    case 'stop':
      return false;
    case 'throttled':
    case 'not_sent':
      return true;
    case 'conflict':
      return attempts.filter((attempt) => attempt.outcome === 'conflict').length <= maxConflictRetries;
    case 'unknown':
      // The API has answered. Under the same key it would only repeat its answer.
      if (outcome.reason === 'error_in_answer') return false;
      if (!unreadableReasons.has(outcome.reason)) return true;
      return (
        attempts.filter((attempt) => unreadableReasons.has(attempt.reason)).length <= maxUnreadableRetries
      );
  }
}

/** The longest wait that one answer can impose. Afterwards the request is sent again. */
export const longestRetryAfterInMs = 10 * 60_000;

const secondsPattern = /^[+-]?\d+(\.\d+)?$/;

// `Date.parse` alone accepts nearly any text with a number as a date.
const httpDatePattern =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): whole seconds or an HTTP date.
 * @param value the header's text; null if it is absent
 * @param now the time of the answer, to which a date is relative
 * @returns milliseconds from 0 to {@link longestRetryAfterInMs}; null if the header is not usable
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
