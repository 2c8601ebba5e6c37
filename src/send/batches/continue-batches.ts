/* Sends leased batches, from files that were just staged or from the ledger. */

import { noBatches, type WrittenBatches } from '../../account/result.ts';
import { type DirectoryOf, directoriesOf } from '../../call/api-access.ts';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import {
  findNamedBatch,
  requireKeyOfMode,
  requireKnownLedger,
  requireSameEnvironment,
} from '../../call/ledger-access.ts';
import { type OpenedApi, sandboxFolder } from '../../call/opened-api.ts';
import { requireOutFolder } from '../../disk/file-system.ts';
import type { BatchRecord, LeasedBatch } from '../../domain/batches/batch.ts';
import { type CallOutcome, gravest, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { RowsToClaim } from '../../domain/rows/ledger-row.ts';
import { holdAll, requireKnownLogs } from '../hold.ts';
import { requireNoHalt } from '../halt-watch.ts';
import { type WorkEnd, workOn } from './batch-work.ts';
import type { AgreedPlans } from './planning.ts';
import { preflight, requirePlannedCorrections } from './preflight.ts';
import { settleBatch, settleLeased } from './settle.ts';
import { afterSending } from './stopped-batch.ts';

/** What sending needs: the API and the ledger, open. */
interface OpenedSides {
  readonly target: OpenedApi;
  readonly access: LedgerAccess;
  /** The institutions of an environment, each list read once in a call. */
  readonly directoryOf: DirectoryOf;
}

/**
 * Opens the API and the ledger.
 * @throws PaybatchError (`usage`) when this API key must not be used there, or with this ledger; (`halted`) while everything is
 *   stopped; (`policy_lost`)
 */
export async function openApi(app: CallContext): Promise<OpenedSides> {
  const target = await app.connections.api();
  if (app.settings.api.localSandbox) {
    const folder = sandboxFolder(app.settings);
    app.report({ kind: 'note', note: { code: 'built_in_sandbox', folder } });
  }
  const access = await app.connections.ledger();
  await requireNoHalt(access.verbs);
  if (target.environment.mode === 'live') await requireKnownLedger(access.verbs, app.machine);
  const { isNew } = await requireKeyOfMode(app, access.verbs, target);
  if (isNew && target.environment.mode === 'live' && !target.isKeyCompared) {
    app.report({ kind: 'note', note: { code: 'live_key_first_used', fingerprint: target.credential } });
  }
  return { target, access, directoryOf: directoriesOf(app, access.verbs) };
}

/** How held batches are sent. */
interface SendingOptions {
  /** Whether other runs may work on the same batches. */
  readonly join?: boolean;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
  readonly agreed?: AgreedPlans | undefined;
  /** Paths of the files that the batches were read from by this call; absent where it read none. */
  readonly files?: readonly string[];
}

/** The result of sending batches. */
export interface SendResult extends WrittenBatches {
  /** `refused` when nothing may be sent; `idle` when there was no batch to send, `none` when there was no file. */
  readonly sending: 'done' | 'refused' | 'idle' | 'none';
  /** Rows that were sent, or whose sending was attempted. */
  readonly sentRows: number;
}

/** The results of batches that were to be sent, each with its own end. */
interface SentBatches extends WorkEnd {
  readonly sending: SendResult['sending'];
}

/** Sends the rows of held batches, once all checks pass. */
export async function sendLeased(
  app: CallContext,
  { access, target, directoryOf }: OpenedSides,
  held: readonly LeasedBatch[],
  { agreed, files, ...options }: SendingOptions,
): Promise<SentBatches> {
  const cleared = await preflight(app, access, held, { agreed, directoryOf, files });
  if (cleared.failure !== null) {
    const { failure, batches } = cleared;
    const ends = batches.map((account) => ({ account, outcome: failure.kind }));
    return { ends, failure, isHalted: true, sending: 'refused', sentRows: 0 };
  }
  const { permissions, plans } = cleared;
  const worked = await workOn(app, access, target, held, { ...options, permissions });
  const ends = worked.ends.map(({ account, outcome }) => ({
    account: { ...account, plan: plans.get(account.id) ?? null },
    outcome,
  }));
  return { ...worked, ends, sending: 'done' };
}

/** The result of a call that has sent batches. */
export function sendResult(
  { ends, failure, sending, sentRows }: SentBatches,
  { environment }: Pick<OpenedApi, 'environment'>,
): SendResult {
  const outcomes: CallOutcome[] = ends.map(({ outcome }) => outcome);
  if (failure !== null) outcomes.push(failure.kind);
  const batches = ends.map(({ account }) => account);
  return { outcome: gravest(outcomes), batches, failure, sending, sentRows, environment };
}

/** How a use case continues batches that are in the ledger. */
interface ContinueRequest {
  readonly command: string;
  /** The name that the person gave; undefined for the newest unfinished batch and the others of its import. */
  readonly named: string | undefined;
  /** Work on the batch although another run does. */
  readonly join: boolean;
  /** The plan that a person agreed to; only for a named batch. */
  readonly agreed?: AgreedPlans | undefined;
  /** Called with the held batches before any row is judged again, confirmed or sent. */
  readonly before: (access: LedgerAccess, held: readonly LeasedBatch[]) => Promise<void>;
  /** Which rows are sent; all of them when absent. */
  readonly rows?: RowsToClaim;
}

/** Holds the named batches, processes them, and writes their files. */
export async function continueBatches(app: CallContext, going: ContinueRequest): Promise<SendResult> {
  await requireOutFolder(app.settings.output);
  const sides = await openApi(app);
  const { target, access } = sides;
  const { named, join } = going;
  if (join) requireJoinable(access, named);
  const batches =
    named === undefined
      ? await access.verbs.findNewestUnfinished(target.environment)
      : [await findNamedBatch(access.verbs, named)];
  if (batches.length === 0) {
    const { environment } = target;
    return {
      ...noBatches,
      sending: 'idle',
      sentRows: 0,
      environment,
    };
  }
  for (const batch of batches) requireSameEnvironment(batch, target);
  // Asked before anything is changed: `retry` returns rejected rows, and `resume` may lift a stop.
  await requirePlannedCorrections(access, batches, going.rows === 'fresh');
  const leased = await holdAll(access, batches, { command: going.command, actor: app.actor, join });
  const held = await requireKnownLogs(app, access, leased);
  if (going.command === 'resume' && app.settings.sending.refusedAlike === 'off') {
    for (const { batch } of held) await access.verbs.continueRefused(batch.id);
  }
  await settleLeased(app, access, held);
  await going.before(access, held);
  return sendResult(await sendLeased(app, sides, held, going), target);
}

function requireJoinable({ ledger }: LedgerAccess, named: string | undefined): void {
  if (named === undefined) {
    throw new PaybatchError(
      'batch_missing',
      'To join other runs, the batch that they work on has to be named.',
      { action: 'status', effect: 'lists the batches' },
    );
  }
  if (!ledger.isEmbedded) return;
  throw new PaybatchError(
    'database_missing',
    'Several runs can work on one batch only through a PostgreSQL server: the embedded ledger serves one process.',
    [
      { action: 'set', purpose: 'name a PostgreSQL server', oneOf: [{ setting: 'databaseUrl' }] },
      { action: 'leave_out', settings: [{ setting: 'join' }] },
    ],
  );
}

/* Sends the corrections of an import's rows: a run of the first file may settle what they wait for. */

/** The results of a call's batches so far, and what sending further batches needs. */
interface Later {
  readonly app: CallContext;
  readonly sides: OpenedSides;
  sent: SentBatches;
}

/**
 * Sends the open rows of later batches in the families of these: corrections, and other readings. What they waited for
 * may be settled now, and their rows in doubt are sent again. A batch is sent only if a person has asked for that, and
 * only in a run that needs no confirmation.
 * @param held the batches of the call, which have been sent
 * @param sent their results
 * @param isPlanAgreed whether a plan was agreed to, which covers one of the held batches only: then no other is
 *   sent
 * @returns the results of all of them
 */
export async function sendLaterBatches(
  app: CallContext,
  sides: OpenedSides,
  held: readonly LeasedBatch[],
  sent: SentBatches,
  isPlanAgreed: boolean,
): Promise<SentBatches> {
  const later: Later = { app: expectingNothing(app), sides, sent };
  const isYes = sides.target.environment.mode === 'sandbox' || app.settings.sending.yes;
  try {
    await sendLater(
      later,
      held.map(({ batch }) => batch),
      isYes && !isPlanAgreed,
    );
    return later.sent;
  } catch (error) {
    // The results of the call's own batches are kept.
    if (!(error instanceof PaybatchError)) throw error;
    const failure = afterSending(later.sent.sentRows > 0, error);
    return { ...later.sent, failure: later.sent.failure ?? failure };
  }
}

/** Expected values of a call's files do not apply to other batches. */
function expectingNothing(app: CallContext): CallContext {
  const { settings } = app;
  const controls = { ...settings.controls, expectRows: undefined, expectTotal: undefined };
  return { ...app, settings: { ...settings, controls } };
}

/** @param mayGoOn whether later batches may be sent; otherwise they are only released, for a run of their own */
async function sendLater(later: Later, own: readonly BatchRecord[], mayGoOn: boolean): Promise<void> {
  const { verbs } = later.sides.access;
  const done = new Map(own.map((batch) => [batch.id, batch]));
  const origins = new Set<string>();
  for (let isMore = true; isMore && !later.sent.isHalted; ) {
    isMore = false;
    for (const { batch, origin, isReleased } of await findLater(later, [...done.values()])) {
      if (!mayGoOn || later.sent.isHalted || (done.has(batch.id) && !isReleased)) continue;
      done.set(batch.id, batch);
      if (!(await sendOne(later, batch))) continue;
      later.app.report({ kind: 'note', note: { code: 'later_batch', batch: batch.id } });
      origins.add(origin);
      isMore = true;
    }
  }
  // A correction also settles the row that it corrects: a run that has nothing to send writes that into its files.
  for (const batch of own) {
    if (!origins.has(batch.id) || later.sent.isHalted || (await verbs.hasMovableRows(batch.id))) continue;
    await sendOne(later, batch);
  }
}

/** A batch that may be sent after another one. */
interface LaterBatch {
  readonly batch: BatchRecord;
  /** The batch in whose family it was found. */
  readonly origin: string;
  /** Whether any of its rows waited for a doubt that is settled now. */
  readonly isReleased: boolean;
}

/** Settles the families of batches, and finds later batches that have something to send, each once. */
async function findLater(
  { app, sides: { access } }: Later,
  batches: readonly BatchRecord[],
): Promise<readonly LaterBatch[]> {
  const found = new Map<string, LaterBatch>();
  const released = new Set<string>();
  for (const { id: origin } of batches) {
    for (const id of await settleBatch(app, access.verbs, origin)) released.add(id);
    for (const id of await access.verbs.listLaterToSend(origin)) {
      const batch = await access.verbs.findBatch(id);
      if (batch !== undefined && !found.has(id)) found.set(id, { batch, origin, isReleased: false });
    }
  }
  return [...found.values()].map((each) => ({ ...each, isReleased: released.has(each.batch.id) }));
}

/** @returns whether this run has sent it: if another run holds the batch, that run continues it */
async function sendOne(later: Later, batch: BatchRecord): Promise<boolean> {
  const { app, sides } = later;
  const { access } = sides;
  const leased = await holdUnlessOthers(app, access, batch);
  if (leased === null) return false;
  const held = await requireKnownLogs(app, access, leased);
  await settleLeased(app, access, held);
  later.sent = joined(later.sent, await sendLeased(app, sides, held, {}));
  return true;
}

/** @returns null where another run holds the batch, or people have closed it, or are correcting rows of it */
async function holdUnlessOthers(
  app: CallContext,
  access: LedgerAccess,
  batch: BatchRecord,
): Promise<LeasedBatch[] | null> {
  try {
    await requirePlannedCorrections(access, [batch]);
    return await holdAll(access, [batch], { command: 'import', actor: app.actor });
  } catch (error) {
    if (error instanceof PaybatchError && notOurs.has(error.code)) return null;
    throw error;
  }
}

const notOurs: ReadonlySet<string> = new Set(['batch_held', 'batch_closed', 'corrections_not_planned']);

/** Joins the results of batches and of one that was sent after them. If a batch is in both, its later result counts. */
function joined(sent: SentBatches, after: SentBatches): SentBatches {
  const ends = new Map([...sent.ends, ...after.ends].map((end) => [end.account.id, end]));
  const failure = after.failure === null ? null : afterSending(sent.sentRows > 0, after.failure);
  return {
    ends: [...ends.values()],
    failure: sent.failure ?? failure,
    isHalted: after.isHalted,
    sending: sent.sending,
    sentRows: sent.sentRows + after.sentRows,
  };
}
