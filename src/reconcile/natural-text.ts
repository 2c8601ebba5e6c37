import type { Kind } from '../domain/kind.ts';
import type { NormalisedRecord } from '../domain/record.ts';
import { definitionFor } from '../resources/registry.ts';

/** The field that holds our own reference, by kind; the other kinds have none. */
export const referenceFields: Readonly<Record<Kind, string | null>> = {
  customers: 'external_id',
  accounts: null,
  recipients: null,
  collections: 'client_reference',
};

/**
 * What makes a record the same object, as one text: the fields that a mapping names, else the kind's own
 * natural key apart from our reference, which is matched by itself. Null when a part of it is empty.
 */
export function naturalTextOf(
  values: NormalisedRecord,
  kind: Kind | null,
  naturalKey: readonly string[] | undefined,
): string | null {
  if (naturalKey !== undefined) return complete(naturalKey.map((field) => values[field] ?? ''));
  if (kind === null) return null;
  const reference = referenceFields[kind];
  const others = Object.fromEntries(Object.entries(values).filter(([field]) => field !== reference));
  const payeeType = kind === 'recipients' ? (values['payee_type'] ?? '') : null;
  return complete(definitionFor(kind, payeeType)?.naturalKey(others) ?? []);
}

function complete(parts: readonly string[]): string | null {
  return parts.length === 0 || parts.some((part) => part === '') ? null : JSON.stringify(parts);
}
