import { outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import { findNamedBatch } from './access/ledger-access.ts';
import { standingOf, writeBatchFiles } from './files/files-of-batch.ts';
import { requireOutFolder } from './files/out-folder.ts';
import type { CallContext } from './running/context.ts';
import type { WrittenBatches } from './running/result.ts';

/**
 * Writes a batch's result files again, from the ledger alone.
 * @param request names the batch: its id, or 4 or more of its first characters
 */
export async function writeResults(
  app: CallContext,
  request: { readonly batch: string },
): Promise<WrittenBatches> {
  await requireOutFolder(app.settings.output);
  const { verbs } = await app.connections.ledger();
  const batch = await findNamedBatch(verbs, request.batch);
  const summary = await writeBatchFiles(app, verbs, batch, null);
  const outcome = outcomeOfRows(...standingOf(summary));
  const { mode, origin } = batch;
  return { outcome, batches: [summary], failure: null, environment: { mode, origin } };
}
