/* Turns the form of a question about how a file is read into an answer of the dialogue. */

import { leaveOutRows } from '../../domain/tables/row-marks.ts';
import { leavingOut } from '../../propose/decisions.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';
import { useOf } from './mapping-review.ts';

/** A question of one kind. */
export type QuestionOf<Kind extends DialogueQuestion['kind']> = Extract<
  DialogueQuestion,
  { readonly kind: Kind }
>;

/** The value of a drop-down's option that means no choice yet, where an empty one means none. */
export const unchosen = '?';

/** The name of the field that says of a value, by its place, on which line of the form the answer for it is. */
export const sameAs = 'same-as';

/** The fields of a form that was sent. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** The most options for drop-downs; with more, the page would have megabytes. */
const mostOptions = 4_000;

/** Whether the meanings of values are typed instead of chosen. */
export function isLong({ values }: QuestionOf<'values'>): boolean {
  return values.reduce((sum, { options }) => sum + options.length, 0) > mostOptions;
}

/** The answer in a form; the dialogue itself refuses impossible ones. */
export function answerIn(question: DialogueQuestion, fields: FormFields): unknown {
  switch (question.kind) {
    case 'review':
      return reviewAnswer(question, fields);
    case 'column':
      return fields['answer'] === '' ? undefined : fieldsIn(fields['answer'] ?? 'ignore');
    case 'values':
      return valuesAnswer(question, fields);
    case 'refused':
      return refusedAnswer(question, fields);
    case 'constant': {
      const text = typed(fields);
      if (text !== undefined) return { text };
      const chosen = fields['answer'] ?? '';
      if (chosen === unchosen) return undefined;
      return chosen === '' ? null : { text: chosen };
    }
    case 'repair':
      return fields['answer'];
    case 'reading': {
      const text = typed(fields);
      return text === undefined ? fields['answer'] : { text };
    }
  }
}

function typed({ text = '' }: FormFields): string | undefined {
  return text.trim() === '' ? undefined : text.trim();
}

/** One field, or a list where the column is split. */
function fieldsIn(text: string): string | readonly string[] {
  return text.includes('+') ? text.split('+') : text;
}

/** The columns whose use was changed from the shown one. */
function reviewAnswer({ columns }: QuestionOf<'review'>, fields: FormFields): unknown {
  const changed = columns.flatMap((one, at) => {
    const shown = useOf(one);
    const said = fields[`field.${at}`] ?? shown;
    if (said === shown) return [];
    return [[one.column, said === 'ignore' ? leavingOut(one) : fieldsIn(said)] as const];
  });
  return changed.length === 0 ? 'accept' : { columns: Object.fromEntries(changed) };
}

/** The chosen option; where it is that single values are typed, those that were. */
function refusedAnswer({ values }: QuestionOf<'refused'>, fields: FormFields): unknown {
  const chosen = fields['answer'];
  if (chosen !== 'values') return chosen;
  const said = values.flatMap(({ value }, at) => {
    const word = fields[`word.${at}`]?.trim() ?? '';
    if (fields[`out.${at}`] === 'yes') return [[value, leaveOutRows] as const];
    if (fields[`empty.${at}`] === 'yes') return [[value, ''] as const];
    return [[value, word === '' ? null : word] as const];
  });
  return { values: Object.fromEntries(said) };
}

function valuesAnswer(question: QuestionOf<'values'>, fields: FormFields): unknown {
  const areLong = isLong(question);
  const saidAt = (at: number, proposal: string | null): string | null => {
    const word = fields[`word.${at}`]?.trim() ?? '';
    if (word !== '') return word;
    if (areLong) return null;
    const chosen = fields[`value.${at}`];
    if (chosen === undefined) return proposal;
    return chosen.startsWith('word:') ? chosen.slice('word:'.length) : null;
  };
  const values = question.values.map(({ value, proposal }, at): [string, string | null] => {
    const line = Number(fields[`${sameAs}.${at}`] ?? at);
    const said = saidAt(line, proposal);
    // A value that is right as the file has it is so in each of its spellings.
    return [value, said === question.values[line]?.value ? value : said];
  });
  return { values: Object.fromEntries(values) };
}
