/*
 * The plans of batches, which a person looks at before sending, and their differences from the plans that a person agreed
 * to.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Connections, LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import type { PlanGroup, PlanTotals } from '../../domain/batches/account.ts';
import type { BatchRecord, LeasedBatch } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedAmount } from '../../domain/money/money.ts';
import { printable } from '../../domain/text/characters.ts';
import { referencesIn } from '../../kinds/request.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type LeafSink, type Plan, type PlanContext, planBatch } from '../plan.ts';

/** Plans that were shown, by batch, for each engine. */
const looked = new WeakMap<Connections, KeptPlans>();

type KeptPlans = Map<string, { readonly mark: string; readonly plan: Plan }>;

const plansKept = 100;

/**
 * The current plan of a batch. No row is changed; decisions that only a run can make about single rows are left to that
 * run. The plan is stored as it was shown, so that a run which has to send exactly this plan can report what has changed.
 * It is computed again only if rows of the environment have changed, or if the caller needs its leaves.
 */
export async function currentPlan(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  leaves?: LeafSink,
): Promise<Plan> {
  const { id, environmentId, rowCount } = batch;
  const kept: KeptPlans = looked.get(app.connections) ?? new Map();
  looked.set(app.connections, kept);
  // Read before planning, so that the next call notices changes that happen meanwhile.
  const mark = await verbs.readEnvironmentMark(environmentId);
  const known = kept.get(id);
  if (known?.mark === mark && leaves === undefined) return known.plan;
  app.report({ kind: 'step.started', step: 'planning', about: null, rows: rowCount });
  try {
    const look = { runId: '', importBatches: [], isLook: true };
    const plan = await planIn(app, verbs, batch, leaves === undefined ? look : { ...look, leaves });
    await keepAsShown(app, verbs, id, plan);
    kept.delete(id);
    kept.set(id, { mark, plan });
    const [oldest] = kept.keys();
    if (kept.size > plansKept && oldest !== undefined) kept.delete(oldest);
    return plan;
  } finally {
    app.report({ kind: 'step.ended' });
  }
}

/** Plans a batch of the ledger, and reports its rows. */
function planIn(
  app: CallContext,
  verbs: LedgerVerbs,
  { id, mode, origin, environmentId }: BatchRecord,
  own: Pick<PlanContext, 'runId' | 'importBatches' | 'isLook' | 'leaves'>,
): Promise<Plan> {
  return planBatch({
    ledger: verbs,
    references: referencesIn(verbs, environmentId, []),
    environment: { mode, origin },
    batchId: id,
    onRows: (rows) => app.report({ kind: 'step.advanced', rows }),
    ...own,
  });
}

/** Stores a plan as it was shown. A standby database stores nothing, and nothing is sent from it. */
async function keepAsShown(
  { connections }: CallContext,
  verbs: LedgerVerbs,
  batchId: string,
  { planHash, totals }: Plan,
): Promise<void> {
  const shown = await verbs.readNewestPlan(batchId);
  if (shown?.planHash === planHash && isDeepStrictEqual(shown.totals, totals)) return;
  const { readOnly } = await connections.ledgerToRead();
  if (readOnly === null) await verbs.savePlan(batchId, planHash, totals);
}

/** What a held batch would send. */
export interface PlannedBatch {
  readonly own: LeasedBatch;
  readonly plan: Plan;
}

/** Plans the batches of a call, one after the other, in the order in which they would be sent. */
export async function planHeld(
  app: CallContext,
  { verbs }: LedgerAccess,
  held: readonly LeasedBatch[],
): Promise<PlannedBatch[]> {
  const importBatches = held.map(({ batch }) => batch.id);
  const planned: PlannedBatch[] = [];
  app.report({ kind: 'step.started', step: 'planning', about: null, rows: null });
  try {
    for (const own of held) {
      planned.push({ own, plan: await planIn(app, verbs, own.batch, { runId: own.run.id, importBatches }) });
    }
    return planned;
  } finally {
    app.report({ kind: 'step.ended' });
  }
}

/** The plans that a person agreed to: the plan hash of a single batch, or a list with the plan hash of each batch. */
export type AgreedPlans = string | readonly string[];

/**
 * Reads the plan hashes that a call states.
 * @throws PaybatchError (`usage`) as `planHashOf` does
 */
export function agreedPlansOf(
  text: AgreedPlans | undefined,
  files: readonly string[] = [],
): AgreedPlans | undefined {
  if (text === undefined || typeof text === 'string') return planHashOf(text, files);
  return text.flatMap((hash) => planHashOf(hash, files) ?? []);
}

/**
 * Reads a plan hash. A wrong text is refused before anything else is checked.
 * @param files that are to be sent; the advice in the error names them
 * @throws PaybatchError (`usage`) for a text that cannot be a plan's hash
 */
export function planHashOf(text: string | undefined, files: readonly string[] = []): string | undefined {
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text)) return text?.toLowerCase();
  throw new PaybatchError(
    'option_invalid',
    'The plan hash is not the hash of a plan: that has 64 hexadecimal digits.',
    { action: 'plan', files, asRead: true, effect: 'shows it' },
  );
}

const shownDifferences = 6;

/**
 * The differences between a plan that was shown and the current one, group by group, as one text. Rows may have changed
 * without changing any total; then only the hash differs.
 */
export function planDifference(before: PlanTotals, now: PlanTotals): string {
  const old = new Map(before.send.map((group) => [nameOf(group), group]));
  const fresh = new Map(now.send.map((group) => [nameOf(group), group]));
  const changed = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((name) => {
    const [was, is] = [measure(old.get(name)), measure(fresh.get(name))];
    return was === is ? [] : [`${printable(name)}: ${was}, now ${is}`];
  });
  if (changed.length === 0) return 'the counts and sums are the same, but the content of rows is not';
  const left = changed.length - shownDifferences;
  return [
    ...changed.slice(0, shownDifferences),
    ...(left > 0 ? [`and ${countOf(left, 'more group')}`] : []),
  ].join('; ');
}

function nameOf({ resource, institution, currency }: PlanGroup): string {
  return [resource, institution, currency].filter((part) => part !== null).join(' ');
}

function measure(group: PlanGroup | undefined): string {
  if (group === undefined) return 'none';
  const rows = countOf(group.rows, 'row');
  return group.amount === null ? rows : `${rows} with ${groupedAmount(group.amount, group.currency)}`;
}
