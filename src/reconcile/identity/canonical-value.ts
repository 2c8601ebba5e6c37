/* When two values mean the same, whatever their writing. */

import type { Kind } from '../../domain/batches/batch.ts';
import { canonicalAmount } from '../../domain/money/money.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { fieldTypes } from '../../resources/check/field-types.ts';
import type { FieldType, ResourceDefinition } from '../../resources/definition.ts';
import { definitionsOf, kindNamed, kinds, ruleOf } from '../../resources/registry.ts';

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

/**
 * What makes a record the same object, as one text: the fields that a mapping names, else the natural key of
 * the kind or payee type apart from our reference, which is matched by itself. Null when a part of it is
 * empty that such records have.
 * @param values canonical values by field, and by role: `id`, `reference`, `amount`, `currency`, `date`
 */
export function naturalTextOf(
  values: NormalisedRecord,
  kind: Kind | null,
  naturalKey: readonly string[] | undefined,
): string | null {
  const referenceField = kind === null ? null : kindNamed(kind).referenceField;
  if (naturalKey !== undefined) {
    // An export has our reference by its role, whatever its column is called.
    return complete(
      naturalKey.map((field) => partOf(values, field === referenceField ? 'reference' : field)),
    );
  }
  if (kind === null) return null;
  const others = Object.fromEntries(Object.entries(values).filter(([field]) => field !== referenceField));
  const found = definitionsOf(kind).flatMap((definition) => ownKey(definition, others) ?? []);
  return found.length === 1 ? (found[0] ?? null) : null;
}

function partOf(values: NormalisedRecord, field: string): string {
  const value = values[field] ?? '';
  return field === 'amount' ? canonicalAmount(value) : value;
}

/**
 * The natural key by one definition; of recipients, by one payee type, which an export without that column
 * shows by what else it has. Parts that no row of the payee type has (the bank of an IBAN) are not asked for.
 */
function ownKey(definition: ResourceDefinition, values: NormalisedRecord): string | null {
  const { payeeType, naturalKey } = definition;
  const given = values['payee_type']?.toLowerCase();
  if (payeeType !== null && given !== undefined && given !== payeeType) return null;
  const key = naturalKey(payeeType === null ? values : { ...values, payee_type: payeeType });
  const possible = possibleParts(definition);
  return complete(key.filter((part, at) => part !== '' || possible[at] !== false));
}

const known = new Map<ResourceDefinition, readonly boolean[]>();

/** Which parts of the natural key a row can have at all. */
function possibleParts(definition: ResourceDefinition): readonly boolean[] {
  let parts = known.get(definition);
  if (parts === undefined) {
    const used = definition.rules.filter(({ presence }) => presence !== 'unused');
    const filled = Object.fromEntries(used.map(({ field }) => [field, field]));
    parts = definition.naturalKey(filled).map((part) => part !== '');
    known.set(definition, parts);
  }
  return parts;
}

function complete(parts: readonly string[]): string | null {
  return parts.length === 0 || parts.some((part) => part === '') ? null : JSON.stringify(parts);
}
