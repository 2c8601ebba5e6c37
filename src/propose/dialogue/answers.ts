/* Turns an answer in the mapping dialogue into a decision, or into the reason why it is invalid. */

import { currencyCodes } from '../../domain/money/money.ts';
import { fieldsOfWholeCells, ignoredPart, isSplit } from '../../domain/tables/mapping.ts';
import { checkCurrency, isSignOf } from '../../kinds/fields/currency.ts';
import { isDateFormat } from '../../kinds/fields/days.ts';
import { isPhoneCountry } from '../../kinds/fields/phone.ts';
import { countryWritten } from '../../kinds/fields/places.ts';
import { isScientific } from '../../kinds/fields/spreadsheet-damage.ts';
import { kinds, ruleOf } from '../../kinds/registry.ts';
import { currencyNamed } from '../columns/currencies.ts';
import { type Decision, decidesNothing, markedField } from '../decisions.ts';
import type { DialogueQuestion, DividedCells, FieldOption, QuestionReason } from '../question.ts';

type Refused = { readonly error: string };

/** The decision in an answer, or the reason why it is invalid. */
export function decisionOf(question: DialogueQuestion, answer: unknown): Decision | Refused {
  switch (question.kind) {
    case 'review':
      return reviewDecision(question, answer);
    case 'column':
      return columnDecision(question, answer);
    case 'values':
      return question.field === markedField
        ? markedDecision(question, answer)
        : valuesDecision(question, answer);
    case 'refused':
      return refusedDecision(question, answer);
    case 'constant': {
      if (answer === 'accept') return question.proposal === null ? null : { text: question.proposal };
      if (answer === null) return null;
      const text = typeof answer === 'string' ? answer : textIn(answer);
      if (text === undefined) return { error: 'the answer is {"text": "..."}, or null for none' };
      return constantDecision(question.about, text);
    }
    case 'repair':
      if (answer === 'accept') return question.proposal ?? 'no';
      return answer === 'yes' || answer === 'no' ? answer : { error: 'the answer is "yes" or "no"' };
    case 'reading': {
      if (answer === 'accept' || answer === null) return question.proposal;
      const text = textIn(answer);
      if (text !== undefined && question.free_text) return typedDecision(question.why, text.trim());
      const wanted = text ?? answer;
      if (
        typeof wanted === 'string' &&
        (question.free_text || question.options.some(({ id }) => id === wanted))
      )
        return wanted;
      return { error: `the answer is one of ${question.options.map(({ id }) => `"${id}"`).join(', ')}` };
    }
  }
}

/** A typed answer instead of an option. It must be a value that a mapping can state. */
function typedDecision({ code }: QuestionReason, text: string): Decision | Refused {
  if (code === 'date_format_unclear' && !isDateFormat(text))
    return { error: 'a form of days is made of YYYY (or YY), MM and DD, as in DD/MM/YYYY' };
  const isCountry = isPhoneCountry(text) || text.startsWith('column:');
  if (code === 'phone_country_unclear' && !isCountry)
    return { error: 'a country is its two letters, as in KE' };
  return { text };
}

/**
 * A typed value for all rows: a country or currency by its code, or by a name that no other country or currency has.
 */
function constantDecision(field: string, text: string): Decision | Refused {
  const type = kinds.flatMap((kind) => ruleOf(kind, field)?.type ?? [])[0];
  if (type === 'country') {
    const country = countryWritten(text);
    if (country !== undefined) return { text: country };
    return { error: `"${text}" is no country that is known; write its two letters, such as KE` };
  }
  if (type !== 'currency') return { text };
  const checked = checkCurrency(text.trim());
  if (typeof checked === 'string') return { text: checked };
  const named = currencyNamed(text);
  if (named !== undefined) return { text: named };
  const several = currencyCodes.filter((code) => isSignOf(text.trim(), code));
  const codes = several.length > 0 ? several.join(' or ') : 'its three letters, such as KES or EUR';
  return { error: `"${text}" is not a currency by itself; write ${codes}` };
}

function textIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('text' in answer)) return undefined;
  return typeof answer.text === 'string' ? answer.text : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type QuestionOf<Name extends DialogueQuestion['kind']> = Extract<DialogueQuestion, { readonly kind: Name }>;

/** The fields that an answer names: one field, a list, or a word for no field; undefined for anything else. */
function fieldsIn(
  answer: unknown,
  all: readonly FieldOption[],
  cells: DividedCells,
): string | readonly string[] | undefined {
  const known = new Set([...all.map(({ id }) => id), 'ignore']);
  if (answer === null) return 'ignore';
  if (answer === decidesNothing) return answer;
  if (typeof answer === 'string') return known.has(answer) ? answer : undefined;
  if (!Array.isArray(answer) || answer.length === 0) return undefined;
  const fields = answer.map(String);
  const isKnown = fields.every((field) => known.has(field) && field !== markedField);
  return isKnown && (fields.length === 1 || maySplit(fields, cells)) ? fields : undefined;
}

