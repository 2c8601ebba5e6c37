import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { unprotectCell } from '../domain/formula-cell.ts';
import type { Kind } from '../domain/kind.ts';
import { fractionDigitsOf } from '../resources/check/currency.ts';
import { type ExportColumns, type ExportMapping, type ExportRole, foldedValue } from './export-mapping.ts';
import { amountOf, dayOf } from './export-values.ts';
import type { MatchRecord } from './matching/records.ts';
import { naturalTextOf } from './natural-text.ts';
import type { SourceRow } from './ports.ts';

/** One table of an export, with what its columns are. */
export interface ExportTable {
  /** As people call the file. */
  readonly name: string;
  readonly columns: ExportColumns;
  readonly mapping: ExportMapping;
  readonly rows: () => AsyncIterable<readonly SourceRow[]>;
}

/** What cannot be read, with the rows that have it. */
type Problems = Map<string, number[]>;

const rowsShown = 10;

function note(problems: Problems, row: number, problem: string): void {
  problems.set(problem, [...(problems.get(problem) ?? []), row]);
}

/** These name the same object in any case. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The records of a side's tables, in their order.
 * @param comparedFields the fields that both sides have, in the order in which both give them
 * @throws Failure (exit 3) when an amount or a date cannot be read: nothing is guessed
 */
export async function* readExportRecords(
  tables: readonly ExportTable[],
  kind: Kind | null,
  comparedFields: readonly string[],
): AsyncGenerator<readonly MatchRecord[]> {
  for (const [file, table] of tables.entries()) {
    const problems: Problems = new Map();
    for await (const group of table.rows()) {
      const records = group.map((row) => readRecord(table, file, row, kind, comparedFields, problems));
      if (problems.size > 0) throw refused(table, problems);
      yield records;
    }
  }
}

function readRecord(
  table: ExportTable,
  file: number,
  row: SourceRow,
  kind: Kind | null,
  comparedFields: readonly string[],
  problems: Problems,
): MatchRecord {
  const { columns, mapping } = table;
  const role = (name: ExportRole): string | null =>
    meant(mapping, name, cellAt(row, columns.roles.get(name))) ?? mapping.constants?.[name] ?? null;
  const values: Record<string, string> = {};
  for (const [field, index] of columns.fields) {
    const value = meant(mapping, field, cellAt(row, index));
    if (value !== null) values[field] = value;
  }
  const id = role('id');
  const reference = role('reference');
  const leftOut = whyLeftOut(table, row);
  const counted =
    leftOut === null
      ? readMoney(table, row, role, kind, problems)
      : { amount: null, currency: null, day: null };
  const { amount, currency } = counted;
  const natural = naturalTextOf(
    { ...values, ...present({ id, reference, amount, currency }) },
    kind,
    mapping.naturalKey,
  );
  return {
    file,
    row: row.number,
    id: id !== null && uuid.test(id) ? id.toLowerCase() : id,
    reference,
    natural,
    group: role('group'),
    ...counted,
    fields: comparedFields.map((field) => values[field] ?? null),
    status: null,
    leftOut,
  };
}

function cellAt(row: SourceRow, index: number | undefined): string | null {
  if (index === undefined) return null;
  const cell = row.cells[index] ?? '';
  const text = (row.kinds?.has(index) ? cell : unprotectCell(cell)).normalize('NFC').trim();
  return text === '' ? null : text;
}

/** What the export writes, or what its mapping says that it means. */
function meant({ values }: ExportMapping, name: string, text: string | null): string | null {
  const translations = text === null ? undefined : values?.[name];
  if (text === null || translations === undefined || !Object.hasOwn(translations, text)) return text;
  return translations[text] ?? text;
}

/** Why the mapping leaves a record out: the first column whose value does not count. Null when it counts. */
function whyLeftOut({ columns }: ExportTable, row: SourceRow): string | null {
  for (const { title, index, counting } of columns.conditions) {
    const value = cellAt(row, index) ?? '';
    if (!counting.has(foldedValue(value))) return `${title}: ${value === '' ? '(empty)' : shortened(value)}`;
  }
  return null;
}

const shownLength = 40;

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= shownLength ? text : `${characters.slice(0, shownLength - 1).join('')}…`;
}

/** The amount, currency and day of a record that counts; what cannot be read is noted as a problem. */
function readMoney(
  { columns, mapping }: ExportTable,
  row: SourceRow,
  role: (name: ExportRole) => string | null,
  kind: Kind | null,
  problems: Problems,
): Pick<MatchRecord, 'amount' | 'currency' | 'day'> {
  const read = (name: 'amount' | 'date', reading: typeof amountOf): string | null => {
    const text = role(name);
    // A number's or a date's cell is in plain form already, however the file shows it.
    const isTyped = row.kinds?.has(columns.roles.get(name) ?? -1) === true;
    const value = text === null ? null : reading(text, isTyped ? {} : mapping);
    if (text !== null && value === null) note(problems, row.number, `the ${name} cannot be read`);
    return value;
  };
  const currency = role('currency')?.toUpperCase() ?? null;
  // A batch is in currencies of ISO 4217 only; two files may hold anything.
  if (kind !== null && currency !== null && fractionDigitsOf(currency) === undefined) {
    note(problems, row.number, 'the currency is no code of ISO 4217, such as KES');
  }
  return { amount: read('amount', amountOf), currency, day: read('date', dayOf) };
}

function present(values: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

function refused(table: ExportTable, problems: Problems): Failure {
  const texts = [...problems].map(([problem, rows]) => {
    const rest = rows.length > rowsShown ? ' and more' : '';
    return `row${rows.length > 1 ? 's' : ''} ${rows.slice(0, rowsShown).join(', ')}${rest}: ${problem}`;
  });
  return new Failure(
    exitCodes.fileRefused,
    'export_unreadable',
    `${table.name}: ${texts.join('; ')}.`,
    'say in the --mapping how dates and decimals are written, what its currencies mean ("values"), or which records count ("include"): docs/reconciling.md',
  );
}
