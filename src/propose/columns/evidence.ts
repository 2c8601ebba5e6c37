/*
 * The evidence of a column's values for a field: how well they fit, from 0 to 1. Single values are tested with the same
 * checks as in validation.
 */

import { plainReadingRules } from '../../domain/tables/mapping.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import type { FieldRule, FieldType } from '../../kinds/definition.ts';
import { hasAmountForm, isLongNumber, looksLikeAmount } from '../../kinds/fields/amount.ts';
import { withoutSigns } from '../../kinds/fields/column-profile.ts';
import { valueChecks } from '../../kinds/fields/field-types.ts';
import { countriesOfSubdivision, countriesWithSubdivisions } from '../../kinds/fields/places.ts';
import { isValueRefusal, noOtherValues } from '../../kinds/fields/value-text.ts';
import { hasMeanings, meaningOf } from '../../kinds/words-of-files.ts';
import { type Column, enoughValues, isDayInFigures, isDayWithWords, share } from '../sheet/column.ts';

/** The shares of a column's values that the ledger and the API's lists contain, from 0 to 1. */
export interface KnownShares {
  /** External ids of existing customers. */
  readonly customers: number;
  /** Names of institutions of the countries in question. */
  readonly institutions: number;
  /** Codes or BICs of institutions of that country. */
  readonly bankCodes: number;
}

export const nothingKnown: KnownShares = { customers: 0, institutions: 0, bankCodes: 0 };

const checks = valueChecks({ ...plainReadingRules, places: 'names' }, '9999-12-31');

function passes(type: FieldType, text: string): boolean {
  const result = checks(type)(text, undefined, noOtherValues);
  return typeof result === 'string' || !isValueRefusal(result);
}

/** The share of amounts that a column needs to be a possible amount. */
export const mostAmounts = 0.9;

/** Whether nearly all values of a column look like amounts. */
export function mayBeAmount(column: Column): boolean {
  return share(column, looksLikeAmount) >= mostAmounts;
}

/** Types whose values are recognisable by themselves. */
const distinctive = new Set('iban routing_number email uuid currency country'.split(' '));

export function isDistinctive(type: FieldType): boolean {
  return distinctive.has(type);
}

/** How well the values fit a field; 0 if no value can be a value of the field. */
export function valueScore(
  column: Column,
  rule: Pick<FieldRule, 'field' | 'type'>,
  known: KnownShares,
): number {
  if (column.cells.length === 0) return 0;
  const { field, type } = rule;
  if (field === 'customer_external_id') return Math.max(known.customers, 0.8 * codeLikeness(column));
  if (field === 'institution_name')
    return Math.max(known.institutions, 0.5 * nameLikeness(column) * fewValues(column));
  if (field === 'bank_name') return Math.max(0.7 * known.institutions, 0.7 * nameLikeness(column));
  return computedOnce(column, `${field} ${type}`, () => ownScore(column, rule));
}

/** The same for fields that nothing outside the file tells anything of. */
function ownScore(column: Column, { field, type }: Pick<FieldRule, 'field' | 'type'>): number {
  // Only its title identifies such a column. Values like `main` fit many other fields.
  if (field === 'destination_label') return 0;
  if (hasMeanings(field))
    return share(column, (text) => meaningOf(field, text) !== undefined) * fewValues(column);
  if (field === 'city') return 0.8 * nameLikeness(column);
  if (field === 'account_name') return nameLikeness(column) * severalValues(column);
  if (field === 'address_line1')
    return (
      share(column, (text) => hasLetters(text, 2)) * (0.5 + 0.5 * share(column, (text) => /\d/.test(text)))
    );
  if (field === 'postal_code')
    return (
      share(column, (text) => /^[\dA-Z][\dA-Z \-.]{1,9}$/i.test(text) && /\d/.test(text)) *
      (isRunning(column) ? 0.2 : 1)
    );
  if (field === 'address_line2' || field === 'label')
    return share(column, (text) => /\p{L}|\d/u.test(text) && !text.includes('@')) * 0.5;
  return typeScore(column, type);
}

const scores = new WeakMap<Column, Map<string, number>>();

