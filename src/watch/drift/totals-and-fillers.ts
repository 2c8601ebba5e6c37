/*
 * Finds what a file has among its data that may be no data, while its rows are read: totals among the rows, and words
 * that may mean an empty cell.
 */

import type { Drift, EarlierProfile } from '../../domain/batches/last-time.ts';
import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../domain/money/money.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { isDittoMark, isDittoSign } from '../../kinds/fields/cell-repairs.ts';
import { isFillerForm, mayStandForNothing } from '../../kinds/fields/empty-words.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { normaliseHeader } from '../../kinds/registry.ts';
import type { DriftColumn } from './columns.ts';
import { foldedText, markOf, numbersIn } from './value-forms.ts';

/* Rows whose amount is the sum of the others: totals that are taken for rows. */

const zero: Decimal = { units: 0n, scale: 0 };

/** With fewer rows, an amount is the sum of the others by chance. */
const fewestRowsOfTotal = 4;

/** A row whose amount is the sum of all rows above it, of those since the last total, or of all below it. */
interface TotalRow {
  readonly row: number;
  readonly amount: string;
}

/**
 * Adds up the amounts of a table whatever their currency, since a file with several currencies has no total of all
 * amounts.
 */
export class TotalWatch {
  #sum = zero;
  /** The sum since the last total. */
  #section = zero;
  #rowsOfSection = 0;
  #mostOfSection = zero;
  #rows = 0;
  #first: TotalRow | null = null;
  readonly #found: TotalRow[] = [];

  take({ row, state, record: { amount } }: StagedRow): void {
    const value = amount === undefined ? undefined : parseDecimal(amount);
    if (amount === undefined || value === undefined) return;
    this.#rows += 1;
    const isSumOf = (sum: Decimal, rows: number): boolean =>
      rows >= fewestRowsOfTotal && compareDecimals(value, sum) === 0;
    const isSum = isSumOf(this.#sum, this.#rows - 1) || isSumOf(this.#section, this.#rowsOfSection);
    if (isSum && compareDecimals(value, this.#mostOfSection) > 0 && state !== 'invalid') {
      this.#found.push({ row, amount });
      this.#section = zero;
      this.#mostOfSection = zero;
      this.#rowsOfSection = 0;
      return;
    }
    this.#section = addDecimals(this.#section, value);
    this.#rowsOfSection += 1;
    if (this.#rows === 1 && state !== 'invalid') this.#first = { row, amount };
    this.#sum = addDecimals(this.#sum, value);
    if (compareDecimals(value, this.#mostOfSection) > 0) this.#mostOfSection = value;
  }

  result(): readonly TotalRow[] {
    const first = this.#first;
    const value = first === null ? undefined : parseDecimal(first.amount);
    if (first === null || value === undefined || this.#rows <= fewestRowsOfTotal) return this.#found;
    const isSum =
      compareDecimals(value, zero) > 0 && compareDecimals(addDecimals(value, value), this.#sum) === 0;
    return isSum ? [first, ...this.#found] : this.#found;
  }
}

/*
 * Words that may stand for nothing and that would be sent as values: the mapping says nothing of them, and no earlier file
 * had them in their column.
 */

/**
 * The most words that are followed. A file with more of this form is written in small letters, and they are no fillers.
 */
const mostWords = 400;
const wordsNamed = 4;

/** A word of a column, as the file has it. */
interface FoundWord {
  readonly text: string;
  rows: number;
  readonly firstRow: number;
}

/** Follows the short words of a table's columns, up to a limit. */
export class FillerWatch {
  readonly #columns: readonly DriftColumn[];
  readonly #said: ReadonlySet<string>;
  /** By column. */
  readonly #words: readonly Map<string, FoundWord>[];
  readonly #filled: { rows: number; capitals: number }[];
  #count = 0;

  constructor(columns: readonly DriftColumn[]) {
    this.#columns = columns;
    this.#said = new Set(columns.flatMap(({ words }) => [...(words?.forNothing ?? [])]));
    this.#words = columns.map(() => new Map());
    this.#filled = columns.map(() => ({ rows: 0, capitals: 0 }));
  }

  take({ row, cells }: StagedRow): void {
    this.#columns.forEach(({ index }, at) => {
      const text = unprotectCell(cells[index] ?? '').trim();
      const [filled, words] = [this.#filled[at], this.#words[at]];
      if (text === '' || filled === undefined || words === undefined) return;
      filled.rows += 1;
      if (/\p{Lu}/u.test(text)) filled.capitals += 1;
      if (!isFillerForm(text, this.#said) && !isDittoSign(text)) return;
      const known = words.get(text);
      if (known !== undefined) known.rows += 1;
      else if (this.#count < mostWords) {
        this.#count += 1;
        words.set(text, { text, rows: 1, firstRow: row });
      }
    });
  }

  /** The columns with such words. Nothing is sent before a person has said what they mean. */
  result(earlier: readonly EarlierProfile[]): readonly Drift[] {
    return this.#columns.flatMap(({ title, words }, at): Drift[] => {
      if (words === undefined) return [];
      const found = [...(this.#words[at]?.values() ?? [])].filter(
        ({ text }) =>
          !words.isDecided(text) &&
          !words.isValueAbove(text) &&
          (isDittoSign(text) || (!isDittoMark(text) && this.#mayStandForNothing(text, at, words.field))) &&
          !earlier.some(({ profile }) => hadWord(profile, title, text)),
      );
      if (found.length === 0) return [];
      const named = found.slice(0, wordsNamed).map(({ text, rows, firstRow }) => {
        const count = rows === 1 ? '' : ` and ${rows - 1} more`;
        return `${shorten(text)} (row ${firstRow}${count})`;
      });
      return [{ column: title, what: 'no_value', before: '', now: named.join(', ') }];
    });
  }

  #mayStandForNothing(text: string, at: number, field: string): boolean {
    const { rows, capitals } = this.#filled[at] ?? { rows: 0, capitals: 0 };
    const others = this.#words.filter((_, other) => other !== at);
    return mayStandForNothing(text, {
      field,
      capitals: rows === 0 ? 0 : capitals / rows,
      said: this.#said,
      elsewhere: (word, isFolded) =>
        others
          .flatMap((words) => [...words.values()])
          .filter((other) => (isFolded ? other.text.toLowerCase() : other.text) === word)
          .reduce((sum, other) => sum + other.rows, 0),
    });
  }
}

function hadWord({ columns }: EarlierProfile['profile'], title: string, text: string): boolean {
  const wanted = normaliseHeader(title);
  const before = columns.find((column) => normaliseHeader(column.title) === wanted);
  return before !== undefined && numbersIn(before.vocabulary).includes(markOf(foldedText(text)));
}
