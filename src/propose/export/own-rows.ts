import { canonicalAmount, fractionDigitsOf } from '../../domain/money/money.ts';
import { plainReadingRules } from '../../domain/tables/mapping.ts';
import { createAmountCheck } from '../../kinds/fields/amount.ts';
import { type NumberStyle, numberStyles } from '../../kinds/fields/column-profile.ts';
import { splitCurrencySigns } from '../../kinds/fields/currency.ts';
import { noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';
import type { Column } from '../sheet/column.ts';
import type { Sheet } from '../sheet/sheet.ts';

/**
 * The evidence of paybatch's own rows for an export's columns: which columns have paybatch's ids or references, and
 * which match the values sent for the same object. It is the strongest evidence.
 */

/** One of paybatch's own rows, in a form that can be compared. */
export interface OwnRow {
  readonly id: string | null;
  readonly reference: string | null;
  /** Values in canonical form, by field. Amounts are as they were sent. */
  readonly values: Readonly<Record<string, string>>;
  /** The UTC day of the first sending. */
  readonly day: string | null;
}

/** Finds paybatch's own rows. */
export interface OwnFacts {
  /** The rows whose id or reference is one of these texts. */
  readonly find: (texts: readonly string[]) => Promise<readonly OwnRow[]>;
}

/** The share of a column's cells that match paybatch's own rows. It counts only lines that name such a row. */
export interface Agreement {
  /** From 0 to 1. */
  readonly share: number;
  readonly cells: number;
}

/** The reading of a column's amounts with which most of them match the amounts of paybatch's own rows. */
interface AmountAgreement extends Agreement {
  readonly style: NumberStyle;
  /** Whether the amounts are whole numbers of the smallest unit, such as cents. */
  readonly isMinor: boolean;
}

/** The reading of a column's dates with which most of them match the dates of paybatch's own rows. */
interface DayAgreement extends Agreement {
  /** The order of year, month and day. */
  readonly order: string;
}

/** The maximum number of distinct values of a column that are looked up. */
const valuesAsked = 300;
/** The maximum number of words of a cell that are looked up as references. */
const wordsAsked = 5;
const longestAsked = 255;
const noAgreement: Agreement = { share: 0, cells: 0 };

/** The words that have a digit, because a text may contain a reference of letters alone by chance. */
function wordsIn(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}./_-]{3,}[\p{L}\p{N}]/gu) ?? [];
  return words.filter((word) => /\d/.test(word)).slice(0, wordsAsked);
}

function askedOf({ values }: Column): readonly string[] {
  return values.slice(0, valuesAsked).flatMap(({ text }) => (text.length <= longestAsked ? [text] : []));
}

/** Finds paybatch's own rows that a sheet names. */
export async function ownEvidenceOf({ columns }: Sheet, facts: OwnFacts): Promise<OwnEvidence> {
  const asked = columns.flatMap((column) => {
    const texts = askedOf(column);
    return [...texts, ...texts.flatMap((text) => (text.includes(' ') ? wordsIn(text) : []))];
  });
  return new OwnEvidence(columns, await facts.find([...new Set(asked)]));
}

export class OwnEvidence {
  readonly #ids: ReadonlyMap<string, OwnRow>;
  readonly #references: ReadonlyMap<string, OwnRow>;
  /** paybatch's own rows, by the row number of the sheet's row that names them. */
  readonly #pairs = new Map<number, OwnRow>();

