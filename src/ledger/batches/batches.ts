/* Batches and their environments, the mode of each API key, and the families of batches that correct each other. */

import {
  type BatchFamily,
  type BatchIdentity,
  type BatchRecord,
  batchId,
  type Environment,
  type Mode,
  type SupersededCounts,
} from '../../domain/batches/batch.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { rivalsOf } from '../protocol/origins.ts';
import { hasMovable } from '../query/each-row.ts';
import { asFence, byHash } from '../query/planner.ts';
import { type Database, execute, isoUtc, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** The environment's number in this ledger; it is noted when it is first used. */
export const environmentIdOf = verb(
  { pool: 'short', repeatable: false },
  async (database: Database, environment: Environment): Promise<number> => {
    const bindings = [environment.mode, environment.origin];
    await execute(
      database,
      'INSERT INTO environments (mode, origin) VALUES (?, ?) ON CONFLICT DO NOTHING',
      bindings,
    );
    const [found] = await query<{ id: number }>(
      database,
      'SELECT id FROM environments WHERE mode = ? AND origin = ?',
      bindings,
    );
    if (found === undefined) throw new Error('an environment was noted and is not there');
    return found.id;
  },
);

/** Names this ledger in the run logs of an environment. */
export const readLedgerId = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, environmentId: number): Promise<string> => {
    const [found] = await query<{ id: string }>(
      database,
      'SELECT ledger_id AS id FROM environments WHERE id = ?',
      [environmentId],
    );
    if (found === undefined) throw new Error('a batch is in no environment');
    return found.id;
  },
);

const batchColumns = `
  b.id, b.environment_id AS "environmentId", e.mode, e.origin, b.kind, b.file_name AS "fileName", b.sheet,
  b.content_hash AS "contentHash", b.reading_hash AS "readingHash", b.header, b.notes,
  ${isoUtc('b.created_at')} AS "createdAt", b.row_count AS "rowCount"`;

const batchTables = 'batches b JOIN environments e ON e.id = b.environment_id';

/**
 * The batch of this identity, made if it is not there.
 * @param input `givenName` is what its file is called, where its files are named after another one
 */
