/* Where the run log of a batch is. */

import { join, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { stemOf } from '../read-accounts.ts';

export function runLogPath({ settings }: Pick<CallContext, 'settings'>, batch: BatchRecord): string {
  return join(resolve(settings.output.out), `${stemOf(batch)}.run.jsonl`);
}
