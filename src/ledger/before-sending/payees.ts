/* Known payees, with which the payees of a file are compared. */

import type { PayeeKeys } from '../../domain/rows/finding.ts';
import type { RowOfBatch } from '../../domain/rows/ledger-row.ts';
import { marksIn, type NameMarks, nameMarkBytes } from '../../domain/text/payee-names.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, comparedNumber, inputOf, lookUpIfAny, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';

/** A payee to look up, with its index in the call. */
export interface AskedPayee extends PayeeKeys {
  readonly n: number;
}

/** The maximum number of payees of each kind. It is enough to show a difference; the same ones are always chosen. */
const mostCompared = 20;

/** SQL: the object of row `r` exists or may exist. */
const mayExist =
  "(r.state IN ('created', 'existing', 'sending', 'unknown') OR (r.state = 'held' AND r.may_exist))";

/**
 * SQL of a condition on `payees`; its binding is the environment's number. It keeps the planner from searching by
 * environment, so that rows are found by customer or account.
 */
const ofEnvironment = `${comparedNumber('environment_id')} = ?`;

/** SQL of the payees to look up, as `g`, and its bindings. */
export function askedPayees(asked: readonly AskedPayee[]): sql.Fragment {
  return {
    sql: 'unnest(?::int[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[]) AS g (n, customer, name, details, account)',
    bindings: [
      arrays.numbersLiteral(asked.map(({ n }) => n)),
      ...arrays.arraysOf(asked, 'customer', 'name', 'details', 'account').map(arrays.byteKeys),
    ],
  };
}

/** Names are compared letter by letter only for customers with at most this many known payees. */
const mostNamed = 20;

/** The known payees of a customer, by the customer's index in the call. */
export interface KnownNames {
  readonly n: number;
  /** Null for a customer with too many payees. */
  readonly names: readonly { readonly name: string; readonly marks: NameMarks }[] | null;
}

/**
 * The customers among these that have payees in the ledger, in any state. Most rows of a file need no further look-up: the
 * result comes from one index, without reading rows.
 * @param customers keys of customers
 */
export const findKnownNames = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    customers: readonly string[],
  ): Promise<readonly KnownNames[]> => {
    const found = await sql.query(
      database,
      { n: sql.int4, names: sql.orNull(sql.bytes) },
      `SELECT g.n, p.names FROM ${arrays.eachOfKeys}
       CROSS JOIN LATERAL (SELECT count(*) AS payees,
           CASE WHEN count(*) <= ${mostNamed} THEN string_agg(name_key || name_marks, ''::bytea) END AS names
         FROM (SELECT name_key, name_marks FROM payees
           WHERE ${ofEnvironment} AND customer_key = g.key LIMIT ${mostNamed + 1}) found ${asFence}) p
       WHERE p.payees > 0`,
      [arrays.packed(customers), environmentId],
    );
    return found.map(({ n, names }) => ({ n, names: names === null ? null : namesIn(names) }));
  },
);

function namesIn(bytesOfNames: Buffer): NonNullable<KnownNames['names']> {
  const text = bytesOfNames.toString('latin1');
  const width = arrays.keyBytes + nameMarkBytes;
  return Array.from({ length: text.length / width }, (_, index) => ({
    name: text.slice(index * width, index * width + arrays.keyBytes),
    marks: marksIn(text, index * width + arrays.keyBytes),
  }));
}

/** The indexes of the accounts among these that a payee in the ledger has, in any state. */
export const findKnownAccounts = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    accounts: readonly string[],
  ): Promise<ReadonlySet<number>> => {
    return new Set(
      await sql.valuesOf(
        database,
        sql.int4,
        `SELECT g.n FROM ${arrays.eachOfKeys}
       WHERE EXISTS (SELECT FROM payees WHERE ${ofEnvironment} AND account_key = g.key ${asFence})`,
        [arrays.packed(accounts), environmentId],
      ),
    );
  },
);

/**
 * The known payees to compare with: payees of the same customer with the same name, and payees with the same account. A
 * payee counts once its object is created or may be created.
 * @param without batches whose payees do not count: the readings of the file itself
 */
