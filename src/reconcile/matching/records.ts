/* The records of both sides, loaded into temporary tables. */

import type { LineRecord } from '../../account/reconciliation/files.ts';
import type { ComparedSide } from '../../domain/batches/reconciliation.ts';
import { AmountSums } from '../../domain/money/sums.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import { BulkInsert } from './bulk-insert.ts';
import type { Compares } from './rules.ts';
import { createTextTables, type TextNames } from './text-names.ts';

/**
 * One record of either side, in the form for comparing. Empty values are null. Its file has an index on its side, from 0; its
 * amount is a plain decimal, its day one of UTC (`YYYY-MM-DD`). Only own records have a status.
 */
export interface MatchRecord extends Omit<LineRecord, 'words'> {
  /** The natural key of the object, as one text. */
  readonly natural: string | null;
  /** The common value of several records of this side that together are one record of the other. */
  readonly group: string | null;
  /** Every other compared value, in the same order of names on both sides; null for an empty one. */
  readonly fields: readonly (string | null)[];
  /**
   * The other side's own number of the entry, with its account. It identifies copies, but does not match own records.
   */
  readonly entry: string | null;
  /** Texts that may contain paybatch's reference among other words, one per line. */
  readonly text: string | null;
  /** The payer or payee by the other side, for people; it is not used for matching. */
  readonly counterparty: string | null;
  /** Why the side's own mapping leaves the record out; null for a record that is compared. */
  readonly leftOut: string | null;
}

/** The two sides. `here` has paybatch's own records, or the left file; `there` is the other one. */
export type Side = 'here' | 'there';

/** The totals of a side, counted while reading and not by the database. */
export type SideTotals = ComparedSide;

const columns = `n int NOT NULL, file smallint NOT NULL, row_number int NOT NULL, id text COLLATE "C",
  reference text COLLATE "C", natural_key text COLLATE "C", grp text COLLATE "C", amount numeric,
  currency text COLLATE "C", day date, fields text COLLATE "C" NOT NULL, status text COLLATE "C",
  entry text COLLATE "C", free_text text COLLATE "C", counterparty text COLLATE "C"`;

/** Creates the empty tables of a comparison, which end with the database's transaction. */
export async function createTables(sql: ScratchSql): Promise<void> {
  await sql.run(`CREATE TEMP TABLE here (${columns}) ON COMMIT DROP`);
  await sql.run(`CREATE TEMP TABLE there (${columns}) ON COMMIT DROP`);
  for (const side of ['here', 'there']) {
    await sql.run(
      `CREATE TEMP TABLE left_out_${side} (n int NOT NULL, id text COLLATE "C", reference text COLLATE "C", grp text COLLATE "C",
         natural_key text COLLATE "C", reason text) ON COMMIT DROP`,
    );
  }
  await createTextTables(sql);
}

/**
 * Copies one side's records into its table and counts them. Records that are left out are stored separately by their
 * keys, so that they are not reported as missing. Own records are loaded first.
 * @param names receives own references and the other side's texts
 */
export async function loadSide(
  sql: ScratchSql,
  side: Side,
  groups: AsyncIterable<readonly MatchRecord[]>,
  compares: Compares,
  names: TextNames,
): Promise<SideTotals> {
  const totals = new Totals();
  const compared = new BulkInsert(sql, side, comparedTypes);
  const leftOut = new BulkInsert(sql, `left_out_${side}`, leftOutTypes);
  for await (const group of groups) {
    for (const record of group) {
      totals.add(record);
      const isLeftOut = record.leftOut !== null;
      const n = isLeftOut ? totals.leftOut : totals.records;
      if (isLeftOut) {
        const { id, reference, group, natural, leftOut: reason } = record;
        leftOut.add([n, id, reference, group, natural, reason]);
      } else compared.add(comparedValues(n, record));
      if (!compares.text) continue;
      if (side === 'here') names.addReference({ n, isLeftOut }, record.reference);
      else names.addText({ n, isLeftOut }, record.text);
    }
    for (const rows of [compared, leftOut, names]) await rows.sendFull();
  }
  for (const rows of [compared, leftOut, names]) await rows.finish();
  await sql.run(`ANALYZE ${side}`);
  if (totals.leftOut > 0) await sql.run(`ANALYZE left_out_${side}`);
  return {
    ...totals.result(),
    repeated: totals.lastFile > 0 ? await takeOutCopies(sql, side, compares) : noCopies,
  };
}

/** The column types of `here` and `there`, in order. */
const comparedTypes = [
  ...['int', 'smallint', 'int', 'text', 'text', 'text', 'text', 'numeric'],
  ...['text', 'date', 'text', 'text', 'text', 'text', 'text'],
];

