/* Reads the fields of a request body. A refusal names the wrong field. */

const MAX_TEXT_LENGTH = 255;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\uFFFD]/u;
const WORD = /^[a-z][a-z0-9_]{0,63}$/;

/** Reads a JSON value, or throws a Refusal that names the field. */
export type Reader<T> = (value: unknown, field: string) => T;

interface Field<T, R extends boolean> {
  readonly required: R;
  readonly read: Reader<T>;
}

export type Shape = Readonly<Record<string, Field<unknown, boolean>>>;

type ContentOf<F> =
  F extends Field<infer T, true> ? T : F extends Field<infer T, false> ? T | undefined : never;

export type Content<S extends Shape> = { readonly [K in keyof S]: ContentOf<S[K]> };

export function required<T>(read: Reader<T>): Field<T, true> {
  return { required: true, read };
}

export function optional<T>(read: Reader<T>): Field<T, false> {
  return { required: false, read };
}

/**
 * Reads an object that may have only the fields of its shape.
 *
 * @param path the object's own name followed by a dot, or '' for the body
 * @throws Refusal 400 for anything that the shape does not allow
 */
export function readObject<S extends Shape>(value: unknown, shape: S, path: string): Content<S> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const name = path === '' ? undefined : path.slice(0, -1);
    throw new Refusal(400, 'invalid_type', `${name ?? 'the body'} must be an object`, name);
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members)) {
    if (!Object.hasOwn(shape, name)) {
      throw new Refusal(400, 'unknown_field', `${path}${name} is not a field of this request`, path + name);
    }
  }
  const content: Record<string, unknown> = {};
  for (const name in shape) {
    const field = shape[name];
    if (field === undefined) continue;
    if (Object.hasOwn(members, name)) content[name] = field.read(members[name], path + name);
    else if (field.required) throw new Refusal(400, 'required', `${path}${name} is required`, path + name);
  }
  return content as Content<S>;
}

export function nested<S extends Shape>(shape: S): Reader<Content<S>> {
  return (value, field) => readObject(value, shape, `${field}.`);
}

/** A non-empty string, neither padded nor longer than 255 characters (code points). */
export const plainText: Reader<string> = (value, field) => {
  if (typeof value !== 'string') throw new Refusal(400, 'invalid_type', `${field} must be a string`, field);
  if (value.trim() === '') throw new Refusal(400, 'empty', `${field} must not be empty`, field);
  if (value.trim() !== value) {
    throw new Refusal(400, 'padded', `${field} must not begin or end with white space`, field);
  }
  if ([...value].length > MAX_TEXT_LENGTH) {
    throw new Refusal(400, 'too_long', `${field} is longer than ${MAX_TEXT_LENGTH} characters`, field);
  }
  if (UNPRINTABLE.test(value)) {
    throw new Refusal(400, 'invalid_characters', `${field} holds unprintable characters`, field);
  }
  return value;
};

/** A text with a certain form. @param description what the text has to be */
export function textField(
  form: RegExp | ((value: string) => boolean),
  code: string,
  description: string,
): Reader<string> {
  return (value, field) => {
    const written = plainText(value, field);
    const isRight = form instanceof RegExp ? form.test(written) : form(written);
    if (!isRight) throw new Refusal(400, code, `${field} must be ${description}`, field);
    return written;
  };
}

/** One value of a closed list, as in the specification. */
export function oneOf<const V extends string>(...values: readonly V[]): Reader<V> {
  return (value, field) => {
    const written = plainText(value, field);
    const known = values.find((candidate) => candidate === written);
    if (known === undefined) {
      throw new Refusal(400, 'invalid_value', `${field} must be ${values.join(' or ')}`, field);
    }
    return known;
  };
}

export const uuidText: Reader<string> = (value, field) => {
  const written = plainText(value, field);
  if (!isUuid(written)) throw new Refusal(400, 'invalid_uuid', `${field} must be a UUID`, field);
  return written.toLowerCase();
};

export const phone = textField(isPhone, 'invalid_phone', 'a phone number with a leading + and digits only');
export const email = textField(isEmail, 'invalid_email', 'an e-mail address');
export const date = textField(isDate, 'invalid_date', 'a calendar day, YYYY-MM-DD');
export const amount = textField(
  isPositiveAmount,
  'invalid_amount',
  'a positive decimal with at most two fraction digits',
);
export const country = textField(/^[A-Z]{2}$/, 'invalid_country', 'two capital letters (ISO 3166-1)');
export const currency = textField(/^[A-Z]{3}$/, 'invalid_currency', 'three capital letters (ISO 4217)');
/** A value of a list that the specification leaves open: any identifier in lower case. */
export const wordText = textField(WORD, 'invalid_value', 'an identifier in lower case');

const subdivision = textField(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'invalid_state', 'an ISO 3166-2 subdivision code');

function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, field) => (value === null ? null : read(value, field));
}

export const addressFields = {
  address_line1: required(plainText),
  address_line2: optional(nullable(plainText)),
  city: required(plainText),
  state: optional(nullable(subdivision)),
  country: required(country),
  postal_code: required(plainText),
};

/** @throws Refusal 422 if the subdivision and the address are in different countries */
export function requireStateOfCountry(address: { state?: string | null | undefined; country: string }): void {
  if (address.state && !address.state.startsWith(`${address.country}-`)) {
    refuse('state_mismatch', 'address.state lies in another country', 'address.state');
  }
}

type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 421 | 422 | 500;

/** The refusal of a request, with the status and the error object of its answer. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: RefusalStatus, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

/** Refuses the content of a request (422). */
export function refuse(code: string, message: string, field: string): never {
  throw new Refusal(422, code, message, field);
}

/** The body of an error answer: `{data: null, error: {code, message, field?}}`. */
export function errorBody(code: string, message: string, field?: string): string {
  return JSON.stringify({
    data: null,
    error: field === undefined ? { code, message } : { code, message, field },
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PHONE = /^\+[1-9]\d{6,14}$/;
const EMAIL = /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const IBAN = /^[A-Z]{2}(?!00|01|99)\d{2}[A-Z0-9]{11,30}$/;
const AMOUNT = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,2})?$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** E.164: a plus, then 7 to 15 digits without a leading zero and without separators. */
export function isPhone(text: string): boolean {
  return PHONE.test(text);
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/** A real calendar day, written YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/**
 * Checks the form, and the ISO 7064 mod-97 checksum with check digits from 02 to 98. Only capitals without spaces are
 * accepted.
 */
export function isIban(text: string): boolean {
  if (!IBAN.test(text)) return false;
  let remainder = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Nine digits and the weighted checksum of the American Bankers Association. */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1];
  const sum = weights.reduce((total, weight, place) => total + weight * Number(text[place]), 0);
  return sum !== 0 && sum % 10 === 0;
}

/** A positive plain decimal with at most two fraction digits. */
export function isPositiveAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}
