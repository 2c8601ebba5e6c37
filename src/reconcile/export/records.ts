/* Reads the records of an export by its columns' uses, and counts what cannot be read. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { fractionDigitsOf } from '../../domain/money/money.ts';
import type { TableRow } from '../../domain/tables/table.ts';
import { isPlaceholder, isPlaceholderNumber } from '../../domain/text/characters.ts';
import type { ExportRole } from '../../kinds/export-roles.ts';
import type { MatchRecord } from '../matching/records.ts';
import { amountOf, dayOf } from './amounts-and-dates.ts';
import { cellAt, type ExportColumns, foldedValue, textOf, whyLeftOut } from './columns.ts';
import { constantsOf, type ExportMapping } from './mapping.ts';
import { canonicalId, canonicalValue, naturalTextOf } from './values.ts';
import { AmountColumn, DateColumn, type UnreadColumn, UnreadColumns } from './watched-columns.ts';

/** One table of an export, with its columns' uses. */
export interface ExportTable {
  /** As people call the file. */
  readonly name: string;
  readonly header: readonly string[];
  readonly columns: ExportColumns;
  readonly mapping: ExportMapping;
  /** Notes on how it is read, known before its first row. */
  readonly remarks?: readonly string[];
  readonly rows: () => AsyncIterable<readonly TableRow[]>;
}

/** Notes on a side's files, collected anew at each reading. */
export interface SideNotes {
  /** Notes on a table that was readable. */
  readonly remarks: string[];
  readonly unread: UnreadColumn[];
}

/** The reading problems, each with its first rows and its count. */
type Problems = Map<string, { readonly rows: number[]; count: number }>;

const rowsShown = 10;

/** One table while it is read: its problems, and how its amounts and dates are written. */
interface Reading {
  readonly table: ExportTable;
  readonly file: number;
  readonly kind: Kind | null;
  readonly comparedFields: readonly string[];
  readonly problems: Problems;
  readonly amounts: AmountColumn;
  readonly dates: DateColumn;
  readonly constants: ReadonlyMap<ExportRole, string>;
}

function note({ problems }: Reading, row: number, problem: string): void {
  const found = problems.get(problem) ?? { rows: [], count: 0 };
  found.count += 1;
  if (found.rows.length < rowsShown) found.rows.push(row);
  problems.set(problem, found);
}

/**
 * The records of a side's tables, in order.
 * @param comparedFields the fields that both sides have, in their common order
 * @param notes receives the notes on each table once it was read
 * @throws PaybatchError (`file_refused`) when an amount or a date cannot be read, since nothing is guessed
 */
export async function* readExportRecords(
  tables: readonly ExportTable[],
  kind: Kind | null,
  comparedFields: readonly string[],
  notes: SideNotes = { remarks: [], unread: [] },
): AsyncGenerator<readonly MatchRecord[]> {
  for (const [file, table] of tables.entries()) {
    const reading = readingOf(table, file, kind, comparedFields);
    const unread = new UnreadColumns(table.name, table.header, table.columns);
    for await (const group of table.rows()) {
      const records = group.map((row) => {
        const record = readRecord(reading, row);
        if (record.leftOut === null) unread.add(row);
        return record;
      });
      // A refused table is read to its end, so that the message covers all of it.
      if (reading.problems.size === 0) yield records;
    }
    if (reading.problems.size > 0) throw refused(reading);
    notes.unread.push(...unread.result());
    notes.remarks.push(...(table.remarks ?? []));
    const grouped = reading.amounts.groupedWriting();
    if (grouped !== null) {
      notes.remarks.push(
        `${table.name}: every amount would also read with ${grouped} in the mapping; it was read without.`,
      );
    }
  }
}

/** The numbers of readable and unreadable rows of a table. */
interface ReadableRows {
  readonly read: number;
  readonly refused: number;
  readonly leftOut: number;
  readonly problems: readonly {
    readonly problem: string;
    readonly rows: number;
    readonly firstRow: number;
  }[];
}

