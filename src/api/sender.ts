/* Sends one stored request until its answer is conclusive or its tries are used up. */

import { stopCauseOf } from '../domain/sending/answer.ts';
import {
  type Attempt,
  type Conclusion,
  type CreationReading,
  conclude,
  type Outcome,
  type SetAside,
  type StopCause,
  type StoredRequest,
} from '../domain/sending/outcome.ts';
import {
  asideDelayInMs,
  isToBeSetAside,
  isWorthRetrying,
  mayBeOutage,
  retryDelayInMs,
} from '../domain/sending/retry-policy.ts';
import { RunStop } from '../domain/sending/stops.ts';
import { attemptOf, createPathProof, outcomeOf, type PathProof, type WatchedRow } from './attempt.ts';
import type { ApiClient } from './client.ts';
import {
  createHalt,
  createRunLimits,
  type Halt,
  type RunLimits,
  type RunLimitsOptions,
} from './run-limits.ts';

export interface SenderOptions extends Omit<RunLimitsOptions, 'halt'> {
  readonly client: Pick<ApiClient, 'post'>;
  /** Maximum number of requests for one row in one run. */
  readonly maxAttempts: number;
  /** Once aborted, no new try starts; tries in flight end, and waiting rows conclude in their current state. */
  readonly stopSignal: AbortSignal;
  /** Whether a path gave a conclusive answer other than 404 in an earlier run; no path did when absent. */
  readonly isPathProven?: (path: string) => boolean;
}

/** The data of a row that the sender needs. */
export interface SendableRow {
  /** Number of requests that earlier claims have sent for this row. */
  readonly attemptsBefore: number;
  /** Whether the API may have executed one of them under the current key. */
  readonly isEarlierTryUnknown: boolean;
  /**
   * Monotonic time in milliseconds after which the row may not be sent again; `Infinity` is allowed. It does not apply to
   * the very first request.
   */
  readonly resendUntil: number;
  /**
   * Whether an earlier run left the row in doubt although other rows were answered. Such a row is set aside at its first
   * failure, which says nothing about the API. False when absent.
   */
  readonly failedAlone?: boolean;
  /** Number of other rows that could be sent and never were; unlimited when absent. */
  readonly rowsLeft?: () => number;
  /** Called right before each request, including the first. After it has returned false, no byte of the row is sent. */
  readonly mayLeave: () => boolean | Promise<boolean>;
  readonly readAnswer: (json: unknown) => CreationReading;
}

/** Sends rows, each with its own tries, under the limits that the whole run shares. */
export interface Sender {
  /**
   * Tries one row until its answer is conclusive, no further try is allowed, or the row is set aside for other rows. Every
   * try sends the same request.
   *
   * @param onAttempt called with each request as soon as its outcome is known
   * @throws RunStop when the run cannot continue and this row has no conclusive answer; its `conclusion` has the row's
   *   state and has to be recorded
   */
  readonly send: (
    request: StoredRequest,
    row: SendableRow,
    onAttempt: (attempt: Attempt) => void,
  ) => Promise<Conclusion | SetAside>;
  /** Whether the API may be down. Callers should send untested rows then, since they show it soonest. */
  readonly isApiInDoubt: () => boolean;
  /**
   * The reason why the API counts as down at the end of a run's rows: several rows were tried, and none was answered. Null
   * if the run may end normally.
   */
  readonly silence: () => StopCause | null;
}

/** State that all rows of a run share. */
interface Run extends Pick<SenderOptions, 'client' | 'timing' | 'maxAttempts'> {
  readonly halt: Halt;
  readonly limits: RunLimits;
  readonly paths: PathProof;
}

/** One row while it is sent. */
interface Sending extends WatchedRow {
  readonly request: StoredRequest;
  readonly row: SendableRow;
  readonly attempts: Attempt[];
  readonly onAttempt: (attempt: Attempt) => void;
  /** Monotonic time of the first request; null until it is sent. */
  firstStartedAtInMs: number | null;
  /** The outcome of the latest try; null before the first try. */
  last: Outcome | null;
  /** Monotonic time at which the latest try ended. */
  lastEndedAtInMs: number;
}

export function createSender(options: SenderOptions): Sender {
  const { client, timing, maxAttempts, stopSignal, isPathProven } = options;
  const halt = createHalt(stopSignal);
  const run: Run = {
    client,
    timing,
    maxAttempts,
    halt,
    limits: createRunLimits({ ...options, halt }),
    paths: createPathProof(isPathProven),
  };
  return {
    send: (request, row, onAttempt) => {
      const failsAlone = row.failedAlone ?? false;
      const nothingYet = { attempts: [], firstStartedAtInMs: null, last: null, lastEndedAtInMs: 0 };
      return firstTurn(run, { request, row, onAttempt, failsAlone, ...nothingYet });
    },
    isApiInDoubt: run.limits.isApiInDoubt,
    silence: () => (halt.signal.aborted ? null : run.limits.silence()),
  };
}

async function firstTurn(run: Run, sending: Sending): Promise<Conclusion | SetAside> {
  // Another failure of this row would show nothing new about the API.
  if (sending.failsAlone && run.limits.isApiInDoubt()) return setAside(run, sending);
  return inTurn(run, sending, async () => tryInPlace(run, sending, await tryOnce(run, sending)));
}

async function laterTurn(run: Run, sending: Sending): Promise<Conclusion | SetAside> {
  if (!run.limits.mayAskAgain() && !run.halt.signal.aborted)
    return conclude(sending.row, sending.attempts, sending.last);
  return inTurn(run, sending, () => tryAfterPause(run, sending));
}