  constructor(columns: readonly Column[], rows: readonly OwnRow[]) {
    this.#ids = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id.toLowerCase(), row]])));
    this.#references = new Map(
      rows.flatMap((row) => (row.reference === null ? [] : [[row.reference.toUpperCase(), row]])),
    );
    const share = (column: Column): number => Math.max(this.ids(column), this.references(column));
    const [tie] = [...columns].sort((left, right) => share(right) - share(left));
    if (tie === undefined || share(tie) === 0) return;
    const isId = this.ids(tie) >= this.references(tie);
    for (const { text, row } of tie.cells) {
      const own = isId ? this.#ids.get(text.toLowerCase()) : this.#references.get(text.toUpperCase());
      if (own !== undefined) this.#pairs.set(row, own);
    }
  }

  /** Whether any row of the sheet names one of paybatch's own rows. */
  get hasPairs(): boolean {
    return this.#pairs.size > 0;
  }

  /** The only currency of all own rows that the sheet names; null if they have several currencies, or none. */
  get currency(): string | null {
    const all = new Set([...this.#pairs.values()].map(({ values }) => values['currency'] ?? ''));
    const [only = ''] = all;
    return all.size === 1 && only !== '' ? only : null;
  }

  /** The share of values that are paybatch's ids, from 0 to 1. */
  ids(column: Column): number {
    return shareOf(askedOf(column), (text) => this.#ids.has(text.toLowerCase()));
  }

  references(column: Column): number {
    return shareOf(askedOf(column), (text) => this.#references.has(text.toUpperCase()));
  }

  /** The share of values that contain one of paybatch's references among other words. */
  mentions(column: Column): number {
    return shareOf(askedOf(column), (text) =>
      wordsIn(text).some((word) => word !== text && this.#references.has(word.toUpperCase())),
    );
  }

  /** The share of cells that match the own row. @param canonical gives the form in which texts are compared */
  field(column: Column, field: string, canonical: (text: string) => string): Agreement {
    return this.#agreement(column, ({ values }, { text }) => {
      const own = values[field];
      return own === undefined ? undefined : canonical(text) === own;
    });
  }

  /** The reading of a column of amounts that matches the amounts of paybatch's own rows most often. */
  amounts(column: Column): AmountAgreement {
    const readings = [
      ...numberStyles.map((style) => ({ style, isMinor: false })),
      ...numberStyles.slice(0, 1).map((style) => ({ style, isMinor: true })),
    ];
    const found = readings.map(({ style, isMinor }): AmountAgreement => {
      const check = createAmountCheck({ ...plainReadingRules, ...style });
      const agreement = this.#agreement(column, ({ values }, { text, isNumber }) => {
        const own = values['amount'];
        if (own === undefined) return undefined;
        const number = isNumber ? text.replace(/^-/, '') : unsigned(text);
        const read = isNumber ? number : passedValue(check(number, undefined, noOtherValues));
        if (read === undefined) return false;
        return canonicalAmount(isMinor ? inUnits(read, values['currency']) : read) === canonicalAmount(own);
      });
      return { ...agreement, style, isMinor };
    });
    return found.reduce((best, next) => (next.share > best.share ? next : best));
  }

  /** The order of a date's parts that matches the dates of paybatch's own rows most often. */
  days(column: Column): DayAgreement {
    const found = ['YMD', 'DMY', 'MDY'].map((order): DayAgreement => {
      const agreement = this.#agreement(column, ({ day }, { text }) =>
        day === null ? undefined : dayIn(text, order) === day,
      );
      return { ...agreement, order };
    });
    return found.reduce((best, next) => (next.share > best.share ? next : best));
  }

  #agreement(
    { cells }: Column,
    agrees: (own: OwnRow, cell: Column['cells'][number]) => boolean | undefined,
  ): Agreement {
    let [known, same] = [0, 0];
    for (const cell of cells) {
      const own = this.#pairs.get(cell.row);
      const isSame = own === undefined ? undefined : agrees(own, cell);
      if (isSame === undefined) continue;
      known += 1;
      if (isSame) same += 1;
    }
    return known === 0 ? noAgreement : { share: same / known, cells: known };
  }
}

function shareOf(texts: readonly string[], test: (text: string) => boolean): number {
  return texts.length === 0 ? 0 : texts.filter(test).length / texts.length;
}

/** An amount without its sign and the marks of its currency. */
function unsigned(text: string): string {
  return splitCurrencySigns(text.replace(/^[-+(]\s?|\s?[-)]$/g, '')).number.replace(/^[-+]/, '');
}

/** Converts a whole number of a currency's smallest unit to an amount. */
function inUnits(text: string, currency: string | undefined): string {
  const digits = currency === undefined ? undefined : fractionDigitsOf(currency);
  if (digits === undefined || digits === 0 || !/^\d+$/.test(text)) return text;
  const padded = text.padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

/** The date at the beginning of a text, in one order of its parts; undefined if none exists. */
function dayIn(text: string, order: string): string | undefined {
  const [, first = '', second = '', third = ''] =
    /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(?:\D|$)/.exec(text) ?? [];
  const part = (name: string): string => [first, second, third][order.indexOf(name)] ?? '';
  const year = part('Y').length === 2 ? `20${part('Y')}` : part('Y');
  if (year.length !== 4) return undefined;
  return `${year}-${part('M').padStart(2, '0')}-${part('D').padStart(2, '0')}`;
}
