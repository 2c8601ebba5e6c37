/* The history of one row: keys, requests, answers, verdicts. */

import type { DecidedRow } from '../../domain/rows/ledger-row.ts';
import type { RowState } from '../../domain/rows/row-state.ts';
import type { OutcomeKind } from '../../domain/sending/outcome.ts';
import { inputOf, isUnsettled, rowOf } from '../query/planner.ts';
import { bool, type Database, int4, isoUtc, orNull, query, text, uuid, verb, word } from '../query/sql.ts';

/** A row's present state and its whole history. Times are ISO 8601 in UTC. */
export interface RowHistory {
  readonly row: StandingRow;
  readonly requests: readonly WrittenRequest[];
  readonly attempts: readonly SentRequest[];
  readonly verdicts: readonly RecordedVerdict[];
  /** Objects that the API created for it, in answers that arrived after the sender had lost the row. */
  readonly lateCreations: readonly LateCreationOfRow[];
}

export interface StandingRow {
  readonly row: number;
  readonly state: RowState;
  /** Of the row that a duplicate repeats. */
  readonly sameAs: number | null;
  readonly originalState: Exclude<RowState, 'duplicate'> | null;
  readonly objectId: string | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly message: string | null;
  readonly notes: readonly string[];
  /** Requests that were sent for it, including those of a rebuilt batch, whose details are only in the run log. */
  readonly attempts: number;
  readonly firstSentAt: string | null;
  /** When its key expires, where it was sent and is in doubt. */
  readonly keyRunsOutAt: string | null;
  /** Whether it has expired; by the ledger's clock. */
  readonly isExpired: boolean;
  /** Whether two runs or more have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
  readonly stagedAt: string;
  readonly changedAt: string;
}

/** A key and a body, written before they were first sent. */
export interface WrittenRequest {
  readonly generation: number;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly runId: string;
  readonly writtenAt: string;
}

/** One HTTP request and its answer. */
export interface SentRequest {
  readonly number: number;
  readonly generation: number;
  readonly runId: string;
  readonly outcome: OutcomeKind;
  readonly reason: string | null;
  readonly httpStatus: number | null;
  readonly objectId: string | null;
  readonly durationInMs: number;
  readonly answer: string | null;
  /** When it left, derived from the moment of its record; null for those of earlier versions. */
  readonly sentAt: string | null;
  readonly recordedAt: string;
}

export interface RecordedVerdict {
  readonly verdict: DecidedRow['verdict'];
  readonly fromState: DecidedRow['fromState'];
  readonly objectId: string | null;
  /** How many requests the row had when it was given. */
  readonly attempts: number;
  readonly note: string;
  readonly decidedBy: string;
  readonly decidedAt: string;
}

export interface LateCreationOfRow {
  readonly objectId: string;
  readonly idempotencyKey: string;
  readonly notedAt: string;
}

/**
 * Everything that the ledger knows about one row.
 * @param keyLifetimeInMs how long after its first send a row may be sent again under its key
 * @returns undefined when the batch has no such row
 */
export const readRowHistory = verb(
  { pool: 'long', repeatable: false },
  async (
    database: Database,
    batchId: string,
    row: number,
    keyLifetimeInMs: number,
  ): Promise<RowHistory | undefined> => {
    const standing = await readStanding(database, batchId, row, keyLifetimeInMs);
    if (standing === undefined) return undefined;
    const [requests, attempts, verdicts, lateCreations] = await Promise.all([
      readRequests(database, batchId, row),
      readAttempts(database, batchId, row),
      readVerdicts(database, batchId, row),
      readLateCreations(database, batchId, row),
    ]);
    return { row: standing, requests, attempts, verdicts, lateCreations };
  },
);

async function readStanding(
  database: Database,
  batchId: string,
  row: number,
  keyLifetimeInMs: number,
): Promise<StandingRow | undefined> {
  const [found] = await query<Omit<StandingRow, 'notes'> & { readonly notes: string }>(
    database,
    {
      row: int4,
      state: word(),
      sameAs: orNull(int4),
      originalState: orNull(word()),
      objectId: orNull(text),
      code: orNull(text),
      field: orNull(text),
      message: orNull(text),
      notes: text,
      attempts: int4,
      firstSentAt: orNull(text),
      keyRunsOutAt: orNull(text),
      isExpired: bool,
      isUnsettled: bool,
      stagedAt: text,
      changedAt: text,
    },
    `SELECT r.row_number AS row, r.state, r.same_as AS "sameAs", o.state AS "originalState",
       r.object_id AS "objectId", r.code, r.field, r.message, i.notes, r.attempts,
       ${isoUtc('r.first_sent_at')} AS "firstSentAt",
       CASE WHEN r.state IN ('unknown', 'sending')
         THEN ${isoUtc("(r.first_sent_at + ? * interval '1 millisecond')")} END AS "keyRunsOutAt",
       coalesce(r.first_sent_at + ? * interval '1 millisecond' <= now(), false) AS "isExpired",
       ${isUnsettled('r')} AS "isUnsettled",
       ${isoUtc('b.staged_at')} AS "stagedAt", ${isoUtc('r.changed_at')} AS "changedAt"
     FROM (SELECT ?::uuid AS batch_id, ?::int AS row_number) n
     ${rowOf('n')} ${inputOf('n')} JOIN batches b ON b.id = n.batch_id
     LEFT JOIN LATERAL (SELECT state FROM rows
       WHERE r.state = 'duplicate' AND batch_id = r.batch_id AND row_number = r.same_as LIMIT 1) o ON true`,
    [keyLifetimeInMs, keyLifetimeInMs, batchId, row],
  );
  return found === undefined ? undefined : { ...found, notes: JSON.parse(found.notes) };
}

function readRequests(database: Database, batchId: string, row: number): Promise<WrittenRequest[]> {
  return query<WrittenRequest>(
    database,
    { generation: int4, idempotencyKey: uuid, path: text, runId: uuid, writtenAt: text },
    `SELECT generation, idempotency_key AS "idempotencyKey", path, run_id AS "runId",
       ${isoUtc('created_at')} AS "writtenAt"
     FROM requests WHERE batch_id = ? AND row_number = ? ORDER BY generation`,
    [batchId, row],
  );
}

/** The last of the tries that were recorded together had its answer right before that. */
function readAttempts(database: Database, batchId: string, row: number): Promise<SentRequest[]> {
  return query<SentRequest>(
    database,
    {
      number: int4,
      generation: int4,
      runId: uuid,
      outcome: word(),
      reason: orNull(text),
      httpStatus: orNull(int4),
      objectId: orNull(text),
      durationInMs: int4,
      answer: orNull(text),
      sentAt: orNull(text),
      recordedAt: text,
    },
    `SELECT number, generation, run_id AS "runId", outcome, reason, http_status AS "httpStatus",
       object_id AS "objectId", duration_in_ms AS "durationInMs", answer,
       ${isoUtc("(recorded_at - (last_ms - sent_after_ms) * interval '1 millisecond')")} AS "sentAt",
       ${isoUtc('recorded_at')} AS "recordedAt"
     FROM (SELECT *, max(sent_after_ms + duration_in_ms) OVER (PARTITION BY recorded_at) AS last_ms
       FROM attempts WHERE batch_id = ? AND row_number = ?) a
     ORDER BY number`,
    [batchId, row],
  );
}

function readVerdicts(database: Database, batchId: string, row: number): Promise<RecordedVerdict[]> {
  return query<RecordedVerdict>(
    database,
    {
      verdict: word(),
      fromState: word(),
      objectId: orNull(text),
      attempts: int4,
      note: text,
      decidedBy: text,
      decidedAt: text,
    },
    `SELECT verdict, from_state AS "fromState", object_id AS "objectId", attempts, note, decided_by AS "decidedBy",
       ${isoUtc('decided_at')} AS "decidedAt"
     FROM verdicts WHERE batch_id = ? AND row_number = ? ORDER BY id`,
    [batchId, row],
  );
}

function readLateCreations(database: Database, batchId: string, row: number): Promise<LateCreationOfRow[]> {
  return query<LateCreationOfRow>(
    database,
    { objectId: text, idempotencyKey: uuid, notedAt: text },
    `SELECT object_id AS "objectId", idempotency_key AS "idempotencyKey", ${isoUtc('noted_at')} AS "notedAt"
     FROM late_creations WHERE batch_id = ? AND row_number = ? ORDER BY noted_at, number`,
    [batchId, row],
  );
}
