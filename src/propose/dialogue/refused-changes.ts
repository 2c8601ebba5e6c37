/*
 * Changes of a reading that could make a group of refused rows readable. The validator tries each change. A person
 * chooses one, or says that the values are wrong.
 */

import type { Repair } from '../../domain/tables/mapping.ts';
import { leaveOutRows } from '../../domain/tables/row-marks.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import { besideNumber } from '../../kinds/fields/cell-repairs.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { isScientific } from '../../kinds/fields/spreadsheet-damage.ts';
import { ruleOf } from '../../kinds/registry.ts';
import { currencyNamed } from '../columns/currencies.ts';
import type { RefusedChange } from '../decisions.ts';
import type { Reading } from '../reading/propose.ts';
import type { RefusedGroup } from './refused-groups.ts';

/** The id of the answer to leave out the rows. */
export const leaveOutId = 'leave_out';

/** A change that may help, and its name for people. */
export interface PossibleChange {
  readonly id: string;
  readonly label: string;
  readonly change: RefusedChange;
}

/** Words for nothing, and marks for the value above, are short, few and repeated at least this often. */
const fewestRepeated = 3;
const longestWord = 24;
const mostWords = 4;
/** Units are few words, of letters and signs. */
const mostUnits = 5;
const unitForm = /^[\p{L}\p{Sc}./'’ -]{1,20}$/u;
/**
 * Signs that people write after amounts instead of a unit: `5,000/=`, `5,000=`, `250/-`, `1.500,-`. A single hyphen is
 * a minus sign.
 */
const signUnit = /^(?:\/[=-]?|[-–—]\/|[.,:=][-–—=]+|=)$/u;

/** The changes that may help a group. Only the validator shows which of them do. */
export function changesFor(group: RefusedGroup, reading: Reading): readonly PossibleChange[] {
  const type = ruleOf(reading.about, group.field)?.type ?? 'text';
  const texts = group.values.map(({ text }) => text);
  const inForce = new Set(reading.mapping.repair?.[group.column.title] ?? []);
  const repair = (name: Repair, label: string, id: string = name): readonly PossibleChange[] =>
    inForce.has(name) ? [] : [{ id, label, change: { repairs: [name] } }];
  const isIdentifier = fieldTypes[type].isIdentifier;
  if (group.code === 'customer_unknown') return [...customerZeros(reading), ...rowsLeftOut(texts)];
  if (group.code === 'unexpected_value')
    return repair('only_where_used', 'leave the cells out of rows whose payee type has no such field');
  if (type === 'amount') return [...amountChanges(texts, repair), ...rowsLeftOut(texts)];
  return [
    ...(type === 'currency' ? meanings(texts) : []),
    ...(isIdentifier ? repair('lost_zeros', 'add the zeros that a spreadsheet has taken away') : []),
    ...(isIdentifier ? repair('number_cells', 'read number cells whose digits are complete') : []),
    ...(type === 'postal_code'
      ? repair('zeros_in_front', 'add zeros up to the length of the postal codes of the country')
      : []),
    ...(type === 'phone' && reading.mapping.phoneCountry !== undefined
      ? [
          ...repair('local_phone', 'read numbers without + as those of their country'),
          ...repair('phones_of_country', 'read numbers that may be of two countries as those of their own'),
        ]
      : []),
    ...(type === 'phone' || isIdentifier
      ? repair('first_phone', 'of several phone numbers in a cell take the first')
      : []),
    ...(texts.some((text) => /[\r\n\t]/.test(text))
      ? repair('line_breaks', 'read line breaks as blanks')
      : []),
    ...repeatedWords(group, type === 'currency' || type === 'country' || type === 'state'),
    ...(group.code === 'damaged_number'
      ? repair('numbers_as_shown', 'they are right as they are', 'as_they_are')
      : []),
    ...rowsLeftOut(texts),
  ];
}

/** The leading zeros of all customers' numbers, also in rows that have other faults. */
function customerZeros({ customerZeros: zeros }: Reading): readonly PossibleChange[] {
  if (zeros === null) return [];
  const label = `customers' numbers have ${zeros.digits} digits: put the zeros back`;
  return [{ id: 'customer_zeros', label, change: { values: Object.fromEntries(zeros.values) } }];
}

/** The maximum number of values that are named one by one. */
const mostLeftOut = 40;

/** The change for rows that are no payments of this file. */
function rowsLeftOut(texts: readonly string[]): readonly PossibleChange[] {
  // Different numbers have become the same text. In the next file this text means other rows.
  if (texts.length > mostLeftOut || texts.some(isScientific)) return [];
  const values = Object.fromEntries(texts.map((text) => [text, leaveOutRows]));
  return [{ id: leaveOutId, label: 'leave these rows out of the file', change: { values } }];
}

function amountChanges(
  texts: readonly string[],
  repair: (name: Repair, label: string) => readonly PossibleChange[],
): readonly PossibleChange[] {
  const words = new Map<string, string>();
  for (const text of texts) {
    const { word } = besideNumber(text) ?? {};
    if (word !== undefined && isUnitWord(word)) words.set(word.toLowerCase(), word);
  }
  const units = withoutOpposite([...words.values()], texts);
  const thousands = repair(
    'thousands_marks',
    'read every sign between groups of digits and before hundredths, also of lakhs and crores',
  );
  const isUnit = units.length > 0 && units.length <= mostUnits;
  const named = units.map((word) => `"${word}"`).join(', ');
  return [
    ...repair('amount_marks', "read signs of the row's currency"),
    ...thousands,
    ...(isUnit
      ? [{ id: 'units', label: `${named}: nothing but the row's currency`, change: { units } }]
      : []),
    ...(isUnit
      ? thousands.map(({ change }) => ({
          id: 'units_and_thousands',
          label: `both: ${named} is the row's currency, and every sign is read between groups of digits and before hundredths`,
          change: { ...change, units },
        }))
      : []),
  ];
}

function isUnitWord(word: string): boolean {
  return (unitForm.test(word) && /\p{L}/u.test(word)) || signUnit.test(word);
}

/** Accounting words for the two directions of an amount, in the languages of partners' programs. */
const directions = 'dr/cr db/cr debit/credit d/c s/h soll/haben debe/haber dare/avere débit/crédit af/bij'
  .split(' ')
  .map((pair) => pair.split('/'));

/** If there are two opposite directions, only the direction of most amounts can be the direction of payments. */
function withoutOpposite(units: readonly string[], texts: readonly string[]): readonly string[] {
  const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}]/gu, '');
  const isOf = (direction: string) => (word: string) => plain(word) === direction;
  const rowsWith = (direction: string): number =>
    texts.filter((text) => plain(besideNumber(text)?.word ?? '') === direction).length;
  const rare = directions.flatMap((pair) => {
    if (!pair.every((direction) => units.some(isOf(direction)))) return [];
    return [...pair].sort((left, right) => rowsWith(left) - rowsWith(right)).slice(0, 1);
  });
  return units.filter((word) => !rare.includes(plain(word)));
}

