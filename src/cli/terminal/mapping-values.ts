/* The values of a question of the mapping dialogue on a terminal: shown in a table, and changed one by one. */

import { markedValueName, meaningText, sentText } from '../../account/words/mapping-words.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { printable } from '../../domain/text/characters.ts';
import { rowsSent, rowsSentOf } from '../../propose/dialogue/marked-effects.ts';
import type { DialogueQuestion } from '../../propose/session/session.ts';
import { alignedTable, type Colour, wrapped } from '../views/terminal-text.ts';
import type { Ask } from './questions.ts';
import type { Terminal } from './terminal.ts';

export type Put = NonNullable<Ask>;

/** A question of one kind. */
export type Question<Kind extends DialogueQuestion['kind']> = Extract<
  DialogueQuestion,
  { readonly kind: Kind }
>;

/** The result of a person's input: an answer, or a text to show before the question is repeated. */
export type Understood = { readonly answer: unknown } | { readonly show: string };

/** Maximum number of options that are listed at once. */
export const optionsShown = 12;

/** The error for a person who stops the dialogue. Nothing is stored. */
export function stopped(): PaybatchError {
  return new PaybatchError('interrupted', 'Stopped: no mapping was written.', 'run it again');
}

/** The width to which texts are wrapped. */
export function columnsOf({ columns }: Terminal): number {
  return Math.max(60, columns);
}

/** The values with their meanings. If the values exclude rows, also the rows that would be sent. */
export function valueLines(
  { values, sending }: Question<'values'>,
  colour: Colour,
  columns: number,
): string[] {
  const records = values.map(({ value, rows, proposal }, index) => [
    String(index + 1),
    sending === undefined && value !== '' ? value : markedValueName(value),
    groupedNumber(rows),
    ...(sending === undefined ? [] : [groupedNumber(rowsSentOf(sending, value))]),
    sending !== undefined && proposal === null ? 'say what becomes of them' : meaningText(proposal),
  ]);
  const titles = [
    { title: '#', isFigure: true },
    { title: 'Value', mayShrink: true },
    { title: 'Rows', isFigure: true },
    ...(sending === undefined ? [] : [{ title: 'if sent', isFigure: true }]),
    { title: sending === undefined ? 'means' : 'what becomes of them' },
  ];
  const table = alignedTable(titles, records, colour, '  ', columns);
  if (sending === undefined) return table;
  const said = new Map(values.map(({ value, proposal }) => [value, proposal]));
  const sent = rowsSent(sending, (value) => said.get(value));
  return [...table, `  As shown, ${sentText(groupedNumber(sent), sending)}.`];
}

/** Changes values one by one until the person accepts the table. */
export async function valuesFrom(
  question: Question<'values'>,
  first: string,
  put: Put,
  terminal: Terminal,
  colour: Colour,
): Promise<Understood> {
  const changed: Record<string, string | null> = {};
  let text = first;
  for (;;) {
    const isChanged = Object.keys(changed).length > 0;
    // Enter alone does not decide about rows without a proposal.
    const isOpen =
      question.sending !== undefined && question.values.some(({ proposal }) => proposal === null);
    if (text === '') return { answer: isChanged || isOpen ? { values: changed } : 'accept' };
    if (text === '<') return { answer: 'back' };
    const line = /^\d{1,3}$/.test(text) ? question.values[Number(text) - 1] : undefined;
    if (line === undefined) terminal.complain('  Type the number of a value, or press Enter.');
    else {
      const meaning = await meaningFrom(line, put, terminal);
      if (meaning !== undefined) changed[line.value] = meaning;
      const values = question.values.map((one) => ({
        ...one,
        proposal: one.value in changed ? (changed[one.value] ?? null) : one.proposal,
      }));
      terminal.complain(valueLines({ ...question, values }, colour, columnsOf(terminal)).join('\n'));
    }
    const typed = await put('  Enter: as shown; a number changes one value: ');
    if (typed === null) throw stopped();
    text = typed.trim();
  }
}

/**
 * Asks for the meaning of one value. If the input is a part of a name, the matching options are shown. Undefined for no
 * change.
 */
