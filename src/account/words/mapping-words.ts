/* How files are read, in words: the questions of the mapping dialogue, the expected rows, and fields. */

import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { fieldName } from '../../domain/settings/message.ts';
import type { Repair } from '../../domain/tables/mapping.ts';
import { leaveOutRows, otherValues } from '../../domain/tables/row-marks.ts';

/** A repair in a word or two: `lost zeros`. */
export function repairName(repair: Repair): string {
  return repair.replaceAll('_', ' ');
}

/** A value for people: those of the API's own lists are names for programs, such as `mobile_money`. */
export function valueName(value: string): string {
  return /^[a-z]+(?:_[a-z]+)+$/.test(value) ? value.replaceAll('_', ' ') : value;
}

/** A value of a column whose values say which rows are sent. */
export function markedValueName(value: string): string {
  if (value === otherValues) return 'every other value';
  return value === '' ? '(empty)' : value;
}

/** The meaning of a value of the file. */
export function meaningText(meaning: string | null): string {
  if (meaning === null) return 'nothing yet: its rows are refused';
  if (meaning === leaveOutRows) return 'leave these rows out';
  return meaning === '' ? '(empty)' : meaning;
}

/**
 * What an answer about rows that are set apart sends: `11 of 47 rows would be sent`.
 * @param sent as it is shown
 * @param isUntried whether no row passes yet for other reasons
 */
export function sentText(
  sent: string,
  { all, isUntried }: { readonly all: number; readonly isUntried: boolean },
): string {
  return `${sent} of ${countOf(all, 'row')} would be sent${isUntried ? ', once nothing else is wrong with them' : ''}`;
}

/** The expected results of a file's rows. */
interface ExpectedRows {
  readonly pass: number;
  readonly refused: number;
  readonly left_out: number;
}

/** `591 of 612 rows would pass`, `9 are refused`, `12 lines are no rows`; the last two where there are any. */
export function forecastParts({ pass, refused, left_out: leftOut }: ExpectedRows): readonly string[] {
  return [
    `${groupedNumber(pass)} of ${countOf(pass + refused, 'row')} would pass`,
    ...(refused === 0 ? [] : [`${groupedNumber(refused)} ${refused === 1 ? 'is' : 'are'} refused`]),
    ...(leftOut === 0
      ? []
      : [`${groupedNumber(leftOut)} ${leftOut === 1 ? 'line is no row' : 'lines are no rows'}`]),
  ];
}

/** A question of the mapping dialogue, as far as its heading needs it. */
type HeadedQuestion =
  | { readonly kind: 'review' | 'column' | 'constant' | 'reading'; readonly about: string }
  | { readonly kind: 'values' | 'refused'; readonly about: string; readonly field: string }
  | { readonly kind: 'repair'; readonly about: string; readonly repair: Repair };

/**
 * The heading of a question. Titles of columns are unescaped.
 * @param nameOf the name of a field for people
 */
export function questionHeading(
  question: HeadedQuestion,
  nameOf: (field: string) => string = fieldName,
): string {
  const { about } = question;
  switch (question.kind) {
    case 'review':
      return 'How the file is read';
    case 'column':
      return `What is the column "${about}"?`;
    case 'values':
      if (question.field === 'marked_rows')
        return about === 'marked_rows'
          ? 'What becomes of the rows that are set apart?'
          : `What becomes of rows by their value of "${about}"?`;
      return `What do the values of "${about}" mean?`;
    case 'refused':
      return `What do these values of "${about}" mean?`;
    case 'constant':
      return `What is the ${nameOf(about)} of all rows?`;
    case 'repair':
      return `Repair "${about}"?`;
    case 'reading':
      return readingHeadings[about] ?? `How is "${about}" written?`;
  }
}

const readingHeadings: Readonly<Record<string, string>> = {
  encoding: 'In which encoding is the file?',
  sheet: 'Which sheet has the rows?',
  kind: 'What are the rows?',
  header_rows: 'Which line is the header?',
  hidden: 'Are the hidden rows meant?',
  payee_type: 'What kind of recipients are they?',
  phone_country: 'Of which country are the phone numbers without +?',
  amounts: 'Do the amounts matter?',
  non_rows: 'Are headings and totals left out?',
};
