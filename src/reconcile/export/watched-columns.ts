/*
 * Watches the columns of an export's table while its rows are read: how its amounts and dates seem to be written, and
 * which columns that are not read hold amounts.
 */

import { fractionDigitsOf } from '../../domain/money/money.ts';
import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import { looksLikeAmount } from '../../kinds/fields/amount.ts';
import {
  ColumnProfile,
  type Convention,
  misreadingText,
  type NumberStyle,
  namedValues,
  numberStyles,
} from '../../kinds/fields/column-profile.ts';
import { type AmountWriting, amountOf, dayOf } from './amounts-and-dates.ts';
import { type ExportColumns, titleOf } from './columns.ts';

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

/** A filled column of an export that is not read. */
export interface UnreadColumn {
  readonly file: string;
  /** The export's title for it. */
  readonly title: string;
  /** Whether its cells are amounts, which are then not compared. */
  readonly hasAmounts: boolean;
}

/** The share of filled cells that have to be amounts. */
const mostOf = 0.9;
/**
 * The share of numbers that are one more than the number above. From this share on, a column is taken for row numbers.
 */
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
