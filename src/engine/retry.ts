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
        app.report({ kind: 'note', note: { code: 'rows_returned', batch: batch.id, rows } });
      }
    },
  });
}
