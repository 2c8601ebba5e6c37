/* Differences from known payees, and what people decided about them. */

import type { Knex } from 'knex';
import type { PayeeChange, PayeeChangeCode } from '../../domain/rows/finding.ts';
import type { NormalisedRecord, RowOfBatch } from '../../domain/rows/ledger-row.ts';
import { changeBatch, isUnclaimed } from '../protocol/batch-lock.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf, lookUp, lookUpIfAny, rowStateOf, stateIs } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { type AskedPayee, askedPayees } from './payees.ts';

/** The newest decision that a person made about each of these payees; payees without a decision are missing. */
export const findPayeeDecisions = sql.shortVerb(
  async (database: sql.Database, environmentId: number, asked: readonly AskedPayee[]) => {
    const payees = askedPayees(asked);
    return sql.query(
      database,
      { n: sql.int4, verdict: sql.word<'send' | 'existing'>(), objectId: sql.orNull(sql.text) },
      `SELECT DISTINCT ON (g.n) g.n, v.verdict, v.object_id AS "objectId"
       FROM ${payees.sql}
       CROSS JOIN LATERAL (SELECT * FROM payee_changes WHERE environment_id = ? AND customer_key = g.customer
         AND name_key = g.name AND details_key = g.details ${asFence}) c
       CROSS JOIN LATERAL (SELECT * FROM verdicts WHERE batch_id = c.batch_id AND row_number = c.row_number
         AND from_code = c.code AND verdict IN ('send', 'existing') ${asFence}) v
       ORDER BY g.n, v.id DESC`,
      [...payees.bindings, environmentId],
    );
  },
);

/** Stores the findings of rows that are being staged, under the lock of their batch. */
export async function notePayeeChanges(
  transaction: sql.Database,
  batch: { readonly id: string; readonly environmentId: number },
  changes: readonly PayeeChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const keys = changes.map((change) => change.keys);
  await sql.execute(
    transaction,
    `INSERT INTO payee_changes (batch_id, environment_id, row_number, code, earlier_batch_id, earlier_row, customer_key,
       name_key, details_key)
     SELECT ?, ?, c.* FROM unnest(?::int[], ${arrays.textsParameter}, ?::uuid[], ?::int[], ?::bytea[], ?::bytea[], ?::bytea[]) c
     ON CONFLICT DO NOTHING`,
    [
      ...[batch.id, batch.environmentId],
      arrays.numbersLiteral(changes.map(({ row }) => row)),
      ...arrays.textsBindings(changes.map(({ code }) => code)),
      arrays.numbersLiteral(changes.map(({ earlier }) => earlier.batch ?? batch.id)),
      arrays.numbersLiteral(changes.map(({ earlier }) => earlier.row)),
      ...arrays.arraysOf(keys, 'customer', 'name', 'details').map(arrays.byteKeys),
    ],
  );
}

/** The stored findings of rows of a batch. */
export const findNotedChanges = sql.shortVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]) =>
    sql.query(
      database,
      { row: sql.int4, code: sql.word<PayeeChangeCode>() },
      `SELECT c.row_number AS row, c.code FROM unnest(?::int[]) AS g (row_number)
       ${lookUp('row_number, code FROM payee_changes', 'c', 'g', { batch: '?' })}`,
      [arrays.numbersLiteral(rows), batchId],
    ),
);

const changeRecordColumns = {
  row: sql.int4,
  code: sql.word<PayeeChange['code']>(),
  resource: sql.orNull(sql.text),
  record: sql.json<NormalisedRecord>(),
  earlierBatch: sql.uuid,
  earlierFile: sql.text,
  earlierRow: sql.int4,
  earlierResource: sql.orNull(sql.text),
  earlierRecord: sql.json<NormalisedRecord>(),
  earlierObject: sql.orNull(sql.text),
  createdAt: sql.orNull(sql.text),
  isStillUsed: sql.bool,
};

/** A finding with the rows of both sides. */
export type ChangeRecord = sql.RowOf<typeof changeRecordColumns>;

/** How many findings one statement reads. */
const changesPerPage = 1_000;

/** A batch's findings in the order of its rows, page by page. */
export const readPayeeChanges = sql.longVerbOnce(async function* (
  database: sql.Database,
  batchId: string,
): AsyncGenerator<readonly ChangeRecord[]> {
  let last: Pick<ChangeRecord, 'row' | 'code'> = { row: 0, code: 'account_shared' };
  for (;;) {
    const page = await pageOfChanges(database, batchId, last);
    const end = page.at(-1);
    if (end === undefined) return;
    last = end;
    yield page;
  }
});