/** Reads a table to its end only to count its readable rows. */
export async function countReadable(table: ExportTable, kind: Kind | null): Promise<ReadableRows> {
  const reading = readingOf(table, 0, kind, []);
  let [read, refused, leftOut] = [0, 0, 0];
  const noted = (): number => [...reading.problems.values()].reduce((sum, { count }) => sum + count, 0);
  for await (const group of table.rows()) {
    for (const row of group) {
      const before = noted();
      if (readRecord(reading, row).leftOut !== null) leftOut += 1;
      else if (noted() > before) refused += 1;
      else read += 1;
    }
  }
  const problems = [...reading.problems].map(([problem, { rows, count }]) => ({
    problem,
    rows: count,
    firstRow: rows[0] ?? 0,
  }));
  return { read, refused, leftOut, problems };
}

function readingOf(
  table: ExportTable,
  file: number,
  kind: Kind | null,
  comparedFields: readonly string[],
): Reading {
  const dates = new DateColumn(table.mapping.dateFormat, (text) => readDay(table, text, false));
  const [amounts, constants] = [new AmountColumn(table.mapping), constantsOf(table.mapping)];
  return { table, file, kind, comparedFields, problems: new Map(), amounts, dates, constants };
}

function readRecord(reading: Reading, row: TableRow): MatchRecord {
  const { table, file, kind, comparedFields, constants } = reading;
  const { columns, mapping } = table;
  const role = (name: ExportRole): string | null =>
    meant(mapping, name, cellAt(row, columns.roles.get(name))) ?? constants.get(name) ?? null;
  const values: Record<string, string> = {};
  for (const [field, index] of columns.fields) {
    const value = meant(mapping, field, cellAt(row, index));
    if (value !== null) values[field] = canonicalValue(kind, field, value);
  }
  const writtenId = named(role('id'));
  const id = writtenId === null ? null : canonicalId(writtenId);
  const reference = named(role('reference'));
  const leftOut = whyLeftOut(columns, row);
  const { amount, currency, day } =
    leftOut === null
      ? readMoney(reading, row, role)
      : { amount: null, currency: currencyIn(role), day: null };
  // For a batch it names a field of the batch's own rows; for two files, of those on the left.
  const ourGroup = kind === null ? mapping.ourGroup : undefined;
  const isNamed = kind !== null || mapping.naturalKey !== undefined || ourGroup !== undefined;
  const all = isNamed ? { ...values, ...present({ id, reference, amount, currency, date: day }) } : values;
  return {
    file,
    row: row.number,
    id,
    reference,
    natural: naturalTextOf(all, kind, mapping.naturalKey),
    group: role('group') ?? (ourGroup === undefined ? null : (all[ourGroup] ?? null)),
    amount,
    currency,
    day,
    fields: comparedFields.length === 0 ? noFields : comparedFields.map((field) => values[field] ?? null),
    entry: entryOf(role),
    text: textOf(columns, row),
    counterparty: role('counterparty'),
    status: null,
    leftOut,
  };
}

/** An identifier. Placeholders, which many records share, do not count. */
function named(text: string | null): string | null {
  return text === null || isPlaceholder(text) ? null : text;
}

/** An entry's number is unique only in its account, since banks number each account separately. */
function entryOf(role: (name: ExportRole) => string | null): string | null {
  const number = role('entry');
  if (number === null || isPlaceholderNumber(number)) return null;
  return JSON.stringify([role('account') ?? '', number]);
}

const noFields: readonly (string | null)[] = [];

/** The export's value, translated by its mapping where that has a meaning for it. */
function meant({ values }: ExportMapping, name: string, text: string | null): string | null {
  const translations = text === null ? undefined : values?.[name];
  if (text === null || translations === undefined || !Object.hasOwn(translations, text)) return text;
  return translations[text] ?? text;
}

function currencyIn(role: (name: ExportRole) => string | null): string | null {
  return role('currency')?.toUpperCase() ?? null;
}

