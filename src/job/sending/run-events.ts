import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { RunLog } from '../../output/log/run-log.ts';
import type { HeldBatch } from '../../pipeline/intake/take-in.ts';
import { version } from '../running/version.ts';

type StartedEvent = Extract<Parameters<RunLog['append']>[0][number], { event: 'run.started' }>;

/**
 * How a run of a batch begins in its log.
 * @param credential fingerprint of the API key in use; null for a run that sends nothing
 */
export async function startedEvent(
  verbs: LedgerVerbs,
  { batch, run }: HeldBatch,
  credential: string | null,
): Promise<StartedEvent> {
  return {
    event: 'run.started',
    run: run.id,
    version,
    mode: batch.mode,
    origin: batch.origin,
    kind: batch.kind,
    sheet: batch.sheet,
    content_hash: batch.contentHash,
    reading_hash: batch.readingHash,
    credential,
    ...run.owner,
    rows: batch.rowCount ?? 0,
    counts: await verbs.countStatuses(batch.id),
  };
}

/**
 * Rows that come to their end without a request are noted while the files are written: those that
 * changed in this run, or all of them when no earlier run has come to its end. Resolves when they are on disk:
 * kept until the end, the lines of a batch of which nothing is sent would fill the memory.
 */
export async function noteUnsentRows(
  runLog: Pick<RunLog, 'append' | 'flush'>,
  rows: readonly ResultRow[],
  changedSince: string,
): Promise<void> {
  const unsent = rows.filter(
    ({ attempts, status, code, changedAt }) =>
      (attempts === 0 || code === 'key_expired') &&
      status !== 'not_sent' &&
      status !== 'unknown' &&
      changedAt >= changedSince,
  );
  if (unsent.length === 0) return;
  runLog.append(
    unsent.map((row) => ({
      event: 'row.final',
      row: row.row,
      key: row.idempotencyKey,
      attempt: row.attempts,
      status: row.status,
      id: row.objectId,
      code: row.code,
    })),
  );
  await runLog.flush();
}