export const findPayees = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    asked: readonly AskedPayee[],
    without: readonly string[],
  ) => {
    const payees = askedPayees(asked);
    return sql.query(
      database,
      {
        n: sql.int4,
        batch: sql.uuid,
        row: sql.int4,
        isSameCustomer: sql.bool,
        isSameName: sql.bool,
        isSameDetails: sql.bool,
      },
      `SELECT g.n, p.batch_id AS batch, p.row_number AS row, p.customer_key = g.customer AS "isSameCustomer",
         p.name_key = g.name AS "isSameName", p.details_key = g.details AS "isSameDetails"
       FROM ${payees.sql}
       CROSS JOIN LATERAL (
         (SELECT * FROM payees WHERE ${ofEnvironment} AND customer_key = g.customer AND name_key = g.name
            ORDER BY details_key, batch_id, row_number LIMIT ${mostCompared})
         UNION
         (SELECT * FROM payees WHERE ${ofEnvironment} AND customer_key = g.customer AND name_key = g.name
            AND details_key = g.details ORDER BY batch_id, row_number LIMIT ${mostCompared})
         UNION
         (SELECT * FROM payees WHERE ${ofEnvironment} AND account_key = g.account
            ORDER BY batch_id, row_number LIMIT ${mostCompared})
         ${asFence}) p
       ${rowOf('p')}
       WHERE ${mayExist} AND NOT p.batch_id = ANY(?::uuid[])
       ORDER BY g.n, r.changed_at DESC, r.row_number`,
      [...payees.bindings, environmentId, environmentId, environmentId, arrays.numbersLiteral(without)],
    );
  },
);

/** A known payee, with its name as in its row. */
export interface NamedPayee extends RowOfBatch {
  readonly n: number;
  readonly name: string;
  /** The key of the account. */
  readonly account: string;
  readonly cells: readonly string[];
}

/** The known payees with one of these customers and name keys, the newest first. */
export const findNamedPayees = sql.shortVerb(
  async (
    database: sql.Database,
    environmentId: number,
    asked: readonly Pick<AskedPayee, 'n' | 'customer' | 'name'>[],
    without: readonly string[],
  ): Promise<NamedPayee[]> => {
    const found = await sql.query(
      database,
      {
        n: sql.int4,
        batch: sql.uuid,
        row: sql.int4,
        name: sql.text,
        account: sql.bytes,
        cells: sql.jsonText<readonly string[]>(),
      },
      `SELECT g.n, p.batch_id AS batch, p.row_number AS row, coalesce(i.record->>'account_name', '') AS name,
         p.account_key AS account, i.cells
       FROM unnest(?::int[], ?::bytea[], ?::bytea[]) AS g (n, customer, name)
       CROSS JOIN LATERAL (SELECT * FROM payees
         WHERE ${ofEnvironment} AND customer_key = g.customer AND name_key = g.name LIMIT ${mostNamed}) p
       ${rowOf('p')} ${inputOf('p')}
       WHERE ${mayExist} AND NOT p.batch_id = ANY(?::uuid[])
       ORDER BY r.changed_at DESC, r.row_number`,
      [
        arrays.numbersLiteral(asked.map(({ n }) => n)),
        ...arrays.arraysOf(asked, 'customer', 'name').map(arrays.byteKeys),
        environmentId,
        arrays.numbersLiteral(without),
      ],
    );
    return found.map((payee) => ({ ...payee, account: payee.account.toString('latin1') }));
  },
);

/** How many names of a customer one statement reads. */
const namesPerPage = 10_000;

/** The names of all known payees of a customer, with their marks, in pages. */
export const readKnownNames = sql.longVerbOnce(async function* (
  database: sql.Database,
  environmentId: number,
  customer: string,
): AsyncGenerator<NonNullable<KnownNames['names']>> {
  for (let after = ''; ; ) {
    const found = await sql.onlyValue(
      database,
      sql.orNull(sql.bytes),
      `SELECT string_agg(name_key || name_marks, ''::bytea ORDER BY name_key) AS names
         FROM (SELECT name_key, name_marks FROM payees
           WHERE customer_key = ? AND name_key > ? AND ${ofEnvironment} ORDER BY name_key LIMIT ${namesPerPage}) found`,
      [arrays.packed([customer]), arrays.packed([after]), environmentId],
    );
    const names = found === null ? [] : namesIn(found);
    if (names.length > 0) yield names;
    if (names.length < namesPerPage) return;
    after = names.at(-1)?.name ?? '';
  }
});

