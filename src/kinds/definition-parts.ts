/*
 * The parts that definitions of several kinds are made of: the columns of a data file, how a row names its customer and an
 * account, the body of a request, and the fields of an answer.
 */

import { readFileSync } from 'node:fs';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { AnswerField, Echo, EchoKind, FieldRule, Presence, Reference } from './definition.ts';
import { namesOf } from './words-of-files.ts';

/** A column of a kind as its data file has it; `names` is its line in `column-names.json`. */
export interface ColumnData extends Omit<FieldRule, 'presence' | 'synonyms'> {
  readonly presence?: Presence;
  readonly names: string;
}

/** The columns of a kind in its data file: `customer` means the two columns that name the customer of a row. */
export type ColumnList = readonly (ColumnData | 'customer')[];

/** A column that several payee types share: each says whether it is required. */
export type Column = Omit<FieldRule, 'presence'>;

/** The columns of a kind. @param text of its data file, where each has a presence unless only `Column` is wanted */
export function columnsIn<Rule extends Column = FieldRule>(text: string): readonly Rule[] {
  const columns: ColumnList = JSON.parse(text);
  return columns
    .flatMap((column) => (column === 'customer' ? customerColumns : [column]))
    .map(({ names, ...rule }) => ({ ...rule, synonyms: namesOf(names) }) as Column as Rule);
}

/** The two columns that name the customer of a row; either one is enough. */
const customerColumns: readonly ColumnData[] = JSON.parse(
  readFileSync(new URL('./customer-columns.json', import.meta.url), 'utf8'),
);

export const customerReference: Reference = {
  kind: 'customers',
  fills: 'customer_id',
  field: 'customer_external_id',
  unknownCode: 'customer_unknown',
  handle: (record) => record['customer_external_id'],
};

/** An account as it is compared with others: programs write the same number with hyphens, blanks, dots or slashes, or without. */
export function accountKey(account: string): string {
  return account.replace(/[\s.\-\u2010-\u2015/]/gu, '');
}

/** The customer in keys and handles: the id, or the external id until the id is known. */
export function customerKey(record: NormalisedRecord): string | undefined {
  const { customer_id: id, customer_external_id: externalId } = record;
  if (id !== undefined) return id;
  return externalId === undefined ? undefined : `external:${externalId}`;
}

/** The name by which rows refer to an account: its label is unique only within its customer. */
export function accountHandle(record: NormalisedRecord, label: string | undefined): string | undefined {
  const customer = customerKey(record);
  return customer === undefined || label === undefined ? undefined : JSON.stringify([customer, label]);
}

/**
 * The named fields that have a value, in that order. Empty fields are left out of a request: neither an empty
 * string nor null is sent, although an address's second line and state may be null, since leaving them
 * out means the same without relying on how null is read.
 */
export function fieldsOf(record: NormalisedRecord, fields: readonly string[]): Record<string, string> {
  const body: Record<string, string> = {};
  for (const field of fields) {
    const value = record[field];
    if (value !== undefined && value !== '') body[field] = value;
  }
  return body;
}

/** The nested address, or nothing at all when none of its fields has a value. */
export function addressOf(
  record: NormalisedRecord,
  fields: readonly string[],
): { readonly address?: Record<string, string> } {
  const address = fieldsOf(record, fields);
  return Object.keys(address).length === 0 ? {} : { address };
}

/** Fields of text that are always present. */
export function textFields(...paths: readonly string[]): readonly AnswerField[] {
  return paths.map((path) => ({ path, type: 'text' }));
}

/** Echoes of fields that the answer repeats under their own names. */
export function echoesOf(fields: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return Object.entries(fields).map(([field, as]) => ({ field, as }));
}
