/* The answers so far about how a file is read: a list of them, each of which can be changed. */

import { type Html, html } from '../../account/report/page.ts';
import { fieldsWord, fieldWord, kindWord, payeeTypeWord } from '../../account/words/field-words.ts';
import { markedValueName, meaningText, questionHeading } from '../../account/words/mapping-words.ts';
import { countOf } from '../../domain/money/money.ts';
import { decidesNothing, markedField } from '../../propose/decisions.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';
import type { OpenQuestion } from '../under-way/mapping-talk.ts';
import type { Answered, Asked } from '../under-way/replies.ts';
import type { Frame } from './layout.ts';
import { action } from './remedies.ts';
import { shortened } from './samples.ts';

/**
 * The answers in the order in which they were given; null where there is none.
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
 * A question with an earlier answer in place of its proposals.
 * @param earlier the answer; undefined for none
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
