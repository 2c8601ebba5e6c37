/*
 * Leads the mapping dialogue with a person: every question with its possible answers by number, `?` for help, `<` for
 * the question before, Enter for the proposal.
 */

import {
  kindWord,
  namedField,
  payeeTypeWord,
  questionHeading,
  repairName,
} from '../../account/words/mapping-words.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { inWords, plainWords } from '../../domain/settings/message.ts';
import { printable } from '../../domain/text/characters.ts';
import { leavingOut, markedField } from '../../propose/decisions.ts';
import { reasonText } from '../../propose/session/question-reason.ts';
import type { DialogueQuestion, MappingSession, QuestionOption } from '../../propose/session/session.ts';
import { forecastSentence, readingTable } from '../views/mapping-table.ts';
import { type Colour, colourIf, shortened, wrapped } from '../views/terminal-text.ts';
import {
  columnsOf,
  optionFrom,
  optionsShown,
  type Put,
  type Question,
  refusedFrom,
  refusedLines,
  stopped,
  type Understood,
  valueLines,
  valuesFrom,
} from './mapping-values.ts';
import type { Ask } from './questions.ts';
import type { Terminal } from './terminal.ts';

const sampleCharacters = 30;

/**
 * Leads the dialogue until a mapping is agreed on.
 * @throws PaybatchError (`usage`) without a person to ask; (`stopped`) when the person stops; nothing is stored then
 */
export async function leadOnTerminal(session: MappingSession, terminal: Terminal, put: Ask): Promise<string> {
  if (put === null) throw noTerminal();
  const { dialogue } = session;
  const colour = colourIf(terminal.useColour);
  for (;;) {
    const question = await dialogue.next();
    if (question === null) break;
    // The kind of the rows determines the words for their fields.
    const kind = (await dialogue.place())?.kind ?? '';
    terminal.complain(`\n${shown(question, kind, terminal, colour)}`);
    for (;;) {
      const understood = await listen(question, kind, put, terminal, colour);
      if ('show' in understood) {
        terminal.complain(understood.show);
        continue;
      }
      const problem = dialogue.answer(question.question, understood.answer);
      if (problem === undefined) break;
      terminal.complain(`  ${problem}`);
    }
  }
  const agreed = await dialogue.reading();
  terminal.complain(`\n${forecastSentence(agreed.forecast, colour)}`);
  const suggestion = session.freeName();
  const typed = await put(`\nName of the mapping file [${suggestion}]: `);
  if (typed === null) throw stopped();
  const name = typed.trim();
  if (name === '') return suggestion;
  return name.endsWith('.json') ? name : `${name}.json`;
}

function noTerminal(): PaybatchError {
  return new PaybatchError(
    'no_terminal',
    'There is nobody to ask: --interactive needs a terminal.',
    'run it on a terminal, or without --interactive; --dialogue asks a program',
  );
}

function shown(question: DialogueQuestion, kind: string, terminal: Terminal, colour: Colour): string {
  const columns = columnsOf(terminal);
  if (question.kind === 'review') {
    const place = question.sheet === null ? '' : `, sheet "${printable(question.sheet)}"`;
    const leftOut = (question.left_out_sheets ?? []).flatMap(({ sheet, rows }) =>
      wrapped(`Left out: sheet "${printable(sheet)}", ${countOf(rows, 'line')}.`, '  ', columns),
    );
    const title = [colour('bold', `${question.about}${place}`), ...leftOut].join('\n');
    return `${title}\n\n${readingTable({ ...question, open: [] }, terminal.useColour, columns)}`;
  }
  const lines = [
    colour('bold', headingOf(question, kind)),
    ...wrapped(printable(reasonOf(question, kind)), '  ', columns),
    ...(question.kind === 'refused' ? refusedLines(question, {}, colour, columns) : samplesOf(question)),
  ];
  if (question.kind === 'values') lines.push('', ...valueLines(question, colour, columns));
  else if (question.kind === 'refused') lines.push('', ...refusedOptions(question, columns));
  else if (question.options.length <= optionsShown) lines.push(...optionLines(question, kind, columns));
  // A question about rows that are excluded already states how many rows would be sent with each answer.
  if (question.kind === 'values' && question.sending !== undefined) return lines.join('\n');
  return [...lines, forecastSentence(question.forecast, colour)].join('\n');
}

