/*
 * Parts that the definitions of several kinds share: the columns of a data file, how a row names its customer and an
 * account, the body of a request, and the fields that an answer repeats.
 */

import { readFileSync } from 'node:fs';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { Echo, EchoKind, FieldRule, Presence, Reference } from './definition.ts';
import { namesOf } from './words-of-files.ts';

/** A column of a kind as stored in its data file; `names` is its line in `column-names.json`. */
export interface ColumnData extends Omit<FieldRule, 'presence' | 'synonyms'> {
  readonly presence?: Presence;
  readonly names: string;
}

/** The columns of a kind in its data file. `customer` stands for the two columns that name the customer of a row. */
export type ColumnList = readonly (ColumnData | 'customer')[];

/** A column that several payee types share. Each payee type states whether it is required. */
export type Column = Omit<FieldRule, 'presence'>;

/**
 * The columns of a kind.
 * @param text the text of its data file; each column has a presence unless only `Column` is wanted
 */
export function columnsIn<Rule extends Column = FieldRule>(text: string): readonly Rule[] {
  const columns: ColumnList = JSON.parse(text);
  return columns
    .flatMap((column) => (column === 'customer' ? customerColumns : [column]))
    .map(({ names, ...rule }) => ({ ...rule, synonyms: namesOf(names) }) as Column as Rule);
}

/** The two columns that name the customer of a row. One of them is enough. */
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

/**
 * An account number in the form for comparison. Programs write the same number with or without hyphens, blanks, dots or
 * slashes.
 */
export function accountKey(account: string): string {
  return account.replace(/[\s.\-\u2010-\u2015/]/gu, '');
}

/** The customer in keys and handles: the id, or the external id as long as the id is unknown. */
export function customerKey(record: NormalisedRecord): string | undefined {
  const { customer_id: id, customer_external_id: externalId } = record;
  if (id !== undefined) return id;
  return externalId === undefined ? undefined : `external:${externalId}`;
}

/**
 * The name by which rows refer to an account. It includes the customer, because a label is unique only within its customer.
 */
export function accountHandle(record: NormalisedRecord, label: string | undefined): string | undefined {
  const customer = customerKey(record);
  return customer === undefined || label === undefined ? undefined : JSON.stringify([customer, label]);
}

/**
 * The named fields that have a value, in that order. Empty fields are omitted from a request: neither an empty string nor
 * null is sent. For an address's second line and state null is allowed, but omitting them means the same, and does not
 * depend on how null is read.
 */
export function fieldsOf(record: NormalisedRecord, fields: readonly string[]): Record<string, string> {
  const body: Record<string, string> = {};
  for (const field of fields) {
    const value = record[field];
    if (value !== undefined && value !== '') body[field] = value;
  }
  return body;
}

/** The nested address; nothing if none of its fields has a value. */
export function addressOf(
  record: NormalisedRecord,
  fields: readonly string[],
): { readonly address?: Record<string, string> } {
  const address = fieldsOf(record, fields);
  return Object.keys(address).length === 0 ? {} : { address };
}

/** Echoes of fields that the answer repeats under their own names. */
export function echoesOf(fields: Readonly<Record<string, EchoKind>>): readonly Echo[] {
  return Object.entries(fields).map(([field, as]) => ({ field, as }));
}
