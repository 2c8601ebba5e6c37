/* Batches and their environments. */

import {
  type BatchIdentity,
  type BatchRecord,
  batchId,
  type Environment,
  type Kind,
  type Mode,
} from '../../domain/batches/batch.ts';
import { askingCommands, askingNothing, wholeEnds } from '../../domain/batches/run.ts';
import { hasMovable } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { correctedBy } from './families.ts';

/** The environment's number in this ledger. The environment is stored when it is first used. */
export const environmentIdOf = sql.shortVerbOnce(
  async (database: sql.Database, environment: Environment): Promise<number> => {
    const bindings = [environment.mode, environment.origin];
    await sql.execute(
      database,
      'INSERT INTO environments (mode, origin) VALUES (?, ?) ON CONFLICT DO NOTHING',
      bindings,
    );
    return sql.onlyValue(
      database,
      sql.int4,
      'SELECT id FROM environments WHERE mode = ? AND origin = ?',
      bindings,
    );
  },
);

/** The name of this ledger in the run logs of an environment. */
export const readLedgerId = sql.shortVerb(
  (database: sql.Database, environmentId: number): Promise<string> =>
    sql.onlyValue(database, sql.uuid, 'SELECT ledger_id AS id FROM environments WHERE id = ?', [
      environmentId,
    ]),
);

/** The names of this ledger in run logs, one for each environment. */
export const listLedgerIds = sql.shortVerb(
  (database: sql.Database): Promise<readonly string[]> =>
    sql.valuesOf(database, sql.uuid, 'SELECT ledger_id AS id FROM environments', []),
);

const batchRecord: sql.Columns<BatchRecord> = {
  id: sql.uuid,
  environmentId: sql.int4,
  mode: sql.word(),
  origin: sql.text,
  kind: sql.word(),
  fileName: sql.text,
  sheet: sql.orNull(sql.text),
  contentHash: sql.text,
  readingHash: sql.text,
  header: sql.texts,
  notes: sql.json(),
  createdAt: sql.text,
  rowCount: sql.orNull(sql.int4),
};

const batchColumns = `
  b.id, b.environment_id AS "environmentId", e.mode, e.origin, b.kind, b.file_name AS "fileName", b.sheet,
  b.content_hash AS "contentHash", b.reading_hash AS "readingHash", b.header, b.notes,
  ${sql.isoUtc('b.created_at')} AS "createdAt", b.row_count AS "rowCount"`;

const batchTables = 'batches b JOIN environments e ON e.id = b.environment_id';

/**
 * The batch with this identity. It is created if it does not exist.
 * @param input `givenName` is the name of its file, if the files that paybatch writes are named after another one
 */