/** A score of a column, which is asked for again with each kind, each payee type and each answer of a person. */
function computedOnce(column: Column, name: string, compute: () => number): number {
  const own = scores.get(column) ?? new Map<string, number>();
  scores.set(column, own);
  const score = own.get(name) ?? compute();
  own.set(name, score);
  return score;
}

const longestCode = 3;
const mostCodes = 12;
/** Unknown codes are weak evidence, and they are no evidence against the title. */
const scoreOfCodes = 0.3;

/**
 * How well a few short codes fit a field of few words, although no list explains them: `C`, `L` and `P` for kinds of
 * owners.
 */
export function codesScore({ values }: Column, { field }: Pick<FieldRule, 'field'>): number {
  const areCodes = values.length <= mostCodes && values.every(({ text }) => text.length <= longestCode);
  return areCodes && values.length > 1 && hasMeanings(field) ? scoreOfCodes : 0;
}

function typeScore(column: Column, type: FieldType): number {
  return computedOnce(column, type, () => countedTypeScore(column, type));
}

function countedTypeScore(column: Column, type: FieldType): number {
  switch (type) {
    case 'iban':
      return share(
        column,
        (text) => passes(type, text) || /^[A-Z]{2}\d{2}[\dA-Z \u00a0\u202f]{11,40}$/i.test(text),
      );
    case 'routing_number':
      return share(
        column,
        (text) => passes(type, text) || (/^\d{8}$/.test(text) && passes(type, `0${text}`)),
      );
    case 'phone':
      return isRunning(column) ? 0 : share(column, looksLikePhone);
    case 'amount':
      return isRunning(column) ? 0.1 : amountLikeness(column);
    case 'birth_date':
      return birthLikeness(column);
    case 'state':
      return stateShare(column).share;
    case 'account_number':
    case 'us_account_number':
      return isRunning(column)
        ? 0
        : share(column, (text) => /^(?=.*\d{3})[\dA-Z][\dA-Z \-./]{3,33}$/i.test(text)) *
            distinctness(column);
    case 'identifier':
    case 'postal_code':
      return codeLikeness(column);
    case 'text':
    case 'list':
      return nameLikeness(column);
    default:
      return share(column, (text) => passes(type, text));
  }
}

/** Seven to fifteen digits, written as people write phone numbers. */
function looksLikePhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  return (
    digits >= 7 &&
    digits <= 15 &&
    /^(?:\+|00)?[\d\s().\u00a0/\u2010-\u2015-]+$/u.test(text) &&
    !/\.\d\d$/.test(text)
  );
}

/**
 * Whether a text is a number after letters that are not a currency. Identifiers have this form: `po_00042`, `INV1042`.
 */
