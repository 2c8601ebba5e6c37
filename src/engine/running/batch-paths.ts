/* Where the run log of a batch is. */

import { join, resolve } from 'node:path';
import { stemOf } from '../../account/read-accounts.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { CallContext } from './context.ts';

export function runLogPath({ settings }: Pick<CallContext, 'settings'>, batch: BatchRecord): string {
  return join(resolve(settings.output.out), `${stemOf(batch)}.run.jsonl`);
}
