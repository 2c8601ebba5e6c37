/* Payees that are known: whom a file's payees are compared with. */

import type { PayeeKeys } from '../../domain/rows/payee-change.ts';
import { bool, int4, text, uuid } from '../query/columns.ts';
import { inputOf, rowOf } from '../query/each-row.ts';
import { asFence } from '../query/planner.ts';
import { bytesLiteral, type Database, execute, numbersLiteral, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** A payee that is asked about, by its place among those of a call. */
export interface AskedPayee extends PayeeKeys {
  readonly n: number;
}

/** A known payee that one of those asked about is to be compared with. */
export interface ComparablePayee {
  readonly n: number;
  readonly batch: string;
  readonly row: number;
  readonly isSameCustomer: boolean;
  readonly isSameName: boolean;
  readonly isSameDetails: boolean;
}

/** So many of each are enough to say that something differs; always the same ones. */
const mostCompared = 20;

/** SQL that says whether row `r` has created an object, or may have. */
const mayExist =
  "(r.state IN ('created', 'existing', 'sending', 'unknown') OR (r.state = 'held' AND r.may_exist))";

export const byteKeys = (keys: readonly string[]): string =>
  bytesLiteral(keys.map((key) => Buffer.from(key, 'latin1')));

/** SQL of the payees that are asked about, as `g`, and its bindings. */
export function given(asked: readonly AskedPayee[]): {
  readonly sql: string;
  readonly bindings: readonly string[];
} {
  return {
    sql: 'unnest(?::int[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[]) AS g (n, customer, name, details, account)',
    bindings: [
      numbersLiteral(asked.map(({ n }) => n)),
      byteKeys(asked.map(({ customer }) => customer)),
      byteKeys(asked.map(({ name }) => name)),
      byteKeys(asked.map(({ details }) => details)),
      byteKeys(asked.map(({ account }) => account)),
    ],
  };
}

/**
 * The known payees that others are to be compared with: those of the same customer and name, and those with the same
 * account. A payee counts once its object is created, or may be.
 * @param without batches whose payees do not count: the family of the file that is asked for
 */
export const findPayees = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    environmentId: number,
    asked: readonly AskedPayee[],
    without: readonly string[],
  ): Promise<ComparablePayee[]> => {
    const { sql, bindings } = given(asked);
    return query<ComparablePayee>(
      database,
      { n: int4, batch: uuid, row: int4, isSameCustomer: bool, isSameName: bool, isSameDetails: bool },
      `SELECT g.n, p.batch_id AS batch, p.row_number AS row, p.customer_key = g.customer AS "isSameCustomer",
         p.name_key = g.name AS "isSameName", p.details_key = g.details AS "isSameDetails"
       FROM ${sql}
       CROSS JOIN LATERAL (
         (SELECT * FROM payees WHERE environment_id = ? AND customer_key = g.customer AND name_key = g.name
            ORDER BY details_key, batch_id, row_number LIMIT ${mostCompared})
         UNION
         (SELECT * FROM payees WHERE environment_id = ? AND customer_key = g.customer AND name_key = g.name
            AND details_key = g.details ORDER BY batch_id, row_number LIMIT ${mostCompared})
         UNION
         (SELECT * FROM payees WHERE environment_id = ? AND account_key = g.account
            ORDER BY batch_id, row_number LIMIT ${mostCompared})
         ${asFence}) p
       ${rowOf('p')}
       WHERE ${mayExist} AND NOT p.batch_id = ANY(?::uuid[])
       ORDER BY g.n, r.changed_at DESC, r.row_number`,
      [...bindings, environmentId, environmentId, environmentId, numbersLiteral(without)],
    );
  },
);

/** A known payee of a customer, with its name as its row has it. */
export interface NamedPayee {
  readonly n: number;
  readonly batch: string;
  readonly row: number;
  readonly name: string;
}

/** Names are compared letter by letter for customers of so many known payees at most. */
const mostNamed = 20;

/** The known payees of customers that have few of them, for comparing names; none for a customer that has many. */
export const findNamedPayees = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    environmentId: number,
    asked: readonly Pick<AskedPayee, 'n' | 'customer'>[],
    without: readonly string[],
  ): Promise<NamedPayee[]> => {
    return query<NamedPayee>(
      database,
      { n: int4, batch: uuid, row: int4, name: text },
      `SELECT g.n, p.batch_id AS batch, p.row_number AS row, coalesce(i.record->>'account_name', '') AS name
       FROM unnest(?::int[], ?::bytea[]) AS g (n, customer)
       CROSS JOIN LATERAL (SELECT found.*, count(*) OVER () AS all FROM (
         SELECT * FROM payees WHERE environment_id = ? AND customer_key = g.customer LIMIT ${mostNamed + 1}) found ${asFence}) p
       ${rowOf('p')} ${inputOf('p')}
       WHERE p.all <= ${mostNamed} AND ${mayExist} AND NOT p.batch_id = ANY(?::uuid[])
       ORDER BY g.n, r.changed_at DESC, r.row_number`,
      [
        numbersLiteral(asked.map(({ n }) => n)),
        byteKeys(asked.map(({ customer }) => customer)),
        environmentId,
        numbersLiteral(without),
      ],
    );
  },
);

/**
 * The batches of one family: those that corrected rows of `batch` lead to, the rows that they correct, and all other
 * readings of the same content.
 */
export const listPayeeFamily = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, contentHash: string, corrected: readonly string[]): Promise<string[]> => {
    const found = await query(
      database,
      { id: uuid },
      `WITH own AS (
         SELECT id FROM batches WHERE content_hash = ? UNION SELECT unnest(?::uuid[])),
       roots AS (
         SELECT id FROM own UNION SELECT first_batch_id FROM corrected_rows WHERE batch_id IN (SELECT id FROM own))
       SELECT id FROM roots UNION
       SELECT DISTINCT batch_id FROM corrected_rows WHERE first_batch_id IN (SELECT id FROM roots)`,
      [contentHash, numbersLiteral(corrected)],
    );
    return found.map(({ id }) => id);
  },
);

/** The payee of a row that is made ready. */
export interface ReadyPayee {
  readonly row: number;
  readonly keys: PayeeKeys;
}

/** Notes the payees of rows that were made ready, under the lock of their batch; those of later generations replace earlier ones. */
export async function notePayees(
  transaction: Database,
  batchId: string,
  payees: readonly ReadyPayee[],
): Promise<void> {
  if (payees.length === 0) return;
  await execute(
    transaction,
    `INSERT INTO payees (environment_id, batch_id, row_number, customer_key, name_key, details_key, account_key)
     SELECT b.environment_id, b.id, p.* FROM batches b,
       unnest(?::int[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[]) p WHERE b.id = ?
     ON CONFLICT (batch_id, row_number) DO UPDATE SET customer_key = EXCLUDED.customer_key, name_key = EXCLUDED.name_key,
       details_key = EXCLUDED.details_key, account_key = EXCLUDED.account_key`,
    [
      numbersLiteral(payees.map(({ row }) => row)),
      byteKeys(payees.map(({ keys }) => keys.customer)),
      byteKeys(payees.map(({ keys }) => keys.name)),
      byteKeys(payees.map(({ keys }) => keys.details)),
      byteKeys(payees.map(({ keys }) => keys.account)),
      batchId,
    ],
  );
}
