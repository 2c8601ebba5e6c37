/* The use of an export's columns, and how their values are written. */

import type { Kind } from '../../domain/batches/batch.ts';
import type { ColumnSource } from '../../domain/batches/reconciliation.ts';
import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import { type ExportRole, isExportRole, roleForHeader } from '../../kinds/export-roles.ts';
import { fractionDigitsOf, looksLikeAmount } from '../../kinds/fields/amount.ts';
import {
  ColumnProfile,
  type Convention,
  misreadingText,
  type NumberStyle,
  namedValues,
  numberStyles,
} from '../../kinds/fields/column-profile.ts';
import { fieldForHeader, kindNamed, normaliseHeader } from '../../kinds/registry.ts';
import type { ExportMapping } from './mapping.ts';
import { type AmountWriting, amountOf, dayOf } from './values.ts';

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
    // Of several columns with one meaning, the first counts.
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

/** Fewer amounts than this prove nothing about how a column is written. */
const fewest = 2;

/** Another writing of a column's values. */
interface OtherWriting {
  /** The mapping setting for it. */
  readonly setting: string;
  /** The values that the declared writing cannot read, and one that it reads differently. */
  readonly proof: string;
  /** Whether the declared writing is wrong, and not only without the thousands separator. */
  readonly isContradiction: boolean;
}

/** Watches the amounts of one table as they are read, to find how the whole column seems to be written. */
export class AmountColumn {
  readonly #declared: NumberStyle;
  readonly #profile: ColumnProfile;
  #fractions = 0;
  #isGrouped = true;

  constructor({ decimal = '.', thousands = '', currencySigns }: AmountWriting) {
    this.#declared = { decimal, thousands };
    const conventionOf = (writing: NumberStyle): Convention => ({
      example: settingOf(writing),
      isExtension: writing.decimal === decimal && thousands === '' && writing.thousands !== '',
      read: (text, currency) => amountOf(text, { ...writing, currencySigns }, currency) ?? undefined,
    });
    const others = numberStyles.filter((each) => each.decimal !== decimal || each.thousands !== thousands);
    this.#profile = new ColumnProfile(
      'amount',
      conventionOf({ decimal, thousands }),
      others.map((writing) => conventionOf(writing)),
    );
  }

  /** @param currency of the row; null where it is not known */
  add(row: number, text: string, currency: string | null): void {
    this.#profile.take({ row, text }, currency ?? undefined);
    const fractionDigits = currency === null ? undefined : fractionDigitsOf(currency);
    const point = text.indexOf(this.#declared.decimal);
    if (point === -1) return;
    this.#fractions += 1;
    const digits = text.length - point - 1;
    if (digits !== 3 || fractionDigits === undefined || fractionDigits >= 3) this.#isGrouped = false;
  }

  /** The writing in which every amount can be read; null for none, or if the declared one works. */
  otherWriting(): OtherWriting | null {
    return otherWritingOf(this.#profile);
  }

  /**
   * The right setting if the column's decimal points are thousands separators: each is followed by three digits, and
   * the currency has fewer decimals. Null where they cannot be.
   */
  groupedWriting(): string | null {
    if (!this.#isGrouped || this.#fractions < fewest || this.#declared.thousands !== '') return null;
    const { decimal } = this.#declared;
    return settingOf({ decimal: decimal === '.' ? ',' : '.', thousands: decimal });
  }
}

/** The orders of a date's parts that people confuse, with every usual separator. */
const dateFormats: readonly string[] = ['/', '.', '-'].flatMap((separator) =>
  ['DD MM YYYY', 'MM DD YYYY', 'YYYY MM DD'].map((order) => order.replaceAll(' ', separator)),
);

/** Watches the dates of one table in the same way. */
export class DateColumn {
  readonly #profile: ColumnProfile;

  /** @param read reads a text's date by the table's settings */
  constructor(dateFormat: string | undefined, read: (text: string) => string | null) {
    const others = dateFormats.filter((format) => format !== (dateFormat ?? 'YYYY-MM-DD'));
    this.#profile = new ColumnProfile(
      'date',
      { example: '', isExtension: false, read: (text) => read(text) ?? undefined },
      others.map((format) => ({
        example: `"dateFormat": "${format}"`,
        isExtension: false,
        read: (text) => dayOf(text, { dateFormat: format }) ?? undefined,
      })),
    );
  }

  add(row: number, text: string): void {
    if (!this.#profile.isSettled) this.#profile.take({ row, text }, undefined);
  }

  /** The order in which every date can be read; null for none, or if the declared one works. */
  otherWriting(): OtherWriting | null {
    return otherWritingOf(this.#profile);
  }
}

function otherWritingOf(profile: ColumnProfile): OtherWriting | null {
  const { proofs, rivals } = profile;
  if (proofs.length === 0) return null;
  const [contradicting] = profile.contradictedBy(false);
  const rival = contradicting ?? rivals[0];
  if (rival === undefined) return null;
  return {
    setting: rival.example,
    proof: `(${namedValues(proofs)}).${misreadingText(rival)}`,
    isContradiction: contradicting !== undefined,
  };
}

function settingOf({ decimal, thousands }: NumberStyle): string {
  return `"decimal": "${decimal}"${thousands === '' ? '' : `, "thousands": "${thousands}"`}`;
}

/* Unread columns of an export, and whether their cells are amounts. */

/** A filled column of an export that is not read. */
export interface UnreadColumn {
  readonly file: string;
  /** The export's title for it. */
  readonly title: string;
  /** Whether its cells are amounts, which are then not compared. */
  readonly hasAmounts: boolean;
}

/** The name of a column for people. */
export function titleOf(header: readonly string[], index: number): string {
  return unprotectCell(header[index] ?? '') || `column ${index + 1}`;
}

/** The share of filled cells that have to be amounts. */
const mostOf = 0.9;
/** The share of numbers that are one more than the number above, from which a column counts its rows. */
const nearlyAll = 0.8;

/** One column while the rows are read. */
class Watched {
  readonly title: string;
  readonly index: number;
  filled = 0;
  #amounts = 0;
  #steps = 0;
  #last = Number.NaN;

  constructor(title: string, index: number) {
    this.title = title;
    this.index = index;
  }

  add({ cells, kinds }: TableRow): void {
    const text = unprotectCell(cells[this.index] ?? '').trim();
    if (text === '') return;
    this.filled += 1;
    if (kinds?.get(this.index) === 'date' || !looksLikeAmount(text)) return;
    this.#amounts += 1;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number - this.#last === 1) this.#steps += 1;
    this.#last = number;
  }

  get hasAmounts(): boolean {
    const isCounter = this.filled > 2 && this.#steps >= (this.filled - 1) * nearlyAll;
    return this.filled > 0 && this.#amounts >= this.filled * mostOf && !isCounter;
  }
}

/** Watches the unread columns of one table while it is read. */
export class UnreadColumns {
  readonly #file: string;
  readonly #columns: readonly Watched[];

  /** @param file its name for people */
  constructor(file: string, header: readonly string[], columns: ExportColumns) {
    this.#file = file;
    this.#columns = columns.unread.map((index) => new Watched(titleOf(header, index), index));
  }

  add(row: TableRow): void {
    for (const column of this.#columns) column.add(row);
  }

  /** The filled ones, in the order of the file. */
  result(): UnreadColumn[] {
    const filled = this.#columns.filter((column) => column.filled > 0);
    return filled.map(({ title, hasAmounts }) => ({ file: this.#file, title, hasAmounts }));
  }
}
