import { findNamedBatch } from './access/find-batch.ts';
import { openLedger } from './access/ledger-access.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { type ReconcileResult, reconcileBatch } from './reconciling/batch.ts';
import { replay } from './reconciling/replay.ts';
import type { BatchRequest, SidesRequest } from './reconciling/request.ts';
import { type ComparedFiles, compareTwoFiles } from './reconciling/two-files.ts';
import type { JobContext } from './running/context.ts';
import { withApiAndLedger } from './sending/sending.ts';

/** Accounts for every row of a batch; sends unknown rows again first where the request says so. */
export async function reconcile(app: JobContext, request: BatchRequest): Promise<ReconcileResult> {
  await requireOutFolder(app.settings);
  return request.replay ? reconcileAfterReplay(app, request) : reconcileAsItStands(app, request);
}

/** Compares two files with each other, without a ledger. */
export async function compareFiles(app: JobContext, request: SidesRequest): Promise<ComparedFiles> {
  await requireOutFolder(app.settings);
  return compareTwoFiles(app, request);
}

function reconcileAfterReplay(app: JobContext, request: BatchRequest): Promise<ReconcileResult> {
  return withApiAndLedger(app, async (target, access) => {
    const batch = await findNamedBatch(access.verbs, request.batch);
    return reconcileBatch(app, access, batch, request, () => replay(app, access, target, batch));
  });
}

async function reconcileAsItStands(app: JobContext, request: BatchRequest): Promise<ReconcileResult> {
  const access = await openLedger(app.settings, app.environment);
  try {
    const batch = await findNamedBatch(access.verbs, request.batch);
    return await reconcileBatch(app, access, batch, request, null);
  } finally {
    await access.close();
  }
}
