/* The content of an answer: the id of the object, facts about it, and whether the repeated fields match the request. */

import { compareDecimals, parseNumberText } from '../domain/money/money.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { FactColumn, ObjectFacts } from '../domain/rows/result-row.ts';
import { memberOf, valueAtPath } from '../domain/sending/answer.ts';
import type { AnswerDifference, CreationReading } from '../domain/sending/outcome.ts';
import { foldName, isAtMost } from '../domain/text/characters.ts';
import type {
  AnswerField,
  AnswerReading,
  AnswerSettings,
  Echo,
  EchoKind,
  InstitutionName,
  ResourceDefinition,
} from './definition.ts';

const idLengthLimit = 255;

/**
 * Characters that no id contains and that no database or workbook stores. Two ids that differ only in these would become
 * equal.
 */
const unkept = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** An id is text of 1 to 255 printable characters; an exact whole number is read as its digits. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string' || value.trim() === '' || !isAtMost(value, idLengthLimit)) return undefined;
  return unkept.test(value) ? undefined : value;
}

/** The id at the first path with a usable id, and the object that contains it. */
function readIdAt(json: unknown, paths: readonly string[]): AnswerReading {
  for (const path of paths) {
    const id = idOf(valueAtPath(json, path));
    if (id === undefined) continue;
    const end = path.lastIndexOf('.');
    return { id, object: end < 0 ? json : valueAtPath(json, path.slice(0, end)) };
  }
  return { id: undefined, object: undefined };
}

type ReadAnswer = ResourceDefinition['readAnswer'];

/**
 * Accounts and recipients: the answer is an envelope with the object under `data`, and with `error`, which is null on
 * success.
 */
export const readEnvelope: ReadAnswer = (json) => readIdAt(json, ['data.id']);

/** Collections: the answer is the object itself. */
export const readCollection: ReadAnswer = (json) => readIdAt(json, ['transaction_id']);

/** Customers: the answer is not specified, so the settings state where its id may be. */
export const readCustomer: ReadAnswer = (json, settings) => readIdAt(json, settings.customerIdPaths);

/** The column of a field. There is one column, whatever the field contains. */
function columnOf({ path, type }: AnswerField): FactColumn {
  return { name: path.replaceAll('[]', ''), isMarkup: type === 'markup' };
}

/** The columns for the objects of some definitions, in the specification's order, without repetitions. */
export function factColumns(definitions: readonly ResourceDefinition[]): readonly FactColumn[] {
  const columns = definitions.flatMap(({ answerFields }) => answerFields.map(columnOf));
  return columns.filter(({ name }, index) => columns.findIndex((other) => other.name === name) === index);
}

/**
 * Reads the facts about an object from an answer. It throws no errors and decides nothing: a deviation from the
 * specification becomes a note.
 * @param record the row's record, to find fields with other names
 * @returns null if the answer is no JSON that contains an object
 */
export function readFacts(
  definition: ResourceDefinition,
  record: NormalisedRecord,
  answer: string,
  settings: AnswerSettings,
): ObjectFacts | null {
  const object = objectIn(definition, answer, settings);
  if (object === undefined) return null;
  const values: Record<string, string> = {};
  const notes: string[] = [];
  for (const field of definition.answerFields) {
    const { name } = columnOf(field);
    const found = foundAt(object, field.path.split('.'), field.path.includes('[]'));
    const { text, note } = cellOf(field, name, found);
    if (text !== undefined) values[name] = text;
    if (note !== undefined) notes.push(note);
  }
  return { values, notes: [...notes, ...namedDifferently(definition, record, object)] };
}

function objectIn(definition: ResourceDefinition, answer: string, settings: AnswerSettings): unknown {
  try {
    return definition.readAnswer(JSON.parse(answer), settings).object;
  } catch {
    return undefined;
  }
}

/** The values at a path: all elements of a list, or one value; `undefined` if a step of the path is missing. */
type Found = { readonly list: readonly unknown[] } | { readonly value: unknown };

function foundAt(object: unknown, steps: readonly string[], isList: boolean): Found {
  let values: unknown[] = [object];
  for (const step of steps) {
    const name = step.replace('[]', '');
    // A part of a missing value is missing as well.
    values = values.map((value) => (value === null ? null : memberOf(value, name)));
    if (!step.endsWith('[]')) continue;
    const [list] = values;
    if (!Array.isArray(list)) return { value: list === undefined || list === null ? list : {} };
    values = list;
  }
  return isList ? { list: values } : { value: values[0] };
}

interface Cell {
  readonly text?: string;
  readonly note?: string;
}

function cellOf(field: AnswerField, name: string, found: Found): Cell {
  if ('list' in found) {
    const cells = found.list.map((value) => singleCell(field, name, value));
    const note = cells.find((cell) => cell.note !== undefined)?.note;
    return { text: cells.map(({ text = '' }) => text).join('; '), ...(note === undefined ? {} : { note }) };
  }
  return singleCell(field, name, found.value);
}

function singleCell(field: AnswerField, name: string, value: unknown): Cell {
  const { type, isNullable = false, isOptional = false, usual } = field;
  if (value === undefined) return isOptional ? {} : { note: `${name} is missing in the answer` };
  if (value === null) return isNullable ? {} : { note: `${name} is null in the answer` };
  const wanted = type === 'integer' ? 'a whole number' : 'text';
  const wrong = `${name} is not ${wanted} in the answer`;
  if (typeof value === 'object') return { note: wrong };
  const text = String(value);
  const isAsSpecified = type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'string';
  if (!isAsSpecified) return { text, note: wrong };
  if (usual === undefined || usual.includes(text)) return { text };
  return { text, note: `${name} is "${text}", where ${usual.join(' or ')} is usual` };
}

