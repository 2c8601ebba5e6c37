/* What is asked of a person: why, in words, and what a proposed reading leaves open. */

import { countOf } from '../../domain/money/money.ts';
import type { OpenPoint } from '../../domain/tables/mapping.ts';
import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import type { Use } from '../assignment.ts';
import type { QuestionReason } from '../decisions.ts';
import type { Point } from '../point.ts';
import type { Reading } from '../propose.ts';
import { otherAmounts } from '../rivals.ts';
import { totalsPoint } from '../totals-point.ts';
import type { ProgramQuestion } from './program-question.ts';

/** A question for programs: with the reason as a sentence and as data. */
export type WordedQuestion = ProgramQuestion extends infer Question
  ? Question extends ProgramQuestion
    ? Omit<Question, 'why'> & { readonly why: string; readonly reason: QuestionReason }
    : never
  : never;

export function worded(question: ProgramQuestion): WordedQuestion {
  return { ...question, why: reasonText(question.why), reason: question.why };
}

/**
 * Why a question of the mapping dialogue is asked, in a sentence. File names in it are unchanged.
 * @param nameOf gives the reader's name of a field; the public name when absent
 */
export function reasonText(
  reason: QuestionReason,
  nameOf: (field: string) => string = (field) => field,
): string {
  switch (reason.code) {
    case 'review':
      return 'This is how the file would be read.';
    case 'encoding_unclear':
      return `${reason.file} is not UTF-8, and nothing else in it tells in which encoding its values are right.`;
    case 'several_sheets':
      return 'More than one sheet looks as if it had rows.';
    case 'several_headers':
      return 'More than one line looks like the header.';
    case 'several_kinds':
      return 'The columns suit more than one kind of rows.';
    case 'several_payee_types':
      return 'The columns suit more than one kind of recipient.';
    case 'hidden_rows':
      return 'Rows are hidden, by hand or by a filter: only a person knows whether they are meant.';
    case 'total_differs': {
      const { row, total, section, all, more } = reason;
      const others = more === 0 ? '' : ` The same holds for ${countOf(more, 'further total')}.`;
      const sums = section === all ? all : `${section} since the total before, and ${all} in all`;
      return `The total in row ${row} is ${total}, but the rows above it add up to ${sums}.${others}`;
    }
    case 'column_unused':
      return `no column is ${reason.missing.map(nameOf).join(' or ')} yet`;
    case 'column_taken':
      return `it is taken for ${reason.fields.map(nameOf).join(' and ')} by ${evidenceTexts[reason.evidence]}`;
    case 'field_missing': {
      const rows = reason.neededBy === 'rows_with_address' ? 'Every row with an address' : 'Every row';
      return `No column is ${nameOf(reason.field)}: ${reason.description}. ${rows} needs it.`;
    }
    case 'values_to_translate':
      return `say which ${nameOf(reason.field)} each value means`;
    case 'several_amounts':
      return `it may be the amount, and so may ${reason.columns.map((title) => `"${title}"`).join(', ')}: only a person knows which is meant`;
    case 'words_may_be_nothing':
      return `These words may stand for nothing: a person has to say whether each is a value of ${nameOf(reason.field)}.`;
    case 'amounts_unread':
      return 'The export has amounts, and none of its columns is read as the amount.';
    case 'rows_marked':
      return `Rows are set apart, and only a person knows whether they are to be sent.${saidText(reason.explained)}`;
    case 'column_may_exclude':
      return 'The values of this column may say that rows are not to be sent: only a person knows.';
    case 'column_decides':
      return 'You said that the values of this column decide which rows are sent.';
    case 'decimal_unclear':
      return 'The sign before three digits may stand between thousands, or before decimals.';
    case 'date_format_unclear':
      return 'No day is above 12: day and month cannot be told apart.';
    case 'whole_name':
      return 'The whole name stands in one column.';
    case 'phone_country_unclear':
      return 'Phone numbers have no country code, and could be of several countries.';
    case 'values_refused':
      return `These values are refused: ${reason.message}`;
    case 'repair':
      return repairTexts[reason.repair];
  }
}

