/* Repairs of cells to which a person has agreed, column by column. */

import { readFileSync } from 'node:fs';
import { say } from '../../domain/settings/message.ts';
import {
  type CellTreatment,
  foldWord,
  type MappedColumn,
  type ReadingRules,
} from '../../domain/tables/mapping.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import { hasOtherDigits, isWrittenOtherwise, withPlainDigits } from '../../domain/text/characters.ts';
import { withoutTextMark } from '../../domain/text/text-marks.ts';
import type { FieldType } from '../definition.ts';
import { powerOf } from './amount-units.ts';
import { splitCurrencySigns } from './currency.ts';
import { anyYear } from './days.ts';
import { mendNumber, type NumberRepairs } from './number-repair.ts';
import { createAddressCheck } from './split-address.ts';
import { createNameCheck } from './split-names.ts';
import { createDividedCheck } from './split-values.ts';
import { createRewriting } from './text-repairs.ts';
import {
  type CellCheck,
  createTranslation,
  isValueRefusal,
  type NotedValue,
  noOtherValues,
  type RowValues,
  shownValue,
  type ValueRefusal,
  type ValueResult,
} from './value-text.ts';

const lineBreaks = /\s*(?:\r\n|[\n\r\t\v\f\u0085\u2028\u2029])\s*/g;
const bracketed = /^\(\s*(?<amount>.*\d.*?)\s*\)$/su;
/** The form in which a failed file of paybatch contains a refused number cell. */
const keptNumber = /^\d{1,15}\.0$/;
const noEarlierValues: readonly EarlierValue[] = [];

/** Signs and words, in lower case. */
const dittoMarks: ReadonlySet<string> = new Set<string>(
  JSON.parse(readFileSync(new URL('./ditto-marks.json', import.meta.url), 'utf8')),
);

/**
 * Whether a text means the value above: `"`, `〃`, `do.`, `-"-`, `-//-`.
 * @param own additional marks of this file
 */
export function isDittoMark(text: string, own?: ReadonlySet<string>): boolean {
  const word = foldWord(text);
  return (
    own?.has(word) === true ||
    dittoMarks.has(word) ||
    dittoMarks.has(word.replace(/^[-–—\s]+|[-–—\s]+$/g, ''))
  );
}

/** Whether a text is one of the usual marks with a sign in it, as in `-do-`. A mark of letters may be a name: `Do`. */
export function isDittoSign(text: string): boolean {
  return /[^\p{L}\s]/u.test(text) && isDittoMark(text);
}

/** A cell's text after its treatment, and the repairs that were made. */
interface TreatedText {
  readonly text: string;
  readonly done: readonly string[];
}

const nothingDone: readonly string[] = [];

/** The note about a cell that was emptied. */
export const wordForNothing = 'word for nothing';

const wordBefore = /^(?<word>[^\d\s](?:[^\d]*[^\d\s])?)\s*(?<number>\d.*)$/su;
const wordBehind = /^(?<number>\d(?:.*\d)?)\s*(?<word>[^\d\s][^\d]*)$/su;

/** The number and the word next to it: `250 bob`, `Fl. 1,200`; undefined if there is no word, or if there are two. */
export function besideNumber(text: string): { readonly word: string; readonly number: string } | undefined {
  const { word, number } = (wordBefore.exec(text) ?? wordBehind.exec(text))?.groups ?? {};
  return word === undefined || number === undefined ? undefined : { word: word.trim(), number };
}

/**
 * Applies a person's statements about every value of a column: about line breaks inside it, words that mean an empty value,
 * and units next to its amounts.
 */
