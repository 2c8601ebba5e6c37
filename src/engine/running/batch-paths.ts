/* What the files of a batch are called, and where its run log is. */

import { join, resolve } from 'node:path';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { resultStem } from '../../output/files/stem.ts';
import type { CallContext } from './context.ts';

/** What the names of a batch's files begin with. */
export function stemOf(batch: BatchRecord): string {
  return resultStem({ fileName: batch.fileName, sheet: batch.sheet, batchId: batch.id });
}

export function runLogPath({ settings }: Pick<CallContext, 'settings'>, batch: BatchRecord): string {
  return join(resolve(settings.output.out), `${stemOf(batch)}.run.jsonl`);
}
