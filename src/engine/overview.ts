/* A batch as a page shows it: where it stands, its plan, and what changed in its payees. */

import { ChangesWatch, changesOfBatch } from '../account/batch-files/payee-changes.ts';
import { mostChangesReported } from '../account/batch-tables.ts';
import { readAccounts } from '../account/read-accounts.ts';
import type { CallResult } from '../account/result.ts';
import { placeOf } from '../account/status/place.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { BatchAccount, ShownPlan } from '../domain/batches/account.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { currentPlan } from '../send/batches/planning.ts';

/** A batch, its plan, and the first findings about its payees. */
export interface Overview extends CallResult {
  readonly batch: BatchAccount;
  /**
   * What would be sent now, where a person decides about that; as it was made last where rows are being sent, or were. Null
   * where the batch was never planned.
   */
  readonly plan: ShownPlan | null;
  /** Rows of it that are not in the plan that was approved: they are not sent under that approval. */
  readonly unapprovedRows: number;
  /** Of more findings than a report shows, the first ones, and their numbers as far as they were looked at. */
  readonly changes: ChangesSummary;
  /** Countries with whose institutions its rows were checked, by their codes. */
  readonly institutionCountries: readonly string[];
  /** The batch that its family began with, and the corrections, the oldest first; none of a batch without a family. */
  readonly family: readonly BatchAccount[];
}

/** So many batches of a family are shown: its first one, and the newest of its corrections. */
const mostRelatives = 20;

/**
 * Looks only: nothing is sent or moved. A plan that is shown is kept.
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
