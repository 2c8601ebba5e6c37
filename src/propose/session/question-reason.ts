/* The questions to a person: their reasons in words, and the points that a proposed reading leaves open. */

import { readFileSync } from 'node:fs';
import { countOf } from '../../domain/money/money.ts';
import type { OpenPoint, Repair } from '../../domain/tables/mapping.ts';
import type { DifferingTotal } from '../../read/rows/row-sums.ts';
import type { Use } from '../columns/column-use.ts';
import type { ColumnEvidence, QuestionReason } from '../question.ts';
import { totalsPoint } from '../questions/file-questions.ts';
import type { Point } from '../questions/point.ts';
import { otherAmounts } from '../questions/rivals.ts';
import type { Reading } from '../reading/propose.ts';
import type { ProgramQuestion } from './program-question.ts';

/** The data file: reasons that are the same for every question, and parts of other reasons. */
export interface QuestionReasonWords {
  readonly reasons: Readonly<Record<PlainReason, string>>;
  readonly evidence: Readonly<Record<ColumnEvidence, string>>;
  readonly repairs: Readonly<Record<Repair, string>>;
}

/** The code of a reason that has no subject. */
type PlainReason = Exclude<
  QuestionReason['code'],
  | 'encoding_unclear'
  | 'total_differs'
  | 'column_unused'
  | 'column_taken'
  | 'field_missing'
  | 'values_to_translate'
  | 'several_amounts'
  | 'words_may_be_nothing'
  | 'rows_marked'
  | 'values_refused'
  | 'repair'
>;

const words: QuestionReasonWords = JSON.parse(
  readFileSync(new URL('./question-reasons.json', import.meta.url), 'utf8'),
);

/** A question for programs, with its reason as a sentence and as data. */
export type WordedQuestion = ProgramQuestion extends infer Question
  ? Question extends ProgramQuestion
    ? Omit<Question, 'why'> & { readonly why: string; readonly reason: QuestionReason }
    : never
  : never;

export function worded(question: ProgramQuestion): WordedQuestion {
  return { ...question, why: reasonText(question.why), reason: question.why };
}

/**
 * The reason for a question of the mapping dialogue, in a sentence. File names in it are unchanged.
 * @param nameOf gives the reader's name of a field; the public name when absent
 */
export function reasonText(
  reason: QuestionReason,
  nameOf: (field: string) => string = (field) => field,
): string {
  switch (reason.code) {
    case 'encoding_unclear':
      return `${reason.file} is not UTF-8, and nothing else in it tells in which encoding its values are right.`;
    case 'total_differs': {
      const { row, total, section, all, more } = reason;
      const others = more === 0 ? '' : ` The same holds for ${countOf(more, 'further total')}.`;
      const sums = section === all ? all : `${section} since the total before, and ${all} in all`;
      return `The total in row ${row} is ${total}, but the rows above it add up to ${sums}.${others}`;
    }
    case 'column_unused':
      return `no column is ${reason.missing.map(nameOf).join(' or ')} yet`;
    case 'column_taken':
      return `it is taken for ${reason.fields.map(nameOf).join(' and ')} by ${words.evidence[reason.evidence]}`;
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
    case 'rows_marked':
      return `Rows are set apart, and only a person knows whether they are to be sent.${saidText(reason.explained)}`;
    case 'values_refused':
      return `These values are refused: ${reason.message}`;
    case 'repair':
      return words.repairs[reason.repair];
    default:
      return words.reasons[reason.code];
  }
}

function saidText(explained: readonly string[]): string {
  return explained.length === 0 ? '' : ` The file says: ${explained.map((text) => `"${text}"`).join('; ')}.`;
}

/* The open points of a proposed reading: everything that a person has to confirm before rows are sent with it. */

const ofReading: OpenPoint = { about: 'reading', why: 'No person has looked at this reading yet.' };

/**
 * The open points of a proposed mapping. The reading as a whole is always open until a person accepts the last review
 * of the dialogue.
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

/** The open points of a proposed mapping for an export. */
export function openPointsOfExport(points: readonly Point[]): readonly OpenPoint[] {
  return [ofReading, ...questionsOf(points)];
}

/**
 * The open points of undecided questions. A harmless repair has no point of its own, because it only changes how
 * existing content is read.
 */
function questionsOf(points: readonly Point[]): readonly OpenPoint[] {
  return points
    .filter(({ isNeeded, subject }) => isNeeded || subject.proposal === null)
    .map(({ about, why }) => ({ about, why: reasonText(why) }));
}

/**
 * The open point about several columns with amounts. Only a person knows which one is paid: the invoice's amount, or
 * what is left of it.
 */
function amountAmongSeveral(uses: readonly Use[]): readonly OpenPoint[] {
  const amount = uses.find(({ fields }) => fields.includes('amount'))?.column;
  const others = otherAmounts(uses).map(({ title }) => `"${title}"`);
  if (amount === undefined || others.length === 0) return [];
  const [one, verb] = others.length === 1 ? ['column', 'has'] : ['columns', 'have'];
  return [{ about: amount.title, why: `The ${one} ${others.join(', ')} ${verb} amounts too.` }];
}
