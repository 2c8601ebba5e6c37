import type { Outcome } from '../domain/sending/outcome.ts';
import { parseRetryAfter } from '../domain/sending/retry-after.ts';
import { unansweredText } from '../domain/sending/unanswered.ts';
import { createBreaker } from './breaker.ts';
import type { ConcurrencyLimit } from './concurrency.ts';
import type { Reply } from './exchange.ts';
import { createGate } from './gate.ts';
import type { Halt } from './halt.ts';
import { createIdProof } from './id-proof.ts';
import type { RateLimiter } from './rate.ts';
import { createRetryBudget } from './retry-budget.ts';
import type { Timing } from './timing.ts';

/** How long all requests wait after a 429 that does not say. */
const defaultThrottleWaitInMs = 1000;

export interface RunLimitsOptions {
  readonly timing: Timing;
  readonly halt: Halt;
  /** Learns from every answer; whoever sends keeps to it. */
  readonly concurrency: Pick<ConcurrencyLimit, 'onAnswer' | 'onCongestion'>;
  /** Without it there is no rate to keep to. */
  readonly rate?: RateLimiter;
  /** The API asked to be left alone for so long; for the progress display. */
  readonly onPause?: (waitInMs: number) => void;
}

export interface FinishedTry {
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
}

export function createRunLimits(options: RunLimitsOptions): RunLimits {
  const { timing, halt, concurrency, rate } = options;
  const gate = createGate(timing);
  const budget = createRetryBudget();
  const breaker = createBreaker();
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
  return {
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
      if (breaker.record(outcome)) {
        const code = 'reason' in outcome ? outcome.reason : outcome.kind;
        const last = unansweredText(code, reply.kind === 'answer' ? reply.status : null, null);
        halt.raise({
          reason: 'unavailable',
          message: `the API is not available: one try after the other failed, the last with: ${last}`,
        });
      }
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
