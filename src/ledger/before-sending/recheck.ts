/*
 * Lists of institutions, those with which the rows of a batch were checked, and how rows are checked again before they are
 * sent: rows that no longer pass are taken out, and rows that could not be checked are released.
 */

import type { Knex } from 'knex';
import type { InstitutionSnapshot } from '../../domain/institution.ts';
import { noteText } from '../../domain/rows/finding.ts';
import type { RecheckedRow, RowToRecheck, VerifiedRow } from '../../domain/rows/ledger-row.ts';
import { changeBatch, countedOff, forgetUnusedRequests, isUnclaimed } from '../protocol/batch-lock.ts';
import { isAt } from '../query/planner.ts';
import { inputOf, isSentRegardless, rangeBindings, readFirst, rowStateOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** SQL: row `r` is held only because no complete list showed if its institution exists. */
const isUnverified = `(${sql.stateIs('r', 'held')} AND r.code = 'institution_unverifiable' AND r.first_sent_at IS NULL)`;

/**
 * The next rows that name an institution and were never sent, in row order, after a row number: those that are
 * to be sent, and those that no complete list could verify; not those that a person has decided to send
 * anyway.
 */
export const listRowsToRecheck = sql.longVerb(
  async (
    database: sql.Database,
    batchId: string,
    afterRow: number,
    limit: number,
  ): Promise<RowToRecheck[]> => {
    // Queried at the beginning of a walk: where all rows are done, which is usual, no row is read.
    const start = afterRow === 0 ? await firstUnsent(database, batchId) : afterRow + 1;
    if (start === null) return [];
    return readFirst(database, { batchId, afterRow: start - 1, limit }, (range) =>
      sql.query<RowToRecheck>(
        database,
        {
          row: sql.int4,
          resource: sql.orNull(sql.text),
          record: sql.json(),
          cells: sql.orNull(sql.jsonText()),
          isUnverified: sql.bool,
        },
        `SELECT r.row_number AS row, r.resource, i.record, r.state = 'held' AS "isUnverified",
           CASE WHEN r.resource IS NULL THEN i.cells END AS cells
         FROM rows_between(?, ?, ?) r
         ${inputOf('r')}
         WHERE (r.state IN ('staged', 'waiting', 'ready') OR ${isUnverified})
           AND coalesce(i.record->>'institution_id', i.record->>'institution_name') IS NOT NULL
           AND NOT ${isSentRegardless}
         ORDER BY r.row_number`,
        rangeBindings(range),
      ),
    );
  },
);

/**
 * The number before which no row needs a recheck; null when no row does. Each condition is that
 * of a partial index, and its first row is read in that index's order.
 */
async function firstUnsent(database: sql.Database, batchId: string): Promise<number | null> {
  const conditions = [
    "state IN ('staged', 'waiting')",
    "state = 'ready' AND chunk IS NULL",
    "state = 'held' AND code = 'institution_unverifiable' AND first_sent_at IS NULL",
  ];
  const firsts = conditions.map(
    (condition) =>
      `(SELECT row_number FROM row_states WHERE batch_id = ? AND ${condition} ORDER BY row_number LIMIT 1)`,
  );
  return sql.onlyValue(
    database,
    sql.orNull(sql.int4),
    `SELECT least(${firsts.join(', ')},
       (SELECT min(first_row) FROM send_chunks WHERE batch_id = ? AND lease_token IS NULL AND open_rows > 0)) AS row`,
    [batchId, batchId, batchId, batchId],
  );
}

/**
 * Takes rows that no longer pass out of what is to be sent. Only rows that were never sent are moved: a row that
 * is claimed at this moment is left to its worker. The request of a ready row is deleted with it, since its
 * key was never used and a person may let the row be prepared anew; the natural key is free again.
 * @returns how many rows were moved
 */
export const writeRechecked = sql.longVerbOnce(
  async (database: Knex, batchId: string, rows: readonly RecheckedRow[]): Promise<number> => {
    const write = async (transaction: sql.Database): Promise<number> => {
      const moved = await takeOut(transaction, batchId, rows);
      await writeFindings(
        transaction,
        batchId,
        rows.filter(({ row }) => moved.has(row)),
      );
      return moved.size;
    };
    return changeBatch(database, batchId, write, (moved) => moved > 0);
  },
);

/** @returns the rows that were neither claimed nor sent, and are no longer to be sent */
async function takeOut(
  transaction: sql.Database,
  batchId: string,
  rows: readonly RecheckedRow[],
): Promise<Set<number>> {
  const moved = await sql.query(
    transaction,
    { row: sql.int4 },
    `WITH failed AS (
       SELECT s.place, s.chunk, p.state, p.code, p.field, p.message
       FROM unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[]) AS p (row_number, state, code, field, message)
       ${rowStateOf('p')}
       WHERE ${sql.stateIs('s', 'staged', 'waiting', 'ready')} AND s.first_sent_at IS NULL AND ${isUnclaimed('s')}),
     moved AS (
       UPDATE row_states r SET state = f.state, owned_key = NULL, run_id = NULL, chunk = NULL, code = f.code,
         field = f.field, message = f.message, changed_at = now()
       FROM failed f WHERE ${isAt('r', 'f')}
       RETURNING r.row_number, f.chunk),
     ${countedOff('moved')}
     SELECT row_number AS row FROM moved`,
    [
      numbersOf(rows),
      rows.map(({ to }) => to),
      rows.map(({ reason }) => reason.code),
      rows.map(({ reason }) => reason.field),
      rows.map(({ reason }) => reason.message),
      ...[batchId, batchId],
    ],
  );
  return new Set(numbersOf(moved));
}

function numbersOf(rows: readonly { readonly row: number }[]): number[] {
  return rows.map(({ row }) => row);
}

async function writeFindings(
  transaction: sql.Database,
  batchId: string,
  rows: readonly RecheckedRow[],
): Promise<void> {
  const numbers = numbersOf(rows);
  await forgetUnusedRequests(transaction, batchId, numbers);
  await sql.execute(transaction, 'SELECT note_recheck(?, ?::int[], ?::text[], NULL, NULL)', [
    batchId,
    numbers,
    rows.map(({ findings }) => JSON.stringify(findings)),
  ]);
}

/**
 * Releases rows that were held because no complete list showed if their institution exists: to be prepared, or to
 * be corrected. Rows that the ledger has moved since are left unchanged.
 * @returns how many rows were moved
 */
export const writeVerified = sql.longVerbOnce(
  async (database: Knex, batchId: string, rows: readonly VerifiedRow[]): Promise<number> => {
    const reasonOf = (row: VerifiedRow) => (row.to === 'invalid' ? row.reason : null);
    const write = async (transaction: sql.Database): Promise<number> => {
      const moved = await sql.query(
        transaction,
        { row: sql.int4 },
        `UPDATE row_states r SET state = p.state, resource = coalesce(r.resource, p.resource), code = p.code,
           field = p.field, message = p.message, changed_at = now()
         FROM unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
           AS p (row_number, state, resource, code, field, message)
         ${rowStateOf('p')} WHERE ${isAt('r', 's')} AND ${isUnverified}
         RETURNING r.row_number AS row`,
        [
          numbersOf(rows),
          rows.map(({ to }) => to),
          rows.map((row) => (row.to === 'staged' ? row.resource : null)),
          rows.map((row) => reasonOf(row)?.code ?? null),
          rows.map((row) => reasonOf(row)?.field ?? null),
          rows.map((row) => reasonOf(row)?.message ?? null),
          batchId,
        ],
      );
      const numbers = new Set(numbersOf(moved));
      await writeVerifiedInputs(
        transaction,
        batchId,
        rows.filter(({ row }) => numbers.has(row)),
      );
      return moved.length;
    };
    return changeBatch(database, batchId, write, (moved) => moved > 0);
  },
);

async function writeVerifiedInputs(
  transaction: sql.Database,
  batchId: string,
  rows: readonly VerifiedRow[],
): Promise<void> {
  await sql.execute(transaction, 'SELECT note_recheck(?, ?::int[], ?::text[], ?::jsonb[], ?::jsonb[])', [
    batchId,
    numbersOf(rows),
    rows.map((row) => JSON.stringify(row.to === 'invalid' ? row.findings : [])),
    rows.map((row) => (row.to === 'staged' ? JSON.stringify(row.record) : null)),
    rows.map((row) => JSON.stringify(row.to === 'staged' ? row.notes.map(noteText) : [])),
  ]);
}

/* The lists. */

export const loadInstitutionList = sql.longVerbOnce(
  (
    database: sql.Database,
    environmentId: number,
    country: string,
  ): Promise<InstitutionSnapshot | undefined> =>
    sql.findRow<InstitutionSnapshot>(
      database,
      {
        country: sql.text,
        institutions: sql.json(),
        isComplete: sql.bool,
        fetchedAt: sql.timestamp,
        hash: sql.text,
      },
      `SELECT country, institutions, is_complete AS "isComplete", fetched_at AS "fetchedAt", hash
       FROM institution_lists WHERE environment_id = ? AND country = ? ORDER BY fetched_at DESC, id DESC LIMIT 1`,
      [environmentId, country],
    ),
);

export const saveInstitutionList = sql.longVerbOnce(
  (database: sql.Database, environmentId: number, list: InstitutionSnapshot): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO institution_lists (environment_id, country, hash, is_complete, institutions, fetched_at)
       VALUES (?, ?, ?, ?, ?::jsonb, ?)`,
      [
        environmentId,
        list.country,
        list.hash,
        list.isComplete,
        JSON.stringify(list.institutions),
        list.fetchedAt,
      ],
    ),
);

/**
 * The names of all institutions in the environment's lists, by id in lower case: of each country's lists the
 * newest complete one, or the newest where none is complete.
 */
export const readInstitutionNames = sql.longVerb(
  async (database: sql.Database, environmentId: number): Promise<ReadonlyMap<string, string>> => {
    const named = await sql.query(
      database,
      { id: sql.text, name: sql.text },
      `SELECT lower(institution->>'id') AS id, institution->>'name' AS name
       FROM (SELECT DISTINCT ON (country) institutions FROM institution_lists WHERE environment_id = ?
             ORDER BY country, is_complete DESC, fetched_at DESC, id DESC) newest
         CROSS JOIN LATERAL jsonb_array_elements(institutions) AS institution`,
      [environmentId],
    );
    return new Map(named.map(({ id, name }) => [id, name]));
  },
);

/** Pins a batch to the newest stored list of a country that has this content. */
export const pinInstitutionList = sql.longVerbOnce(
  async (
    database: sql.Database,
    batchId: string,
    environmentId: number,
    { country, hash }: Pick<InstitutionSnapshot, 'country' | 'hash'>,
  ): Promise<void> => {
    const pinned = await sql.execute(
      database,
      `INSERT INTO batch_institution_lists (batch_id, country, list_id)
       SELECT ?, country, id FROM institution_lists WHERE environment_id = ? AND country = ? AND hash = ?
       ORDER BY fetched_at DESC, id DESC LIMIT 1
       ON CONFLICT (batch_id, country) DO UPDATE SET list_id = excluded.list_id`,
      [batchId, environmentId, country, hash],
    );
    if (pinned === 0) throw new Error('only a list of institutions that is stored can be pinned');
  },
);

/** The countries that have lists, in alphabetical order. */
export const listInstitutionCountries = sql.shortVerb(
  (database: sql.Database): Promise<string[]> =>
    sql.valuesOf(database, sql.text, 'SELECT DISTINCT country FROM institution_lists ORDER BY 1'),
);

/** The lists with which a batch's rows were last checked, by country. */
export const listPinnedInstitutions = sql.longVerbOnce((database: sql.Database, batchId: string) =>
  sql.query(
    database,
    { country: sql.text, hash: sql.text, isComplete: sql.bool, fetchedAt: sql.timestamp },
    `SELECT l.country, l.hash, l.is_complete AS "isComplete", l.fetched_at AS "fetchedAt"
       FROM batch_institution_lists p JOIN institution_lists l ON l.id = p.list_id
       WHERE p.batch_id = ? ORDER BY l.country`,
    [batchId],
  ),
);

/** The names in the lists with which a batch's rows were last checked, in alphabetical order; at most `most`. */
export const readPinnedInstitutionNames = sql.shortVerb(
  async (database: sql.Database, batchId: string, most: number): Promise<string[]> => {
    const found = await sql.query(
      database,
      { name: sql.text },
      `SELECT DISTINCT institution->>'name' AS name
       FROM batch_institution_lists p JOIN institution_lists l ON l.id = p.list_id
         CROSS JOIN LATERAL jsonb_array_elements(l.institutions) AS institution
       WHERE p.batch_id = ? ORDER BY 1 LIMIT ?`,
      [batchId, most + 1],
    );
    return found.length > most ? [] : found.map(({ name }) => name);
  },
);

/** The ledger's clock: on a shared database every host has the same one. */
export const databaseTime = sql.shortVerbOnce(
  (database: sql.Database): Promise<Date> => sql.onlyValue(database, sql.timestamp, 'SELECT now() AS now'),
);
