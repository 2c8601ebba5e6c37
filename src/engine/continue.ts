/* Continues a batch that is in the ledger: sends a planned batch, an unfinished one, or its rejected rows. */

import type { CallContext } from '../call/context.ts';
import { continueBatches, type SendResult } from '../send/batches/continue-batches.ts';
import { planHashOf } from '../send/plan.ts';

/** A planned batch to send. */
interface SubmitRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Send only if the batch still matches the plan of this hash. */
  readonly planHash?: string | undefined;
}

/**
 * Sends a planned batch.
 * @throws PaybatchError (`usage`) for a text that is not a plan's hash
 */
export async function submit(app: CallContext, { batch, planHash }: SubmitRequest): Promise<SendResult> {
  return continueBatches(app, {
    command: 'submit',
    named: batch,
    join: false,
    agreed: planHashOf(planHash),
    before: async () => {},
  });
}

/** Which unfinished batch to continue. */
interface ResumeRequest {
  /**
   * A batch id, or 4 or more of its first characters; when absent, the newest unfinished batch and the others of its
   * import.
   */
  readonly batch?: string | undefined;
  /** Work on the batch although another run does. */
  readonly join?: boolean;
}

/** Continues an unfinished batch. */
export function resume(app: CallContext, { batch, join = false }: ResumeRequest): Promise<SendResult> {
  return continueBatches(app, { command: 'resume', named: batch, join, before: async () => {} });
}

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
        // If all rows of a batch are refused for one reason, only a person may continue it, and not with this command.
        if ((await verbs.findRefusedAlike(batch.id)) !== null) continue;
        const rejected = await verbs.returnRejected(batch.id);
        const { waiting = 0 } = await verbs.countStatuses(batch.id);
        if (rejected + waiting === 0) continue;
        app.report({ kind: 'note', note: { code: 'rows_returned', batch: batch.id, rejected, waiting } });
      }
    },
  });
}
