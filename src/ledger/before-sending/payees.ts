/* Payees that are known, and what was found to differ from them. */

import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import type { PayeeChange, PayeeKeys } from '../../domain/rows/payee-change.ts';
import { bool, int4, json, orNull, text, uuid, word } from '../query/columns.ts';
import { inputOf, rowOf } from '../query/each-row.ts';
import { asFence } from '../query/planner.ts';
import {
  bytesLiteral,
  type Database,
  execute,
  isoUtc,
  numbersLiteral,
  query,
  textsBindings,
  textsParameter,
} from '../query/sql.ts';
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

/** The newest so many of each are enough to say that something differs. */
const mostCompared = 20;

/** SQL that says whether row `r` has created an object, or may have. */
const mayExist =
  "(r.state IN ('created', 'existing', 'sending', 'unknown') OR (r.state = 'held' AND r.may_exist))";

const byteKeys = (keys: readonly string[]): string =>
  bytesLiteral(keys.map((key) => Buffer.from(key, 'latin1')));

/** SQL of the payees that are asked about, as `g`, and its bindings. */
function given(asked: readonly AskedPayee[]): { readonly sql: string; readonly bindings: readonly string[] } {
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
         (SELECT * FROM payees WHERE environment_id = ? AND customer_key = g.customer AND name_key = g.name LIMIT ${mostCompared})
         UNION
         (SELECT * FROM payees WHERE environment_id = ? AND customer_key = g.customer AND name_key = g.name
            AND details_key = g.details LIMIT ${mostCompared})
         UNION
         (SELECT * FROM payees WHERE environment_id = ? AND account_key = g.account LIMIT ${mostCompared})
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

/** What a person decided about a payee that was flagged before. */
export interface DecidedPayee {
  readonly n: number;
  readonly verdict: 'send' | 'existing';
  readonly objectId: string | null;
}

/** The newest decision of a person about each of these payees, where there is one. */
export const findPayeeDecisions = verb(
  { pool: 'short', repeatable: true },
  async (
    database: Database,
    environmentId: number,
    asked: readonly AskedPayee[],
  ): Promise<DecidedPayee[]> => {
    const { sql, bindings } = given(asked);
    return query<DecidedPayee>(
      database,
      { n: int4, verdict: word(), objectId: orNull(text) },
      `SELECT DISTINCT ON (g.n) g.n, v.verdict, v.object_id AS "objectId"
       FROM ${sql}
       CROSS JOIN LATERAL (SELECT * FROM payee_changes WHERE environment_id = ? AND customer_key = g.customer
         AND name_key = g.name AND details_key = g.details ${asFence}) c
       CROSS JOIN LATERAL (SELECT * FROM verdicts WHERE batch_id = c.batch_id AND row_number = c.row_number
         AND from_code = c.code AND verdict IN ('send', 'existing') ${asFence}) v
       ORDER BY g.n, v.id DESC`,
      [...bindings, environmentId],
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

/** Notes the findings of rows that are being staged, under the lock of their batch. */
export async function notePayeeChanges(
  transaction: Database,
  batch: { readonly id: string; readonly environmentId: number },
  changes: readonly PayeeChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await execute(
    transaction,
    `INSERT INTO payee_changes (batch_id, environment_id, row_number, code, earlier_batch_id, earlier_row, customer_key,
       name_key, details_key)
     SELECT ?, ?, c.* FROM unnest(?::int[], ${textsParameter}, ?::uuid[], ?::int[], ?::bytea[], ?::bytea[], ?::bytea[]) c
     ON CONFLICT DO NOTHING`,
    [
      ...[batch.id, batch.environmentId],
      numbersLiteral(changes.map(({ row }) => row)),
      ...textsBindings(changes.map(({ code }) => code)),
      numbersLiteral(changes.map(({ earlier }) => earlier.batch ?? batch.id)),
      numbersLiteral(changes.map(({ earlier }) => earlier.row)),
      byteKeys(changes.map(({ keys }) => keys.customer)),
      byteKeys(changes.map(({ keys }) => keys.name)),
      byteKeys(changes.map(({ keys }) => keys.details)),
    ],
  );
}

/** A finding with the rows of both sides, as the ledger has them. */
export interface ChangeRecord {
  readonly row: number;
  readonly code: PayeeChange['code'];
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly earlierBatch: string;
  readonly earlierFile: string;
  readonly earlierRow: number;
  readonly earlierResource: string | null;
  readonly earlierRecord: NormalisedRecord;
  readonly earlierObject: string | null;
  readonly createdAt: string | null;
  readonly isStillUsed: boolean;
}

/** So many findings are read at once. */
const changesPerPage = 1_000;

/** A batch's findings in the order of its rows, page by page. */
export const readPayeeChanges = verb(
  { pool: 'long', repeatable: false },
  async function* (database: Database, batchId: string): AsyncGenerator<readonly ChangeRecord[]> {
    let last: Pick<ChangeRecord, 'row' | 'code'> = { row: 0, code: 'account_shared' };
    for (;;) {
      const page = await pageOfChanges(database, batchId, last);
      const end = page.at(-1);
      if (end === undefined) return;
      last = end;
      yield page;
    }
  },
);

function pageOfChanges(
  database: Database,
  batchId: string,
  last: Pick<ChangeRecord, 'row' | 'code'>,
): Promise<ChangeRecord[]> {
  return query<ChangeRecord>(
    database,
    {
      row: int4,
      code: word(),
      resource: orNull(text),
      record: json(),
      earlierBatch: uuid,
      earlierFile: text,
      earlierRow: int4,
      earlierResource: orNull(text),
      earlierRecord: json(),
      earlierObject: orNull(text),
      createdAt: orNull(text),
      isStillUsed: bool,
    },
    `SELECT c.row_number AS row, c.code, s.resource, i.record, c.earlier_batch_id AS "earlierBatch",
       b.file_name AS "earlierFile", c.earlier_row AS "earlierRow", e.resource AS "earlierResource",
       e.record AS "earlierRecord", o.object_id AS "earlierObject", ${isoUtc('o.created_at')} AS "createdAt",
       c.earlier_batch_id = c.batch_id OR (o.object_id IS NOT NULL AND EXISTS (SELECT FROM row_states x
         WHERE x.environment_id = s.environment_id AND x.kind = s.kind AND x.object_id = o.object_id
           AND x.state = 'existing' AND x.batch_id = c.batch_id)) AS "isStillUsed"
     FROM (SELECT * FROM payee_changes WHERE batch_id = ? AND (row_number, code) > (?, ?)
       ORDER BY row_number, code LIMIT ${changesPerPage}) c
     CROSS JOIN LATERAL (SELECT * FROM row_states
       WHERE batch_id = c.batch_id AND row_number = c.row_number ${asFence}) s
     ${inputOf('c')}
     JOIN batches b ON b.id = c.earlier_batch_id
     CROSS JOIN LATERAL (SELECT t.resource, n.record FROM row_states t JOIN row_inputs n USING (batch_id, row_number)
       WHERE t.batch_id = c.earlier_batch_id AND t.row_number = c.earlier_row ${asFence}) e
     LEFT JOIN LATERAL (SELECT object_id, created_at FROM created_objects
       WHERE batch_id = c.earlier_batch_id AND row_number = c.earlier_row ${asFence}) o ON true
     ORDER BY c.row_number, c.code`,
    [batchId, last.row, last.code],
  );
}

/** The row that a finding compares with. */
export interface EarlierPayeeRow {
  readonly batch: string;
  readonly row: number;
  readonly file: string;
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly createdAt: string | null;
}

/** Rows that others were compared with, by batch and row. */
export const findEarlierPayees = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    places: readonly { readonly batch: string; readonly row: number }[],
  ): Promise<EarlierPayeeRow[]> => {
    return query<EarlierPayeeRow>(
      database,
      { batch: uuid, row: int4, file: text, resource: orNull(text), record: json(), createdAt: orNull(text) },
      `SELECT g.batch_id AS batch, g.row_number AS row, b.file_name AS file, s.resource, i.record,
         ${isoUtc('o.created_at')} AS "createdAt"
       FROM (SELECT DISTINCT * FROM unnest(?::uuid[], ?::int[]) AS n (batch_id, row_number)) g
       JOIN batches b ON b.id = g.batch_id
       CROSS JOIN LATERAL (SELECT resource FROM row_states
         WHERE batch_id = g.batch_id AND row_number = g.row_number ${asFence}) s
       ${inputOf('g')}
       LEFT JOIN LATERAL (SELECT created_at FROM created_objects
         WHERE batch_id = g.batch_id AND row_number = g.row_number ${asFence}) o ON true`,
      [numbersLiteral(places.map(({ batch }) => batch)), numbersLiteral(places.map(({ row }) => row))],
    );
  },
);

/** The objects of the rows that held rows were compared with, by row: the ones that a person may let stand. */
export const findComparedObjects = verb(
  { pool: 'long', repeatable: false },
  async (database: Database, batchId: string, rows: readonly number[]): Promise<Map<number, string>> => {
    const found = await query(
      database,
      { row: int4, objectId: text },
      `SELECT DISTINCT ON (c.row_number) c.row_number AS row, o.object_id AS "objectId"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT * FROM payee_changes
         WHERE batch_id = ? AND row_number = g.row_number AND code = 'payee_details_changed' ${asFence}) c
       CROSS JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = c.earlier_batch_id AND row_number = c.earlier_row ${asFence}) o
       ORDER BY c.row_number`,
      [numbersLiteral(rows), batchId],
    );
    return new Map(found.map(({ row, objectId }) => [row, objectId]));
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
