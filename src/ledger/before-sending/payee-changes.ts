/* Differences from known payees, and what people decided about them. */

import type { Knex } from 'knex';
import type { PayeeChange, PayeeChangeCode } from '../../domain/rows/finding.ts';
import type { NormalisedRecord, RowOfBatch } from '../../domain/rows/ledger-row.ts';
import { changeBatch, isUnclaimed } from '../protocol/batch-lock.ts';
import { asFence, inputOf, rowStateOf } from '../query/planner.ts';
import {
  bool,
  type Database,
  execute,
  int4,
  isoUtc,
  json,
  longVerb,
  longVerbOnce,
  numbersLiteral,
  orNull,
  query,
  shortVerb,
  stateIs,
  text,
  textsBindings,
  textsParameter,
  uuid,
  word,
} from '../query/sql.ts';
import { type AskedPayee, byteKeys, given } from './payees.ts';

/** A person's newest decision about each of these payees, if any. */
export const findPayeeDecisions = shortVerb(
  async (database: Database, environmentId: number, asked: readonly AskedPayee[]) => {
    const payees = given(asked);
    return query(
      database,
      { n: int4, verdict: word<'send' | 'existing'>(), objectId: orNull(text) },
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

/** The findings that rows of a batch have already. */
export const findNotedChanges = shortVerb(
  (
    database: Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<{ readonly row: number; readonly code: PayeeChangeCode }[]> =>
    query<{ row: number; code: PayeeChangeCode }>(
      database,
      { row: int4, code: word() },
      `SELECT c.row_number AS row, c.code FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT row_number, code FROM payee_changes
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) c`,
      [numbersLiteral(rows), batchId],
    ),
);

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

/** This many findings are read at once. */
const changesPerPage = 1_000;

/** A batch's findings in the order of its rows, page by page. */
export const readPayeeChanges = longVerbOnce(async function* (
  database: Database,
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

/** Rows to which others were compared, by batch and row. */
export const findEarlierPayees = shortVerb(
  (database: Database, places: readonly RowOfBatch[]): Promise<EarlierPayeeRow[]> =>
    query<EarlierPayeeRow>(
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
    ),
);

/**
 * The objects of the rows to which held rows were compared, by row: those that a person may accept. Of two, the object
 * of the payee with other details before.
 */
export const findComparedObjects = longVerbOnce(
  async (database: Database, batchId: string, rows: readonly number[]): Promise<Map<number, string>> => {
    const found = await query(
      database,
      { row: int4, objectId: text },
      `SELECT DISTINCT ON (c.row_number) c.row_number AS row, o.object_id AS "objectId"
       FROM unnest(?::int[]) AS g (row_number)
       CROSS JOIN LATERAL (SELECT * FROM payee_changes
         WHERE batch_id = ? AND row_number = g.row_number ${asFence}) c
       CROSS JOIN LATERAL (SELECT object_id FROM created_objects
         WHERE batch_id = c.earlier_batch_id AND row_number = c.earlier_row ${asFence}) o
       ORDER BY c.row_number, c.code DESC`,
      [numbersLiteral(rows), batchId],
    );
    return new Map(found.map(({ row, objectId }) => [row, objectId]));
  },
);

/** Rows that later rows of their batch are compared with, if they have no such finding of their own, in row order. */
export const listSharedRows = longVerb((database: Database, batchId: string) =>
  query(
    database,
    {
      row: int4,
      code: word<PayeeChangeCode>(),
      /** The first of those later rows. */
      sharedBy: int4,
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
export const noteLaterFindings = longVerb(
  async (
    database: Knex,
    batch: { readonly id: string; readonly environmentId: number },
    changes: readonly PayeeChange[],
  ): Promise<void> => {
    await changeBatch(database, batch.id, (transaction) => notePayeeChanges(transaction, batch, changes));
  },
);

/** A finding without a decision, of a row that would be sent. */
export interface OpenFinding {
  readonly row: number;
  readonly resource: string | null;
  readonly code: PayeeChangeCode;
  readonly earlierBatch: string;
  readonly earlierRow: number;
}

/** This many findings are examined in one call. */
const findingsAtOnce = 1_000;

/** The next findings without a decision, of rows that would be sent, in row order, after a row number. */
export const listOpenFindings = longVerb(
  (database: Database, batchId: string, afterRow: number): Promise<OpenFinding[]> =>
    query<OpenFinding>(
      database,
      { row: int4, resource: orNull(text), code: word(), earlierBatch: uuid, earlierRow: int4 },
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
