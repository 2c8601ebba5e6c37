import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { FactColumn, ObjectFacts } from '../domain/rows/object-facts.ts';
import { memberOf } from '../domain/sending/answer.ts';
import type { AnswerField, AnswerSettings, ResourceDefinition } from './definition.ts';
import { compareEchoes } from './echo.ts';

/** Fields of text that are always there. */
export function textFields(...paths: readonly string[]): readonly AnswerField[] {
  return paths.map((path) => ({ path, type: 'text' }));
}

/** The columns that a field gives: one, whatever it holds. */
function columnOf({ path, type }: AnswerField): FactColumn {
  return { name: path.replaceAll('[]', ''), isMarkup: type === 'markup' };
}

/** The columns of the objects of some definitions, in the specification's order, each once. */
export function factColumns(definitions: readonly ResourceDefinition[]): readonly FactColumn[] {
  const columns = definitions.flatMap(({ answerFields }) => answerFields.map(columnOf));
  return columns.filter(({ name }, index) => columns.findIndex((other) => other.name === name) === index);
}

/**
 * Reads what an answer says about its object. Nothing here throws or decides anything: what is not as specified
 * is a note.
 * @param record the row's own, to find what was named differently
 * @returns null when the answer is no JSON that holds an object
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

/** What stands at a path: the values of all elements of a list, else one; `undefined` where a step is missing. */
type Found = { readonly list: readonly unknown[] } | { readonly value: unknown };

function foundAt(object: unknown, steps: readonly string[], isList: boolean): Found {
  let values: unknown[] = [object];
  for (const step of steps) {
    const name = step.replace('[]', '');
    // What stands in nothing is nothing as well.
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

/** Institutions may know an account under another name than was sent: no contradiction, but worth knowing. */
function namedDifferently(
  { answerFields }: ResourceDefinition,
  record: NormalisedRecord,
  object: unknown,
): string[] {
  if (!answerFields.some(({ path }) => path === 'account_name')) return [];
  const { differing } = compareEchoes([{ field: 'account_name', as: 'name' }], record, object);
  return differing.map(() => 'name_differs: account_name came back as another name than was sent');
}