function comparedValues(n: number, record: MatchRecord): readonly (string | number | null)[] {
  const { file, row, id, reference, natural, group, amount, currency, day, fields, status } = record;
  const { entry, text, counterparty } = record;
  const extra = fields.length === 0 ? '' : JSON.stringify(fields);
  return [
    ...[n, file, row, id, reference, natural, group, amount, currency, day, extra, status, entry, text],
    counterparty,
  ];
}

const leftOutTypes = ['int', 'text', 'text', 'text', 'text', 'text'];

const noCopies: SideTotals['repeated'] = { records: 0, sums: [] };

/**
 * Files of one side may overlap: a record with the same content in several files is one record. As many copies stay
 * as the file with the most of them has, so that duplicates within one file are still found. Only records with an id,
 * a reference or an own number are recognised. A value that is not compared and that one file lacks is taken from the
 * copies, if they agree; the fullest copy stays. The natural key is not used here, since files with other columns
 * form it from other values of the same record.
 */
async function takeOutCopies(
  sql: ScratchSql,
  side: Side,
  { amount, currency, day }: Compares,
): Promise<SideTotals['repeated']> {
  const cells = { amount, currency, day, grp: false, free_text: false };
  const columns = Object.entries(cells);
  const compared = columns.flatMap(([column, isCompared]) => (isCompared ? [column] : []));
  const lacking = columns.flatMap(([column, isCompared]) => (isCompared ? [] : [column]));
  const shared = ['id', 'reference', 'entry', 'fields', ...compared].join(', ');
  const filled = lacking.map(
    (column) =>
      `coalesce(${column}, CASE WHEN min(${column}) OVER alike = max(${column}) OVER alike
         THEN max(${column}) OVER alike END) AS full_${column}`,
  );
  const content = [shared, ...lacking.map((column) => `full_${column}`)].join(', ');
  const copies = await sql.query<{ currency: string; records: number; rows: number; amount: string | null }>(
    `WITH extra AS (
         SELECT *, num_nonnulls(natural_key, ${lacking.join(', ')}) AS fullness, ${filled.join(', ')}
         FROM ${side} WHERE id IS NOT NULL OR reference IS NOT NULL OR entry IS NOT NULL
         WINDOW alike AS (PARTITION BY ${shared})),
       placed AS (SELECT *, row_number() OVER (PARTITION BY ${content}, file ORDER BY n) AS place FROM extra),
       copies AS (
         SELECT n, row_number() OVER (PARTITION BY ${content}, place ORDER BY fullness DESC, file) AS copy FROM placed),
       gone AS (DELETE FROM ${side} r USING copies c WHERE c.n = r.n AND c.copy > 1 RETURNING r.amount, r.currency)
     SELECT coalesce(currency, '') AS currency, count(*)::int AS records, count(amount)::int AS rows,
       sum(amount)::text AS amount FROM gone GROUP BY 1 ORDER BY 1`,
  );
  return {
    records: copies.reduce((sum, { records }) => sum + records, 0),
    sums: copies.flatMap(({ currency, rows, amount }) =>
      amount === null ? [] : [{ currency, rows, amount }],
    ),
  };
}

/** The most reasons that are kept, since a column of free text would give as many reasons as records. */
const reasonsKept = 20;
const otherReasons = 'other values';

class Totals {
  records = 0;
  leftOut = 0;
  lastFile = 0;
  readonly #reasons = new Map<string, number>();
  readonly #sums = new AmountSums();
  #firstDay: string | null = null;
  #lastDay: string | null = null;

  add({ file, amount, currency, day, leftOut }: MatchRecord): void {
    if (file > this.lastFile) this.lastFile = file;
    if (leftOut !== null) {
      this.leftOut += 1;
      const isKept = this.#reasons.has(leftOut) || this.#reasons.size < reasonsKept;
      const reason = isKept ? leftOut : otherReasons;
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
      return;
    }
    this.records += 1;
    if (day !== null && (this.#firstDay === null || day < this.#firstDay)) this.#firstDay = day;
    if (day !== null && (this.#lastDay === null || day > this.#lastDay)) this.#lastDay = day;
    if (amount !== null) this.#sums.add(currency ?? '', amount);
  }

  result(): Omit<SideTotals, 'repeated'> {
    return {
      records: this.records,
      leftOut: [...this.#reasons].map(([reason, records]) => ({ reason, records })),
      sums: this.#sums.result(),
      firstDay: this.#firstDay,
      lastDay: this.#lastDay,
    };
  }
}
