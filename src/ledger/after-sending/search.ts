/* Rows of any batch by an identifier: what a person has at hand when a partner calls. */

import { asFence, readOnce } from '../query/planner.ts';
import { type Database, int4, numbersLiteral, query, text, uuid, verb, word } from '../query/sql.ts';

/** The kind of identifier by which a row was found. */
export type FoundBy = 'object' | 'key' | 'reference' | 'account' | 'name';

/** A row, and its batch as people name it. */
export interface FoundRow {
  readonly batch: string;
  readonly file: string;
  readonly row: number;
  readonly by: FoundBy;
}

/** What may identify a row. */
export interface SearchedRow {
  /** Id of an object at the API, or the row's own reference, exactly as entered. */
  readonly text: string;
  /** An idempotency key; null where the text cannot be one. */
  readonly key: string | null;
  readonly kinds: readonly string[];
}

/** The rows that an identifier matches, the newest batch first. Each kind has an index of its table. */
export const findRowsAnywhere = verb(
  { pool: 'short', repeatable: true },
  (database: Database, searched: SearchedRow, limit: number): Promise<FoundRow[]> => {
    const { text: given, key, kinds } = searched;
    return query<FoundRow>(
      database,
      { batch: uuid, file: text, row: int4, by: word() },
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
      [kinds, given, key, kinds, given, limit],
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
 * The groups of rows that seem to have all of some terms, those of the newest batch first. The bits of all groups are
 * examined.
 * @param places of the bits of the terms
 */
export const findGroupsByTerms = verb(
  { pool: 'short', repeatable: true },
  (database: Database, places: readonly number[], limit: number): Promise<RowGroup[]> => {
    return query<RowGroup>(
      database,
      { batch: uuid, file: text, firstRow: int4, lastRow: int4 },
      `SELECT t.batch_id AS batch, b.file_name AS file, t.first_row AS "firstRow", t.last_row AS "lastRow"
       FROM search_terms t CROSS JOIN LATERAL (SELECT ${readOnce('t.bits')} AS bits ${asFence}) g
       JOIN batches b ON b.id = t.batch_id
       WHERE NOT EXISTS (SELECT FROM unnest(?::int[]) AS p (place)
         WHERE get_bit(g.bits, p.place & (8 * length(g.bits) - 1)) = 0)
       ORDER BY b.created_at DESC, t.batch_id, t.first_row LIMIT ?`,
      [numbersLiteral(places), limit],
    );
  },
);

/** No value contains it. Many texts are read much faster than many lists. */
const separator = '\u001f';

/** The values of a group's rows in some fields of their records; rows without any are left out. */
export const readFieldsOfGroup = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    { batch, firstRow, lastRow }: RowGroup,
    fields: readonly string[],
  ): Promise<{ row: number; values: string[] }[]> => {
    const found = await query(
      database,
      { row: int4, joined: text },
      `SELECT row_number AS row, concat_ws(?, ${fields.map(() => 'record->>?').join(', ')}) AS joined
       FROM row_inputs WHERE batch_id = ? AND row_number BETWEEN ? AND ? ORDER BY row_number`,
      [separator, ...fields, batch, firstRow, lastRow],
    );
    return found.flatMap(({ row, joined }) =>
      joined === '' ? [] : [{ row, values: joined.split(separator) }],
    );
  },
);
