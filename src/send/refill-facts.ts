import pLimit, { type LimitFunction } from 'p-limit';
import type {
  MissingFactsReason,
  MissingResponse,
  RefilledFacts,
  RepeatedAnswer,
} from '../domain/rows/result-row.ts';
import type { Conclusion } from '../domain/sending/outcome.ts';
import { RunStop } from '../domain/sending/stops.ts';
import { answeredEvent, creationReader, fingerprintOf, stagedEvent } from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { elapsedInMs, type Moment, momentOf } from './lease.ts';
import type { TurnContext } from './row-turn.ts';
import type { SubmitContext } from './submit.ts';

/** Number of rows whose answers are in memory at once. Each answer is up to 64 KiB long. */
const rowsPerPage = 200;

/** Everything that a refill of facts needs. */
export interface RefillContext
  extends Omit<TurnContext, 'leaseInMs'>,
    Pick<SubmitContext, 'batchId' | 'run' | 'credential' | 'concurrency' | 'checkContent' | 'onLimiter'> {
  readonly ledger: Pick<LedgerVerbs, 'listMissingResponses' | 'recordRepeatedAnswers'>;
  /** Maximum age of a key since it was first sent; null if the settings do not state how long the API keeps keys. */
  readonly keyAgeInMs: number | null;
  /** Called with the number of rows whose answers were recorded. */
  readonly onProgress: (rows: number) => void;
}

interface Refill {
  readonly context: RefillContext;
  readonly limiter: LimitFunction;
  filled: number;
  readonly missing: Map<MissingFactsReason, number>;
  /** Whether the API returns the stored answer when a key is sent again; null while unknown. */
  doesRepeat: boolean | null;
  failure: unknown;
}

/** A row whose request was sent again, or was to be. */
interface AskedRow {
  readonly row: MissingResponse;
  readonly conclusion: Pick<Conclusion, 'attempts' | 'objectId'>;
}

/**
 * Sends the same requests again for created rows whose answers the ledger lacks, so that the API repeats the answers. At
 * first only one row is sent. The others are sent only if the API names the same object for it. The first answer that
 * refuses, or names another object, ends the refill. Whatever the answers are, the rows stay `created`.
 * @throws RunStop when credentials, configuration or an unreachable API stop the run
 */
export async function refillFacts(context: RefillContext): Promise<RefilledFacts> {
  const limiter = pLimit(context.concurrency);
  context.onLimiter(limiter);
  const refill: Refill = {
    context,
    limiter,
    filled: 0,
    missing: new Map(),
    doesRepeat: null,
    failure: undefined,
  };
  const { ledger, batchId, credential, keyAgeInMs } = context;
  const wanted = { credential, keyAgeInMs, limit: rowsPerPage };
  for (let afterRow = 0; ; ) {
    const listedAt = momentOf(context.clock);
    const rows = await ledger.listMissingResponses(batchId, { ...wanted, afterRow });
    const last = rows.at(-1);
    if (last === undefined) return refill;
    await refillPage(refill, rows, listedAt);
    if (refill.failure !== undefined) throw refill.failure;
    afterRow = last.row;
  }
}

async function refillPage(refill: Refill, rows: readonly MissingResponse[], listedAt: Moment): Promise<void> {
  const { context, limiter } = refill;
  const unchanged: MissingResponse[] = [];
  for (const row of rows) {
    const obstacle = row.obstacle ?? (isUnchanged(row) ? null : 'not_proven');
    if (obstacle === null) unchanged.push(row);
    else countMissing(refill, obstacle);
  }
  const proven = await approvedAmong(refill, unchanged);
  if (mayContinue(refill) && proven.length > 0) {
    context.runLog.append(proven.map(stagedEvent));
    await context.runLog.flush();
  }
  const asked: AskedRow[] = [];
  const together: Promise<void>[] = [];
  for (const row of proven) {
    const carried = limiter(async () => void asked.push(await ask(refill, row, listedAt)));
    if (refill.doesRepeat === null) await carried;
    else together.push(carried);
  }
  await Promise.all(together);
  await context.runLog.flush();
  await record(refill, asked);
}

