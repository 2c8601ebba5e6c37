/* Sends one stored request until an answer is conclusive or its tries are used up. */

import pRetry from 'p-retry';
import { stopCauseOf } from '../domain/sending/answer.ts';
import { type Conclusion, conclude, RunStop } from '../domain/sending/conclusion.ts';
import type { Attempt, CreationReading, Outcome, StoredRequest } from '../domain/sending/outcome.ts';
import {
  defaultRetrySettings,
  isWorthRetrying,
  type RetrySettings,
  retryDelayInMs,
} from '../domain/sending/retry-policy.ts';
import { attemptOf, createPathProof, outcomeOf, type PathProof } from './attempt.ts';
import type { ApiClient } from './client.ts';
import {
  createHalt,
  createRunLimits,
  type Halt,
  type RunLimits,
  type RunLimitsOptions,
} from './run-limits.ts';
import type { Timing } from './timing.ts';

export interface SenderOptions extends Omit<RunLimitsOptions, 'halt'> {
  readonly client: Pick<ApiClient, 'post'>;
  /** Requests for one row in one run. */
  readonly maxAttempts: number;
  /** Once aborted, no new try starts; tries in flight end, and rows that wait conclude as they stand. */
  readonly stopSignal: AbortSignal;
  /** Whether a path gave a conclusive answer other than 404 in an earlier run; false when absent. */
  readonly isPathProven?: (path: string) => boolean;
}

/** What the sender needs to know of a row. */
export interface SendableRow {
  /** Requests sent for this row by earlier claims. */
  readonly attemptsBefore: number;
  /** Whether one of them, under this key, may have been carried out. */
  readonly isEarlierTryUnknown: boolean;
  /**
   * Monotonic milliseconds from which on the row may not be sent again; `Infinity` is allowed. The very
   * first send is no repetition, so it is not bound by this.
   */
  readonly resendUntil: number;
  /** Asked right before each request, the first one too; once it is false, nothing of the row leaves. */
  readonly mayLeave?: () => boolean | Promise<boolean>;
  readonly readAnswer: (json: unknown) => CreationReading;
}

/** Sends rows, each with its own tries, under the limits that the whole run shares. */
export interface Sender {
  /**
   * Tries one row until its answer is conclusive or no further try is granted. Every try sends the very
   * same request.
   *
   * @param onAttempt hears of each request as soon as its outcome is known
   * @throws RunStop when the run cannot go on and this row has no conclusive answer; its `conclusion` says
   *   where the row stands and has to be recorded
   */
  readonly send: (
    request: StoredRequest,
    row: SendableRow,
    onAttempt: (attempt: Attempt) => void,
  ) => Promise<Conclusion>;
}

/** What a run's rows share. */
interface Run {
  readonly client: Pick<ApiClient, 'post'>;
  readonly timing: Timing;
  readonly settings: RetrySettings;
  readonly halt: Halt;
  readonly limits: RunLimits;
  readonly paths: PathProof;
}

/** One row on its way. */
interface Sending {
  readonly request: StoredRequest;
  readonly row: SendableRow;
  readonly attempts: Attempt[];
  readonly onAttempt: (attempt: Attempt) => void;
  /** Monotonic; null until the first request leaves. */
  firstStartedAtInMs: number | null;
}