/** Why a question is asked, with fields in words. */
function reasonOf({ why }: DialogueQuestion, kind: string): string {
  return reasonText(why, (field) => namedField(kind, field));
}

function headingOf(question: Exclude<DialogueQuestion, { readonly kind: 'review' }>, kind: string): string {
  const details = [
    ...((question.kind === 'values' || question.kind === 'refused') && question.field !== markedField
      ? [namedField(kind, question.field)]
      : []),
    ...(question.kind === 'repair' ? [repairName(question.repair)] : []),
    countOf(question.rows, 'row'),
  ];
  return `${printable(questionHeading(question, (field) => namedField(kind, field)))} (${details.join(', ')})`;
}

function samplesOf({ samples }: DialogueQuestion): string[] {
  const texts = samples.map((sample) =>
    typeof sample === 'string'
      ? shortened(printable(sample), sampleCharacters)
      : `row ${sample.row}: ${changeText(sample)}`,
  );
  if (texts.length === 0) return [];
  return typeof samples[0] === 'string'
    ? [`  for example: ${texts.join('   ')}`]
    : texts.map((text) => `    ${text}`);
}

function changeText({ before, after }: { readonly before: string; readonly after: string }): string {
  const text = (value: string): string => (value === '' ? '(empty)' : printable(value));
  return `${shortened(text(before), sampleCharacters)} → ${text(after)}`;
}

/** Each possible answer, with its effect on the values. */
function refusedOptions(question: Question<'refused'>, columns: number): string[] {
  return question.options.flatMap((option, index) => {
    const [first = ''] = optionLines({ ...question, options: [option] }, '', columns);
    const makes = (option.samples ?? []).slice(0, optionsShown).map(changeText);
    return [
      first.replace(/^ {4}1 {2}/, `  ${String(index + 1).padStart(3)}  `),
      ...(makes.length === 0 ? [] : wrapped(makes.join('   '), '          ', columns)),
    ];
  });
}

function optionLines(question: DialogueQuestion, kind: string, columns: number): string[] {
  const { options, proposal, forecast } = question;
  return options.flatMap(({ passes, ...option }, index) => {
    const mark = option.id === proposal ? ' (proposed)' : '';
    const effect = passes === forecast.pass ? '' : `, ${groupedNumber(passes)} rows would pass`;
    return numbered(index, `${optionText(question, kind, option)}${effect}${mark}`, columns);
  });
}

/** An option in words, with the name by which it can be typed. */
function optionText(
  { kind: sort, about }: DialogueQuestion,
  kind: string,
  { id, label, evidence = '' }: Pick<QuestionOption, 'id' | 'label' | 'evidence'>,
): string {
  if (sort === 'column') return printable(id === 'ignore' ? `${label} (${id})` : namedField(kind, id));
  if (sort === 'reading' && about === 'kind') {
    const speaking = inWords(evidence, { ...plainWords, field: (name) => namedField(id, name) });
    return printable(`${kindWord(id)} (${id})${speaking === '' ? '' : `: ${speaking}`}`);
  }
  if (sort === 'reading' && about === 'payee_type') return printable(`${payeeTypeWord(id) ?? label} (${id})`);
  return printable(label === id ? id : `${id}: ${label}`);
}

/** The text after its number, with aligned further lines if it is longer than the terminal's width. */
function numbered(index: number, text: string, columns: number): string[] {
  const number = `  ${String(index + 1).padStart(3)}  `;
  const [first = '', ...rest] = wrapped(text, ' '.repeat(number.length), columns);
  return [number + first.trimStart(), ...rest];
}

