import type { Kind } from '../../domain/batches/batch.ts';
import { fieldTypes } from '../../resources/check/field-types.ts';
import type { FieldType } from '../../resources/definition.ts';
import { kinds, ruleOf } from '../../resources/registry.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An object's id: UUIDs name the same object in any case, other ids do not. */
export function canonicalId(text: string): string {
  return uuid.test(text) ? text.toLowerCase() : text;
}

/**
 * A field's value in its canonical form: an IBAN, a phone or an account number without spaces and hyphens,
 * an id of a customer in small letters. Anything else stays as it is.
 * @param kind what the batch holds; null for two files, whose fields are those of any kind
 */
export function canonicalValue(kind: Kind | null, field: string, text: string): string {
  const type = typeOf(kind, field);
  return type === undefined ? text : fieldTypes[type].canonical(text);
}

const types = new Map<string, FieldType | undefined>();

function typeOf(kind: Kind | null, field: string): FieldType | undefined {
  const name = `${kind ?? ''} ${field}`;
  if (!types.has(name)) {
    const rules = (kind === null ? kinds : [kind]).map((each) => ruleOf(each, field));
    types.set(name, rules.find((rule) => rule !== undefined)?.type);
  }
  return types.get(name);
}
