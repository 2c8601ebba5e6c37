/* Control lines that a mapping declares: recognised, and read. */

import type { ReadingRules } from '../../domain/tables/mapping.ts';
import { type CellKind, unprotectCell } from '../../domain/tables/table.ts';

/** What a control line says that its file holds; null for what it does not say. */
export interface ControlFigures {
  readonly rows: number | null;
  /** A plain decimal. */
  readonly total: string | null;
  /** The currency of the total. */
  readonly currency: string | null;
}

/** A line of a file, as far as it may be a control line. */
interface ControlCells {
  readonly cells: readonly string[];
  readonly kinds?: ReadonlyMap<number, CellKind> | undefined;
}

const placeholder = /\{(rows|total|currency)\}/;
/** Numbers with thousands separators; their values are read separately. */
const patterns: Readonly<Record<string, string>> = {
  rows: "(?<rows>\\d{1,3}(?:[.,']\\d{3})+|\\d+)",
  total: "(?<total>\\d(?:[\\d.,' ]*\\d)?)",
  currency: '(?<currency>[A-Z]{3,10})',
};

/** Whether a mapping may declare this as its control line: words, and {rows} or {total}, nothing of it twice. */
export function isControlLine(template: string): boolean {
  const parts = template.split(placeholder);
  const named = parts.filter((_, index) => index % 2 === 1);
  const words = parts.filter((_, index) => index % 2 === 0);
  return (
    (named.includes('rows') || named.includes('total')) &&
    new Set(named).size === named.length &&
    words.some((text) => /\p{L}/u.test(text)) &&
    words.every((text) => !/[{}]/.test(text))
  );
}

/** A line as one text: its filled cells with a blank between them. A numeric cell has the file's decimal sign. */
export function textOfLine(
  { cells, kinds }: ControlCells,
  { decimal }: Pick<ReadingRules, 'decimal'>,
): string {
  const texts = cells.map((cell, index) =>
    kinds?.get(index) === 'number' ? cell.replace('.', decimal) : unprotectCell(cell),
  );
  return plainSpaces(texts.join(' '));
}

/**
 * Makes the check whether a line is the declared control line.
 * @param template as `isControlLine` accepts it, such as `Control: {rows} rows, {currency} {total}`
 * @returns what the line says; undefined for any other line
 */
export function createControlLineCheck(
  template: string,
  reading: Pick<ReadingRules, 'decimal'>,
): (line: ControlCells) => ControlFigures | undefined {
  const parts = plainSpaces(template).split(placeholder);
  const source = parts
    .map((part, index) => (index % 2 === 1 ? patterns[part] : escapePattern(part)))
    .join('');
  const pattern = new RegExp(`^${source}$`, 'iu');
  return (line) => {
    const groups = pattern.exec(textOfLine(line, reading))?.groups;
    if (groups === undefined) return undefined;
    const total = groups['total'] === undefined ? null : readTotal(groups['total'], reading);
    if (total === undefined) return undefined;
    const rows = groups['rows'] === undefined ? null : Number(groups['rows'].replace(/\D/g, ''));
    return { rows, total, currency: groups['currency']?.toUpperCase() ?? null };
  };
}

/**
 * Reads a sum as people write it below a column. Since the decimal sign is known, any other sign between groups of
 * three digits can only be one of thousands, whether or not the rows have it.
 * @returns a plain decimal; undefined for another form
 */
export function readTotal(text: string, { decimal }: Pick<ReadingRules, 'decimal'>): string | undefined {
  const sign = escapePattern(decimal);
  const groups = decimal === '.' ? "[,' ]" : "[.' ]";
  const form = new RegExp(`^(?:\\d{1,3}(?:${groups}\\d{3})+|\\d+)(?:${sign}\\d{1,18})?$`);
  if (!form.test(text)) return undefined;
  const [whole = '', fraction] = text.split(decimal);
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

function plainSpaces(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
