/* Rows of any batch by something that identifies them: what a person has in hand when somebody calls. */

import { int4, text, uuid, word } from '../query/columns.ts';
import { type Database, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** What a row was found by. */
export type FoundBy = 'object' | 'key' | 'reference' | 'account';

/** A row, and its batch as people name it. */
export interface FoundRow {
  readonly batch: string;
  readonly file: string;
  readonly row: number;
  readonly by: FoundBy;
}

/** What may identify a row. */
export interface SearchedRow {
  /** Id of an object at the API, or the row's own reference, exactly as it was given. */
  readonly text: string;
  /** An idempotency key; null where the text can be none. */
  readonly key: string | null;
  /** What payees are looked up by, in hex: those of an IBAN and of a phone number. */
  readonly accounts: readonly string[];
  readonly kinds: readonly string[];
}

/** The rows that something identifies, the newest batch first. Each way to it is an index of its table. */
export const findRowsAnywhere = verb(
  { pool: 'short', repeatable: true },
  (database: Database, searched: SearchedRow, limit: number): Promise<FoundRow[]> => {
    const { text: given, key, accounts, kinds } = searched;
    return query<FoundRow>(
      database,
      { batch: uuid, file: text, row: int4, by: word() },
      `SELECT f.batch_id AS batch, b.file_name AS file, f.row_number AS row, f.found_by AS by FROM (
         SELECT o.batch_id, o.row_number, 'object' AS found_by FROM environments e CROSS JOIN unnest(?::text[]) k (kind)
           JOIN created_objects o ON o.environment_id = e.id AND o.kind = k.kind AND o.object_id = ?
         UNION ALL
         SELECT batch_id, row_number, 'key' FROM requests WHERE idempotency_key = ?::uuid
         UNION ALL
         SELECT s.batch_id, s.row_number, 'reference' FROM environments e CROSS JOIN unnest(?::text[]) k (kind)
           JOIN row_states s ON s.environment_id = e.id AND s.kind = k.kind AND s.handle = ?
         UNION ALL
         SELECT p.batch_id, p.row_number, 'account' FROM environments e
           CROSS JOIN unnest(?::text[]) a (hex)
           JOIN payees p ON p.environment_id = e.id AND p.account_key = decode(a.hex, 'hex')) f
       JOIN batches b ON b.id = f.batch_id
       ORDER BY b.created_at DESC, f.batch_id, f.row_number LIMIT ?`,
      [kinds, given, key, kinds, given, accounts, limit],
    );
  },
);