/** A try after which the row may be tried again; thrown, because that is how the library's loop is told. */
class InconclusiveTry extends Error {
  override readonly name = 'InconclusiveTry';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

export function createSender(options: SenderOptions): Sender {
  const { client, timing, maxAttempts, stopSignal, isPathProven } = options;
  const halt = createHalt(stopSignal);
  const run: Run = {
    client,
    timing,
    settings: { ...defaultRetrySettings, maxAttempts },
    halt,
    limits: createRunLimits({ ...options, halt }),
    paths: createPathProof(isPathProven),
  };
  return {
    send: (request, row, onAttempt) =>
      send(run, { request, row, attempts: [], onAttempt, firstStartedAtInMs: null }),
  };
}

async function send(run: Run, sending: Sending): Promise<Conclusion> {
  const { path } = sending.request;
  run.paths.enter(path);
  try {
    const last = await tryUntilConclusive(run, sending);
    const conclusion = conclude(sending.row, sending.attempts, last);
    const cause = run.halt.cause();
    const isOpen = conclusion.state === 'ready' || conclusion.state === 'unknown';
    if (cause !== null && isOpen) throw new RunStop(cause.reason, cause.message, conclusion);
    return conclusion;
  } finally {
    run.paths.leave(path);
  }
}

/** The outcome with which a row's tries ended, or null when they were broken off. */
async function tryUntilConclusive(run: Run, sending: Sending): Promise<Outcome | null> {
  const first = await tryOnce(run, sending);
  return isConclusive(first) ? first : retryUntilConclusive(run, sending, first);
}

/** Whether the row needs no further try, or may have none. */
function isConclusive(
  outcome: Outcome | null,
): outcome is null | Extract<Outcome, { kind: 'created' | 'refused' }> {
  return outcome === null || outcome.kind === 'created' || outcome.kind === 'refused';
}

/**
 * Nearly every row needs one try only, and the loop around more of them costs as much as that one does. The library
 * counts the tries and asks the policy whether another is worth it. It has no delay of its own: how long a row waits
 * is also a matter of the budget that all rows of the run share, and the wait ends when the run is stopped.
 */
async function retryUntilConclusive(run: Run, sending: Sending, first: Outcome): Promise<Outcome | null> {
  let last = first;
  try {
    return await pRetry(
      async (number) => {
        const outcome = number === 1 ? first : await tryAgain(run, sending, last);
        if (isConclusive(outcome)) return outcome;
        last = outcome;
        throw new InconclusiveTry(outcome);
      },
      {
        retries: run.settings.maxAttempts - 1,
        minTimeout: 0,
        shouldRetry: ({ error }) =>
          error instanceof InconclusiveTry && isWorthRetrying(error.outcome, sending.attempts, run.settings),
      },
    );
  } catch (error) {
    if (error instanceof InconclusiveTry) return error.outcome;
    throw error;
  }
}

/** @param last the outcome that is to be asked for again */
async function tryAgain(run: Run, sending: Sending, last: Outcome): Promise<Outcome | null> {
  const { settings, timing, limits } = run;
  await limits.waitForRetry(last, retryDelayInMs(sending.attempts.length, settings, timing.random()));
  return tryOnce(run, sending);
}

/** One request, noted and learnt from; null when there was none, or when its answer stops the run. */
async function tryOnce(run: Run, sending: Sending): Promise<Outcome | null> {
  const { client, timing, limits, paths } = run;
  const { request, row, attempts, onAttempt } = sending;
  const starts = limits.mayStart(mayStartUntilInMs(sending));
  // Hardly ever is there anything to wait for, and a promise costs every row.
  const leavesAtOnce = starts === true && (row.mayLeave?.() ?? true) === true;
  if (!leavesAtOnce && !(await waitToLeave(run, sending, starts))) return null;
  const startedAtInMs = timing.monotonicInMs();
  sending.firstStartedAtInMs ??= startedAtInMs;
  const reply = await client.post(request, () => (row.mayLeave?.() ?? true) === true);
  const endedAtInMs = timing.monotonicInMs();
  const outcome = outcomeOf(reply, row.readAnswer, timing.now());
  const number = row.attemptsBefore + attempts.length + 1;
  const attempt = attemptOf(number, reply, outcome, {
    sentAfterMs: startedAtInMs - sending.firstStartedAtInMs,
    durationInMs: endedAtInMs - startedAtInMs,
  });
  attempts.push(attempt);
  onAttempt(attempt);
  if (reply.kind === 'answer' && !isFittingAnswer(outcome)) reply.hangUp?.();
  limits.learn({ reply, outcome, startedAtInMs, endedAtInMs });
  if (provesPath(outcome, attempt.httpStatus)) paths.prove(request.path);
  const cause = stopCauseOf(outcome);
  if (cause !== null) {
    run.halt.raise(cause);
    return null;
  }
  const isNotFound = outcome.kind === 'refused' && attempt.httpStatus === 404;
  return isNotFound ? confirmNotFound(run, request.path, outcome) : outcome;
}

/**
 * Waits until the row may leave at this very moment. While the run's right to the row was asked for, the gate may
 * have closed, and the rate has given the moment to another row: then both are asked again.
 * @param starts the first answer of the gate and the rate
 */
async function waitToLeave(run: Run, sending: Sending, starts: boolean | Promise<boolean>): Promise<boolean> {
  let mayStart = starts;
  for (;;) {
    if (!(await mayStart)) return false;
    const mayLeave = sending.row.mayLeave?.() ?? true;
    if (typeof mayLeave === 'boolean') return mayLeave;
    if (!(await mayLeave)) return false;
    mayStart = run.limits.mayStart(mayStartUntilInMs(sending));
  }
}

/** A key's age counts from its first send, so a key that was never sent cannot be too old. */
function mayStartUntilInMs({ row, attempts }: Sending): number {
  const isFirstSend = row.attemptsBefore === 0 && !row.isEarlierTryUnknown && attempts.length === 0;
  return isFirstSend ? Number.POSITIVE_INFINITY : row.resendUntil;
}

/** A refusal by 404 counts only on a path that exists; null when it does not, or when nobody can tell. */
async function confirmNotFound(
  { paths, halt }: Run,
  path: string,
  refusal: Outcome,
): Promise<Outcome | null> {
  const verdict = await paths.judge(path, halt.signal);
  if (verdict === 'path_is_right') return refusal;
  if (verdict === 'path_is_wrong') {
    const message = `the API answered 404 to every first request to ${path}: is the base URL right?`;
    halt.raise({ reason: 'wrong_path', message });
  }
  return null;
}

/**
 * Whether an answer shows nothing that would belong to another request. One that came late, or twice, puts every
 * later answer of its connection one place off, and only what they say can tell.
 */
function isFittingAnswer(outcome: Outcome): boolean {
  if (outcome.kind === 'created') return outcome.differences === undefined;
  return outcome.kind !== 'unknown' || outcome.reason === 'server_error';
}

function provesPath(outcome: Outcome, httpStatus: number | null): boolean {
  if (httpStatus === null || httpStatus === 404) return false;
  if (outcome.kind === 'refused' || outcome.kind === 'conflict') return true;
  return stopCauseOf(outcome) === null && httpStatus < 300;
}
