/*
 * The use of an export's columns: by its mapping, by the names of the columns, or as in a known statement. And a row's
 * values in columns of some uses.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import type { ColumnSource } from '../../domain/batches/reconciliation.ts';
import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import { type ExportRole, isExportRole, roleForHeader } from '../../kinds/export-roles.ts';
import { fieldForHeader, kindNamed, normaliseHeader } from '../../kinds/registry.ts';
import type { ExportMapping } from './mapping.ts';

/** The places of a table's values, by column index. */
export interface ExportColumns {
  readonly roles: ReadonlyMap<ExportRole, number>;
  /** Fields that are compared, or that are part of a natural key. */
  readonly fields: ReadonlyMap<string, number>;
  /** Columns that decide whether a record counts. */
  readonly conditions: readonly RecordCondition[];
  /** Columns that show the direction of the money. */
  readonly signs: readonly SignColumn[];
  /** Columns of free text that may contain paybatch's reference. */
  readonly texts: readonly number[];
  /** The use of each column that is read, in the file's order. */
  readonly read: readonly ReadColumn[];
  /** The columns of the other side that are not read. */
  readonly unread: readonly number[];
}

/** A column that is read. */
interface ReadColumn {
  readonly index: number;
  /** A role, a field, or `include` and `sign` where it decides about its record. */
  readonly as: string;
  readonly by: ColumnSource;
}

/** A column whose value decides whether an amount is positive or negative. */
interface SignColumn {
  readonly index: number;
  /** By value, in the form of `foldedValue`. */
  readonly signs: ReadonlyMap<string, 1 | -1>;
}

/** A column whose value decides whether a record counts. */
interface RecordCondition {
  readonly title: string;
  readonly index: number;
  /** The values of records that count, in the form of `foldedValue`. */
  readonly counting: ReadonlySet<string>;
}

