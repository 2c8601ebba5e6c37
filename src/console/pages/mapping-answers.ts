/*
 * The answers about how a file is read: a list of the answers so far, each of which can be changed, and the answer in
 * the form of a question.
 */

import { type Html, html } from '../../account/report/page.ts';
import {
  fieldsWord,
  fieldWord,
  kindWord,
  markedValueName,
  meaningText,
  payeeTypeWord,
  questionHeading,
} from '../../account/words/mapping-words.ts';
import { countOf } from '../../domain/money/money.ts';
import { leaveOutRows } from '../../domain/tables/row-marks.ts';
import { decidesNothing, leavingOut, markedField } from '../../propose/decisions.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import type { Answered, Asked } from '../under-way/replies.ts';
import { shortened } from './answer-options.ts';
import type { Frame } from './layout.ts';
import { useOf } from './mapping-review.ts';
import { action } from './remedies.ts';

/**
 * The answers in the order in which they were made; null if there are none.
 * @param address of the questions about the file
 */
export function answersSoFar(
  frame: Frame,
  address: string,
  { answered, turn, table }: Pick<OpenQuestion, 'answered' | 'turn' | 'table'>,
): Html | null {
  if (answered.length === 0) return null;
  const kind = table?.place.kind ?? '';
  const items = answered.map((one, at) => {
    const heading = questionHeading(one.asked, (field) => fieldWord(kind, field));
    return html`<li><div><b>${heading}</b> <span class="soft">${answerText(kind, one)}</span></div>
${action(frame, `${address}/again?change=${at}&turn=${turn}`, 'Change this answer', 'second')}</li>
`;
  });
  return html`<section class="answers"><details><summary>Your answers so far: ${answered.length}</summary><ol>${items}</ol>
<p class="hint">The answers after it are kept, as far as the same is asked again.</p></details></section>`;
}

const mostNamed = 4;

/** An answer in a few words. */
function answerText(kind: string, { asked, said }: Answered): string {
  if ('readFrom' in said) {
    const { sheet, headerRows } = said.readFrom;
    return `another table: ${sheet === null ? '' : `${shortened(sheet)}, `}header in row ${headerRows.join(' and ')}`;
  }
  const { answer } = said;
  if (answer === 'accept') return asked.kind === 'review' ? 'as it was shown' : 'as it was proposed';
  if (answer === null) return 'none';
  if (typeof answer === 'string') return wordOf(kind, asked, answer);
  if (Array.isArray(answer)) return fieldsWord(kind, answer.join('+'));
  const { columns, values, text } = partsOf(answer);
  if (columns !== undefined)
    return listed(columns.map(([title, use]) => `"${shortened(title)}" is: ${useText(kind, use)}`));
  if (values !== undefined) return listed(values.map((entry) => valueText(asked, entry)));
  return typeof text === 'string' ? text : '';
}

/** The parts of an answer that is an object. */
function partsOf(answer: unknown): {
  readonly columns?: readonly (readonly [string, unknown])[];
  readonly values?: readonly (readonly [string, unknown])[];
  readonly text?: unknown;
} {
  if (typeof answer !== 'object' || answer === null) return {};
  const entriesOf = (part: unknown): readonly (readonly [string, unknown])[] =>
    typeof part === 'object' && part !== null ? Object.entries(part) : [];
  if ('columns' in answer) return { columns: entriesOf(answer.columns) };
  if ('values' in answer) return { values: entriesOf(answer.values) };
  return 'text' in answer ? { text: answer.text } : {};
}

function listed(texts: readonly string[]): string {
  const more = texts.length - mostNamed;
  return [...texts.slice(0, mostNamed), ...(more > 0 ? [`and ${countOf(more, 'more', 'more')}`] : [])].join(
    '; ',
  );
}

function useText(kind: string, use: unknown): string {
  const id = [use].flat().join('+');
  return isNoField(id) ? 'left out' : fieldsWord(kind, id);
}

function valueText(asked: Asked, [value, meaning]: readonly [string, unknown]): string {
  const name = shortened(asked.kind === 'values' ? markedValueName(value) : value);
  return `${name}: ${meaningText(typeof meaning === 'string' ? meaning.replaceAll('_', ' ') : null)}`;
}