/** The amount, currency and day of a record that counts; unreadable ones are recorded as problems. */
function readMoney(
  reading: Reading,
  row: TableRow,
  role: (name: ExportRole) => string | null,
): Pick<MatchRecord, 'amount' | 'currency' | 'day'> {
  const { columns, mapping } = reading.table;
  // A number or date cell is already in plain form, however the file shows it.
  const isTyped = (name: ExportRole): boolean => row.kinds?.has(columns.roles.get(name) ?? -1) === true;
  const currency = currencyIn(role);
  const isCode = currency !== null && fractionDigitsOf(currency) !== undefined;
  // A batch has only ISO 4217 currencies; two files may have any.
  if (reading.kind !== null && currency !== null && !isCode) {
    note(reading, row.number, 'the currency is no code of ISO 4217, such as KES');
  }
  const readAmount = (name: 'amount' | 'credit' | 'debit'): string | null => {
    const text = role(name);
    if (text === null) return null;
    if (!isTyped(name)) reading.amounts.add(row.number, text, currency);
    const { minorUnits } = mapping;
    const value = amountOf(text, isTyped(name) ? { minorUnits } : mapping, currency ?? undefined);
    if (value === null) note(reading, row.number, 'the amount cannot be read');
    return value;
  };
  const amount = readAmount('amount') ?? movedAmount(reading, row, readAmount('credit'), readAmount('debit'));
  const dateText = role('date');
  if (dateText !== null && !isTyped('date')) reading.dates.add(row.number, dateText);
  const day = dateText === null ? null : readDay(reading.table, dateText, isTyped('date'));
  if (dateText !== null && day === null) note(reading, row.number, 'the date cannot be read');
  return { amount: amount === null ? null : signed(reading, row, amount), currency, day };
}

/** M-PESA writes the day before the month, unless it writes the year first. */
function readDay({ columns, mapping }: ExportTable, text: string, isTyped: boolean): string | null {
  if (isTyped || mapping.dateFormat !== undefined) return dayOf(text, isTyped ? {} : mapping);
  const isDayFirst = columns.roles.has('credit') && columns.texts.length > 0 && /^\d{2}-/.test(text);
  return dayOf(text, isDayFirst ? { dateFormat: 'DD-MM-YYYY' } : {});
}

const isZero = (amount: string | null): boolean => amount === null || !/[1-9]/.test(amount);

/** The incoming amount, or the outgoing one with a minus, which only some statements write. */
function movedAmount(
  reading: Reading,
  row: TableRow,
  credit: string | null,
  debit: string | null,
): string | null {
  if (!isZero(credit) && !isZero(debit)) {
    note(reading, row.number, 'an amount came in and one went out');
  }
  if (isZero(debit)) return credit ?? debit;
  return `-${debit?.replace('-', '')}`;
}

/** An amount with its row's sign by the mapping; an amount that already has a sign keeps it. */
function signed(reading: Reading, row: TableRow, amount: string): string {
  if (reading.table.columns.signs.length === 0) return amount;
  const ways = reading.table.columns.signs.map(({ index, signs }) =>
    signs.get(foldedValue(cellAt(row, index) ?? '')),
  );
  if (!ways.includes(-1)) return amount;
  if (amount.startsWith('-')) {
    note(reading, row.number, 'the amount is negative already, and "sign" makes it negative too');
  }
  return /[1-9]/.test(amount) ? `-${amount}` : amount;
}

function present(values: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

function refused({ table, problems, amounts, dates }: Reading): PaybatchError {
  const texts = [...problems].map(([problem, { rows, count }]) => {
    const rest = count > rows.length ? ` and ${count - rows.length} more` : '';
    return `row${count > 1 ? 's' : ''} ${rows.join(', ')}${rest}: ${problem}`;
  });
  const others = [
    { noun: 'amount', writing: amounts.otherWriting() },
    { noun: 'date', writing: dates.otherWriting() },
  ].flatMap(({ noun, writing }) => (writing === null ? [] : [{ noun, ...writing }]));
  const hints = others.map(
    ({ noun, setting, proof }) => ` Every ${noun} of the column can be read with ${setting} ${proof}`,
  );
  const contradicting = others.filter(({ isContradiction }) => isContradiction);
  const settings = contradicting.map(({ setting }) => setting).join(' and ');
  return new PaybatchError(
    contradicting.length > 0 ? 'reading_contradicted' : 'export_unreadable',
    `${table.name}: ${texts.join('; ')}.${hints.join('')}`,
    contradicting.length > 0
      ? `say ${settings} in the mapping, if that is how it is written: docs/reconciling.md`
      : 'say in the mapping how dates and decimals are written, what its currencies mean ("values"), or which records count ("include"): docs/reconciling.md',
  );
}