/**
 * Whether the answer has another name for the account than the one that was sent. Institutions may use another name, so this
 * is no contradiction, but it gets a note.
 */
function namedDifferently(
  { answerFields }: ResourceDefinition,
  record: NormalisedRecord,
  object: unknown,
): string[] {
  if (!answerFields.some(({ path }) => path === 'account_name')) return [];
  const { differing } = compareEchoes([{ field: 'account_name', as: 'name' }], record, object);
  return differing.map(() => 'name_differs: account_name came back as another name than was sent');
}

/** The result of comparing an answer with the sent fields. */
export interface EchoComparison {
  /** Fields whose value in the answer differs. */
  readonly differing: readonly (Echo & { readonly sent: string; readonly answered: string })[];
  /** Fields that were sent, and that the answer does not contain, or not as text. */
  readonly missing: readonly string[];
}

/**
 * Compares an answer about an object with the data that was sent for it. Another spelling is not a difference. A field that
 * is missing in the answer, or has another form, is not a difference either.
 * @param sent the request's parsed body
 * @param object the answer's JSON of the object
 * @param institutionName if absent, names of institutions are not compared
 */
export function compareEchoes(
  echoes: readonly Echo[],
  sent: unknown,
  object: unknown,
  institutionName?: InstitutionName,
): EchoComparison {
  const differing: (Echo & { sent: string; answered: string })[] = [];
  const missing: string[] = [];
  for (const { field, as, institutionIn } of echoes) {
    const asked = memberOf(sent, institutionIn ?? field);
    const isId = institutionIn !== undefined && typeof asked === 'string';
    const own = isId ? institutionName?.(asked) : asked;
    if (typeof own !== 'string') continue;
    const theirs = memberOf(object, field);
    if (own === theirs) continue;
    const agrees = isScalar(theirs) ? isSame(own, theirs, as) : undefined;
    if (agrees === undefined) missing.push(field);
    else if (!agrees) differing.push({ field, as, sent: own, answered: String(theirs) });
  }
  return { differing, missing };
}

/**
 * The content of a 2xx answer, with its contradictions to the request, in a form that is safe to show.
 * @param body the request's bytes, which are JSON
 */
export function readCreation(
  echoes: readonly Echo[],
  body: Buffer,
  reading: AnswerReading,
  institutionName?: InstitutionName,
): CreationReading {
  const { id, object } = reading;
  // Parsing the request's body takes as long as reading the answer, so it is done only if needed.
  if (id === undefined || !echoes.some(({ field }) => memberOf(object, field) !== undefined)) return { id };
  const { differing } = compareEchoes(echoes, JSON.parse(body.toString('utf8')), object, institutionName);
  return differing.length === 0 ? { id } : { id, differences: differing.map(shownDifference) };
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Undefined if the answer's value cannot be compared. */
function isSame(own: string, theirs: string | number, as: EchoKind): boolean | undefined {
  if (as === 'amount') {
    const [left, right] = [amountIn(own), amountIn(String(theirs))];
    return left === undefined || right === undefined ? undefined : compareDecimals(left, right) === 0;
  }
  const [left, right] = [plain(own, as), plain(String(theirs), as)];
  if (left === right) return true;
  // A JSON number cannot have leading zeros.
  return typeof theirs === 'number' && left.replace(/^0+/, '') === right;
}

function amountIn(text: string): ReturnType<typeof parseNumberText> {
  return parseNumberText(
    text
      .replace(/\s/gu, '')
      .replace(/^\+/, '')
      .replace(/^(-?)0+(?=\d)/, '$1'),
  );
}

/** A value without differences of spelling. */
function plain(text: string, as: Exclude<EchoKind, 'amount'>): string {
  const lower = text.normalize('NFC').toLowerCase();
  switch (as) {
    case 'text':
      return lower.trim().replace(/\s+/gu, ' ');
    case 'name':
      return foldName(text).replace(/[^\p{L}\p{N}]/gu, '');
    case 'code':
      return lower.replace(/\s/gu, '');
    case 'uuid':
    case 'account':
      return lower.replace(/[\s\p{Pd}+./()]/gu, '');
    case 'phone':
      return lower.replace(/[\s\p{Pd}+./()]/gu, '').replace(/^00/, '');
  }
}

function shownDifference({
  field,
  as,
  sent,
  answered,
}: EchoComparison['differing'][number]): AnswerDifference {
  return { field, sent: shownValue(sent, as), answered: shownValue(answered, as) };
}

const publicForms: Readonly<Partial<Record<EchoKind, RegExp>>> = {
  amount: /^[\d.+-]{1,40}$/,
  code: /^[a-z][a-z_-]{0,31}$/i,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  name: /^\p{L}[\p{L}\p{M} .,&'’()/-]{0,79}$/u,
};

/** Values that may be personal, or that have an unexpected form, are masked except for their end. */
function shownValue(value: string, as: EchoKind): string {
  return publicForms[as]?.test(value) === true ? value : `***${value.slice(-2).replace(/\p{C}/gu, '')}`;
}