/** Whether a column may be split into these fields: a name, an address, or as many values as its cells have. */
function maySplit(fields: readonly string[], { values_per_cell: most = 1 }: DividedCells): boolean {
  const read = fields.filter((field) => field !== ignoredPart);
  const areDifferent = read.length > 0 && new Set(read).size === read.length;
  const mayShare = fields.every((field) => !fieldsOfWholeCells.includes(field));
  return isSplit(fields) || (areDifferent && mayShare && fields.length <= most);
}

const ofParts =
  'nor parts of one name or address, nor as many values as its cells have, into which a column is split';

function reviewDecision(question: QuestionOf<'review'>, answer: unknown): Decision | Refused {
  if (answer === 'accept') return 'accept';
  if (!isRecord(answer) || !isRecord(answer['columns']))
    return { error: 'the answer is "accept", or {"columns": {"TITLE": FIELD}}' };
  const shown = new Map(question.columns.map((column) => [column.column, column]));
  const columns: Record<string, string | readonly string[]> = {};
  for (const [title, field] of Object.entries(answer['columns'])) {
    const column = shown.get(title);
    if (column === undefined) return { error: `there is no column "${title}"` };
    const fields = fieldsIn(field, question.fields, column);
    if (fields === undefined)
      return { error: `"${title}": ${JSON.stringify(field)} is no field of ${question.about}, ${ofParts}` };
    columns[title] = fields;
  }
  return { columns };
}

function columnDecision(question: QuestionOf<'column'>, answer: unknown): Decision | Refused {
  if (answer === 'accept') return question.proposal ?? 'ignore';
  const possible = new Set(question.options.map(({ id }) => id));
  const fields = [answer].flat().map(String);
  if (fields.every((field) => possible.has(field)) && (fields.length === 1 || maySplit(fields, question)))
    return fields.length > 1 ? fields : String(fields[0]);
  return {
    error: `the answer is one of ${[...possible].map((id) => `"${id}"`).join(', ')}, or a list of the parts of a name or an address, or of as many values as the cells have`,
  };
}

/** The id of an option, or what each value means. */
function refusedDecision(question: QuestionOf<'refused'>, answer: unknown): Decision | Refused {
  if (answer === 'accept') return question.proposal;
  if (typeof answer === 'string' && question.options.some(({ id }) => id === answer)) return answer;
  const known = new Set(question.values.map(({ value }) => value));
  const values = isRecord(answer) && isRecord(answer['values']) ? Object.entries(answer['values']) : [];
  const meant = values.filter(
    (entry): entry is [string, string | null] =>
      known.has(entry[0]) && (entry[1] === null || typeof entry[1] === 'string'),
  );
  if (meant.length === 0 || meant.length < values.length) {
    const ids = question.options.map(({ id }) => `"${id}"`).join(', ');
    return { error: `the answer is one of ${ids}, or {"values": {"VALUE": "its meaning", "OTHER": null}}` };
  }
  const guessed = meant.find(([value, meaning]) => meaning && isScientific(value));
  if (question.code === 'damaged_number' && guessed !== undefined) return { error: lostDigits(guessed[0]) };
  return { values: Object.fromEntries(meant) };
}

/**
 * A mapping has only one meaning for a text. Other numbers have become the same text, in this file or in the next one.
 */
function lostDigits(value: string): string {
  return `"${value}" has lost digits, and other numbers look the same: enter each number in the file again`;
}

/**
 * Decides what is done with the rows of each mark. A mark that the answer does not name keeps its proposal. A mark
 * without a proposal is held if the question is accepted, as an import does with rows that no answer is about.
 */
function markedDecision({ values: lines }: QuestionOf<'values'>, answer: unknown): Decision | Refused {
  const wanted = 'the answer is {"values": {"VALUE": "send", "OTHER": "leave_out", "THIRD": "hold"}}';
  const said = answer === 'accept' ? {} : isRecord(answer) ? answer['values'] : undefined;
  if (!isRecord(said)) return { error: wanted };
  const values: Record<string, string | null> = {};
  for (const { value, proposal, options } of lines) {
    const meaning = said[value] ?? proposal ?? (answer === 'accept' ? 'hold' : null);
    if (!options.some(({ id }) => id === meaning)) {
      const ids = options.map(({ id }) => `"${id}"`).join(', ');
      return { error: `"${value}": what becomes of its rows is one of ${ids}` };
    }
    values[value] = String(meaning);
  }
  return { values };
}

function valuesDecision(question: QuestionOf<'values'>, answer: unknown): Decision | Refused {
  if (answer === 'accept') return { values: {} };
  const wanted = 'the answer is {"values": {"VALUE": "the API\'s word", "OTHER": null}}';
  if (!isRecord(answer) || !isRecord(answer['values'])) return { error: wanted };
  const lines = new Map(question.values.map((line) => [line.value, line]));
  const values: Record<string, string | null> = {};
  for (const [value, meaning] of Object.entries(answer['values'])) {
    const line = lines.get(value);
    if (line === undefined) continue;
    if (meaning !== null && typeof meaning !== 'string') return { error: wanted };
    const isKnown =
      question.field !== 'institution_name' ||
      meaning === null ||
      meaning === '' ||
      line.options.some(({ id }) => id === meaning);
    if (!isKnown) return { error: `"${value}": the list of institutions has no "${meaning}"` };
    values[value] = meaning;
  }
  return { values };
}
