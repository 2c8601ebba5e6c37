import { compareDecimals, type Decimal, parseNumberText } from '../../domain/money/money.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import type { FieldType } from '../definition.ts';
import { show } from './field-types.ts';
import type { ValueRefusal } from './value-result.ts';

const damageCodes: ReadonlySet<string> = new Set(['damaged_number', 'spreadsheet_error']);
const dateLike = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?: [\d:]+)?$/;
const digits = /^\d+$/;
/** Spreadsheet programs keep no more digits of a number than these; the others become zeros. */
const keptDigits = 15;

const advice = 'enter it again from its source, or empty result_batch and result_row if it is right as it is';

/**
 * Whether a cell of a corrected row still holds what was refused before, or what a spreadsheet program has made of
 * a sound identifier since: the same number, with no zeros or plus sign before it that were not there.
 *
 * @param earlier what the cell held in the rounds before
 */
export function findRepeatedDamage(
  text: string,
  earlier: readonly EarlierValue[],
  type: FieldType,
): ValueRefusal | undefined {
  for (const { text: before, code } of earlier) {
    const wasDamaged = code !== null && damageCodes.has(code);
    if (wasDamaged ? !isAnotherValue(text, before) : text !== before && !isAnotherValue(text, before)) {
      const what = wasDamaged
        ? 'is still the value that was refused before, only written in another way'
        : 'has lost digits, or what stood before them, since the failed file was written';
      return { code: 'damaged_number', message: `${show(type, text)} ${what}; ${advice}` };
    }
  }
  return undefined;
}

/** Whether the error of a formula is still there, whatever a program calls it. */
export function isRepeatedError(text: string, earlier: readonly EarlierValue[]): boolean {
  return earlier.some(({ text: before, code }) => code === 'spreadsheet_error' && text === before);
}

/** A numeric cell whose digits are those of a sound text of before: a spreadsheet program has not damaged it. */
export function isUndamagedNumber(
  text: string,
  kind: CellKind | undefined,
  earlier: readonly EarlierValue[],
): boolean {
  return (
    kind === 'number' &&
    earlier.some(({ text: before, code }) => text === before && (code === null || !damageCodes.has(code)))
  );
}

function isAnotherValue(text: string, before: string): boolean {
  if (text === before) return false;
  if (dateLike.test(text) && dateLike.test(before)) return false;
  const [number, numberBefore] = [numberIn(text), numberIn(before)];
  if (number === undefined || numberBefore === undefined) return true;
  const isSameNumber = compareDecimals(number, numberBefore) === 0 || isCutAfterKeptDigits(text, before);
  // No program puts zeros or a plus sign before a number: that was a person, who looked it up.
  return !isSameNumber || leadLength(text) > leadLength(before);
}

/** As people and spreadsheet programs write numbers: with a comma for the decimals, zeros or a plus sign before. */
function numberIn(text: string): Decimal | undefined {
  const plain = text
    .replace(/\s/g, '')
    .replace(',', '.')
    .replace(/^\+?0*(?=\d)/, '');
  return parseNumberText(plain.replace(/^-0+(?=\d)/, '-'));
}

function leadLength(text: string): number {
  return /^[+0]*(?=\d)/.exec(text.replace(/\s/g, ''))?.[0].length ?? 0;
}

function isCutAfterKeptDigits(text: string, before: string): boolean {
  const [now, then] = [text, before].map((digitsOf) => digitsOf.replace(/^\+?0*/, '').replace(/[.,]0+$/, ''));
  if (now === undefined || then === undefined || !digits.test(now) || !digits.test(then)) return false;
  return (
    then.length > keptDigits &&
    now.length === then.length &&
    now.slice(0, keptDigits) === then.slice(0, keptDigits) &&
    /^0+$/.test(now.slice(keptDigits))
  );
}