function saidText(explained: readonly string[]): string {
  return explained.length === 0 ? '' : ` The file says: ${explained.map((text) => `"${text}"`).join('; ')}.`;
}

type ReasonOf<Code extends QuestionReason['code']> = Extract<QuestionReason, { readonly code: Code }>;

const evidenceTexts: Readonly<Record<ReasonOf<'column_taken'>['evidence'], string>> = {
  name_and_values: 'its name and its values',
  part_of_name_and_values: 'its values, and a part of its name',
  values: 'its values',
};

const repairTexts: Readonly<Record<ReasonOf<'repair'>['repair'], string>> = {
  lost_zeros: 'Numbers are shorter than they must be: a spreadsheet program has taken zeros away.',
  local_phone: 'Phone numbers are written as they are dialled in their country.',
  number_cells: 'The column has number cells, which are read as the digits that they show.',
  ditto: 'Marks stand for the value above.',
  negative_in_brackets: 'Amounts in brackets are negative.',
  empty_words: 'Words stand for nothing.',
  line_breaks: 'Values have line breaks.',
  amount_marks: 'Amounts have signs of a currency.',
  thousands_marks: 'Amounts have several signs between groups of digits, or groups of two digits.',
  zeros_in_front: 'Postal codes are shorter than those of their country.',
  numbers_as_shown: 'Number cells show all digits: no zero is missing.',
  text_marks: 'Values have a sign in front that is no part of them: for a spreadsheet, or for the post.',
  other_digits: 'Numbers have digits of another script, or signs of full width.',
  phones_of_country:
    'Phone numbers could be of two countries, and all others of the column are of one of them.',
  old_phone_form: 'Phone numbers have digits that are no longer dialled in their country.',
  country_prefix: 'Postal codes have their country before them.',
  latin_letters: 'IBANs have letters of another alphabet that look like Latin ones.',
  iban_country: 'IBANs are written without their country, as inside it; their check digits fit it.',
  only_where_used:
    'Rows of other payee types are filled in here too, and have no such field: the cells of these rows would be left out.',
};

/* What a proposed reading leaves open: everything that a person has to confirm before rows are sent with it. */

const ofReading: OpenPoint = { about: 'reading', why: 'No person has looked at this reading yet.' };

/**
 * What a proposed mapping leaves open. The reading as a whole always is, until a person accepts the last review of the
 * dialogue.
 * @param points the undecided questions about the reading
 * @param differing totals of the file that are none of its rows
 */
export function openPointsOf(
  { uses, points }: Pick<Reading, 'uses' | 'points'>,
  differing: readonly DifferingTotal[] = [],
): readonly OpenPoint[] {
  const total = totalsPoint(differing, 0, new Map());
  return [
    ofReading,
    ...questionsOf(total === undefined ? points : [...points, total]),
    ...amountAmongSeveral(uses),
  ];
}

/** The same of a proposed mapping for an export. */
export function openPointsOfExport(points: readonly Point[]): readonly OpenPoint[] {
  return [ofReading, ...questionsOf(points)];
}

/** A harmless repair only reads what is there: it is open with the reading as a whole. */
function questionsOf(points: readonly Point[]): readonly OpenPoint[] {
  return points
    .filter(({ isNeeded, subject }) => isNeeded || subject.proposal === null)
    .map(({ about, why }) => ({ about, why: reasonText(why) }));
}

/** Of several columns with amounts, only a person knows which one is paid: the invoice's amount, or what is left of it. */
function amountAmongSeveral(uses: readonly Use[]): readonly OpenPoint[] {
  const amount = uses.find(({ fields }) => fields.includes('amount'))?.column;
  const others = otherAmounts(uses).map(({ title }) => `"${title}"`);
  if (amount === undefined || others.length === 0) return [];
  const [one, verb] = others.length === 1 ? ['column', 'has'] : ['columns', 'have'];
  return [{ about: amount.title, why: `The ${one} ${others.join(', ')} ${verb} amounts too.` }];
}