export function treatText(raw: string, { empty, units, repairs }: CellTreatment): TreatedText {
  let text = raw;
  let done = nothingDone;
  if (repairs?.has('line_breaks')) {
    text = raw.trim().replace(lineBreaks, ' ');
    if (text !== raw.trim()) done = ['line break'];
  }
  if (repairs?.has('text_marks')) {
    const unmarked = withoutTextMark(text.trim());
    if (unmarked !== text.trim()) [text, done] = [unmarked, [...done, 'mark of a text']];
  }
  if (repairs?.has('other_digits') && isWrittenOtherwise(text)) {
    done = [...done, hasOtherDigits(text) ? 'digits of another script' : 'signs of full width'];
    text = withPlainDigits(text);
  }
  if (empty?.has(foldWord(text))) return { text: '', done: [wordForNothing] };
  const beside = units === undefined ? undefined : besideNumber(text.trim());
  return beside !== undefined && units?.has(foldWord(beside.word)) === true
    ? { text: beside.number, done: [...done, 'unit'] }
    : { text, done };
}

/** How a column's amounts and days are read: as in the file, with the changes for this column to which a person has agreed. */
export function readingOfColumn({ repairs }: CellTreatment, reading: ReadingRules): ReadingRules {
  const power = powerOf(repairs);
  return {
    ...reading,
    ...(power === undefined ? {} : { power }),
    ...(repairs?.has('short_years') === true
      ? { dateFormat: reading.dateFormat.replace('YYYY', anyYear) }
      : {}),
    ...(repairs?.has('day_signs') === true ? { anyDaySign: true } : {}),
    ...(repairs?.has('amount_marks') === true ? { currencySigns: 'accept' } : {}),
    ...(repairs?.has('thousands_marks') === true ? { anyThousands: true } : {}),
  };
}

/** The data that a column's repairs need besides its cells. */
export interface RepairContext {
  readonly column: MappedColumn;
  /** Null for a field that the row's payee type does not use, so that its numbers do not matter. */
  readonly type: FieldType | null;
  readonly isIdentifier: boolean;
  readonly isTextOnly: boolean;
  readonly numbers: Pick<NumberRepairs, 'accountLengths' | 'bankCodesOf'>;
}

/** Whether a person has stated something about a column that affects its cells before their check. */
export function isTreated({ empty, units, repairs, split }: MappedColumn): boolean {
  return empty !== undefined || units !== undefined || repairs !== undefined || split !== undefined;
}

/** The check of a column's cells after the repairs to which a person has agreed. The result reports the repairs. */
export function createRepairingCheck(check: CellCheck, context: RepairContext): CellCheck {
  const { column, type } = context;
  const { repairs } = column;
  const mend = createMending(context);
  const rewrite = createRewriting(column, type);
  const inner = createPartCheck(check, column);
  const hasBrackets = type === 'amount' && repairs?.has('negative_in_brackets') === true;
  return (raw, kind, earlier = noEarlierValues, row = noOtherValues) => {
    const { text, done } = treatText(raw, column);
    if (text === '' && done.length > 0) return withRepairs(inner('', undefined, earlier, row), done);
    if (repairs?.has('ditto') && isDittoMark(text, column.marks)) return refuseDitto(text);
    if (hasBrackets) {
      const negative = refuseNegative(text, (inside) => inner(inside, kind, earlier, row));
      if (negative !== undefined) return negative;
    }
    const isText = kind === undefined || (kind === 'number' && repairs?.has('number_cells') === true);
    const rewritten = isText ? rewrite?.(text, row) : undefined;
    if (rewritten !== undefined)
      return withRepairs(inner(rewritten.text, undefined, earlier, row), [...done, rewritten.done]);
    const mended = mend?.(text, kind, earlier, row);
    if (mended !== undefined) {
      const result = withRepairs(inner(mended.text, undefined, earlier, row), [...done, mended.done]);
      return typeof result === 'string' || isValueRefusal(result) ? result : { ...result, cell: mended.text };
    }
    const result = inner(text, kind, earlier, row);
    return withRepairs(result, [...done, ...doneInForm(text, result, context)]);
  };
}

