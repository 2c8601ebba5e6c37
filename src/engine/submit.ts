import type { CallContext } from './running/context.ts';
import { continueBatches } from './sending/continue-batches.ts';
import { planHashOf } from './sending/planning.ts';
import type { SendResult } from './sending/sending.ts';

/** A planned batch to send. */
interface SubmitRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Send only if it is still what the plan of this hash showed. */
  readonly planHash?: string | undefined;
}

/** Sends a planned batch. @throws PaybatchError (`usage`) for what is no hash of a plan */
export async function submit(app: CallContext, { batch, planHash }: SubmitRequest): Promise<SendResult> {
  return continueBatches(app, {
    command: 'submit',
    named: batch,
    join: false,
    planHash: planHashOf(planHash),
    before: async () => {},
  });
}