async function meaningFrom(
  { value, rows, options }: Question<'values'>['values'][number],
  put: Put,
  terminal: Terminal,
): Promise<string | null | undefined> {
  let found = options;
  for (;;) {
    const list = found
      .slice(0, optionsShown)
      .map(({ label }, index) => `  ${String(index + 1).padStart(3)}  ${printable(label)}`);
    const more =
      found.length > optionsShown
        ? [`       and ${found.length - optionsShown} more: type a part of the name`]
        : [];
    terminal.complain(
      `\n  "${printable(value)}", ${groupedNumber(rows)} rows, means:\n${[...list, ...more].join('\n')}`,
    );
    const typed = await put('  a number, a part of a name, or = and another word; Enter: as it is: ');
    if (typed === null) throw stopped();
    const text = typed.trim();
    if (text === '') return undefined;
    if (text.startsWith('=')) return text.slice(1).trim();
    const option = /^\d{1,3}$/.test(text) ? found[Number(text) - 1] : undefined;
    if (option !== undefined) return option.id;
    const matching = options.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
    found = matching.length === 0 ? options : matching;
  }
}

/* Refused values: shows them with their rows, and asks for their meanings. */

const refusedShown = 20;
const rowsAround = 3;

/** The values with their frequency, and the first rows that contain them. */
export function refusedLines(
  { values, more }: Question<'refused'>,
  said: Readonly<Record<string, string | null>>,
  colour: Colour,
  columns: number,
): string[] {
  const shownValues = values.slice(0, refusedShown);
  const records = shownValues.map(({ value, rows, example_row: row, proposal }) => [
    value,
    groupedNumber(rows),
    groupedNumber(row),
    meaningText(value in said ? (said[value] ?? null) : proposal),
  ]);
  const titles = [
    { title: 'Value', mayShrink: true },
    { title: 'Rows', isFigure: true },
    { title: 'for example row', isFigure: true },
    { title: 'means' },
  ];
  const others = more + values.length - shownValues.length;
  return [
    '',
    ...alignedTable(titles, records, colour, '  ', columns),
    ...(others === 0 ? [] : [`  and ${countOf(others, 'further value')}`]),
    '',
    ...values
      .slice(0, rowsAround)
      .flatMap((line) =>
        wrapped(`row ${line.example_row}: ${printable(line.in_row.join('; '))}`, '    ', columns),
      ),
  ];
}

/** Reads an option, or the meanings of single values, until the person accepts the list. */
export async function refusedFrom(
  question: Question<'refused'>,
  first: string,
  put: Put,
  terminal: Terminal,
  colour: Colour,
): Promise<Understood> {
  const said: Record<string, string | null> = {};
  let text = first;
  for (;;) {
    const hasSaid = Object.keys(said).length > 0;
    if (text === '') return { answer: hasSaid ? { values: said } : 'accept' };
    if (text === '<') return { answer: 'back' };
    const option = hasSaid ? undefined : optionFrom(question, text);
    if (option !== undefined) return { answer: option };
    const [name = '', meaning] = text.split(/\s*=\s*(?=[^=]*$)/);
    const line =
      question.values.find(({ value }) => value === name) ??
      question.values.find(({ value }) => value.toLowerCase() === name.toLowerCase());
    if (line === undefined || meaning === undefined) {
      terminal.complain(
        '  Type the number of an answer, VALUE = what it means (nothing after = for an empty cell), or press Enter.',
      );
    } else {
      said[line.value] = meaning.trim();
      terminal.complain(refusedLines(question, said, colour, columnsOf(terminal)).join('\n'));
    }
    const typed = await put('  VALUE = what it means; Enter: as shown: ');
    if (typed === null) throw stopped();
    text = typed.trim();
  }
}

/** An option by its number, or by its name. */
export function optionFrom({ options }: DialogueQuestion, text: string): string | undefined {
  const byNumber = /^\d{1,3}$/.test(text) ? options[Number(text) - 1] : undefined;
  const name = text.toLowerCase().replace(/[\s-]+/g, '_');
  return (byNumber ?? options.find(({ id }) => id === text || id.toLowerCase() === name))?.id;
}