/** The check of a part of a cell, in a column that is split. */
function createPartCheck(check: CellCheck, { split, title }: MappedColumn): CellCheck {
  if (split === undefined) return check;
  if ('at' in split || 'number' in split) return createDividedCheck(check, split, title);
  return 'order' in split ? createNameCheck(check, split, title) : createAddressCheck(check, split, title);
}

type Mend = (
  text: string,
  kind: CellKind | undefined,
  earlier: readonly EarlierValue[],
  row: RowValues,
) => ReturnType<typeof mendNumber>;

/** Undefined for a column whose numbers are not repaired. */
function createMending({ column, type, isIdentifier, isTextOnly, numbers }: RepairContext): Mend | undefined {
  const lostZeros = column.repairs?.has('lost_zeros') === true;
  const numberCells = column.repairs?.has('number_cells') === true;
  const asShown = column.repairs?.has('numbers_as_shown') === true;
  const zerosInFront = column.repairs?.has('zeros_in_front') === true && type === 'postal_code';
  if (type === null || !isIdentifier || (!lostZeros && !numberCells && !asShown && !zerosInFront))
    return undefined;
  const repairs: NumberRepairs = {
    field: column.field,
    type,
    lostZeros,
    numberCells,
    asShown,
    zerosInFront,
    ...numbers,
  };
  const translate = createTranslation(column.values);
  return (raw, kind, earlier, row) => {
    const wasNumber = earlier.length > 0 && keptNumber.test(raw.trim());
    const isNumberCell = kind === 'number' || wasNumber;
    // In a workbook a text keeps its zeros. So does a text that a person has corrected.
    if (!isNumberCell && (!isTextOnly || kind !== undefined || earlier.length > 0)) return undefined;
    const text = raw.trim();
    if (translate(text) !== undefined) return undefined;
    return mendNumber(wasNumber ? text.slice(0, -2) : text, isNumberCell, repairs, row);
  };
}

/** A repair that the value's own check has made, because the column's repairs request it. */
function doneInForm(text: string, result: ValueResult, { column, type }: RepairContext): readonly string[] {
  if (typeof result === 'string' || isValueRefusal(result)) return nothingDone;
  if (type === 'phone' && column.repairs?.has('local_phone') && isReadInAnotherForm(result)) {
    return ['local phone number'];
  }
  const hasMarks = type === 'amount' && column.repairs?.has('amount_marks') === true;
  return hasMarks && splitCurrencySigns(text).signs.length > 0 ? ['currency mark'] : nothingDone;
}

function isReadInAnotherForm({ notes }: NotedValue): boolean {
  return notes[0]?.kind === 'read_as';
}

/** All repairs of one cell get one common note. A note that the value was read in another form is then not needed. */
function withRepairs(result: ValueResult, done: readonly string[]): ValueResult {
  if (done.length === 0 || (typeof result !== 'string' && isValueRefusal(result))) return result;
  const repaired = done.join(', ');
  if (typeof result === 'string') return { value: result, notes: [], repaired };
  return { value: result.value, notes: isReadInAnotherForm(result) ? [] : result.notes, repaired };
}

/** A ditto mark with no value above it. */
export function refuseDitto(text: string): ValueRefusal {
  return {
    code: 'required',
    message: say`${shownValue(text)} stands for the value above, and no row above has one; write the value`,
  };
}

/**
 * Refuses an amount in brackets, which mean a negative amount in bookkeeping; undefined if there is no amount in brackets.
 */
function refuseNegative(text: string, check: (inside: string) => ValueResult): ValueRefusal | undefined {
  const inside = bracketed.exec(text.trim())?.groups?.['amount'];
  const result = inside === undefined ? undefined : check(inside);
  if (result === undefined || (typeof result !== 'string' && isValueRefusal(result))) return undefined;
  const amount = typeof result === 'string' ? result : result.value;
  return {
    code: 'invalid_amount',
    message: say`${shownValue(text)} is -${amount}; an amount is above zero`,
  };
}
