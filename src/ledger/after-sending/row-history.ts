/* Information for a call from a partner: finds rows of any batch by an identifier, and reads the history of one row. */

import type { RowVerdict } from '../../domain/rows/result-row.ts';
import type { RowState } from '../../domain/rows/row-state.ts';
import type { Attempt } from '../../domain/sending/outcome.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf, isUnsettled, readOnce, repeatedBy, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** The kind of identifier by which a row was found. */
type FoundBy = 'object' | 'key' | 'reference' | 'account' | 'name';

/** A row, and its batch as people name it. */
export interface FoundRow {
  readonly batch: string;
  readonly file: string;
  readonly row: number;
  readonly by: FoundBy;
}

/** The values that may identify a row. */
interface SearchedRow {
  /** The id of an object at the API, or the row's own reference, exactly as entered. */
  readonly text: string;
  /** An idempotency key; null if the text cannot be one. */
  readonly key: string | null;
  readonly kinds: readonly string[];
}

/** The rows that match an identifier, those of the newest batch first. Each kind of identifier has its own index. */
export const findRowsAnywhere = sql.shortVerb(
  (database: sql.Database, searched: SearchedRow, limit: number): Promise<FoundRow[]> => {
    const { text: wanted, key, kinds } = searched;
    return sql.query<FoundRow>(
      database,
      { batch: sql.uuid, file: sql.text, row: sql.int4, by: sql.word() },
      `SELECT f.batch_id AS batch, b.file_name AS file, f.row_number AS row, f.found_by AS by FROM (
         SELECT o.batch_id, o.row_number, 'object' AS found_by FROM environments e CROSS JOIN unnest(?::text[]) k (kind)
           CROSS JOIN LATERAL (SELECT batch_id, row_number FROM created_objects
             WHERE environment_id = e.id AND kind = k.kind AND object_id = ? ${asFence}) o
         UNION ALL
         SELECT batch_id, row_number, 'key' FROM requests WHERE idempotency_key = ?::uuid
         UNION ALL
         SELECT s.batch_id, s.row_number, 'reference' FROM environments e CROSS JOIN unnest(?::text[]) k (kind)
           CROSS JOIN LATERAL (SELECT batch_id, row_number FROM row_states
             WHERE environment_id = e.id AND kind = k.kind AND handle = ? ${asFence}) s) f
       JOIN batches b ON b.id = f.batch_id
       ORDER BY b.created_at DESC, f.batch_id, f.row_number LIMIT ?`,
      [kinds, wanted, key, kinds, wanted, limit],
    );
  },
);

/** Rows of a batch that were staged together. */
export interface RowGroup {
  readonly batch: string;
  readonly file: string;
  readonly firstRow: number;
  readonly lastRow: number;
}

/**
 * The groups of rows that seem to contain all terms, those of the newest batch first. It examines the bits of all groups.
 * @param places the places of the bits of the terms
 */
export const findGroupsByTerms = sql.shortVerb(
  (database: sql.Database, places: readonly number[], limit: number): Promise<RowGroup[]> =>
    sql.query<RowGroup>(
      database,
      { batch: sql.uuid, file: sql.text, firstRow: sql.int4, lastRow: sql.int4 },
      `SELECT t.batch_id AS batch, b.file_name AS file, t.first_row AS "firstRow", t.last_row AS "lastRow"
       FROM search_terms t CROSS JOIN LATERAL (SELECT ${readOnce('t.bits')} AS bits ${asFence}) g
       JOIN batches b ON b.id = t.batch_id
       WHERE NOT EXISTS (SELECT FROM unnest(?::int[]) AS p (place)
         WHERE get_bit(g.bits, p.place & (8 * length(g.bits) - 1)) = 0)
       ORDER BY b.created_at DESC, t.batch_id, t.first_row LIMIT ?`,
      [arrays.numbersLiteral(places), limit],
    ),
);

/** A character that no value contains. One joined text is read much faster than a list of texts. */
const separator = '\u001f';

