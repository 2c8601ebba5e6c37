import type { Institution } from '../domain/institution.ts';
import { type Database, execute, query } from './sql.ts';

/** One country's institutions as they were read at one time. */
export interface StoredInstitutionList {
  readonly country: string;
  readonly institutions: readonly Institution[];
  readonly isComplete: boolean;
  readonly fetchedAt: Date;
  /** SHA-256 over the institutions, in hex. */
  readonly hash: string;
}

export async function loadInstitutionList(
  database: Database,
  environmentId: number,
  country: string,
): Promise<StoredInstitutionList | undefined> {
  const [list] = await query<StoredInstitutionList>(
    database,
    `SELECT country, institutions, is_complete AS "isComplete", fetched_at AS "fetchedAt", hash
     FROM institution_lists WHERE environment_id = ? AND country = ? ORDER BY fetched_at DESC, id DESC LIMIT 1`,
    [environmentId, country],
  );
  return list;
}

export async function saveInstitutionList(
  database: Database,
  environmentId: number,
  list: StoredInstitutionList,
): Promise<void> {
  await execute(
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
  );
}

/** The ledger's clock: on a shared database every host has the same one. */
export async function databaseTime(database: Database): Promise<Date> {
  const [row] = await query<{ now: Date }>(database, 'SELECT now() AS now');
  if (row === undefined) throw new Error('the database did not tell its time');
  return row.now;
}
