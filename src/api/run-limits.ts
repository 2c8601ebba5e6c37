/*
 * Limits and knowledge that all rows of a run share: when a try may start, what each answer shows, and what stops the run.
 */

import { setMaxListeners } from 'node:events';
import type { Outcome, StopCause } from '../domain/sending/outcome.ts';
import { parseRetryAfter } from '../domain/sending/retry-policy.ts';
import { unansweredText } from '../domain/sending/stops.ts';
import { createIdProof, OutageWatch, type WatchedRow } from './attempt.ts';
import type { Reply } from './exchange.ts';
import {
  type ConcurrencyLimit,
  createGate,
  createRetryBudget,
  type RateLimiter,
  type Timing,
} from './limiters.ts';

/** The pause of all requests after a 429 without a stated time. */
const defaultThrottleWaitInMs = 1000;

export interface RunLimitsOptions {
  readonly timing: Timing;
  readonly halt: Halt;
  /** The limit of requests in flight. It is updated with every answer, and applied by the sender. */
  readonly concurrency: Pick<ConcurrencyLimit, 'onAnswer' | 'onCongestion' | 'onDoubt'>;
  /** When absent, the rate is unlimited. */
  readonly rate?: RateLimiter;
  /** Called with the pause that the API requested; used to display progress. */
  readonly onPause?: (waitInMs: number) => void;
}

interface FinishedTry {
  readonly row: WatchedRow;
  /** Number of rows of the batch that could be sent and never were. */
  readonly rowsLeft: () => number;
  readonly reply: Reply;
  readonly outcome: Outcome;
  readonly startedAtInMs: number;
  readonly endedAtInMs: number;
}

/** Limits and knowledge that all rows of a run share: when a try may start, and what each finished try shows. */
export interface RunLimits {
  /**
   * Waits until the run allows a try to start; false if it does not allow it any more. Returns a plain value instead of a
   * promise if no wait is needed, since a promise would cost time for every request.
   *
   * @param untilInMs monotonic time in milliseconds after which the try may not start
   */
  readonly mayStart: (untilInMs: number) => boolean | Promise<boolean>;
  readonly learn: (finished: FinishedTry) => void;
  /** Waits before a retry: the row's own delay, or longer if the run's retry budget is used up. */
  readonly waitForRetry: (outcome: Outcome, delayInMs: number) => Promise<void>;
  /** Whether the API may be down. Only untested rows are sent then, one by one. */
  readonly isApiInDoubt: () => boolean;
  /** Whether rows that have failed in this run may be sent again. */
  readonly mayAskAgain: () => boolean;
  /** The reason why a run reports at the end of its rows that the API is down; null if it does not report that. */
  readonly silence: () => StopCause | null;
}

export function createRunLimits(options: RunLimitsOptions): RunLimits {
  const { timing, halt, concurrency, rate } = options;
  const gate = createGate(timing);
  const budget = createRetryBudget();
  const watch = new OutageWatch();
  const ids = createIdProof();
  const isStillWanted = (untilInMs: number): boolean =>
    !halt.signal.aborted && timing.monotonicInMs() < untilInMs;
  const waitToStart = async (untilInMs: number): Promise<boolean> => {
    do {
      await gate.pass(halt.signal);
      await rate?.acquire(halt.signal);
      // The gate may have closed while this try waited for the rate.
    } while (gate.isClosed() && !halt.signal.aborted);
    return isStillWanted(untilInMs);
  };
  let latest: FinishedTry | null = null;
  const watchForOutage = (finished: FinishedTry): void => {
    latest = finished;
    watch.record(finished.row, finished);
    concurrency.onDoubt(watch.isProbing);
    if (watch.isProbing) gate.closeFor(watch.pauseInMs);
    if (!watch.isInDoubt || watch.isProbing) return;
    const outage = watch.outage(finished.rowsLeft(), failureText(finished));
    if (outage !== null) halt.raise(outage);
  };
  return {
    isApiInDoubt: () => watch.isInDoubt,
    mayAskAgain: () => watch.mayAskAgain,
    silence: () => (latest === null ? null : watch.silence(failureText(latest))),
    mayStart: (untilInMs) =>
      rate === undefined && !gate.isClosed() ? isStillWanted(untilInMs) : waitToStart(untilInMs),
    learn(finished) {
      const { reply, outcome } = finished;
      const pauseInMs = requestedPauseInMs(reply, outcome, timing.now());
      if (pauseInMs !== null) {
        gate.closeFor(pauseInMs);
        options.onPause?.(pauseInMs);
      }
      if (isOverload(reply)) concurrency.onCongestion(finished);
      else if (isAnswered(outcome)) concurrency.onAnswer();
      budget.earn();
      watchForOutage(finished);
      if (ids.record(outcome)) {
        halt.raise({
          reason: 'no_id',
          message: 'the API confirms requests, but its answers hold no id where one is looked for',
        });
      }
    },
    async waitForRetry(outcome, delayInMs) {
      // The gate handles the pause after a 429. The retry budget is for failures.
      const budgetDelayInMs = outcome.kind === 'throttled' ? 0 : budget.spend(timing.monotonicInMs());
      await timing.sleep(Math.max(delayInMs, budgetDelayInMs), halt.signal);
    },
  };
}

/** Why a try failed, without the API's address. */
function failureText({ reply, outcome }: FinishedTry): string {
  const code = 'reason' in outcome ? outcome.reason : outcome.kind;
  return unansweredText(code, reply.kind === 'answer' ? reply.status : null, null);
}

/**
 * The pause that the API requested, in milliseconds; null if none. A 429 always means a pause. A 503 may have a
 * `Retry-After` as well (RFC 9110, section 15.6.4).
 */
function requestedPauseInMs(reply: Reply, outcome: Outcome, now: Date): number | null {
  if (outcome.kind === 'throttled') return outcome.waitInMs ?? defaultThrottleWaitInMs;
  if (reply.kind !== 'answer' || reply.status !== 503) return null;
  return parseRetryAfter(reply.headers.retryAfter, now);
}

function isOverload(reply: Reply): boolean {
  return reply.kind === 'answer' && (reply.status === 429 || reply.status === 503);
}

function isAnswered(outcome: Outcome): boolean {
  return outcome.kind === 'created' || outcome.kind === 'refused' || outcome.kind === 'conflict';
}

/** The stop flag of a run: raised by the user's signal or by an answer. */
export interface Halt {
  /** After it is aborted, no further try starts and every wait ends. */
  readonly signal: AbortSignal;
  /** The cause of the stop; null while the run continues, and if only the user stopped it. */
  readonly cause: () => StopCause | null;
  /** Stops the run; the first cause counts. */
  readonly raise: (cause: StopCause) => void;
}

export function createHalt(stopSignal: AbortSignal): Halt {
  const controller = new AbortController();
  const signal = AbortSignal.any([stopSignal, controller.signal]);
  // Every waiting row listens, so a large number of listeners does not show a leak.
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