/** The values of some fields in the records of a group's rows. Rows without such a value are omitted. */
export const readFieldsOfGroup = sql.shortVerb(
  async (
    database: sql.Database,
    { batch, firstRow, lastRow }: RowGroup,
    fields: readonly string[],
  ): Promise<{ row: number; values: string[] }[]> => {
    const found = await sql.query(
      database,
      { row: sql.int4, joined: sql.text },
      `SELECT row_number AS row, concat_ws(?, ${fields.map(() => 'record->>?').join(', ')}) AS joined
       FROM row_inputs WHERE batch_id = ? AND row_number BETWEEN ? AND ? ORDER BY row_number`,
      [separator, ...fields, batch, firstRow, lastRow],
    );
    return found.flatMap(({ row, joined }) =>
      joined === '' ? [] : [{ row, values: joined.split(separator) }],
    );
  },
);

/* The history of one row: keys, requests, answers, verdicts. */

/** A row's present state and its full history. Times are ISO 8601 in UTC. */
export interface RowHistory {
  readonly row: StandingRow;
  readonly requests: readonly WrittenRequest[];
  readonly attempts: readonly SentRequest[];
  readonly verdicts: readonly RecordedVerdict[];
  /** Objects that the API created for the row, in answers that arrived after the sender had lost the row. */
  readonly lateCreations: readonly LateCreationOfRow[];
}

const standingRowColumns = {
  row: sql.int4,
  state: sql.word<RowState>(),
  /** The number of the row that a duplicate repeats. */
  sameAs: sql.orNull(sql.int4),
  originalState: sql.orNull(sql.word<Exclude<RowState, 'duplicate'>>()),
  objectId: sql.orNull(sql.text),
  code: sql.orNull(sql.text),
  field: sql.orNull(sql.text),
  message: sql.orNull(sql.text),
  notes: sql.jsonText<readonly string[]>(),
  /**
   * The number of requests that were sent for the row. In a rebuilt batch, the details of earlier ones are only in the run
   * log.
   */
  attempts: sql.int4,
  firstSentAt: sql.orNull(sql.text),
  /** When its key expires, if the row was sent and is in doubt. */
  keyRunsOutAt: sql.orNull(sql.text),
  /** Whether its key has expired, by the database's clock. */
  isExpired: sql.bool,
  /** Whether two or more runs have sent the row under its key without a conclusive answer. */
  isUnsettled: sql.bool,
  stagedAt: sql.text,
  changedAt: sql.text,
};

export type StandingRow = sql.RowOf<typeof standingRowColumns>;

/** A key and a body. Both are stored before the first sending. */
interface WrittenRequest {
  readonly generation: number;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly runId: string;
  readonly writtenAt: string;
}

/** One HTTP request and its answer. */
interface SentRequest extends Omit<Attempt, 'sentAfterMs'> {
  readonly generation: number;
  readonly runId: string;
  /** When the request was sent, computed from the time of its record; null for a request that is known from a run log. */
  readonly sentAt: string | null;
  readonly recordedAt: string;
}

interface RecordedVerdict extends RowVerdict {
  readonly decidedAt: string;
}

interface LateCreationOfRow {
  readonly objectId: string;
  readonly idempotencyKey: string;
  readonly notedAt: string;
}

/**
 * All that the ledger has recorded about one row.
 * @param keyLifetimeInMs how long after its first sending a row may be sent again under its key
 * @returns undefined if the batch has no such row
 */