async function listen(
  question: DialogueQuestion,
  kind: string,
  put: Put,
  terminal: Terminal,
  colour: Colour,
): Promise<Understood> {
  const typed = await put(prompt(question));
  if (typed === null || typed.trim().toLowerCase() === 'q') {
    terminal.complain('');
    throw stopped();
  }
  const text = typed.trim();
  if (text === '<') return { answer: 'back' };
  if (text === '?') return { show: explained(question, kind, columnsOf(terminal)) };
  if (question.kind === 'values') return valuesFrom(question, text, put, terminal, colour);
  if (question.kind === 'refused') return refusedFrom(question, text, put, terminal, colour);
  return understood(question, kind, text, columnsOf(terminal));
}

function prompt(question: DialogueQuestion): string {
  switch (question.kind) {
    case 'review':
      return '\nEnter reads it so; COLUMN = FIELD changes one; ? explains; q stops: ';
    case 'column': {
      const proposed = question.proposal === null ? 'ignore' : [question.proposal].flat().join(' + ');
      return `  a field or its number; Enter: ${proposed}; ? lists them; < goes back: `;
    }
    case 'values':
      return '  Enter: as shown; a number changes one value; ? explains; < goes back: ';
    case 'refused':
      return `  a number, or VALUE = what it means; Enter: ${question.proposal}; ? explains; < goes back: `;
    case 'constant':
      return '  a value; Enter: none; ? explains; < goes back: ';
    case 'repair':
    case 'reading': {
      if (isForPersonOnly(question)) return '  a number; ? explains; < goes back: ';
      const proposed =
        question.proposal === null ? (question.kind === 'repair' ? 'no' : 'none') : question.proposal;
      return `  a number${question.free_text ? ' or a value' : ''}; Enter: ${proposed}; ? explains; < goes back: `;
    }
  }
}

/**
 * Whether a question has no proposal and still needs an answer from a person. This is the question about the kind, since
 * the kind decides in which direction money moves.
 */
function isForPersonOnly({ kind, about, proposal }: DialogueQuestion): boolean {
  return kind === 'reading' && about === 'kind' && proposal === null;
}

function explained(question: DialogueQuestion, kind: string, columns: number): string {
  const how =
    question.kind === 'review'
      ? [
          '  Type the column, = and a field, such as',
          '    Staff ID = customer_external_id',
          '    Remarks = ignore',
          '    Status = marked_rows   (its values say which rows are sent)',
        ]
      : question.options.flatMap((option, index) =>
          numbered(index, optionText(question, kind, option), columns),
        );
  return ['', ...wrapped(printable(reasonOf(question, kind)), '  ', columns), ...how, ''].join('\n');
}

function understood(question: DialogueQuestion, kind: string, text: string, columns: number): Understood {
  if (text === '' && isForPersonOnly(question)) return { show: explained(question, kind, columns) };
  if (text === '') return { answer: 'accept' };
  if (question.kind === 'review') return reviewFrom(question, text);
  if (question.kind === 'constant') return { answer: optionFrom(question, text) ?? { text } };
  const word = text.toLowerCase();
  if (question.kind === 'repair') {
    if (word === 'y' || word === 'yes') return { answer: 'yes' };
    if (word === 'n' || word === 'no') return { answer: 'no' };
  }
  const option = optionFrom(question, text);
  if (option !== undefined) return { answer: option };
  return question.free_text ? { answer: { text } } : { show: explained(question, kind, columns) };
}

function reviewFrom({ columns }: Question<'review'>, text: string): Understood {
  const [title = '', field = ''] = text.split(/\s*=\s*(?=[^=]*$)/);
  const column =
    columns.find((one) => one.column === title) ??
    columns.find((one) => one.column.toLowerCase() === title.toLowerCase());
  if (column === undefined || field === '')
    return {
      show: '  Type COLUMN = FIELD, or COLUMN = FIELD + FIELD for two values in a cell, or press Enter.',
    };
  const fields = field.split('+').map((one) =>
    one
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_'),
  );
  const [use = '', another] = fields;
  const said = another !== undefined ? fields : use === 'ignore' ? leavingOut(column) : use;
  return { answer: { columns: { [column.column]: said } } };
}