function setAside(run: Run, sending: Sending): SetAside {
  const { row, attempts, last } = sending;
  return {
    state: 'set_aside',
    inconclusive: conclude(row, attempts, last),
    again: () => laterTurn(run, sending),
  };
}

/** How a row's turn ended: the last outcome, null if the tries were aborted, or 'aside' if the row is set aside. */
type TurnEnd = Outcome | 'aside' | null;

/** Gives a row its turn, and counts it among the rows in flight on its path. */
async function inTurn(
  run: Run,
  sending: Sending,
  turn: () => Promise<TurnEnd>,
): Promise<Conclusion | SetAside> {
  const { path } = sending.request;
  run.paths.enter(path);
  try {
    const end = await turn();
    if (end === 'aside') return setAside(run, sending);
    const conclusion = conclude(sending.row, sending.attempts, end);
    const cause = run.halt.cause();
    const isOpen = conclusion.state === 'ready' || conclusion.state === 'unknown';
    if (cause !== null && isOpen) throw new RunStop(cause.reason, cause.message, conclusion);
    return conclusion;
  } finally {
    run.paths.leave(path);
  }
}

/** Tries a row again after its first try, as long as it keeps its place. */
async function tryInPlace(run: Run, sending: Sending, first: Outcome | null): Promise<TurnEnd> {
  const { timing, limits } = run;
  let outcome = first;
  while (outcome !== null && mayTryAgain(run, sending, outcome)) {
    const isAside =
      isToBeSetAside(outcome, sending.attempts.length) ||
      (mayBeOutage(outcome) && (sending.failsAlone || limits.isApiInDoubt()));
    if (isAside) return 'aside';
    await limits.waitForRetry(outcome, retryDelayInMs(sending.attempts.length, timing.random()));
    // Other rows may have failed during the wait.
    if (mayBeOutage(outcome) && limits.isApiInDoubt() && !run.halt.signal.aborted) return 'aside';
    outcome = await tryOnce(run, sending);
  }
  return outcome;
}

/** The next try of a row that was set aside. It begins after a pause, which counts from the end of the latest try. */
async function tryAfterPause(run: Run, sending: Sending): Promise<TurnEnd> {
  const { timing, limits } = run;
  const { last, lastEndedAtInMs, attempts } = sending;
  if (last !== null) {
    const pauseInMs = asideDelayInMs(attempts.length, timing.random());
    await limits.waitForRetry(last, lastEndedAtInMs + pauseInMs - timing.monotonicInMs());
  }
  const outcome = await tryOnce(run, sending);
  if (outcome === null || !mayTryAgain(run, sending, outcome)) return outcome;
  return mayBeOutage(outcome) ? 'aside' : tryInPlace(run, sending, outcome);
}

/** Whether a row may be tried again after this outcome, now or later. */
function mayTryAgain({ maxAttempts, halt }: Run, { attempts }: Sending, outcome: Outcome): boolean {
  if (outcome.kind === 'created' || outcome.kind === 'refused' || halt.signal.aborted) return false;
  return attempts.length < maxAttempts && isWorthRetrying(outcome, attempts);
}

/** Sends one request, records it and learns from it; null if no request was sent, or if its answer stops the run. */
async function tryOnce(run: Run, sending: Sending): Promise<Outcome | null> {
  const { client, timing, limits, paths } = run;
  const { request, row, attempts, onAttempt } = sending;
  const starts = limits.mayStart(mayStartUntilInMs(sending));
  // In nearly all cases no wait is needed, and a promise would cost time for every row.
  const leavesAtOnce = starts === true && row.mayLeave() === true;
  if (!leavesAtOnce && !(await waitToLeave(run, sending, starts))) return null;
  const startedAtInMs = timing.monotonicInMs();
  sending.firstStartedAtInMs ??= startedAtInMs;
  const reply = await client.post(request, () => row.mayLeave() === true);
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
  const rowsLeft = row.rowsLeft ?? (() => Number.POSITIVE_INFINITY);
  limits.learn({ row: sending, rowsLeft, reply, outcome, startedAtInMs, endedAtInMs });
  sending.last = outcome;
  sending.lastEndedAtInMs = endedAtInMs;
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
 * Waits until the row may be sent at this moment. If checking the run's right to the row took time, the gate may have
 * closed meanwhile, and the rate limit may have let another row start. So both are checked again then.
 * @param starts the first result of the gate and the rate limit
 */
async function waitToLeave(run: Run, sending: Sending, starts: boolean | Promise<boolean>): Promise<boolean> {
  let mayStart = starts;
  for (;;) {
    if (!(await mayStart)) return false;
    const mayLeave = sending.row.mayLeave();
    if (typeof mayLeave === 'boolean') return mayLeave;
    if (!(await mayLeave)) return false;
    mayStart = run.limits.mayStart(mayStartUntilInMs(sending));
  }
}

/** A key's age counts from its first request, so a key that was never sent cannot be too old. */
function mayStartUntilInMs({ row, attempts }: Sending): number {
  const isFirstSend = row.attemptsBefore === 0 && !row.isEarlierTryUnknown && attempts.length === 0;
  return isFirstSend ? Number.POSITIVE_INFINITY : row.resendUntil;
}

/** A refusal by 404 counts only on a path that exists; null if it does not exist, or if that is unknown. */
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
 * Whether an answer seems to belong to its request. An answer that came late or twice shifts all later answers of its
 * connection by one, and only the content of those answers can show this.
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
