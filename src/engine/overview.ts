/* A batch as a page shows it: its state, its plan, and the findings about its payees. */

import { ChangesWatch, changesOfBatch } from '../account/batch-files/changes-of-batch.ts';
import { mostChangesReported } from '../account/changes.ts';
import { placeOf, readAccounts } from '../account/read-accounts.ts';
import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import {
  type BatchAccount,
  type PlanTotals,
  partsOfTime,
  type RunAccount,
  type RunOverTime,
  type ShownPlan,
} from '../domain/batches/account.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { ChangesSummary } from '../domain/batches/batch-facts.ts';
import type { SeriesComparison } from '../domain/batches/last-time.ts';
import { sendingCommands } from '../domain/batches/run.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { currentPlan } from '../send/batches/planning.ts';
import { KeptCounts } from './kept-counts.ts';

/** A batch, its plan, and the first findings about its payees. */
export interface BatchOverview {
  readonly batch: BatchAccount;
  /**
   * The rows that would be sent now, while a person has to decide about them. The latest plan while rows are being sent, or
   * after they were sent. Null if the batch was never planned.
   */
  readonly plan: ShownPlan | null;
  /** Number of rows that are not in the approved plan. They are not sent under its approval. */
  readonly unapprovedRows: number;
  /** The first findings, at most as many as a report shows, and their counts as far as they were read. */
  readonly changes: ChangesSummary;
  /** Codes of the countries whose institutions its rows were checked by. */
  readonly institutionCountries: readonly string[];
  /** The first batch of its family, and the corrections, the oldest first; empty for a batch without a family. */
  readonly family: readonly BatchAccount[];
  /** The plan of the last file of its series; null if no earlier file exists. */
  readonly lastTime: { readonly file: string; readonly totals: PlanTotals } | null;
  /** The results of its last sending run, in parts of the run's time; null if no run has sent anything. */
  readonly lastRun: RunOverTime | null;
}

const mostRunsTried = 3;

/** Maximum of batches of a family that are shown: the first batch, and the newest corrections. */
const mostRelatives = 20;

/**
 * Returns everything that a page shows of a batch. Read only: nothing is sent, and no row is changed. A shown plan is
 * stored.
 * @param request names the batch: its id, or 4 or more of its first characters
 * @throws PaybatchError (`batch_not_found`)
 */
export async function overviewOf(
  app: CallContext,
  request: { readonly batch: string },
): Promise<CallResult & BatchOverview> {
  const verbs = (await app.connections.ledgerToRead()).verbs;
  const record = await findNamedBatch(verbs, request.batch);
  const [batch] = await readAccounts(verbs, [record], placeOf(app));
  if (batch === undefined) throw new Error('a batch was found and has no account');
  const { plan, unapprovedRows } = await planOf(app, verbs, record, batch);
  const watch = new ChangesWatch();
  for await (const group of changesOfBatch(verbs, record.id)) {
    watch.add(group);
    if (watch.result().shown.length >= mostChangesReported) break;
  }
  watch.series = await verbs.readSeries(record.id);
  watch.drift = await verbs.readDrift(record.id);
  const family = await familyOf(app, verbs, batch);
  const institutionCountries = (await verbs.listPinnedInstitutions(record.id)).map(({ country }) => country);
  const lastTime = await lastPlanOf(verbs, watch.series);
  const lastRun = await lastRunOf(app, verbs, batch);
  const shown = { batch, plan, unapprovedRows, changes: watch.result(), institutionCountries, family };
  return { ...noBatches, ...shown, lastTime, lastRun };
}

async function lastPlanOf(
  verbs: LedgerVerbs,
  series: SeriesComparison | null,
): Promise<BatchOverview['lastTime']> {
  if (series === null) return null;
  const { batch, file } = series.earlier;
  const plan = await verbs.readNewestPlan(batch);
  return plan === undefined ? null : { file, totals: plan.totals };
}

/** Counted again only after rows of the batch have changed, or another run has ended. */
const lastRunsCounted = new KeptCounts<RunOverTime | null>();

/** The newest run during which rows got their status. Only the last few runs are searched. */
async function lastRunOf(
  { connections }: CallContext,
  verbs: LedgerVerbs,
  { id, runs }: BatchAccount,
): Promise<RunOverTime | null> {
  const ended = runs.filter(({ command, endedAt }) => endedAt !== null && sendingCommands.includes(command));
  const newest = ended.at(-1);
  if (newest === undefined) return null;
  const state = `${await verbs.readRevision(id)} ${newest.id}`;
  return lastRunsCounted.of(connections, id, state, () => countLastRun(verbs, id, ended));
}

async function countLastRun(
  verbs: LedgerVerbs,
  id: string,
  ended: readonly RunAccount[],
): Promise<RunOverTime | null> {
  for (const { startedAt: from, endedAt } of ended.slice(-mostRunsTried).reverse()) {
    const to = endedAt ?? from;
    const rows = await verbs.readSentOverTime(id, { from, to });
    if (rows.length > 0) return { from, to, parts: partsOfTime, rows };
  }
  return null;
}

async function planOf(
  app: CallContext,
  verbs: LedgerVerbs,
  record: BatchRecord,
  { state, approval }: BatchAccount,
): Promise<Pick<BatchOverview, 'plan' | 'unapprovedRows'>> {
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
