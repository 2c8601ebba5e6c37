/* Batches and their environments; and closing one: a person decides that no run continues it, and that its unsent rows stay unsent. */

import type { Knex } from 'knex';
import {
  askingNothing,
  type BatchClosing,
  type BatchIdentity,
  type BatchRecord,
  batchId,
  type Environment,
  type Kind,
  sendingCommands,
  shortBatchId,
  wholeEnds,
} from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { changeBatch, countedOff, forgetUnusedRequests, isUnclaimed } from '../protocol/batch-lock.ts';
import { hasMovable, isAt, itsPlace } from '../query/planner.ts';
import * as sql from '../query/sql.ts';

/** The environment's number in this ledger; it is stored when it is first used. */
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
 * The batch of this identity, created if it is missing.
 * @param input `givenName` is the name of its file, where its own files are named after another one
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

/** How many earlier files of a header are checked. */
const filesAsked = 10;

/**
 * Whether the newest files of a header, one per content, mostly end with a line end: at least half of them,
 * since a file that was cut off may be among them. False where there is none.
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

/** A file whose predecessors are searched by its header. */
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

/** The staged batches among these, the oldest first. */
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

/** Batches whose file's name contains a text, in any case; the newest first. */
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

/** Every batch that is staged, the newest first. */
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

/**
 * SQL: it was never requested that this batch `b` is sent as it is, so nothing of it was interrupted. A run for another
 * plan has sent nothing, and is no such request; see `asksToSend`.
 */
export const isOnlyPlanned = `coalesce((SELECT bool_and(command IN (${listed(askingNothing)})
  OR outcome IS NOT DISTINCT FROM 'plan_changed') FROM runs WHERE batch_id = b.id), false)`;

/** SQL: the latest run that sent rows of batch `b` was not stopped; see `latestRunWasWhole`. */
export const latestWasWhole = `coalesce((SELECT outcome IN (${listed(wholeEnds)}) FROM runs
  WHERE batch_id = b.id AND ended_at IS NOT NULL AND command IN (${listed(sendingCommands)})
  ORDER BY started_at DESC LIMIT 1), false)`;

