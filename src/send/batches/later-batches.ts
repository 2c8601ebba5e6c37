/*
 * Sends corrections of an import's rows after the import: a run of the first file may settle the doubts that they wait for.
 */

import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import type { BatchRecord, LeasedBatch } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { holdAll, requireKnownLogs } from '../hold.ts';
import { type OpenedSides, type SentBatches, sendLeased } from './continue-batches.ts';
import { requirePlannedCorrections } from './preflight.ts';
import { settleBatch, settleLeased } from './settle.ts';
import { afterSending } from './stopped-batch.ts';

/** The results of a call's batches so far, and what sending further batches needs. */
interface Later {
  readonly app: CallContext;
  readonly sides: OpenedSides;
  sent: SentBatches;
}

/**
 * Sends the open rows of later batches in the families of the call's batches: corrections, and other readings of the same
 * file. The doubts that they waited for may be settled now. Their rows in doubt are sent again. A later batch is sent only
 * if a person has requested its sending, and only in a run that needs no confirmation.
 * @param held the batches of the call, which have been sent
 * @param sent their results
 * @param isPlanAgreed whether a person agreed to a plan. A plan covers only batches of this call, so no other batch is sent
 *   then
 * @returns the results of all batches, those of the call and later ones
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

/** @param mayGoOn whether later batches may be sent; otherwise they are only released, and a later run sends them */
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
  // Sending a correction also settles the row that it corrects. If the original batch has nothing to send, an extra run
  // writes the new state of that row into its files.
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
  /** Whether any of its rows waited for a doubt that has been settled now. */
  readonly isReleased: boolean;
}

/** Settles the families of batches, and finds the later batches that have something to send. Each batch is listed once. */
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

/** @returns whether this call has sent the batch. If another run holds the batch, that run sends it */
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

/**
 * @returns null where another run holds the batch, a person has closed it, or corrections of its rows are not planned yet
 */
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

/** Joins earlier results with those of a batch that was sent afterwards. If a batch is in both, its later result counts. */
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
