import { shortBatchId } from '../domain/batches/batch.ts';
import { countOf } from '../output/words/wording.ts';
import type { CallContext } from './running/context.ts';
import { continueBatches } from './sending/continue-batches.ts';
import type { SendResult } from './sending/sending.ts';

/**
 * Sends a batch's rejected rows again, under new keys, and its waiting rows.
 * @param request names the batch: its id, or 4 or more of its first characters
 */
export function retry(app: CallContext, request: { readonly batch: string }): Promise<SendResult> {
  return continueBatches(app, {
    command: 'retry',
    named: request.batch,
    join: false,
    rows: 'fresh',
    before: async ({ verbs }, held) => {
      for (const { batch } of held) {
        // Only a person lets a batch go on whose rows are all refused for one reason, and not by this command.
        if ((await verbs.findRefusedAlike(batch.id)) !== null) continue;
        const rows = await verbs.returnRejected(batch.id);
        const text = `batch ${shortBatchId(batch.id)}: ${countOf(rows, 'rejected row')} ${rows === 1 ? 'goes again under a new key' : 'go again under new keys'}`;
        app.report({ kind: 'note', text });
      }
    },
  });
}
