/* Guesses which of the first lines of a file are rows, and which one is its control line. */

import {
  addDecimals,
  compareDecimals,
  currencyCodes,
  type Decimal,
  parseDecimal,
} from '../../domain/money/money.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import { type CellKind, unprotectCell } from '../../domain/tables/table.ts';
import { createAmountCheck } from '../../kinds/fields/amount.ts';
import { noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';
import { createControlLineCheck, isControlLine, readTotal, textOfLine } from './mapping-schema.ts';
import { createNonRowCheck, isCalledTotal } from './non-rows.ts';

/** A row or another line, as it is in the file. */
export interface SampledLine {
  readonly cells: readonly string[];
  readonly kinds: ReadonlyMap<number, CellKind> | undefined;
}

/** The lines of a file, by sort. */
interface SampledLines {
  /** Only these show how values are written. */
  readonly rows: readonly SampledLine[];
  /** Headings, totals and the like between the rows. */
  readonly others: readonly SampledLine[];
  /** The lines that may describe the whole file: above the header, first or last. */
  readonly outer: readonly SampledLine[];
}

/** In English, German, French, Portuguese and Swahili. */
const controlWords = /^(?:control|check|kontroll|pr[uü]f|contr[oô]le?|v[eé]rification|udhibiti)/iu;

/** Separates rows from other lines among the first lines of a file. */
export function tellLinesApart(
  header: readonly string[],
  above: readonly SampledLine[],
  below: readonly SampledLine[],
): SampledLines {
  const named = header.flatMap((title, index) => (title === '' ? [] : [index]));
  const check = createNonRowCheck(header, { own: named });
  const [first, last] = [below[0], below.at(-1)];
  const isOther = (line: SampledLine): boolean =>
    check(line) !== null ||
    ((line === first || line === last) && (isCalledControl(line) || isTotalOnly(line)));
  const ends = [first, last].filter((line) => line !== undefined && isOther(line));
  return {
    rows: below.filter((line) => !isOther(line)),
    others: below.filter(isOther),
    outer: [...above, ...new Set(ends)].filter((line) => line !== undefined),
  };
}

function isCalledControl({ cells }: SampledLine): boolean {
  return controlWords.test(cells.map(unprotectCell).find((cell) => cell.trim() !== '') ?? '');
}

/** A total line with more filled cells than usual, for example with the number of rows. */
function isTotalOnly({ cells }: SampledLine): boolean {
  const words = cells.map((cell) => unprotectCell(cell).trim()).filter((text) => /\p{L}{4}/u.test(text));
  return words.length === 1 && isCalledTotal(words[0] ?? '');
}

/**
 * Finds a file's control line: one that has the number of rows or is called so, with no wrong figure. Any other
 * content would differ in the next file.
 * @param amount the column of the amounts, by index
 * @returns its template, as a mapping has it; undefined where there is none
 */
export function controlLineIn(
  { rows, outer }: SampledLines,
  reading: ReadingRules,
  amount: number | null,
): string | undefined {
  const sum = amount === null ? undefined : sumOf(rows, amount, reading);
  for (const line of outer) {
    const template = templateOf(line, reading, rows.length, sum);
    if (template === undefined || !isControlLine(template)) continue;
    if (!template.includes('{rows}') && !isCalledControl(line)) continue;
    if (createControlLineCheck(template, reading)(line) === undefined) continue;
    return template;
  }
  return undefined;
}

/** The line with its figures as placeholders; undefined where a figure is neither the row count nor the sum. */
function templateOf(
  line: SampledLine,
  reading: ReadingRules,
  rows: number,
  sum: Decimal | undefined,
): string | undefined {
  const isRows = (text: string): boolean => Number(text.replace(/[.,']/g, '')) === rows;
  const isSum = (text: string): boolean => {
    const total = parseDecimal(readTotal(text, reading) ?? '');
    return sum !== undefined && total !== undefined && compareDecimals(sum, total) === 0;
  };
  const placeholdersOf = (figures: string): string | undefined => {
    if (isSum(figures)) return '{total}';
    if (!figures.includes(' ')) return isRows(figures) ? '{rows}' : undefined;
    const [first = '', ...others] = figures.split(' ');
    const rest = others.join(' ');
    if (isRows(first) && isSum(rest)) return '{rows} {total}';
    return isSum(figures.slice(0, figures.lastIndexOf(' '))) && isRows(others.at(-1) ?? '')
      ? '{total} {rows}'
      : undefined;
  };
  let isKnown = true;
  const template = textOfLine(line, reading).replace(/\d(?:[\d.,' ]*\d)?/g, (figures) => {
    const placeholders = placeholdersOf(figures);
    if (placeholders === undefined) isKnown = false;
    return placeholders ?? figures;
  });
  if (!isKnown) return undefined;
  return template.includes('{total}')
    ? template.replace(/\b[A-Z]{3}\b/, (code) => (currencyCodes.includes(code) ? '{currency}' : code))
    : template;
}

/** The sum of all amounts; undefined where one of them cannot be read. */
function sumOf(rows: readonly SampledLine[], amount: number, reading: ReadingRules): Decimal | undefined {
  const check = createAmountCheck(reading);
  let sum: Decimal = { units: 0n, scale: 0 };
  for (const { cells, kinds } of rows) {
    const text = unprotectCell(cells[amount] ?? '').trim();
    const value = parseDecimal(passedValue(check(text, kinds?.get(amount), noOtherValues)) ?? '');
    if (value === undefined) return undefined;
    sum = addDecimals(sum, value);
  }
  return sum;
}
