/*
 * A dialogue that begins with a reading agreed to before: the decisions of that reading, and the questions to repeat.
 */

import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import {
  type Decision,
  type Decisions,
  decidedText,
  decidedValues,
  markedField,
  type RefusedChange,
  saidIn,
} from '../decisions.ts';
import {
  askedAgain,
  isMarkedPoint,
  isOfMarkedValues,
  markedDecisions,
} from '../questions/marked-decisions.ts';
import type { Point } from '../questions/point.ts';
import { valuePoint } from '../questions/points.ts';
import type { Reading } from '../reading/propose.ts';
import { idOfRefused, leftOutAnswers, remembered } from '../reading/refused-answers.ts';

/** A reading that a person has agreed to before, for files with this header. */
export interface RememberedReading {
  readonly decisions: Decisions;
  /** Whether all questions are asked again, or only those about what is new in this file. */
  readonly isEdited: boolean;
  /** The only column to ask about; if absent, every column is asked about. */
  readonly about?: string;
}

/**
 * Whether questions are asked about the whole reading, because it is edited or because its single column has no
 * question.
 */
export function isEditedAsAWhole(
  { isEdited, about }: RememberedReading,
  { tables, points }: Pick<Reading, 'tables' | 'points'>,
): boolean {
  if (about === undefined) return isEdited;
  return !tables.some(({ column }) => column.title === about) && !points.some((one) => one.about === about);
}

/**
 * The questions about a reading that was agreed to before. If it is edited, they are the original questions, with the
 * agreed reading as the proposal. Otherwise they are about values of this file without a decision.
 * @param reading with all agreed decisions
 * @param found with only the agreed columns
 */
export function questionsAgain(
  { decisions, isEdited, about }: RememberedReading,
  reading: Pick<Reading, 'tables' | 'points'>,
  found: Pick<Reading, 'points'>,
): readonly Point[] {
  if (about !== undefined) {
    const own = found.points.filter((point) => point.about === about);
    const tables = reading.tables.filter(({ column }) => column.title === about);
    return own.length > 0 ? own.map((point) => asBefore(point, decisions)) : tables.map(valuePoint);
  }
  if (isEdited) return found.points.map((point) => asBefore(point, decisions));
  const values = reading.tables.flatMap((table) => {
    const known = decidedValues(decisions, table.column.title);
    // A value that needs no translation needs no question.
    const lines = table.lines.filter(({ value, isRead }) => !isRead && !known.has(value));
    return lines.length === 0 ? [] : [valuePoint({ ...table, lines })];
  });
  return [...reading.points.filter(isMarkedPoint), ...values];
}

function asBefore(point: Point, decisions: Decisions): Point {
  const { subject } = point;
  if (isMarkedPoint(point)) return askedAgain(point, decisions);
  const before = decisions.get(point.id);
  if (subject.kind === 'values') {
    const meanings = decidedValues(decisions, point.about);
    const values = subject.values.map((line) => {
      const meaning = meanings.get(line.value);
      return meaning === undefined ? line : { ...line, proposal: meaning };
    });
    return { ...point, subject: { ...subject, values } };
  }
  const said = decidedText(before);
  if (said === undefined) return point;
  switch (subject.kind) {
    case 'repair':
      return { ...point, subject: { ...subject, proposal: said === 'yes' ? 'yes' : null } };
    case 'constant':
    case 'reading':
      return { ...point, subject: { ...subject, proposal: said } };
    default:
      return point;
  }
}

/**
 * The decisions that count as answered while questions are searched: those about columns, on which all others depend.
 */
export function structureOf({ decisions }: RememberedReading): Decisions {
  const kept = ['review:first', 'reading:kind', 'reading:sheet', 'reading:header_rows'];
  return new Map([...decisions].filter(([id]) => kept.includes(id)));
}