function isNumberedCode(text: string): boolean {
  const isCode = /^[^\d\s]*[\p{L}_#][^\d\s]*\d+$/u.test(text);
  // `#` also stands for the naira, but hardly before digits without groups.
  return isCode && (text.startsWith('#') || !looksLikeAmount(text));
}

/** The share of the values that are amounts. */
export function amountLikeness(column: Column): number {
  const numbers = share(column, (text) => hasAmountForm(text) && !isNumberedCode(text));
  const isLong = share(column, isLongNumber);
  return numbers * (1 - isLong);
}

/**
 * The share that counts as nearly all values. The few other values are exceptions, such as a total or a mistyped cell.
 */
const nearlyAll = 0.95;

/** The share of values that are numbers without a unit, a formula or a word. */
export function plainShare(column: Column): number {
  return share(column, (text) => /^[-(]?\d[\d\s.,'\u00a0\u202f]*\)?$/.test(text));
}

export function isPlainNumbers(column: Column): boolean {
  return plainShare(column) >= nearlyAll;
}

/** The year of a day of eight digits without signs: `19800305`, `05031980`; undefined for other texts. */
function yearWithoutSigns(text: string): string | undefined {
  const form = withoutSigns.find(([, own]) => own.test(text))?.[0];
  return form === undefined ? undefined : text.slice(form.indexOf('Y'), form.lastIndexOf('Y') + 1);
}

/** How many values look like dates of birth: these are in the past, most of them long ago. */
function birthLikeness(column: Column): number {
  const withSigns = /^\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{2,4}(?:\.| .*)?$/;
  const days = share(
    column,
    (text) => withSigns.test(text) || isDayWithWords(text) || yearWithoutSigns(text) !== undefined,
  );
  const years = column.values
    .flatMap(({ text }) => /(?:^|\D)((?:19|20)\d\d)(?:\D|$)/.exec(text)?.[1] ?? yearWithoutSigns(text) ?? [])
    .map(Number)
    .sort();
  const median = years[Math.floor(years.length / 2)];
  return days * (median === undefined || median < 2012 ? 1 : 0.2);
}

/** How many values look like codes of people and things: short, with digits, rarely repeated, and no days. */
export function codeLikeness(column: Column): number {
  if (isRunning(column)) return 0.1;
  const codes = share(
    column,
    (text) => /^[\p{L}\d][\p{L}\d \-./_]{0,30}$/u.test(text) && /\d/.test(text) && !isDayInFigures(text),
  );
  return codes * distinctness(column);
}

/** How many values look like names: letters and very few digits. */
function nameLikeness(column: Column): number {
  return share(column, (text) => hasLetters(text, 2) && !/\d{3}/.test(text) && text.length <= 120);
}

/** Fields whose values are words: names of people, banks and places. */
const fieldsOfWords: ReadonlySet<string> = new Set([
  ...['account_name', 'first_name', 'middle_name', 'last_name', 'bank_name', 'institution_name'],
  ...['address_line1', 'city'],
]);

/** Whether a column may be a field at all. Numbers are not names, although any text passes the check of a name. */
export function mayBeField(column: Column, field: string): boolean {
  return !fieldsOfWords.has(field) || share(column, (text) => /\p{L}/u.test(text)) >= 0.5;
}

/** The share of distinct values in the filled cells, from 0 to 1. */
function distinctness({ values, cells }: Column): number {
  return cells.length === 0 ? 0 : values.length / cells.length;
}

/** Lower for a column in which all rows have one of a few values: those are no names of payees. */
function severalValues({ values, cells }: Column): number {
  return values.length > fewestNames || values.length >= cells.length / rowsOfPayee ? 1 : 0.4;
}

const fewestNames = 5;
/** How many rows of one list a payee may have. */
const rowsOfPayee = 10;

/** 1 for a column of few values; lower for a column of more values. */
function fewValues({ values, cells }: Column): number {
  return values.length <= 60 || cells.length < 20 ? 1 : Math.max(0, 1 - values.length / cells.length);
}

/** Whether a column counts the rows: 1, 2, 3. */
export function isRunning({ cells }: Column): boolean {
  if (cells.length < 3) return false;
  const numbers = cells.map(({ text }) =>
    /^\d{1,7}\.?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN,
  );
  const steps = numbers
    .slice(1)
    .filter((number, index) => number - (numbers[index] ?? Number.NaN) === 1).length;
  return steps >= (cells.length - 1) * 0.8;
}

/** The country that has most of the values as its subdivisions, and their share. */
export function stateShare(
  column: Column,
  countries: readonly string[] = countriesWithSubdivisions(),
): {
  readonly country: string | undefined;
  readonly share: number;
} {
  let best: { country: string | undefined; share: number } = { country: undefined, share: 0 };
  if (share(column, (text) => /^\p{L}[\p{L} .'’-]*$/u.test(text)) < 0.7) return best;
  const values = column.values.slice(0, enoughValues);
  const all = values.reduce((sum, { rows }) => sum + rows, 0);
  const rowsOf = new Map<string, number>();
  for (const { text, rows } of values) {
    for (const country of countriesOfSubdivision(text))
      rowsOf.set(country, (rowsOf.get(country) ?? 0) + rows);
  }
  for (const country of countries) {
    const found = (rowsOf.get(country) ?? 0) / all;
    if (found > best.share) best = { country, share: found };
    // A few codes alone, such as NY, may be states of several countries, so they identify no country.
    else if (found > 0 && found === best.share) best = { country: undefined, share: found };
  }
  return best;
}
