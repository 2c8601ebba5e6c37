import type { Echo } from './definition.ts';

/** Echoes of fields that the answer repeats under their own names, inside `envelope` or, when null, at its top. */
export function echoesOf(envelope: string | null, fields: readonly string[]): readonly Echo[] {
  return fields.map((field) => ({
    sent: field,
    answered: envelope === null ? field : `${envelope}.${field}`,
    field,
    as: field === 'amount' ? 'amount' : 'text',
  }));
}