export const beginBatch = sql.longVerbOnce(
  async (
    database: sql.Database,
    identity: BatchIdentity,
    input: {
      fileName: string;
      givenName?: string;
      header: readonly string[];
      importId: string;
      hasLineEnd?: boolean;
    },
  ): Promise<BatchRecord> => {
    const id = batchId(identity);
    const environmentId = await environmentIdOf(database, identity.environment);
    await sql.execute(
      database,
      `INSERT INTO batches (id, environment_id, kind, file_name, sheet, content_hash, reading_hash, header, import_id,
         given_name, has_line_end)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
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
        input.hasLineEnd ?? null,
      ],
    );
    const batch = await findBatch(database, id);
    if (batch === undefined) throw new Error('a batch was noted and is not there');
    return batch;
  },
);

/** How many earlier files with the same header are checked. */
const filesAsked = 10;

/**
 * Whether most of the newest files with a header end with a line end. Each content counts once. At least half is enough,
 * since a file that was cut off may be among them. False if there are no such files.
 */
export const endedBefore = sql.shortVerb(
  (database: sql.Database, { environmentId, kind, header, contentHash }: FileOfHeader): Promise<boolean> =>
    sql.onlyValue(
      database,
      sql.bool,
      `SELECT coalesce(count(*) FILTER (WHERE has_line_end) * 2 >= nullif(count(*), 0), false) AS "isSo" FROM (
         SELECT has_line_end FROM batches
         WHERE environment_id = ? AND kind = ? AND header = ?::text[] AND content_hash <> ? AND has_line_end IS NOT NULL
           AND staged_at IS NOT NULL
         ORDER BY created_at DESC, id LIMIT ?) earlier`,
      [environmentId, kind, header, contentHash, filesAsked],
    ),
);

/** A file whose predecessors are found by its header. */
interface FileOfHeader {
  readonly environmentId: number;
  readonly kind: Kind;
  readonly header: readonly string[];
  readonly contentHash: string;
}

export const findBatch = sql.shortVerb(
  (database: sql.Database, id: string): Promise<BatchRecord | undefined> =>
    sql.findRow<BatchRecord>(
      database,
      batchRecord,
      `SELECT ${batchColumns} FROM ${batchTables} WHERE b.id = ?`,
      [id],
    ),
);

/** The batches with these ids that are staged, the oldest first. */
export const listBatchesOf = sql.shortVerb(
  (database: sql.Database, ids: readonly string[]): Promise<BatchRecord[]> =>
    sql.query<BatchRecord>(
      database,
      batchRecord,
      `SELECT ${batchColumns} FROM ${batchTables} WHERE b.id = ANY(?::uuid[]) AND b.staged_at IS NOT NULL
       ORDER BY b.created_at, b.id`,
      [ids],
    ),
);

/** Batches whose id begins with the prefix (with or without hyphens), at most three. */
export const findBatchesByPrefix = sql.shortVerbOnce(
  (database: sql.Database, prefix: string): Promise<BatchRecord[]> => {
    const digits = prefix.replaceAll('-', '').toLowerCase();
    return sql.query<BatchRecord>(
      database,
      batchRecord,
      `SELECT ${batchColumns} FROM ${batchTables}
       WHERE starts_with(replace(b.id::text, '-', ''), ?) AND b.staged_at IS NOT NULL
       ORDER BY b.created_at DESC LIMIT 3`,
      [digits],
    );
  },
);

/** Batches whose file name contains a text, in upper or lower case; the newest first. */
export const findBatchesByFile = sql.shortVerb(
  (database: sql.Database, part: string, limit: number): Promise<BatchRecord[]> =>
    sql.query<BatchRecord>(
      database,
      batchRecord,
      `SELECT ${batchColumns} FROM ${batchTables}
       WHERE strpos(lower(b.file_name), lower(?)) > 0 AND b.staged_at IS NOT NULL
       ORDER BY b.created_at DESC, b.id LIMIT ?`,
      [part, limit],
    ),
);

/** Every staged batch, the newest first. */
export const listBatches = sql.longVerbOnce(
  (database: sql.Database, limit: number): Promise<BatchRecord[]> =>
    sql.query<BatchRecord>(
      database,
      batchRecord,
      `SELECT ${batchColumns} FROM ${batchTables} WHERE b.staged_at IS NOT NULL
       ORDER BY b.created_at DESC, b.id LIMIT ?`,
      [limit],
    ),
);

/** The data that identifies a batch to people. */
export interface NamedBatch {
  readonly id: string;
  readonly kind: Kind;
  readonly mode: Mode;
  readonly origin: string;
  readonly file: string;
  readonly sheet: string | null;
  /** Whether it corrects rows of another batch; both may have the same file name. */
  readonly isCorrection: boolean;
  readonly createdAt: string;
}

export const namedBatch: sql.Columns<NamedBatch> = {
  id: sql.uuid,
  kind: sql.word(),
  mode: sql.word(),
  origin: sql.text,
  file: sql.text,
  sheet: sql.orNull(sql.text),
  isCorrection: sql.bool,
  createdAt: sql.text,
};

/** SQL of the columns of a named batch `b` in environment `e`. */
export const namedColumns = `b.id, b.kind, e.mode, e.origin, b.file_name AS file, b.sheet,
  ${correctedBy('b.id')} IS NOT NULL AS "isCorrection", ${sql.isoUtc('b.created_at')} AS "createdAt"`;

/**
 * SQL: no run was ever asked to send batch `b` as it is, so no sending was interrupted. A run that ended because the plan
 * had changed has sent nothing, and does not count as such a request; see `asksToSend`.
 */
export const isOnlyPlanned = `coalesce((SELECT bool_and(${sql.isIn('command', askingNothing)}
  OR outcome IS NOT DISTINCT FROM 'plan_changed') FROM runs WHERE batch_id = b.id), false)`;

/** SQL: the latest run that sent rows of batch `b` ended without a stop; see `latestRunWasWhole`. */
export const latestWasWhole = `coalesce((SELECT ${sql.isIn('outcome', wholeEnds)} FROM runs
  WHERE batch_id = b.id AND ended_at IS NOT NULL AND ${sql.isIn('command', askingCommands)}
  ORDER BY started_at DESC LIMIT 1), false)`;

/**
 * The newest batch of an environment with rows that can still change without a person, and the batches of the same import
 * with such rows. Batches that were only planned, or were closed, are omitted.
 */
export const findNewestUnfinished = sql.longVerbOnce(
  (database: sql.Database, environment: Environment): Promise<BatchRecord[]> =>
    sql.query<BatchRecord>(
      database,
      batchRecord,
      `WITH unfinished AS (
         SELECT b.id, b.import_id, b.created_at FROM ${batchTables}
         WHERE b.staged_at IS NOT NULL AND b.closed_at IS NULL AND e.mode = ? AND e.origin = ? AND NOT ${isOnlyPlanned} AND (${hasMovable('b.id')}))
       SELECT ${batchColumns} FROM ${batchTables} JOIN unfinished u ON u.id = b.id
       WHERE b.import_id = (SELECT import_id FROM unfinished ORDER BY created_at DESC, id LIMIT 1)
       ORDER BY b.created_at, b.id`,
      [environment.mode, environment.origin],
    ),
);
