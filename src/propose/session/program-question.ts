/*
 * The questions of the dialogue as programs receive them. A question about refused values becomes a question about
 * their meanings or about a repair. So a program needs to know only the documented kinds of questions.
 */

import { plainText } from '../../domain/settings/message.ts';
import type { Repair } from '../../domain/tables/mapping.ts';
import { heldByMark } from '../../domain/tables/table.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import { markedField } from '../decisions.ts';
import { leaveOutId } from '../dialogue/refused-changes.ts';
import type { DialogueQuestion, QuestionOption, RepairSample } from '../question.ts';

type Refused = Extract<DialogueQuestion, { readonly kind: 'refused' }>;
type Values = Extract<DialogueQuestion, { readonly kind: 'values' }>;
type RepairQuestion = Extract<DialogueQuestion, { readonly kind: 'repair' }>;

/** A repair about which programs are asked. `as_it_is` means that the values are right as they are. */
type AskedRepair = Repair | 'as_it_is';

/** A question as a program receives it. `finding` is the code of the reason for which its values are refused. */
export type ProgramQuestion =
  | Exclude<DialogueQuestion, Refused | RepairQuestion>
  | (Values & { readonly finding: string })
  | (Omit<RepairQuestion, 'repair'> & { readonly repair: AskedRepair; readonly finding?: string });

/** A question for a program, and the conversion of its answer to an answer of the dialogue. */
interface AskedProgram {
  readonly question: ProgramQuestion;
  readonly answerOf: (answer: unknown) => unknown;
}

/** Converts a question to the form in which a program receives it. */
export function forProgram(question: DialogueQuestion): AskedProgram {
  if (question.kind === 'values' && question.field === markedField) {
    const { sending: _, ...asked } = question;
    return { question: { ...asked, finding: heldByMark }, answerOf: (answer) => answer };
  }
  if (question.kind === 'review') {
    const reasons = question.reasons.map((reason) => ({ ...reason, message: plainText(reason.message) }));
    return { question: { ...question, reasons }, answerOf: (answer) => answer };
  }
  if (question.kind === 'reading') {
    const options = question.options.map(({ evidence = '', label, ...option }) => ({
      ...option,
      label: evidence === '' ? label : `${label}: ${plainText(evidence)}`,
    }));
    return { question: { ...question, options }, answerOf: (answer) => answer };
  }
  if (question.kind !== 'refused') return { question, answerOf: (answer) => answer };
  if (areWords(question))
    return asValues(
      question,
      question.options.find(({ id }) => id === 'meanings'),
    );
  const best = bestOf(question);
  const repair = best === undefined ? undefined : repairs[best.id];
  return best === undefined || repair === undefined
    ? asValues(question, best)
    : asRepair(question, best, repair);
}

/**
 * Findings about values that are words. Only the meaning of each word can help, and a person states it word by word.
 */
const aboutWords: ReadonlySet<string> = new Set([
  ...['invalid_currency', 'invalid_country', 'invalid_state', 'institution_unknown', 'unknown_value'],
]);

function areWords({ code, values }: Refused): boolean {
  return aboutWords.has(code) && values.some(({ value }) => hasLetters(value, 3));
}

/**
 * The answers that repair values, by the repair that a program is asked about. The other answers give values a meaning.
 */
const repairs: Readonly<Record<string, AskedRepair>> = {
  above: 'ditto',
  nothing: 'empty_words',
  units: 'amount_marks',
  units_and_thousands: 'amount_marks',
  as_they_are: 'as_it_is',
  ...Object.fromEntries(
    (
      [
        ...['lost_zeros', 'number_cells', 'local_phone', 'line_breaks', 'amount_marks', 'zeros_in_front'],
        'thousands_marks',
        'first_phone',
        'only_where_used',
      ] as const
    ).map((name) => [name, name]),
  ),
};

/** The answer with which most rows pass; undefined if no answer helps. */
function bestOf({ options }: Refused): QuestionOption | undefined {
  const [best] = options
    // Rows may be left out only if a person says so.
    .filter(({ id, samples }) => samples !== undefined && id !== leaveOutId)
    .sort((left, right) => right.passes - left.passes);
  return best;
}

function asRepair(
  { field: _, code, values: __, more: ___, options: all, ...question }: Refused,
  best: QuestionOption,
  repair: AskedRepair,
): AskedProgram {
  const passes = question.forecast.pass;
  const samples: readonly RepairSample[] = best.samples ?? [];
  return {
    question: {
      ...question,
      kind: 'repair',
      repair,
      proposal: null,
      finding: code,
      samples,
      options: [
        { id: 'yes', label: best.label, passes: best.passes },
        { id: 'no', label: 'they are wrong: refuse their rows', passes },
        ...all.filter(({ id }) => id === leaveOutId).map(({ id, label }) => ({ id, label, passes })),
      ],
    },
    answerOf: (answer) => {
      if (answer === 'yes') return best.id;
      return answer === 'no' || answer === 'accept' ? wrong : answer;
    },
  };
}

function asValues(
  { code, more: _, proposal: __, values, options: ___, ...question }: Refused,
  best: QuestionOption | undefined,
): AskedProgram {
  const meant = new Map((best?.samples ?? []).map(({ before, after }) => [before, after]));
  const lines = values.map(({ value, rows, proposal, options: meanings }) => ({
    value,
    rows,
    proposal: proposal ?? meant.get(value) ?? null,
    options: meanings,
  }));
  return {
    question: { ...question, kind: 'values', proposal: null, finding: code, values: lines, options: [] },
    answerOf: (answer) => {
      if (answer === 'accept') return best?.id ?? wrong;
      if (!isValues(answer)) return answer;
      const said = lines.map(({ value, proposal }) => [
        value,
        value in answer.values ? answer.values[value] : proposal,
      ]);
      return said.every(([, meaning]) => meaning === null) ? wrong : { values: Object.fromEntries(said) };
    },
  };
}

const wrong = 'wrong';

function isValues(answer: unknown): answer is { readonly values: Readonly<Record<string, unknown>> } {
  if (typeof answer !== 'object' || answer === null || !('values' in answer)) return false;
  return typeof answer.values === 'object' && answer.values !== null;
}
