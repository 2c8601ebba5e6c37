/* Lists of institutions, and which of them were used to check the rows of a batch. */

import type { InstitutionSnapshot } from '../../domain/institution.ts';
import * as sql from '../query/sql.ts';

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
 * The names of all institutions in the environment's lists, by id in lower case. For each country the newest complete list
 * is used, or the newest list if none is complete.
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

/** Records that a batch uses the newest stored list of a country with this content. */
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

/** The lists that were used for the last check of a batch's rows, by country. */
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

/** The names in the lists that were used for the last check of a batch's rows, in alphabetical order; at most `most`. */
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
