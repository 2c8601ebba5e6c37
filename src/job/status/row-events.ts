import type { RunRecord } from '../../domain/batches/run.ts';
import type { RowHistory } from '../../ledger/after-sending/row-history.ts';
import type { RowEvent, RowObject } from '../../output/json/status.ts';
import { statusOfRow } from './row.ts';

/**
 * A row with all that happened to it, as `--json` prints it.
 * @param runs of its batch, oldest first: events name them by their place
 */
export function rowObject(history: RowHistory, runs: readonly RunRecord[]): RowObject {
  const { row } = history;
  return {
    row: row.row,
    status: statusOfRow(row),
    same_as: row.sameAs,
    id: row.objectId,
    code: row.code,
    field: row.field,
    message: row.message,
    notes: [...row.notes],
    attempts: row.attempts,
    first_sent_at: row.firstSentAt,
    key_runs_out_at: row.keyRunsOutAt,
    changed_at: row.changedAt,
    history: eventsOf(history, runs),
  };
}

/** The oldest first; of those that share a moment, in the order in which they follow from each other. */
function eventsOf(
  { row, requests, attempts, verdicts, lateCreations }: RowHistory,
  runs: readonly RunRecord[],
): RowEvent[] {
  const runNumber = (id: string): number | null => {
    const at = runs.findIndex((run) => run.id === id);
    return at === -1 ? null : at + 1;
  };
  const keys = new Map(requests.map(({ generation, idempotencyKey }) => [generation, idempotencyKey]));
  const events: RowEvent[] = [
    { time: row.stagedAt, event: 'staged' },
    ...requests.map(
      ({ writtenAt, runId, idempotencyKey, path }): RowEvent => ({
        ...{ time: writtenAt, event: 'request_written', run: runNumber(runId), key: idempotencyKey, path },
      }),
    ),
    ...attempts.map(
      (attempt): RowEvent => ({
        time: attempt.sentAt ?? attempt.recordedAt,
        event: 'attempt',
        run: runNumber(attempt.runId),
        attempt: attempt.number,
        key: keys.get(attempt.generation) ?? null,
        outcome: attempt.outcome,
        reason: attempt.reason,
        http_status: attempt.httpStatus,
        id: attempt.objectId,
        duration_ms: attempt.durationInMs,
        answer: attempt.answer,
      }),
    ),
    ...verdicts.map(
      ({ decidedAt, verdict, fromState, objectId, note, decidedBy }): RowEvent => ({
        ...{ time: decidedAt, event: 'verdict', verdict, from: fromState, id: objectId, note, by: decidedBy },
      }),
    ),
    ...lateCreations.map(
      ({ notedAt, objectId, idempotencyKey }): RowEvent => ({
        ...{ time: notedAt, event: 'late_answer', id: objectId, key: idempotencyKey },
      }),
    ),
  ];
  return events.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
}
