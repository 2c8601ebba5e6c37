import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';

/**
 * The named fields that have a value, in that order. Empty ones are absent from a request: never an empty
 * string, and no null either, although an address's second line and state may be null, since leaving them
 * out says the same without relying on how null is read.
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