/** A mapping as the decisions of the dialogue that led to it. */
export function decisionsOf(mapping: MappingFile, sheets: readonly (string | null)[]): Decisions {
  const { kind, sheet, headerRows, hidden, constants = {}, values = {}, repair = {} } = mapping;
  const decisions = new Map<string, Decision>();
  const say = (id: string, text: string | undefined): void => {
    if (text !== undefined) decisions.set(`reading:${id}`, text);
  };
  say('kind', kind);
  // The next file of a series may have a sheet with another name.
  say('sheet', sheets.includes(sheet ?? null) ? sheet : undefined);
  say('header_rows', headerRows?.join(','));
  say('hidden', hidden);
  say('decimal', mapping.decimal);
  say('thousands', mapping.thousands === '' ? 'none' : mapping.thousands);
  say('date_format', mapping.dateFormat);
  say('phone_country', phoneCountryOf(mapping));
  const orders = Object.values(mapping.split ?? {}).flatMap(({ order }) => order ?? []);
  say('name_order', orders[0]);
  for (const [id, decision] of markedDecisions(mapping)) decisions.set(id, decision);
  const fields = fieldsOf(mapping);
  if (fields.size > 0) decisions.set('review:first', { columns: Object.fromEntries(fields) });
  for (const [field, constant] of Object.entries(constants)) {
    if (field !== 'payee_type') decisions.set(`constant:${field}`, { text: String(constant) });
    else say('payee_type', typeof constant === 'string' ? constant : 'institution_name');
  }
  for (const [title, field] of fields) {
    const meanings = typeof field === 'string' ? values[field] : undefined;
    const leftOut = leftOutAnswers(mapping, title);
    if (meanings !== undefined || Object.keys(leftOut).length > 0)
      decisions.set(`values:${title}`, { values: { ...meanings, ...leftOut } });
  }
  for (const [title, words] of Object.entries(mapping.kept ?? {}))
    decisions.set(`values:${title}`, { values: Object.fromEntries(words.map((word) => [word, word])) });
  for (const [title, names] of Object.entries(repair)) {
    for (const name of names) decisions.set(`repair:${title}:${name}`, 'yes');
  }
  for (const [title, change] of saidOf(mapping)) decisions.set(idOfRefused(title, remembered), { change });
  for (const [title, codes] of Object.entries(mapping.asked ?? {})) {
    for (const code of codes) decisions.set(idOfRefused(title, code), 'wrong');
  }
  return decisions;
}

/** The answers about the words of each column. */
function saidOf({ dittoMarks = {}, units = {}, empty }: MappingFile): ReadonlyMap<string, RefusedChange> {
  const words = empty === undefined || Array.isArray(empty) ? {} : empty;
  const titles = new Set([dittoMarks, units, words].flatMap((section) => Object.keys(section)));
  return new Map(
    [...titles].map((title) => [
      title,
      {
        marks: dittoMarks[title] ?? [],
        units: units[title] ?? [],
        empty: words[title] ?? [],
      },
    ]),
  );
}

/** The use of each column of the file: one field, several, or `ignore`. */
function fieldsOf({
  columns = {},
  join = {},
  split = {},
  ignore = [],
  markedValues = {},
}: MappingFile): ReadonlyMap<string, string | readonly string[]> {
  return new Map<string, string | readonly string[]>([
    ...Object.entries(columns),
    ...Object.entries(join).flatMap(([field, titles]) =>
      titles.map((title): [string, string] => [title, field]),
    ),
    ...Object.entries(split).map(([title, { into }]): [string, readonly string[]] => [title, into]),
    ...ignore.map((title): [string, string] => [
      title,
      Object.hasOwn(markedValues, title) ? markedField : 'ignore',
    ]),
  ]);
}

function phoneCountryOf({ phoneCountry }: MappingFile): string | undefined {
  return typeof phoneCountry === 'object' ? `column:${phoneCountry.column}` : phoneCountry;
}

/** The decisions agreed to before, except those that an answer of this dialogue overrides. */
export function withRemembered(remembered: Decisions, answers: Decisions): Decisions {
  const changed = saidIn(answers.get('review:first')).columns ?? {};
  const all = new Map(remembered);
  for (const title of Object.keys(changed)) {
    // Its translations belonged to another field, so they no longer apply.
    for (const id of remembered.keys()) {
      if (
        id === `values:${title}` ||
        (/^(?:repair|refused):/.test(id) && id.slice(id.indexOf(':') + 1).startsWith(`${title}:`))
      )
        all.delete(id);
    }
  }
  // Another use of a column cancels the answers about its values, each time the reading is computed.
  for (const title of [...answers.values()].flatMap((answer) => Object.keys(saidIn(answer).columns ?? {})))
    for (const id of remembered.keys()) if (isOfMarkedValues(id, title)) all.delete(id);
  for (const [id, answer] of answers) all.set(id, answer);
  const columns = { ...saidIn(remembered.get('review:first')).columns, ...changed };
  if (Object.keys(columns).length > 0) all.set('review:first', { columns });
  for (const [id, answer] of answers) {
    const before = saidIn(remembered.get(id)).values;
    const now = saidIn(answer).values;
    if (before !== undefined && now !== undefined && all.has(id))
      all.set(id, { values: { ...before, ...now } });
  }
  return all;
}