/** A status in the form for comparing, since exports write it in any case. */
export function foldedValue(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

/** The known properties of a statement with a known header. */
interface KnownStatement {
  /** Titles that together occur in no other export. */
  readonly titles: readonly string[];
  readonly aliases: Readonly<Record<string, ExportRole>>;
  /** Columns that paybatch has added and that a comparison does not need. */
  readonly unused?: readonly string[];
  /** The records that count if the mapping states none; pending and failed ones moved no money. */
  readonly include: Readonly<Record<string, string[]>>;
}

const knownStatements: readonly KnownStatement[] = [
  {
    titles: ['entry', 'reversal', 'status', 'text'],
    aliases: { account: 'account', entry: 'entry', counterparty: 'counterparty', text: 'text' },
    unused: ['statement', 'reversal'],
    include: { Status: ['BOOK'] },
  },
  {
    // An export of M-PESA's portal for organisations.
    titles: ['receiptno.', 'completiontime', 'transactionstatus'],
    aliases: {
      'receiptno.': 'entry',
      completiontime: 'date',
      details: 'text',
      otherpartyinfo: 'counterparty',
      'a/cno.': 'text',
      paidin: 'credit',
      withdrawn: 'debit',
    },
    include: { 'Transaction Status': ['Completed'] },
  },
];

/** Whether a header is that of a known statement. */
export function isKnownStatement(header: readonly string[]): boolean {
  return knownStatement(header) !== undefined;
}

function knownStatement(header: readonly string[]): KnownStatement | undefined {
  const names = new Set(header.map(normaliseHeader));
  return knownStatements.find(({ titles }) => titles.every((title) => names.has(title)));
}

/** A mapping, completed with the known properties of a statement with this header. */
export function completedMapping(header: readonly string[], mapping: ExportMapping): ExportMapping {
  const known = mapping.include === undefined ? knownStatement(header) : undefined;
  return known === undefined ? mapping : { ...mapping, include: { ...known.include } };
}

/**
 * The use of an export's columns, by its mapping, else by their names. Unknown columns are ignored, since exports
 * have many.
 * @param kind the batch's kind; null where two files are compared without a ledger
 * @param source the source of the mapping's meaning for a column whose title does not show it
 */
export function readColumns(
  header: readonly string[],
  mapping: ExportMapping,
  kind: Kind | null,
  source: ColumnSource = 'mapping',
): ExportColumns {
  const statement = knownStatement(header);
  const nameOf = (title: string): string | undefined =>
    statement?.aliases[normaliseHeader(title)] ?? roleForHeader(title);
  const mapped = new Map(
    Object.entries(mapping.columns ?? {}).map(([title, meaning]) => [normaliseHeader(title), meaning]),
  );
  // A status or type that decides whether a record counts is not a field of the object, whatever its name.
  const deciding = new Set(
    [mapping.include, mapping.sign].flatMap((each) => Object.keys(each ?? {}).map(normaliseHeader)),
  );
  const roles = new Map<ExportRole, number>();
  const fields = new Map<string, number>();
  const texts: number[] = [];
  const read: ReadColumn[] = [];
  header.forEach((title, index) => {
    const name = normaliseHeader(title);
    const known = kind === null ? undefined : fieldForHeader(kind, title);
    const byName = (mapping.columns === undefined ? nameOf(title) : undefined) ?? known;
    const said = mapped.get(name) ?? (deciding.has(name) ? undefined : byName);
    if (said === undefined) return;
    const meaning = kind !== null && said === kindNamed(kind).referenceField ? 'reference' : said;
    // The first of several columns with one meaning counts.
    if (meaning === 'text') texts.push(index);
    else if (isExportRole(meaning)) {
      if (roles.has(meaning)) return;
      roles.set(meaning, index);
    } else {
      if (fields.has(meaning)) return;
      fields.set(meaning, index);
    }
    const isTold = source === 'values' && (nameOf(title) ?? known) === said;
    read.push({ index, as: meaning, by: mapped.has(name) && !isTold ? source : 'title' });
  });
  const [conditions, signs] = [conditionsOf(header, mapping), signsOf(header, mapping)];
  for (const { index } of conditions) read.push({ index, as: 'include', by: 'mapping' });
  for (const { index } of signs) read.push({ index, as: 'sign', by: 'mapping' });
  const used = new Set(read.map(({ index }) => index));
  const unread = [...header.keys()].filter(
    (index) => !used.has(index) && statement?.unused?.includes(normaliseHeader(header[index] ?? '')) !== true,
  );
  return { roles, fields, conditions, signs, texts, read, unread };
}

function signsOf(header: readonly string[], { sign = {} }: ExportMapping): SignColumn[] {
  const names = header.map(normaliseHeader);
  return Object.entries(sign).flatMap(([title, values]) => {
    const index = names.indexOf(normaliseHeader(title));
    const signs = new Map(Object.entries(values).map(([value, way]) => [foldedValue(value), way]));
    return index === -1 ? [] : [{ index, signs }];
  });
}

function conditionsOf(header: readonly string[], { include = {} }: ExportMapping): RecordCondition[] {
  const names = header.map(normaliseHeader);
  return Object.entries(include).flatMap(([title, values]) => {
    const index = names.indexOf(normaliseHeader(title));
    return index === -1 ? [] : [{ title, index, counting: new Set(values.map(foldedValue)) }];
  });
}

/** Whether a row of cells may be the header of an export: at least one column identifies a record. */
export function looksLikeExportHeader(
  cells: readonly string[],
  mapping: ExportMapping,
  kind: Kind | null,
): boolean {
  return areEnough(readColumns(cells, mapping, kind));
}

/** Whether columns identify a record: by its id, by paybatch's reference, or by several values together. */
export function areEnough({ roles, fields }: Pick<ExportColumns, 'roles' | 'fields'>): boolean {
  return roles.has('id') || roles.has('reference') || roles.size + fields.size >= 2;
}

/** The name of a column for people. */
export function titleOf(header: readonly string[], index: number): string {
  return unprotectCell(header[index] ?? '') || `column ${index + 1}`;
}

/** The text of a row in a column; null for an empty cell, and where there is no such column. */
export function cellAt(row: TableRow, index: number | undefined): string | null {
  if (index === undefined) return null;
  const cell = row.cells[index] ?? '';
  const text = (row.kinds?.has(index) ? cell : unprotectCell(cell)).normalize('NFC').trim();
  return text === '' ? null : text;
}

/** The columns of free text, each on separate lines; null where all are empty. */
export function textOf({ texts }: ExportColumns, row: TableRow): string | null {
  const lines = texts.flatMap((index) => cellAt(row, index) ?? []);
  return lines.length === 0 ? null : lines.join('\n');
}

/** Why the mapping leaves a record out: the first column whose value does not count. Null when it counts. */
export function whyLeftOut({ conditions }: ExportColumns, row: TableRow): string | null {
  for (const { title, index, counting } of conditions) {
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
