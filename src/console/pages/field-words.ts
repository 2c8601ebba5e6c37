/* Fields and payee types in the words of people who know their files and not the API, in the order in which they think. */

import { readFileSync } from 'node:fs';
import { type Html, html } from '../../account/report/page.ts';
import { fieldName, valueName } from '../../account/words/mapping-words.ts';
import { capital } from '../../domain/settings/message.ts';
import { dataOf } from '../../domain/text/data-file.ts';

/** The words of pages for names of the API. */
export interface FieldWords {
  readonly payeeTypes: Readonly<Record<string, string>>;
  /** By kind of rows, by the question that the fields answer: the words for each field. Both orders are those of the pages. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

const { payeeTypes, fields } = dataOf<FieldWords>(
  readFileSync(new URL('./field-words.json', import.meta.url), 'utf8'),
);

/** A group of fields that answer one question. */
export interface FieldGroup {
  /** The question; null for fields that have no words of their own. */
  readonly title: string | null;
  readonly fields: readonly string[];
}

/** The given fields in groups, in the order of the pages. @param kind of the rows */
export function fieldGroups(kind: string, given: readonly string[]): readonly FieldGroup[] {
  const groups = Object.entries(fields[kind] ?? {}).map(([title, words]) => ({
    title,
    fields: Object.keys(words).filter((field) => given.includes(field)),
  }));
  const known = new Set(groups.flatMap((group) => group.fields));
  const others = { title: null, fields: given.filter((field) => !known.has(field)) };
  return [...groups, others].filter((group) => group.fields.length > 0);
}

/** A field in the words of pages: `your customer number`. */
export function fieldWord(kind: string, field: string): string {
  const found = Object.values(fields[kind] ?? {}).find((words) => Object.hasOwn(words, field));
  return found?.[field] ?? fieldName(field);
}

/** A text in which the API's names of fields stand in the words of pages, each with its name small beside it. */
export function withFieldWords(kind: string, text: string): readonly (string | Html)[] {
  const own = fields[kind] ?? {};
  const isField = (part: string): boolean => Object.values(own).some((words) => Object.hasOwn(words, part));
  return text
    .split(/\b([a-z]+(?:_[a-z]+)+)\b/)
    .map((part) =>
      isField(part) ? html`"${fieldWord(kind, part)}" <small><code>${part}</code></small>` : part,
    );
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

/** A payee type, or another value of the API's own lists, in the words of pages. */
export function valueWord(field: string, value: string): string {
  return (field === 'payee_type' ? payeeTypeWord(value) : undefined) ?? valueName(value);
}

/** A payee type in the words of pages; undefined for a text that is none. */
export function payeeTypeWord(type: string): string | undefined {
  return Object.hasOwn(payeeTypes, type) ? payeeTypes[type] : undefined;
}