/** The rows whose request is what was approved: an entry of the ledger alone must not cause a request. */
async function approvedAmong(
  refill: Refill,
  rows: readonly MissingResponse[],
): Promise<readonly MissingResponse[]> {
  const verdict = await refill.context.checkContent?.(rows.map((row) => ({ ...row, wasUnknown: true })));
  const left = new Set(verdict === undefined ? [] : [...verdict.changed, ...verdict.unproven]);
  for (const { row } of rows) if (left.has(row)) countMissing(refill, 'not_proven');
  return rows.filter(({ row }) => !left.has(row));
}

/** Whether the stored bytes still match their fingerprint. The ledger's data may be damaged. */
function isUnchanged({ path, body, fingerprint }: MissingResponse): boolean {
  return fingerprintOf(path, body).equals(fingerprint);
}

function countMissing({ missing }: Refill, reason: MissingFactsReason): void {
  missing.set(reason, (missing.get(reason) ?? 0) + 1);
}

function mayContinue({ context, doesRepeat }: Refill): boolean {
  return doesRepeat !== false && !context.halt.signal.aborted;
}

/** Sends one row's request again, unless the run is to stop. A failure ends the whole refill. */
async function ask(refill: Refill, row: MissingResponse, listedAt: Moment): Promise<AskedRow> {
  const notAsked = { row, conclusion: { attempts: [], objectId: null } };
  if (!mayContinue(refill)) return notAsked;
  try {
    const conclusion = await sendAgain(refill, row, listedAt);
    const answer = reasonOf({ row, conclusion });
    if (answer === null || answer === 'too_large') refill.doesRepeat ??= true;
    if (answer === 'other_object' || answer === 'refused') refill.doesRepeat = false;
    return { row, conclusion };
  } catch (error) {
    refill.failure ??= error;
    refill.context.halt.abort();
    return error instanceof RunStop && error.conclusion !== null
      ? { row, conclusion: error.conclusion }
      : notAsked;
  }
}

async function sendAgain(refill: Refill, row: MissingResponse, listedAt: Moment): Promise<Conclusion> {
  const { context } = refill;
  const { path, idempotencyKey, body, attempts } = row;
  const isYoungEnough = (): boolean => elapsedInMs(listedAt, context.clock) < row.keyTimeLeftInMs;
  let end = await context.sender.send(
    { path, idempotencyKey, body },
    {
      attemptsBefore: attempts,
      // With this value, no refusal counts as conclusive.
      isEarlierTryUnknown: true,
      resendUntil: listedAt.monotonicInMs + row.keyTimeLeftInMs,
      mayLeave: () => mayContinue(refill) && isYoungEnough() && context.holdsBatch(),
      readAnswer: creationReader(context, row),
    },
    (attempt) => context.runLog.append([answeredEvent(row, attempt)]),
  );
  // The row keeps its place among those in flight, since only few other rows wait for the place.
  while (end.state === 'set_aside') end = await end.again();
  return end;
}

/** Why the row has no facts after its request was sent again; null when it has them. */
function reasonOf({ row, conclusion: { attempts, objectId } }: AskedRow): MissingFactsReason | null {
  const last = attempts.at(-1);
  if (last === undefined) return 'not_asked';
  if (objectId === row.objectId) return last.answer === null ? 'too_large' : null;
  if (objectId !== null) return 'other_object';
  return last.outcome === 'refused' || last.outcome === 'conflict' ? 'refused' : 'no_answer';
}

async function record(refill: Refill, asked: readonly AskedRow[]): Promise<void> {
  const { ledger, batchId, run, onProgress } = refill.context;
  const answers = asked.flatMap(({ row, conclusion }): RepeatedAnswer[] =>
    conclusion.attempts.length === 0 ? [] : [{ ...row, conclusion }],
  );
  const recorded =
    answers.length === 0 ? new Set<number>() : await ledger.recordRepeatedAnswers(batchId, run.id, answers);
  for (const each of asked) {
    const reason = reasonOf(each);
    if (reason !== null) countMissing(refill, reason);
    else if (recorded.has(each.row.row)) refill.filled += 1;
    else countMissing(refill, 'not_asked');
  }
  onProgress(asked.length);
}