/** SQL: words of the program, as a list. */
function listed(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/**
 * The newest batch of an environment that has rows which can still move without a person, and those of the
 * same import that have such rows too. Batches that were only planned, or were closed, are left out.
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

/* Closing a batch. */

/** Who closed a batch, when and why; null for one that runs may continue. */
export const findClosing = sql.shortVerb(
  async (database: sql.Database, batchId: string): Promise<BatchClosing | null> => {
    const found = await sql.findRow<BatchClosing>(
      database,
      { at: sql.text, by: sql.orNull(sql.text), note: sql.orNull(sql.text) },
      `SELECT ${sql.isoUtc('closed_at')} AS at, closed_by AS by, closed_note AS note FROM batches
       WHERE id = ? AND closed_at IS NOT NULL`,
      [batchId],
    );
    return found ?? null;
  },
);

/** @throws PaybatchError (`batch_closed`) for a closed batch, with the remedy */
export async function requireOpenBatch(database: sql.Database, batchId: string): Promise<void> {
  const closing = await findClosing(database, batchId);
  if (closing !== null) throw batchClosed(batchId, closing);
}

/** The message for a caller who wants to send rows of a closed batch. */
export function batchClosed(batchId: string, { at, by }: BatchClosing): PaybatchError {
  const batch = shortBatchId(batchId);
  return new PaybatchError(
    'batch_closed',
    `Batch ${batch} was closed${by === null ? '' : ` by ${by}`} on ${at.slice(0, 16).replace('T', ' ')} UTC: nothing more of it is sent.`,
    {
      action: 'results',
      batch,
      effect: 'writes its failed file: corrected and imported, that is a new batch',
    },
  );
}

/** SQL: row state `s` is in doubt: the effect of closing depends on whether its object exists. */
const isInDoubt = `(${sql.stateIs('s', 'unknown', 'sending')} OR (${sql.stateIs('s', 'held')} AND (s.owned_key IS NOT NULL OR s.may_exist)))`;

/** The result of closing a batch. */
type ClosingOutcome = 'closed' | 'closed_before' | 'in_doubt';

/**
 * Closes a batch, from now on: no row of it is claimed or prepared any more. Its rows are moved by `closeUnsentRows`.
 * Refused while a row of it is in doubt.
 */
export const closeBatch = sql.longVerb(
  (
    database: Knex,
    batchId: string,
    { by, note }: { readonly by: string; readonly note: string },
  ): Promise<ClosingOutcome> =>
    changeBatch<ClosingOutcome>(
      database,
      batchId,
      async (transaction) => {
        const standing = await sql.onlyRow(
          transaction,
          { isClosed: sql.bool, hasDoubt: sql.bool },
          `SELECT closed_at IS NOT NULL AS "isClosed",
             EXISTS (SELECT FROM send_chunks WHERE batch_id = b.id AND lease_token IS NOT NULL AND open_rows > 0)
               OR EXISTS (SELECT FROM row_states s WHERE s.batch_id = b.id AND ${isInDoubt}) AS "hasDoubt"
           FROM batches b WHERE id = ?`,
          [batchId],
        );
        if (standing.isClosed) return 'closed_before';
        if (standing.hasDoubt) return 'in_doubt';
        await sql.execute(
          transaction,
          'UPDATE batches SET closed_at = now(), closed_by = ?, closed_note = ? WHERE id = ?',
          [by, note, batchId],
        );
        return 'closed';
      },
      (outcome) => outcome === 'closed',
    ),
);

/** Records a closing that only a run log reports. @returns whether it is new to this ledger */
export const keepLoggedClosing = sql.shortVerb(
  async (database: Knex, batchId: string): Promise<boolean> =>
    changeBatch(
      database,
      batchId,
      async (transaction) => {
        const closed = await sql.execute(
          transaction,
          'UPDATE batches SET closed_at = now() WHERE id = ? AND closed_at IS NULL',
          [batchId],
        );
        return closed > 0;
      },
      (isNew) => isNew,
    ),
);

/** This many rows are moved under one lock. */
const rowsAtOnce = 1_000;

/** The result of a step of closing, and where the next one begins. */
interface ClosedPage {
  readonly rows: number;
  /** Null when no row is left to examine. */
  readonly lastRow: number | null;
}

/** SQL: no request of row state `s` has left without a conclusive refusal, and none is about to leave. */
const isUnsent = `CASE WHEN ${sql.stateIs('s', 'staged', 'waiting')} THEN true
  WHEN ${sql.stateIs('s', 'ready')} THEN ${isUnclaimed('s')}
  WHEN ${sql.stateIs('s', 'held')} THEN s.owned_key IS NULL AND NOT s.may_exist ELSE false END`;

/**
 * Takes the next never-sent rows of a closed batch out of what is to be sent, in row order, after a row number.
 * Their unused keys are deleted. Of a batch that is not closed, no row is moved.
 */
export const closeUnsentRows = sql.longVerb(
  (database: Knex, batchId: string, afterRow: number): Promise<ClosedPage> =>
    changeBatch(
      database,
      batchId,
      (transaction) => closePage(transaction, batchId, afterRow),
      ({ rows }) => rows > 0,
    ),
);

async function closePage(transaction: sql.Database, batchId: string, afterRow: number): Promise<ClosedPage> {
  const moved = await sql.query(
    transaction,
    { row: sql.int4, wasReady: sql.bool },
    `WITH unsent AS MATERIALIZED (
       SELECT ${itsPlace}, s.row_number, s.chunk, s.state FROM row_states s
       WHERE s.batch_id = ? AND s.row_number > ? AND s.state IN ('staged', 'waiting', 'ready', 'held') AND ${isUnsent}
         AND (SELECT closed_at FROM batches WHERE id = s.batch_id) IS NOT NULL
       ORDER BY s.row_number LIMIT ${rowsAtOnce}),
     moved AS (
       UPDATE row_states r SET state = 'invalid', code = 'closed', field = NULL,
         message = 'A person closed the batch before this row was sent.', owned_key = NULL, chunk = NULL,
         refused_at = NULL, run_id = NULL, changed_at = now()
       FROM unsent u WHERE ${isAt('r', 'u')}
       RETURNING r.row_number, u.chunk, u.state),
     ${countedOff('moved')}
     SELECT row_number AS row, state = 'ready' AS "wasReady" FROM moved ORDER BY row_number`,
    [batchId, afterRow, batchId],
  );
  const unused = moved.flatMap(({ row, wasReady }) => (wasReady ? [row] : []));
  await forgetUnusedRequests(transaction, batchId, unused);
  const lastRow = moved.length < rowsAtOnce ? null : (moved.at(-1)?.row ?? null);
  return { rows: moved.length, lastRow };
}