/** The batches with one content: a file, and other readings of the same file. */
export const listReadings = sql.shortVerb(
  (database: sql.Database, environmentId: number, contentHash: string): Promise<string[]> =>
    sql.valuesOf(database, sql.uuid, 'SELECT id FROM batches WHERE environment_id = ? AND content_hash = ?', [
      environmentId,
      contentHash,
    ]),
);

/** Whether other files may have been sent in the environment since a file was read. Then it may pay known payees. */
export const hasOthersPaidSince = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<boolean> =>
    sql.onlyValue(
      database,
      sql.bool,
      `SELECT EXISTS (
         SELECT FROM batches b
         JOIN batches o ON o.environment_id = b.environment_id AND o.kind = b.kind AND o.content_hash <> b.content_hash
         CROSS JOIN LATERAL (SELECT FROM runs
           WHERE batch_id = o.id AND coalesce(ended_at, lease_until) >= b.created_at LIMIT 1) r
         CROSS JOIN LATERAL (SELECT FROM payees WHERE batch_id = o.id ORDER BY row_number LIMIT 1) p
         WHERE b.id = ?) AS "arePaid"`,
      [batchId],
    ),
);

/** A row of a family, with the index `n` of the row that was looked up. */
export interface FamilyRow extends RowOfBatch {
  readonly n: number;
}

/**
 * The families of single rows: the origin row that all rows of a family correct, its corrections, and its other readings.
 * @param rows any row of each family
 */
export const findFamilyRows = sql.shortVerb(
  (database: sql.Database, rows: readonly FamilyRow[]): Promise<FamilyRow[]> =>
    sql.query<FamilyRow>(
      database,
      { n: sql.int4, batch: sql.uuid, row: sql.int4 },
      `WITH origins AS MATERIALIZED (
         SELECT g.n, coalesce(c.first_batch_id, g.batch_id) AS first_batch_id, coalesce(c.first_row, g.row_number) AS first_row
         FROM unnest(?::int[], ?::uuid[], ?::int[]) AS g (n, batch_id, row_number)
         ${lookUpIfAny('first_batch_id, first_row FROM corrected_rows', 'c', 'g')})
       SELECT n, first_batch_id AS batch, first_row AS row FROM origins
       UNION ALL
       SELECT o.n, c.batch_id, c.row_number FROM origins o
       CROSS JOIN LATERAL (SELECT batch_id, row_number FROM corrected_rows
         WHERE first_batch_id = o.first_batch_id AND first_row = o.first_row ${asFence}) c`,
      arrays.arraysOf(rows, 'n', 'batch', 'row').map(arrays.numbersLiteral),
    ),
);

/** The payee of a row that is being prepared. */
interface ReadyPayee {
  readonly row: number;
  readonly keys: PayeeKeys;
}

/** Stores the payees of prepared rows, under the lock of their batch. Payees of later generations replace earlier ones. */
export async function notePayees(
  transaction: sql.Database,
  batchId: string,
  payees: readonly ReadyPayee[],
): Promise<void> {
  if (payees.length === 0) return;
  const keys = payees.map((payee) => payee.keys);
  await sql.execute(
    transaction,
    `INSERT INTO payees (environment_id, batch_id, row_number, customer_key, name_key, name_marks, details_key, account_key)
     SELECT b.environment_id, b.id, p.* FROM batches b,
       unnest(?::int[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[], ?::bytea[]) p WHERE b.id = ?
     ON CONFLICT (batch_id, row_number) DO UPDATE SET customer_key = EXCLUDED.customer_key, name_key = EXCLUDED.name_key,
       name_marks = EXCLUDED.name_marks, details_key = EXCLUDED.details_key, account_key = EXCLUDED.account_key`,
    [
      arrays.numbersLiteral(payees.map(({ row }) => row)),
      ...arrays.arraysOf(keys, 'customer', 'name', 'nameMarks', 'details', 'account').map(arrays.byteKeys),
      batchId,
    ],
  );
}
