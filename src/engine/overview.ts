/* A batch as a page shows it: its state, its plan, and the changes of its payees. */

import { ChangesWatch, changesOfBatch } from '../account/batch-files/files-of-batch.ts';
import { mostChangesReported } from '../account/batch-tables.ts';
import { placeOf, readAccounts } from '../account/read-accounts.ts';
import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { BatchAccount, ShownPlan } from '../domain/batches/account.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { currentPlan } from '../send/plan.ts';

/** A batch, its plan, and the first findings about its payees. */
export interface Overview extends CallResult {
  readonly batch: BatchAccount;
  /**
   * What would be sent now, where a person decides about that; the latest plan where rows are being sent, or were sent.
   * Null where the batch was never planned.
   */
  readonly plan: ShownPlan | null;
  /** Number of its rows that are not in the approved plan: they are not sent under that approval. */
  readonly unapprovedRows: number;
  /** The first findings, where there are more than a report shows, and their counts as far as they were read. */
  readonly changes: ChangesSummary;
  /** Codes of the countries whose institutions its rows were checked by. */
  readonly institutionCountries: readonly string[];
  /** The first batch of its family, and the corrections, the oldest first; empty for a batch without a family. */
  readonly family: readonly BatchAccount[];
}

/** Maximum of batches of a family that are shown: its first one, and the newest of its corrections. */
const mostRelatives = 20;

/**
 * Read only: nothing is sent or moved. A shown plan is kept.
 * @param request names the batch: its id, or 4 or more of its first characters
 * @throws PaybatchError (`batch_not_found`)
 */
export async function overviewOf(app: CallContext, request: { readonly batch: string }): Promise<Overview> {
  const { verbs } = await app.connections.ledgerToRead();
  const record = await findNamedBatch(verbs, request.batch);
  const [batch] = await readAccounts(verbs, [record], placeOf(app));
  if (batch === undefined) throw new Error('a batch was found and has no account');
  const { plan, unapprovedRows } = await planOf(app, verbs, record, batch);
  const watch = new ChangesWatch();
  for await (const group of changesOfBatch(verbs, record.id)) {
    watch.add(group);
    if (watch.result().shown.length >= mostChangesReported) break;
  }
  watch.compare(await verbs.readSeries(record.id));
  watch.noteDrift(await verbs.readDrift(record.id));
  const family = await familyOf(app, verbs, batch);
  const institutionCountries = (await verbs.listPinnedInstitutions(record.id)).map(({ country }) => country);
  const shown = { batch, plan, unapprovedRows, changes: watch.result(), institutionCountries, family };
  return { outcome: 'done', batches: [], failure: null, ...shown };
}

async function planOf(
  app: CallContext,
  verbs: LedgerVerbs,
  record: BatchRecord,
  { state, approval }: BatchAccount,
): Promise<Pick<Overview, 'plan' | 'unapprovedRows'>> {
  const approvalId = approval?.inForce ?? null;
  const isDecidedAbout =
    state === 'planned' || state === 'unapproved' || (state === 'unfinished' && approvalId !== null);
  if (!isDecidedAbout) return { plan: (await verbs.readNewestPlan(record.id)) ?? null, unapprovedRows: 0 };
  const { planHash, totals, rows } = await currentPlan(app, verbs, record);
  const unapprovedRows = approvalId === null ? 0 : await verbs.countUnapproved(approvalId, rows);
  return { plan: { planHash, totals }, unapprovedRows };
}

async function familyOf(
  app: CallContext,
  verbs: LedgerVerbs,
  { family }: BatchAccount,
): Promise<readonly BatchAccount[]> {
  if (family === null) return [];
  const newest = family.corrections.slice(1 - mostRelatives);
  const ids = [family.first.id, ...newest.map(({ id }) => id)];
  return readAccounts(verbs, await verbs.listBatchesOf(ids), placeOf(app));
}