/** The meanings of words that name currencies. */
function meanings(texts: readonly string[]): readonly PossibleChange[] {
  const found = texts.flatMap((text) => {
    const code = currencyNamed(text);
    return code === undefined ? [] : [[text, code] as const];
  });
  if (found.length === 0) return [];
  const label = found.map(([text, code]) => `"${text}" is ${code}`).join(', ');
  return [{ id: 'meanings', label, change: { values: Object.fromEntries(found) } }];
}

function repeatedWords({ values }: RefusedGroup, areWords: boolean): readonly PossibleChange[] {
  const repeated = values
    .filter(({ text, rows }) => rows.length >= fewestRepeated && [...text].length <= longestWord)
    // A text that different numbers have become is not a word.
    .filter(({ text }) => !isScientific(text))
    .map(({ text }) => text);
  // A number that is wrong in several rows is no word for nothing. One digit again and again, as in 0000, may be.
  const plain = repeated.filter((text) => new Set(text.replace(/\P{Nd}/gu, '')).size < 2);
  const words = plain.length > 0 ? plain : repeated;
  if (words.length === 0 || words.length > mostWords) return [];
  const named = words.map((word) => `"${word}"`).join(', ');
  const nothing = { id: 'nothing', label: `${named}: nothing, as an empty cell`, change: { empty: words } };
  // If values are words, a word or the sign of a currency is a value too, and does not mean the value above.
  if (areWords && words.some((word) => hasLetters(word, 3) || /\p{Sc}/u.test(word))) return [nothing];
  if (words.some((word) => /\p{Nd}/u.test(word))) return [nothing];
  const above = { id: 'above', label: `${named}: the same as above`, change: { marks: words } };
  // A sign that repeats is more often a ditto mark, and a word means more often that there is no value.
  return words.some((word) => /\p{L}/u.test(word)) ? [nothing, above] : [above, nothing];
}
