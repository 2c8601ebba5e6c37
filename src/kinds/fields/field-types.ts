/* The types of fields, and how values of each type are checked, masked and shown. */

import { canonicalAmount } from '../../domain/money/money.ts';
import { readAs } from '../../domain/rows/finding.ts';
import { say, type ValuePart } from '../../domain/settings/message.ts';
import type { ReadingRules } from '../../domain/tables/mapping.ts';
import type { TemplateColumn } from '../../domain/tables/table.ts';
import { isAtMost } from '../../domain/text/characters.ts';
import type { FieldType } from '../definition.ts';
import { checkAmountInCurrency, createAmountCheck } from './amount.ts';
import { checkIban, checkRoutingNumber } from './bank-numbers.ts';
import { checkCurrency } from './currency.ts';
import { createBirthDateCheck } from './days.ts';
import { checkPhone, readPhone } from './phone.ts';
import { checkStateOfCountry, createCountryCheck, createStateCheck } from './places.ts';
import { postalCodeForm } from './postal-codes.ts';
import { maskedValue, passedValue, shownValue, type ValueCheck, type ValueResult } from './value-text.ts';

/** All properties of a type of value. A type that lacks one of them does not compile. */
interface FieldTypeRules {
  /**
   * Makes the check for values that are not empty.
   * @param today YYYY-MM-DD in UTC
   */
  readonly createCheck: (reading: ReadingRules, today: string) => ValueCheck;
  /** Whether messages show only its last characters, because it identifies a person or a person's account. */
  readonly isMasked: boolean;
  /** Whether every digit matters, so that any change of a number by a spreadsheet is harmful. */
  readonly isIdentifier: boolean;
  /** The form in which values of two systems are compared: the form after validation, if there is one. */
  readonly canonical: (text: string) => string;
  /** The cell format of a template's column. */
  readonly content: TemplateColumn['content'];
  /** The other field with which a value is checked a second time. */
  readonly dependsOn: { readonly field: string; readonly check: DependentValueCheck } | null;
}

/** Checks a value together with the value of another field in its row. */
export type DependentValueCheck = (value: string, other: string) => ValueResult;

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

function checkUuid(text: string): ValueResult {
  if (uuid.test(text)) return text.toLowerCase();
  const message = say`${shownValue(text)} is not a UUID, such as 3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94`;
  return { code: 'invalid_uuid', message };
}

/** Digits in groups, as people read numbers aloud. */
const groupedDigits = /^\d+(?:[ \u00a0\u202f]\d+)+$/;

/** A word that stands apart: `0123456789 (closed)`, `savings 0123456789`. Codes of products (`SB/01/000123`) are no words. */
const hasWord = /(?:^|[\s([{:;,])\p{L}{3,}(?=$|[\s)\]}:;,.])/u;

/** The form of account numbers differs between banks, but a word is never an account number, nor a part of one. */
function checkAccountNumber(text: string): ValueResult {
  if (groupedDigits.test(text)) {
    const value = text.replace(/\D/g, '');
    return { value, notes: [readAs(value)] };
  }
  const problem = /\d/.test(text) ? 'it has words, so write the number alone' : 'it has no digit';
  if (/\d/.test(text) && (!hasWord.test(text) || passedValue(checkIban(text)) !== undefined)) return text;
  return {
    code: 'invalid_account_number',
    message: say`${maskedValue(text)} is no account number: ${problem}`,
  };
}

function checkUsAccountNumber(text: string): ValueResult {
  if (/^\d{4,17}$/.test(text)) return text;
  const message = say`${maskedValue(text)} is not an account number of the United States: it has 4 to 17 digits and nothing else`;
  return { code: 'invalid_account_number', message };
}

/** Several values in one cell, separated by semicolons. A repeated value counts once. */
function checkList(text: string): ValueResult {
  const values = text.split(';').map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ''))].join(';');
}

/** A postal code is checked only for countries in which all codes have one form. For other countries the API decides. */
function checkPostalCodeOfCountry(code: string, country: string): ValueResult {
  const form = postalCodeForm(country);
  if (form === undefined || form.matches(code)) return code;
  const message = say`${shownValue(code)} is no postal code of ${country}: they have ${form.inWords}`;
  return { code: 'invalid_postal_code', message };
}

