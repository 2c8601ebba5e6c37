import type { CallContext } from './running/context.ts';
import { continueBatches } from './sending/continue-batches.ts';
import type { SendResult } from './sending/sending.ts';

/** Which unfinished batch to go on with. */
interface ResumeRequest {
  /** A batch id, or 4 or more of its first characters; the newest unfinished one and its import's others when absent. */
  readonly batch?: string | undefined;
  /** Work on the batch although another run does. */
  readonly join?: boolean;
}

/** Goes on with an unfinished batch. */
export function resume(app: CallContext, { batch, join = false }: ResumeRequest): Promise<SendResult> {
  return continueBatches(app, { command: 'resume', named: batch, join, before: async () => {} });
}
