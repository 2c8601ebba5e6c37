import { isDate, isEmail, isPhone, isPositiveAmount, isUuid } from './formats.ts';
import { Refusal } from './refusal.ts';

const MAX_TEXT_LENGTH = 255;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\uFFFD]/u;
const WORD = /^[a-z][a-z0-9_]{0,63}$/;

/** Takes a JSON value apart, or throws the Refusal that names the field. */
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
 * Reads an object that may hold the fields of its shape and no others.
 *
 * @param path the object's own name with a dot behind it, or '' for the body
 * @throws Refusal 400 for anything else than the shape allows
 */
export function readObject<S extends Shape>(value: unknown, shape: S, path: string): Content<S> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const name = path === '' ? undefined : path.slice(0, -1);
    throw new Refusal(400, 'invalid_type', `${name ?? 'the body'} must be an object`, name);
  }
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(shape, name)) {
      throw new Refusal(400, 'unknown_field', `${path}${name} is not a field of this request`, path + name);
    }
  }
  const content: Record<string, unknown> = {};
  for (const name in shape) {
    const field = shape[name];
    if (field === undefined) continue;
    if (Object.hasOwn(given, name)) content[name] = field.read(given[name], path + name);
    else if (field.required) throw new Refusal(400, 'required', `${path}${name} is required`, path + name);
  }
  return content as Content<S>;
}

export function nested<S extends Shape>(shape: S): Reader<Content<S>> {
  return (value, field) => readObject(value, shape, `${field}.`);
}

/** A string with something in it, neither padded nor longer than 255 characters (code points). */
export const text: Reader<string> = (value, field) => {
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

export function textOf(
  isRight: (value: string) => boolean,
  code: string,
  description: string,
): Reader<string> {
  return (value, field) => {
    const written = text(value, field);
    if (!isRight(written)) throw new Refusal(400, code, `${field} must be ${description}`, field);
    return written;
  };
}

/** One of a closed list of values, as the specification has shown them. */
export function oneOf<const V extends string>(...values: readonly V[]): Reader<V> {
  return (value, field) => {
    const written = text(value, field);
    const known = values.find((candidate) => candidate === written);
    if (known === undefined) {
      throw new Refusal(400, 'invalid_value', `${field} must be ${values.join(' or ')}`, field);
    }
    return known;
  };
}

export const uuid: Reader<string> = (value, field) => {
  const written = text(value, field);
  if (!isUuid(written)) throw new Refusal(400, 'invalid_uuid', `${field} must be a UUID`, field);
  return written.toLowerCase();
};

export const phone = textOf(isPhone, 'invalid_phone', 'a phone number with a leading + and digits only');
export const email = textOf(isEmail, 'invalid_email', 'an e-mail address');
export const date = textOf(isDate, 'invalid_date', 'a calendar day, YYYY-MM-DD');
export const amount = textOf(
  isPositiveAmount,
  'invalid_amount',
  'a positive decimal with at most two fraction digits',
);
export const country = textOf(
  (value) => /^[A-Z]{2}$/.test(value),
  'invalid_country',
  'two capital letters (ISO 3166-1)',
);
export const currency = textOf(
  (value) => /^[A-Z]{3}$/.test(value),
  'invalid_currency',
  'three capital letters (ISO 4217)',
);
/** A value of a set that the specification leaves open: any identifier in lower case. */
export const word = textOf((value) => WORD.test(value), 'invalid_value', 'an identifier in lower case');

const subdivision = textOf(
  (value) => /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(value),
  'invalid_state',
  'an ISO 3166-2 subdivision code',
);

function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, field) => (value === null ? null : read(value, field));
}

export const addressFields = {
  address_line1: required(text),
  address_line2: optional(nullable(text)),
  city: required(text),
  state: optional(nullable(subdivision)),
  country: required(country),
  postal_code: required(text),
};

/** @throws Refusal 422 when the subdivision lies in another country than the address */
export function checkStateOfCountry(address: { state?: string | null | undefined; country: string }): void {
  if (address.state && !address.state.startsWith(`${address.country}-`)) {
    throw new Refusal(422, 'state_mismatch', 'address.state lies in another country', 'address.state');
  }
}
