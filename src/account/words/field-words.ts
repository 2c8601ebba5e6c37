/*
 * Kinds, fields and payee types in the words of people who know their files and not the API, in the order in which they think:
 * for pages and terminals.
 */

import { readFileSync } from 'node:fs';
import type { Kind } from '../../domain/batches/batch.ts';
import { countOf } from '../../domain/money/money.ts';
import { capital, fieldName } from '../../domain/settings/message.ts';
import { kindNamed } from '../../kinds/registry.ts';
import { valueName } from './mapping-words.ts';

/** The words for names of the API. */
export interface FieldWords {
  readonly kinds: Readonly<Record<string, string>>;
  readonly payeeTypes: Readonly<Record<string, string>>;
  /** By kind of rows, by the question that the fields answer: the words for each field. Both orders are those in which they are shown. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

const {
  kinds: kindWords,
  payeeTypes,
  fields,
}: FieldWords = JSON.parse(readFileSync(new URL('./field-words.json', import.meta.url), 'utf8'));

/** A group of fields that answer one question. */
interface FieldGroup {
  /** The question; null for fields that have no words of their own. */
  readonly title: string | null;
  readonly fields: readonly string[];
}

/** The given fields in groups, in the order in which they are shown. @param kind of the rows */
export function fieldGroups(kind: string, given: readonly string[]): readonly FieldGroup[] {
  const groups = Object.entries(fields[kind] ?? {}).map(([title, words]) => ({
    title,
    fields: Object.keys(words).filter((field) => given.includes(field)),
  }));
  const known = new Set(groups.flatMap((group) => group.fields));
  const others = { title: null, fields: given.filter((field) => !known.has(field)) };
  return [...groups, others].filter((group) => group.fields.length > 0);
}

/** Uses of columns that are no fields of a row. */
const otherUses: Readonly<Record<string, string>> = { marked_rows: 'its values say which rows are sent' };

/** A field in words: `your customer number`. */
export function fieldWord(kind: string, field: string): string {
  const found = Object.values(fields[kind] ?? {}).find((words) => Object.hasOwn(words, field));
  return found?.[field] ?? otherUses[field] ?? fieldName(field);
}

/** A field in words, with the API's name behind it: `your customer number (customer_external_id)`. */
export function namedField(kind: string, field: string): string {
  const word = fieldWord(kind, field);
  return word === field ? word : `${word} (${field})`;
}

/** What the rows of a kind are: `people and businesses who are paid`. */
export function kindWord(kind: string): string {
  return Object.hasOwn(kindWords, kind) ? (kindWords[kind] ?? kind) : kind;
}

/** The fields that a column is read as: `First name + last name`. @param ids separated by `+` */
export function fieldsWord(kind: string, ids: string): string {
  return capital(
    ids
      .split('+')
      .map((field) => fieldWord(kind, field))
      .join(' + '),
  );
}

/** A payee type, or another value of the API's own lists, in words. */
export function valueWord(field: string, value: string): string {
  return (field === 'payee_type' ? payeeTypeWord(value) : undefined) ?? valueName(value);
}

/** A payee type in words; undefined for a text that is none. */
export function payeeTypeWord(type: string): string | undefined {
  return Object.hasOwn(payeeTypes, type) ? payeeTypes[type] : undefined;
}

/** `1 collection`, `1,200 customers`. */
export function rowsOfKind(kind: Kind, rows: number): string {
  return countOf(rows, kindNamed(kind).singular);
}
