import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { unprotectCell } from '../domain/formula-cell.ts';
import type { Kind } from '../domain/kind.ts';
import type { ExportColumns, ExportMapping, ExportRole } from './export-mapping.ts';
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

const problemsShown = 20;

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
    const problems: string[] = [];
    for await (const group of table.rows()) {
      const records = group.map((row) => readRecord(table, file, row, kind, comparedFields, problems));
      if (problems.length > problemsShown) throw refused(table, problems);
      yield records;
    }
    if (problems.length > 0) throw refused(table, problems);
  }
}

function readRecord(
  table: ExportTable,
  file: number,
  row: SourceRow,
  kind: Kind | null,
  comparedFields: readonly string[],
  problems: string[],
): MatchRecord {
  const { columns, mapping } = table;
  const cellAt = (index: number | undefined): string | null => {
    if (index === undefined) return null;
    const cell = row.cells[index] ?? '';
    const meant = (row.kinds?.has(index) ? cell : unprotectCell(cell)).normalize('NFC').trim();
    return meant === '' ? null : meant;
  };
  const role = (name: ExportRole): string | null =>
    cellAt(columns.roles.get(name)) ?? mapping.constants?.[name] ?? null;
  const read = (name: 'amount' | 'date', reading: typeof amountOf): string | null => {
    const text = role(name);
    // A number's or a date's cell is in plain form already, however the file shows it.
    const isTyped = row.kinds?.has(columns.roles.get(name) ?? -1) === true;
    const value = text === null ? null : reading(text, isTyped ? {} : mapping);
    if (text !== null && value === null) problems.push(`row ${row.number}: its ${name} cannot be read`);
    return value;
  };
  const values: Record<string, string> = {};
  for (const [field, index] of columns.fields) {
    const value = cellAt(index);
    if (value !== null) values[field] = value;
  }
  const id = role('id');
  const reference = role('reference');
  const [amount, currency] = [read('amount', amountOf), role('currency')?.toUpperCase() ?? null];
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
    amount,
    currency,
    day: read('date', dayOf),
    fields: comparedFields.map((field) => values[field] ?? null),
    status: null,
  };
}

function present(values: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

function refused(table: ExportTable, problems: readonly string[]): Failure {
  const rest = problems.length - problemsShown;
  return new Failure(
    exitCodes.fileRefused,
    'export_unreadable',
    `${table.name}: ${problems.slice(0, problemsShown).join('; ')}${rest > 0 ? '; and more' : ''}.`,
    'say in the --mapping how dates and decimals are written (docs/reconciling.md)',
  );
}
