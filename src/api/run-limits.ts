/* All limits of a run: retries, pauses that the API asks for, and requests in flight, which fall and rise with its answers. */

import { setMaxListeners } from 'node:events';
import { type Outcome, type StopCause, unansweredText } from '../domain/sending/outcome.ts';
import { parseRetryAfter } from '../domain/sending/retry-policy.ts';
import { createIdProof } from './attempt.ts';
import type { Reply } from './exchange.ts';
import { OutageWatch, type WatchedRow } from './outage-watch.ts';
import type { RateLimiter, Timing } from './rate.ts';

/** How long all requests wait after a 429 that does not say. */
const defaultThrottleWaitInMs = 1000;

export interface RunLimitsOptions {
  readonly timing: Timing;
  readonly halt: Halt;
  /** Learns from every answer; whoever sends keeps to it. */
  readonly concurrency: Pick<ConcurrencyLimit, 'onAnswer' | 'onCongestion' | 'onDoubt'>;
  /** Without it there is no rate to keep to. */
  readonly rate?: RateLimiter;
  /** The API asked to be left alone for so long; for the progress display. */
  readonly onPause?: (waitInMs: number) => void;
}

interface FinishedTry {
  readonly row: WatchedRow;
  /** How many rows of the batch could be sent that never were. */
  readonly rowsLeft: () => number;
  readonly reply: Reply;
  readonly outcome: Outcome;
  readonly startedAtInMs: number;
  readonly endedAtInMs: number;
}

/** What all rows of a run share: when a try may start, and what each finished one teaches. */
export interface RunLimits {
  /**
   * Waits for the run's leave to start a try; false when there will be none. Answers at once where there is
   * nothing to wait for, as promises cost every request.
   *
   * @param untilInMs monotonic milliseconds from which on the try may not start
   */
  readonly mayStart: (untilInMs: number) => boolean | Promise<boolean>;
  readonly learn: (finished: FinishedTry) => void;
  /** Waits before a retry: the row's own delay, or longer when the run's retry budget is used up. */
  readonly waitForRetry: (outcome: Outcome, delayInMs: number) => Promise<void>;
  /** Whether the API may be down: then only rows are sent of which nothing is known yet, one by one. */
  readonly isApiInDoubt: () => boolean;
  /** Whether rows that have failed in this run may be asked for again. */
  readonly mayAskAgain: () => boolean;
  /** Why a run that has come to the end of its rows says that the API is down; null where it does not. */
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
      // The gate may have closed while the rate kept this try waiting.
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
      // What a 429 delays is the gate's affair; the budget guards against failures.
      const budgetDelayInMs = outcome.kind === 'throttled' ? 0 : budget.spend(timing.monotonicInMs());
      await timing.sleep(Math.max(delayInMs, budgetDelayInMs), halt.signal);
    },
  };
}

/** Why a try came to nothing, without the API's address. */
function failureText({ reply, outcome }: FinishedTry): string {
  const code = 'reason' in outcome ? outcome.reason : outcome.kind;
  return unansweredText(code, reply.kind === 'answer' ? reply.status : null, null);
}

/** A 503 may carry a `Retry-After` as well (RFC 9110, section 15.6.4); a 429 always means a pause. */
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

/** Waiting rows leave within this time after the gate opens, so that they do not meet the API all at once. */
const longestSpreadInMs = 1000;

/** The one gate before every request of a run: closed while the API wants to be left alone. */
interface Gate {
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

interface RetryBudgetSettings {
  /** Retries that a run may make before it has earned any. */
  readonly initialRetries: number;
  /** What each request earns: 0.2 allows one retry for five requests. */
  readonly retriesPerRequest: number;
  /** What time earns, so that the last rows of a bad run are not stuck. */
  readonly retriesPerSecond: number;
  /** Retries that can be saved up. */
  readonly capacity: number;
}

const defaultRetryBudget: RetryBudgetSettings = {
  initialRetries: 20,
  retriesPerRequest: 0.2,
  retriesPerSecond: 10,
  capacity: 100,
};

/**
 * Keeps a run's retries from multiplying the load on an API that is in trouble. A retry beyond the budget
 * is put off, not given up: giving up would leave rows `unknown` that one more try would have cleared.
 */
interface RetryBudget {
  readonly earn: () => void;
  /** Takes one retry and says how long it has to wait for it, in milliseconds; 0 while there is budget. */
  readonly spend: (nowInMs: number) => number;
}

export function createRetryBudget(settings: RetryBudgetSettings = defaultRetryBudget): RetryBudget {
  let balance = settings.initialRetries;
  let creditedAtInMs: number | null = null;
  const credit = (retries: number) => {
    balance = Math.min(settings.capacity, balance + retries);
  };
  return {
    earn: () => credit(settings.retriesPerRequest),
    spend(nowInMs) {
      credit(((nowInMs - (creditedAtInMs ?? nowInMs)) / 1000) * settings.retriesPerSecond);
      creditedAtInMs = nowInMs;
      balance -= 1;
      return balance >= 0 ? 0 : (-balance / settings.retriesPerSecond) * 1000;
    },
  };
}

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

/** How many requests may be in flight: additive increase, multiplicative decrease. */
interface ConcurrencyLimit {
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
  /** Lets one request at a time through while it is found out whether the API is down, and then as many as before. */
  readonly onDoubt: (isProbing: boolean) => void;
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
  let isProbing = false;
  let announced = maximum;
  const current = (): number => (isProbing ? 1 : limit);
  const announce = (): void => {
    if (current() === announced) return;
    announced = current();
    onLimitChange(announced);
  };
  const change = (next: number) => {
    answersInWindow = 0;
    limit = next;
    announce();
  };
  return {
    current,
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
    onDoubt(isNow) {
      isProbing = isNow;
      announce();
    },
  };
}