function pageOfChanges(
  database: sql.Database,
  batchId: string,
  last: Pick<ChangeRecord, 'row' | 'code'>,
): Promise<ChangeRecord[]> {
  return sql.query(
    database,
    changeRecordColumns,
    `SELECT c.row_number AS row, c.code, s.resource, i.record, c.earlier_batch_id AS "earlierBatch",
       b.file_name AS "earlierFile", c.earlier_row AS "earlierRow", e.resource AS "earlierResource",
       e.record AS "earlierRecord", o.object_id AS "earlierObject", ${sql.isoUtc('o.created_at')} AS "createdAt",
       c.earlier_batch_id = c.batch_id OR (o.object_id IS NOT NULL AND EXISTS (SELECT FROM row_states x
         WHERE x.environment_id = s.environment_id AND x.kind = s.kind AND x.object_id = o.object_id
           AND x.state = 'existing' AND x.batch_id = c.batch_id)) AS "isStillUsed"
     FROM (SELECT * FROM payee_changes WHERE batch_id = ? AND (row_number, code) > (?, ?)
       ORDER BY row_number, code LIMIT ${changesPerPage}) c
     ${lookUp('* FROM row_states', 's', 'c')}
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

const earlierPayeeRowColumns = {
  batch: sql.uuid,
  row: sql.int4,
  file: sql.text,
  resource: sql.orNull(sql.text),
  record: sql.json<NormalisedRecord>(),
  createdAt: sql.orNull(sql.text),
};

/** The earlier row with which a finding compares. */
export type EarlierPayeeRow = sql.RowOf<typeof earlierPayeeRowColumns>;

/** The earlier rows with which other rows were compared, by batch and row. */
export const findEarlierPayees = sql.shortVerb(
  (database: sql.Database, places: readonly RowOfBatch[]): Promise<EarlierPayeeRow[]> =>
    sql.query(
      database,
      earlierPayeeRowColumns,
      `SELECT g.batch_id AS batch, g.row_number AS row, b.file_name AS file, s.resource, i.record,
         ${sql.isoUtc('o.created_at')} AS "createdAt"
       FROM (SELECT DISTINCT * FROM unnest(?::uuid[], ?::int[]) AS n (batch_id, row_number)) g
       JOIN batches b ON b.id = g.batch_id
       ${lookUp('resource FROM row_states', 's', 'g')}
       ${inputOf('g')}
       ${lookUpIfAny('created_at FROM created_objects', 'o', 'g')}`,
      arrays.arraysOf(places, 'batch', 'row').map(arrays.numbersLiteral),
    ),
);

/**
 * The objects of the earlier rows with which held rows were compared, by row. A person may accept them as the existing
 * objects. If there are two, it is the object of the payee that had other details before.
 */
export const findComparedObjects = sql.longVerbOnce(
  async (database: sql.Database, batchId: string, rows: readonly number[]): Promise<Map<number, string>> => {
    const found = await sql.query(
      database,
      { row: sql.int4, objectId: sql.text },
      `SELECT DISTINCT ON (c.row_number) c.row_number AS row, o.object_id AS "objectId"
       FROM unnest(?::int[]) AS g (row_number)
       ${lookUp('* FROM payee_changes', 'c', 'g', { batch: '?' })}
       CROSS JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = c.earlier_batch_id AND row_number = c.earlier_row ${asFence}) o
       ORDER BY c.row_number, c.code DESC`,
      [arrays.numbersLiteral(rows), batchId],
    );
    return new Map(found.map(({ row, objectId }) => [row, objectId]));
  },
);

/**
 * Rows with which later rows of their batch were compared, and that do not have the same finding themselves, in row order.
 */
export const listSharedRows = sql.longVerb((database: sql.Database, batchId: string) =>
  sql.query(
    database,
    {
      row: sql.int4,
      code: sql.word<PayeeChangeCode>(),
      /** The first one of those later rows. */
      sharedBy: sql.int4,
    },
    `SELECT c.earlier_row AS row, c.code, min(c.row_number) AS "sharedBy" FROM payee_changes c
       WHERE c.batch_id = ? AND c.earlier_batch_id = c.batch_id
         AND NOT EXISTS (SELECT FROM payee_changes o
           WHERE o.batch_id = c.batch_id AND o.row_number = c.earlier_row AND o.code = c.code ${asFence})
       GROUP BY c.earlier_row, c.code ORDER BY 1, 2`,
    [batchId],
  ),
);

/** Stores findings of rows that are staged already. */
export const noteLaterFindings = sql.longVerb(
  async (
    database: Knex,
    batch: { readonly id: string; readonly environmentId: number },
    changes: readonly PayeeChange[],
  ): Promise<void> => {
    await changeBatch(database, batch.id, (transaction) => notePayeeChanges(transaction, batch, changes));
  },
);

const openFindingColumns = {
  row: sql.int4,
  resource: sql.orNull(sql.text),
  code: sql.word<PayeeChangeCode>(),
  earlierBatch: sql.uuid,
  earlierRow: sql.int4,
};

/** A finding without a decision, of a row that would be sent. */
export type OpenFinding = sql.RowOf<typeof openFindingColumns>;

/** How many findings one call examines. */
const findingsAtOnce = 1_000;

/** The next findings without a decision, of rows that would be sent, in row order, after a row number. */
export const listOpenFindings = sql.longVerb(
  (database: sql.Database, batchId: string, afterRow: number): Promise<OpenFinding[]> =>
    sql.query(
      database,
      openFindingColumns,
      `SELECT c.row_number AS row, s.resource, c.code, c.earlier_batch_id AS "earlierBatch", c.earlier_row AS "earlierRow"
       FROM (SELECT * FROM payee_changes WHERE batch_id = ? AND row_number > ?) c
       ${rowStateOf('c')}
       WHERE ${stateIs('s', 'staged', 'waiting', 'ready')} AND s.first_sent_at IS NULL AND ${isUnclaimed('s')}
         AND NOT EXISTS (SELECT FROM verdicts v
           WHERE v.batch_id = c.batch_id AND v.row_number = c.row_number AND v.verdict = 'send' ${asFence})
         AND NOT EXISTS (SELECT FROM payee_changes d JOIN verdicts v ON v.batch_id = d.batch_id
             AND v.row_number = d.row_number AND v.from_code = d.code AND v.verdict IN ('send', 'existing')
           WHERE d.environment_id = c.environment_id AND d.customer_key = c.customer_key AND d.name_key = c.name_key
             AND d.details_key = c.details_key ${asFence})
       ORDER BY c.row_number, c.code DESC LIMIT ${findingsAtOnce}`,
      [batchId, afterRow, batchId],
    ),
);
