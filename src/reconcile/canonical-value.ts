import { type Kind, kinds } from '../domain/kind.ts';
import { formatDecimal, parseDecimal, withoutTrailingZeros } from '../domain/money.ts';
import { readPhone } from '../resources/check/phone.ts';
import type { FieldType } from '../resources/definition.ts';
import { ruleOf } from '../resources/registry.ts';

/** An amount without zeros at the end of its fraction, so that equal ones are the same text. */
export function canonicalAmount(text: string): string {
  const value = parseDecimal(text);
  return value === undefined ? text : formatDecimal(withoutTrailingZeros(value));
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An object's id: UUIDs name the same object in any case, other ids do not. */
export function canonicalId(text: string): string {
  return uuid.test(text) ? text.toLowerCase() : text;
}

const spaces = /\s/g;
const spacesAndHyphens = /[\s\p{Pd}]/gu;

/** A value in the one form in which both sides are compared: as validation writes it, where it has a form. */
function canonicalOf(type: FieldType | undefined, text: string): string {
  switch (type) {
    case 'iban':
      return text.replace(spacesAndHyphens, '').toUpperCase();
    case 'phone':
      return readPhone(text)?.e164 ?? text.replace(spaces, '');
    case 'account_number':
    case 'us_account_number':
    case 'routing_number':
      return text.replace(spacesAndHyphens, '');
    case 'uuid':
      return text.toLowerCase();
    case 'country':
    case 'currency':
    case 'state':
      return text.toUpperCase();
    case 'amount':
      return canonicalAmount(text);
    default:
      return text;
  }
}

/**
 * A field's value in its canonical form: an IBAN, a phone or an account number without spaces and hyphens,
 * an id of a customer in small letters. Anything else stays as it is.
 * @param kind what the batch holds; null for two files, whose fields are those of any kind
 */
export function canonicalValue(kind: Kind | null, field: string, text: string): string {
  return canonicalOf(typeOf(kind, field), text);
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
