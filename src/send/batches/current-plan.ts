/* What a batch would send at this moment, for people to look at: what a page promises is what the engine then does. */

import { isDeepStrictEqual } from 'node:util';
import type { Connections } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { referencesIn } from '../../kinds/references.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { type Plan, planBatch } from '../plan.ts';

/** Plans that were looked at, by batch, of each engine. */
const looked = new WeakMap<Connections, Map<string, { readonly mark: string; readonly plan: Plan }>>();

const plansKept = 100;

/**
 * The plan of a batch as it is now. No row is moved: what a run would find out about single rows is left to that run. The
 * plan is kept as one that was shown, so that a run which is to send exactly this one can tell what is different by then.
 * It is computed again only once rows of the environment have changed.
 */
export async function currentPlan(
  app: CallContext,
  verbs: LedgerVerbs,
  { id, mode, origin, environmentId, rowCount }: BatchRecord,
): Promise<Plan> {
  const kept =
    looked.get(app.connections) ?? new Map<string, { readonly mark: string; readonly plan: Plan }>();
  looked.set(app.connections, kept);
  // Read first: what changes meanwhile counts with the next look.
  const mark = await verbs.readEnvironmentMark(environmentId);
  const known = kept.get(id);
  if (known?.mark === mark) return known.plan;
  app.report({ kind: 'step.started', step: 'planning', about: null, rows: rowCount });
  try {
    const plan = await planBatch({
      ledger: verbs,
      references: referencesIn(verbs, environmentId, []),
      environment: { mode, origin },
      batchId: id,
      runId: '',
      importBatches: [],
      definitionNamed,
      onRows: (rows) => app.report({ kind: 'step.advanced', rows }),
      isLook: true,
    });
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

/** A standby keeps nothing, and nothing is sent from it. */
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
