import { valueAtPath } from '../domain/sending/answer.ts';
import { isAtMost } from '../domain/text/characters.ts';
import type { AnswerReading, AnswerSettings } from './definition.ts';

const idLengthLimit = 255;

/** What no id has, and no database or workbook keeps as it is: two ids that differ in it would become one. */
const unkept = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** An id is text of 1 to 255 printable characters; a whole number that is exact is taken as its digits. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string' || value.trim() === '' || !isAtMost(value, idLengthLimit)) return undefined;
  return unkept.test(value) ? undefined : value;
}

/** The id at the first of the paths that has a usable one, and the object around it. */
function readIdAt(json: unknown, paths: readonly string[]): AnswerReading {
  for (const path of paths) {
    const id = idOf(valueAtPath(json, path));
    if (id !== undefined) return { id, object: objectAround(json, path) };
  }
  return { id: undefined, object: undefined };
}

function objectAround(json: unknown, path: string): unknown {
  const end = path.lastIndexOf('.');
  return end < 0 ? json : valueAtPath(json, path.slice(0, end));
}

/** Accounts and recipients answer in an envelope: the object under `data`, and `error`, null on success. */
export function readEnvelope(json: unknown): AnswerReading {
  return readIdAt(json, ['data.id']);
}

/** Collections answer with a bare object. */
export function readCollection(json: unknown): AnswerReading {
  return readIdAt(json, ['transaction_id']);
}

/** A customer's answer is not specified, so the settings say where its id may stand. */
export function readCustomer(json: unknown, settings: AnswerSettings): AnswerReading {
  return readIdAt(json, settings.customerIdPaths);
}