/** The option with an id, in the words of its question's page. */
function wordOf(kind: string, { kind: sort, about, options }: Asked, id: string): string {
  if (sort === 'column') return useText(kind, id);
  if (about === 'kind') return kindWord(id);
  return payeeTypeWord(id) ?? options.find((option) => option.id === id)?.label ?? id;
}

/**
 * A question with an earlier answer instead of its proposals.
 * @param earlier the answer; undefined if none exists
 */
export function withEarlier(question: DialogueQuestion, earlier: unknown): DialogueQuestion {
  if (earlier === undefined || earlier === 'accept') return question;
  const { columns, values, text } = partsOf(earlier);
  const said = typeof earlier === 'string' ? earlier : typeof text === 'string' ? text : null;
  const meanings = new Map(values);
  const meaningOf = (line: { readonly value: string; readonly proposal: string | null }): string | null => {
    const meaning = meanings.get(line.value);
    return meaning === undefined ? line.proposal : typeof meaning === 'string' ? meaning : null;
  };
  switch (question.kind) {
    case 'review': {
      const uses = new Map(columns);
      return {
        ...question,
        columns: question.columns.map((one) => {
          const use = uses.get(one.column);
          if (use === undefined) return one;
          const { decides_rows: _, ...own } = one;
          if (use === markedField) return { ...own, field: null, decides_rows: true };
          return { ...own, field: isNoField(use) ? null : fieldsIn(use) };
        }),
      };
    }
    case 'column':
      return { ...question, proposal: fieldsIn(earlier) };
    case 'values':
      return {
        ...question,
        values: question.values.map((line) => ({ ...line, proposal: meaningOf(line) })),
      };
    case 'refused':
      return {
        ...question,
        proposal: values === undefined ? (said ?? question.proposal) : 'values',
        values: question.values.map((line) => ({ ...line, proposal: meaningOf(line) })),
      };
    case 'constant':
    case 'reading':
      return { ...question, proposal: said };
    case 'repair':
      return { ...question, proposal: said === 'yes' ? 'yes' : null };
  }
}

function isNoField(use: unknown): boolean {
  return use === 'ignore' || use === decidesNothing;
}

function fieldsIn(use: unknown): string | readonly string[] {
  return Array.isArray(use) ? use.map(String) : String(use);
}

/* Reads the form of a question as an answer of the dialogue. */

/** A question of one kind. */
export type QuestionOf<Kind extends DialogueQuestion['kind']> = Extract<
  DialogueQuestion,
  { readonly kind: Kind }
>;

/** The value of a drop-down's option for `no choice yet`. It is used if an empty value means none. */
export const unchosen = '?';

/**
 * The name of the field for a value, by its place. The field says which line of the form has the answer for this value.
 */
export const sameAs = 'same-as';

/** The fields of a form that was sent. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** The maximum number of options in drop-downs. With more options, the page would have megabytes. */
const mostOptions = 4_000;

/** Whether the meanings of values are typed instead of selected. */
export function isLong({ values }: QuestionOf<'values'>): boolean {
  return values.reduce((sum, { options }) => sum + options.length, 0) > mostOptions;
}

/** The answer in a form. The dialogue itself refuses impossible answers. */
export function answerIn(question: DialogueQuestion, fields: FormFields): unknown {
  switch (question.kind) {
    case 'review':
      return reviewAnswer(question, fields);
    case 'column':
      return fields['answer'] === '' ? undefined : splitFields(fields['answer'] ?? 'ignore');
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

/** One field, or a list of fields if the column is split. */
function splitFields(text: string): string | readonly string[] {
  return text.includes('+') ? text.split('+') : text;
}

/** The columns whose use differs from the use that the page showed. */
function reviewAnswer({ columns }: QuestionOf<'review'>, fields: FormFields): unknown {
  const changed = columns.flatMap((one, at) => {
    const shown = useOf(one);
    const said = fields[`field.${at}`] ?? shown;
    if (said === shown) return [];
    return [[one.column, said === 'ignore' ? leavingOut(one) : splitFields(said)] as const];
  });
  return changed.length === 0 ? 'accept' : { columns: Object.fromEntries(changed) };
}

/** The chosen option. If it says that single values are typed, the typed values are added. */
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
    // If a value is right as the file has it, all of its spellings are right.
    return [value, said === question.values[line]?.value ? value : said];
  });
  return { values: Object.fromEntries(values) };
}