const asItIs = (text: string): string => text;
const withoutSpaces = (text: string): string => text.replace(/\s/g, '');
const withoutSeparators = (text: string): string => text.replace(/[\s\p{Pd}]/gu, '');

/** Text whose content only the API checks. */
const text: FieldTypeRules = {
  createCheck: () => asItIs,
  isMasked: false,
  isIdentifier: false,
  canonical: asItIs,
  content: 'text',
  dependsOn: null,
};

const accountNumber: FieldTypeRules = {
  ...text,
  isMasked: true,
  isIdentifier: true,
  canonical: withoutSeparators,
};

const code: FieldTypeRules = { ...text, canonical: (value) => value.toUpperCase() };

export const fieldTypes: Readonly<Record<FieldType, FieldTypeRules>> = {
  text,
  list: { ...text, createCheck: () => checkList },
  identifier: { ...text, isIdentifier: true },
  postal_code: {
    ...text,
    isIdentifier: true,
    dependsOn: { field: 'country', check: checkPostalCodeOfCountry },
  },
  account_number: { ...accountNumber, createCheck: () => checkAccountNumber },
  us_account_number: { ...accountNumber, createCheck: () => checkUsAccountNumber },
  // It is not personal itself, but people enter account numbers there by mistake.
  routing_number: { ...accountNumber, createCheck: () => checkRoutingNumber },
  iban: {
    ...accountNumber,
    createCheck: () => checkIban,
    canonical: (value) => withoutSeparators(value).toUpperCase(),
  },
  phone: {
    ...accountNumber,
    createCheck: () => checkPhone,
    canonical: (value) => readPhone(value)?.e164 ?? withoutSpaces(value),
  },
  email: { ...text, createCheck: () => checkEmail, isMasked: true },
  birth_date: {
    ...text,
    createCheck: ({ dateFormat, anyDaySign }, today) => createBirthDateCheck(dateFormat, today, anyDaySign),
    content: 'day',
  },
  country: { ...code, createCheck: ({ places }) => createCountryCheck(places) },
  state: {
    ...code,
    createCheck: ({ places }) => createStateCheck(places),
    dependsOn: { field: 'country', check: checkStateOfCountry },
  },
  currency: { ...code, createCheck: () => checkCurrency },
  uuid: { ...text, createCheck: () => checkUuid, canonical: (value) => value.toLowerCase() },
  amount: {
    ...text,
    createCheck: createAmountCheck,
    canonical: canonicalAmount,
    content: 'amount',
    dependsOn: { field: 'currency', check: checkAmountInCurrency },
  },
};

/** Makes the check for a type. @param own how this column is read, if a person has said so; else as the file */
export type CreateValueCheck = (type: FieldType, own?: ReadingRules) => ValueCheck;

/** The checks of all types, for one way of reading a file. @param today YYYY-MM-DD in UTC */
export function valueChecks(reading: ReadingRules, today: string): CreateValueCheck {
  return (type, own = reading) => fieldTypes[type].createCheck(own, today);
}

/** The value for a message. It is masked if its column identifies a person's account. */
export function shownAs(type: FieldType, value: string): ValuePart {
  return fieldTypes[type].isMasked ? maskedValue(value) : shownValue(value);
}

const longestAddress = 254;
const longestLocalPart = 64;

/**
 * The repeated part of each pattern begins with a character that the part before it cannot contain, so there is no
 * backtracking.
 */
const localPart = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainLabel = /^[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u;
const topLevel = /^(?:[\p{L}\p{M}]{2,}|xn--[a-z0-9-]+)$/iu;

function isDomain(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || !topLevel.test(last)) return false;
  return labels.every((label) => domainLabel.test(label));
}

function isAddress(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1 || !isAtMost(text.slice(0, at), longestLocalPart) || !isAtMost(text, longestAddress))
    return false;
  return localPart.test(text.slice(0, at)) && isDomain(text.slice(at + 1));
}

/** One bare address in the dot-atom form of RFC 5322, with letters of any script, and without a display name. */
export function checkEmail(text: string): ValueResult {
  if (isAddress(text)) return text;
  const message = say`${maskedValue(text)} is not one e-mail address; write it alone, such as name@example.com`;
  return { code: 'invalid_email', message };
}