export const readRowHistory = sql.longVerbOnce(
  async (
    database: sql.Database,
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

function readStanding(
  database: sql.Database,
  batchId: string,
  row: number,
  keyLifetimeInMs: number,
): Promise<StandingRow | undefined> {
  return sql.findRow(
    database,
    standingRowColumns,
    `SELECT r.row_number AS row, r.state, r.same_as AS "sameAs", o.state AS "originalState",
       r.object_id AS "objectId", r.code, r.field, r.message, i.notes, r.attempts,
       ${sql.isoUtc('r.first_sent_at')} AS "firstSentAt",
       CASE WHEN r.state IN ('unknown', 'sending')
         THEN ${sql.isoUtc("(r.first_sent_at + ? * interval '1 millisecond')")} END AS "keyRunsOutAt",
       coalesce(r.first_sent_at + ? * interval '1 millisecond' <= now(), false) AS "isExpired",
       ${isUnsettled('r')} AS "isUnsettled",
       ${sql.isoUtc('b.staged_at')} AS "stagedAt", ${sql.isoUtc('r.changed_at')} AS "changedAt"
     FROM (SELECT ?::uuid AS batch_id, ?::int AS row_number) n
     ${rowOf('n')} ${inputOf('n')} JOIN batches b ON b.id = n.batch_id ${repeatedBy('r')}`,
    [keyLifetimeInMs, keyLifetimeInMs, batchId, row],
  );
}

function readRequests(database: sql.Database, batchId: string, row: number): Promise<WrittenRequest[]> {
  return sql.query<WrittenRequest>(
    database,
    { generation: sql.int4, idempotencyKey: sql.uuid, path: sql.text, runId: sql.uuid, writtenAt: sql.text },
    `SELECT generation, idempotency_key AS "idempotencyKey", path, run_id AS "runId",
       ${sql.isoUtc('created_at')} AS "writtenAt"
     FROM requests WHERE batch_id = ? AND row_number = ? ORDER BY generation`,
    [batchId, row],
  );
}

/**
 * Attempts that were recorded together have the same `recorded_at`. The last answer among them arrived right before that
 * time.
 */
function readAttempts(database: sql.Database, batchId: string, row: number): Promise<SentRequest[]> {
  return sql.query<SentRequest>(
    database,
    {
      number: sql.int4,
      generation: sql.int4,
      runId: sql.uuid,
      outcome: sql.word(),
      reason: sql.orNull(sql.text),
      httpStatus: sql.orNull(sql.int4),
      objectId: sql.orNull(sql.text),
      durationInMs: sql.int4,
      answer: sql.orNull(sql.text),
      sentAt: sql.orNull(sql.text),
      recordedAt: sql.text,
    },
    `SELECT number, generation, run_id AS "runId", outcome, reason, http_status AS "httpStatus",
       object_id AS "objectId", duration_in_ms AS "durationInMs", answer,
       ${sql.isoUtc("(recorded_at - (last_ms - sent_after_ms) * interval '1 millisecond')")} AS "sentAt",
       ${sql.isoUtc('recorded_at')} AS "recordedAt"
     FROM (SELECT *, max(sent_after_ms + duration_in_ms) OVER (PARTITION BY recorded_at) AS last_ms
       FROM attempts WHERE batch_id = ? AND row_number = ?) a
     ORDER BY number`,
    [batchId, row],
  );
}

function readVerdicts(database: sql.Database, batchId: string, row: number): Promise<RecordedVerdict[]> {
  return sql.query<RecordedVerdict>(
    database,
    {
      verdict: sql.word(),
      fromState: sql.word(),
      objectId: sql.orNull(sql.text),
      attempts: sql.int4,
      note: sql.text,
      decidedBy: sql.text,
      decidedAt: sql.text,
    },
    `SELECT verdict, from_state AS "fromState", object_id AS "objectId", attempts, note, decided_by AS "decidedBy",
       ${sql.isoUtc('decided_at')} AS "decidedAt"
     FROM verdicts WHERE batch_id = ? AND row_number = ? ORDER BY id`,
    [batchId, row],
  );
}

function readLateCreations(
  database: sql.Database,
  batchId: string,
  row: number,
): Promise<LateCreationOfRow[]> {
  return sql.query<LateCreationOfRow>(
    database,
    { objectId: sql.text, idempotencyKey: sql.uuid, notedAt: sql.text },
    `SELECT object_id AS "objectId", idempotency_key AS "idempotencyKey", ${sql.isoUtc('noted_at')} AS "notedAt"
     FROM late_creations WHERE batch_id = ? AND row_number = ? ORDER BY noted_at, number`,
    [batchId, row],
  );
}