export const beginBatch = verb(
  { pool: 'long', repeatable: false },
  async (
    database: Database,
    identity: BatchIdentity,
    input: { fileName: string; givenName?: string; header: readonly string[]; importId: string },
  ): Promise<BatchRecord> => {
    const id = batchId(identity);
    const environmentId = await environmentIdOf(database, identity.environment);
    await execute(
      database,
      `INSERT INTO batches (id, environment_id, kind, file_name, sheet, content_hash, reading_hash, header, import_id,
         given_name)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      [
        id,
        environmentId,
        identity.kind,
        input.fileName,
        identity.sheet,
        identity.contentHash,
        identity.readingHash,
        input.header,
        input.importId,
        input.givenName ?? null,
      ],
    );
    const batch = await findBatch(database, id);
    if (batch === undefined) throw new Error('a batch was noted and is not there');
    return batch;
  },
);

export const findBatch = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, id: string): Promise<BatchRecord | undefined> => {
    const [batch] = await query<BatchRecord>(
      database,
      `SELECT ${batchColumns} FROM ${batchTables} WHERE b.id = ?`,
      [id],
    );
    return batch;
  },
);

/** Batches whose id begins with the prefix (with or without hyphens), at most three. */
export const findBatchesByPrefix = verb(
  { pool: 'short', repeatable: false },
  (database: Database, prefix: string): Promise<BatchRecord[]> => {
    const digits = prefix.replaceAll('-', '').toLowerCase();
    return query<BatchRecord>(
      database,
      `SELECT ${batchColumns} FROM ${batchTables}
       WHERE starts_with(replace(b.id::text, '-', ''), ?) AND b.staged_at IS NOT NULL
       ORDER BY b.created_at DESC LIMIT 3`,
      [digits],
    );
  },
);

/** Every batch that is staged, the newest first. */
export const listBatches = verb(
  { pool: 'long', repeatable: false },
  (database: Database, limit: number): Promise<BatchRecord[]> => {
    return query<BatchRecord>(
      database,
      `SELECT ${batchColumns} FROM ${batchTables} WHERE b.staged_at IS NOT NULL
       ORDER BY b.created_at DESC, b.id LIMIT ?`,
      [limit],
    );
  },
);

/** SQL: nobody has asked for this batch `b` to be sent yet, so nothing of it was interrupted. */
const isOnlyPlanned = "coalesce((SELECT bool_and(command = 'plan') FROM runs WHERE batch_id = b.id), false)";

/**
 * The newest batch of an environment that has rows which can still move by themselves, and those of the
 * same import that have such rows too. Batches that were only planned are left out.
 */
export const findNewestUnfinished = verb(
  { pool: 'long', repeatable: false },
  (database: Database, environment: Environment): Promise<BatchRecord[]> => {
    return query<BatchRecord>(
      database,
      `WITH unfinished AS (
         SELECT b.id, b.import_id, b.created_at FROM ${batchTables}
         WHERE b.staged_at IS NOT NULL AND e.mode = ? AND e.origin = ? AND NOT ${isOnlyPlanned} AND (${hasMovable('b.id')}))
       SELECT ${batchColumns} FROM ${batchTables} JOIN unfinished u ON u.id = b.id
       WHERE b.import_id = (SELECT import_id FROM unfinished ORDER BY created_at DESC, id LIMIT 1)
       ORDER BY b.created_at, b.id`,
      [environment.mode, environment.origin],
    );
  },
);

/** The mode in which an API key was first used with this ledger; undefined when it was not yet. */
export const findCredentialMode = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, fingerprint: string): Promise<Mode | undefined> => {
    const [known] = await query<{ mode: Mode }>(
      database,
      'SELECT mode FROM credentials WHERE fingerprint = ?',
      [fingerprint],
    );
    return known?.mode;
  },
);

/** Notes that the API took a key in this mode; the first mode that is noted stays. */
export const noteCredential = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, fingerprint: string, mode: Mode): Promise<void> => {
    await execute(
      database,
      'INSERT INTO credentials (fingerprint, mode) VALUES (?, ?) ON CONFLICT DO NOTHING',
      [fingerprint, mode],
    );
  },
);

/** SQL: row `r`, or the row that it repeats, has its object. */
const isDone = `coalesce((SELECT o.state FROM rows o WHERE r.state = 'duplicate'
  AND o.batch_id = r.batch_id AND o.row_number = r.same_as), r.state) IN ('created', 'existing')`;

/**
 * The batches that a batch belongs together with: the one whose rows it corrects, however many rounds ago, and all
 * that correct that one's. Null for a batch without corrections that corrects none.
 */
export const readFamily = verb(
  { pool: 'long', repeatable: false },
  async (database: Database, batchId: string): Promise<BatchFamily | null> => {
    const [origin] = await query<{ first: string }>(
      database,
      'SELECT first_batch_id AS first FROM corrected_rows WHERE batch_id = ? LIMIT 1',
      [batchId],
    );
    const first = origin?.first ?? batchId;
    const corrections = await query<BatchFamily['corrections'][number]>(
      database,
      `SELECT b.id, count(*)::int AS rows, (count(*) FILTER (WHERE ${isDone}))::int AS "doneRows"
       FROM corrected_rows c JOIN batches b ON b.id = c.batch_id
         JOIN rows r ON r.batch_id = c.batch_id AND r.row_number = c.row_number
       WHERE c.first_batch_id = ? AND b.staged_at IS NOT NULL GROUP BY b.id, b.created_at ORDER BY b.created_at, b.id`,
      [first],
    );
    if (corrections.length === 0) return null;
    const [done] = await query<{ rows: number; doneRows: number }>(
      database,
      `WITH done AS (
         SELECT r.row_number FROM rows r WHERE r.batch_id = ? AND ${isDone}
         UNION
         SELECT c.first_row FROM corrected_rows c JOIN rows r ON r.batch_id = c.batch_id AND r.row_number = c.row_number
         WHERE c.first_batch_id = ? AND ${isDone})
       SELECT (SELECT count(*)::int FROM row_states WHERE batch_id = ?) AS rows, count(*)::int AS "doneRows" FROM done`,
      [first, first, first],
    );
    return { first: { id: first, rows: done?.rows ?? 0 }, doneRows: done?.doneRows ?? 0, corrections };
  },
);

/**
 * How many of a batch's invalid and rejected rows stand corrected in a later batch of its family: they are that
 * batch's matter now.
 */
export const countCorrected = verb(
  { pool: 'long', repeatable: false },
  async (database: Database, batchId: string): Promise<number> => {
    const [counted] = await query<{ rows: number }>(
      database,
      `SELECT count(*)::int AS rows
       FROM row_states s
         LEFT JOIN LATERAL (SELECT * FROM corrected_rows
           WHERE batch_id = s.batch_id AND row_number = s.row_number ${asFence}) own ON true
       WHERE s.batch_id = ? AND s.state IN ('invalid', 'rejected')
         AND ${byHash(`(coalesce(own.first_batch_id, s.batch_id), coalesce(own.first_row, s.row_number)) IN (
           SELECT c.first_batch_id, c.first_row FROM corrected_rows c JOIN batches later ON later.id = c.batch_id
           WHERE c.first_batch_id = coalesce((SELECT first_batch_id FROM corrected_rows WHERE batch_id = ? LIMIT 1), ?)
             AND later.staged_at IS NOT NULL
             AND later.created_at > (SELECT created_at FROM batches WHERE id = ?))`)}`,
      [batchId, batchId, batchId, batchId],
    );
    return counted?.rows ?? 0;
  },
);

/** A batch's rows that are superseded, and those that repeat them. Most batches have none, and no row of theirs is read. */
export const countSuperseded = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, batchId: string): Promise<SupersededCounts> => {
    const groups = await query<{ status: ResultStatus; rows: number; doneRows: number }>(
      database,
      `WITH superseded AS (
         SELECT coalesce(o.state, s.state) AS status, coalesce(o.row_number, s.row_number) AS row_number, s.batch_id,
           coalesce(o.origin_batch, s.origin_batch) AS origin_batch, coalesce(o.origin_row, s.origin_row) AS origin_row,
           coalesce(o.origin_place, s.origin_place) AS origin_place
         FROM row_states s
         LEFT JOIN LATERAL (SELECT * FROM row_states
           WHERE s.state = 'duplicate' AND batch_id = s.batch_id AND row_number = s.same_as ${asFence}) o ON true
         WHERE s.batch_id = ? AND coalesce(o.code, s.code) = 'superseded'
           AND (EXISTS (SELECT FROM corrected_rows WHERE first_batch_id = ?)
             OR EXISTS (SELECT FROM corrected_rows WHERE batch_id = ?)))
       SELECT status, count(*)::int AS rows, (count(*) FILTER (WHERE EXISTS (
         SELECT FROM (SELECT s.batch_id, s.row_number, s.origin_batch, s.origin_row, 0 AS origin_place) own ${rivalsOf('own')}
         WHERE rival.state IN ('created', 'existing')
           -- A row that a person had sent besides the created one is done with its own correction only.
           AND (s.origin_place = 0 OR rival.number > coalesce((SELECT number FROM corrected_rows
             WHERE batch_id = s.batch_id AND row_number = s.row_number), 0)))))::int AS "doneRows"
       FROM superseded s GROUP BY status`,
      [batchId, batchId, batchId],
    );
    return {
      all: Object.fromEntries(groups.map(({ status, rows }) => [status, rows])),
      done: Object.fromEntries(groups.map(({ status, doneRows }) => [status, doneRows])),
    };
  },
);
