/* Repairs numbers that a spreadsheet program has damaged, and recognises damaged numbers in corrected rows. */

import { compareDecimals, type Decimal, parseNumberText } from '../../domain/money/money.ts';
import { say } from '../../domain/settings/message.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import type { FieldType } from '../definition.ts';
import { accountNumberLength, checkRoutingNumber, isNuban } from './bank-numbers.ts';
import { countryOfCurrency } from './currency.ts';
import { shownAs } from './field-types.ts';
import { checkPhone, phoneWithZero, readNationalPhone } from './phone.ts';
import { postalCodeForm, withLostZeros } from './postal-codes.ts';
import { foldValue, passedValue, type RowValues, type ValueRefusal } from './value-text.ts';

/** The repairs to which a person has agreed for a column, and the data from outside its row. */
export interface NumberRepairs {
  readonly field: string;
  readonly type: FieldType;
  /** Missing leading zeros may be added, if some evidence confirms them. */
  readonly lostZeros: boolean;
  /** Whole numbers in number cells are identifiers, if it is certain that no zero is missing. */
  readonly numberCells: boolean;
  /** Whole numbers in number cells are right, even without evidence that no zero is missing. */
  readonly asShown: boolean;
  /** Postal codes are as long as the codes of their country, even if no other value shows which zeros are missing. */
  readonly zerosInFront: boolean;
  /** The length of all account numbers of an institution in the file, by `institutionOf`. */
  readonly accountLengths: ReadonlyMap<string, number> | undefined;
  /** The codes by which an institution's account numbers are checked; empty if they are not known. */
  readonly bankCodesOf: BankCodes;
}

/** @param institution the name in the row @param country ISO 3166-1 alpha-2 */
export type BankCodes = (institution: string, country: string) => readonly string[];

/** A repaired number: the intended text, and the repair, for the row's notes. */
interface MendedNumber {
  readonly text: string;
  readonly done: 'lost zero' | 'number cell';
}

const wholeNumber = /^\d{1,15}$/;

/**
 * Repairs digits in a column of identifiers.
 * @param isNumberCell if false, the digits are text in a file that has only text
 * @returns undefined if no evidence confirms a repair; then the value's finding stays
 */
export function mendNumber(
  digits: string,
  isNumberCell: boolean,
  repairs: NumberRepairs,
  row: RowValues,
): MendedNumber | undefined {
  if (!wholeNumber.test(digits)) return undefined;
  // A program that takes zeros away takes all of them.
  const mayLackZeros = !digits.startsWith('0');
  if (repairs.lostZeros && mayLackZeros) {
    const text = withZeros(digits, repairs, row);
    if (text !== undefined) return { text, done: 'lost zero' };
  }
  const padded = repairs.zerosInFront && mayLackZeros ? withZerosInFront(digits, row) : undefined;
  if (padded !== undefined) return { text: padded, done: 'lost zero' };
  const isWhole =
    isNumberCell && (repairs.asShown || (repairs.numberCells && isComplete(digits, repairs, row)));
  return isWhole ? { text: digits, done: 'number cell' } : undefined;
}

/** The maximum number of zeros that a code may have lost. */
const mostZeros = 2;

function withZerosInFront(digits: string, row: RowValues): string | undefined {
  const country = row.valueOf('country');
  const form = country === undefined ? undefined : postalCodeForm(country);
  const missing = (form?.digits ?? 0) - digits.length;
  const code = digits.padStart(form?.digits ?? 0, '0');
  return missing >= 1 && missing <= mostZeros && form?.matches(code) === true ? code : undefined;
}

function withZeros(digits: string, repairs: NumberRepairs, row: RowValues): string | undefined {
  if (repairs.field === 'postal_code') {
    const country = row.valueOf('country');
    return country === undefined ? undefined : withLostZeros(digits, country, row.valueOf('state'));
  }
  switch (repairs.type) {
    case 'routing_number': {
      const text = `0${digits}`;
      return passedValue(checkRoutingNumber(text));
    }
    case 'account_number':
    case 'us_account_number': {
      const text = `0${digits}`;
      return text.length === lengthOfAccounts(repairs, row) && mayBeChecked(text, repairs, row)
        ? text
        : undefined;
    }
    case 'phone': {
      const country = row.phoneCountry();
      return typeof country === 'string' ? phoneWithZero(digits, country) : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether it is certain that no leading zero is missing. */
function isComplete(digits: string, repairs: NumberRepairs, row: RowValues): boolean {
  if (repairs.field === 'postal_code') {
    const country = row.valueOf('country');
    return country !== undefined && postalCodeForm(country)?.matches(digits) === true;
  }
  switch (repairs.type) {
    case 'routing_number':
      return digits.length === 9;
    case 'phone':
      return passedValue(checkPhone(digits, 'number', row)) !== undefined;
    case 'account_number':
    case 'us_account_number':
      return digits.length === lengthOfAccounts(repairs, row) || isPhoneAccount(digits, row);
    case 'iban':
      return false;
    default:
      return true;
  }
}

/** Whether the account is a phone, as for mobile money, and these are exactly its digits in the country's numbering plan. */
function isPhoneAccount(digits: string, row: RowValues): boolean {
  const country = row.valueOf('payee_type') === 'mobile_money' ? row.phoneCountry() : undefined;
  return typeof country === 'string' && typeof readNationalPhone(digits, country) === 'object';
}

/** The number of digits that a row's account number must have; undefined if it is not known. */
function lengthOfAccounts({ type, accountLengths }: NumberRepairs, row: RowValues): number | undefined {
  const ofCountry = type === 'us_account_number' ? undefined : accountNumberLength(countryOf(row) ?? '');
  return ofCountry ?? accountLengths?.get(institutionOf(row) ?? '');
}

/** If the institution's code is known, the check digit decides whether a zero is missing. */
function mayBeChecked(text: string, { bankCodesOf }: NumberRepairs, row: RowValues): boolean {
  const country = countryOf(row);
  if (country !== 'NG') return true;
  const codes = bankCodesOf(institutionOf(row) ?? '', country);
  return codes.length === 0 || codes.some((code) => isNuban(text, code));
}

function countryOf(row: RowValues): string | undefined {
  const stated = row.valueOf('institution_country');
  if (stated !== undefined) return stated;
  const currency = row.valueOf('currency');
  return currency === undefined ? undefined : countryOfCurrency(currency);
}

/** The columns that identify the rows of one institution in a file. The first one with a value counts. */
export const institutionColumns: readonly string[] = ['institution_id', 'institution_name', 'bank_name'];

/** A row's institution, in the form of the keys of `accountLengths`. */
export function institutionOf(row: Pick<RowValues, 'valueOf'>): string | undefined {
  const [named] = institutionColumns.flatMap((field) => row.valueOf(field) ?? []);
  return named === undefined ? undefined : foldValue(named);
}

const damageCodes: ReadonlySet<string> = new Set(['damaged_number', 'spreadsheet_error']);
const dateLike = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?: [\d:]+)?$/;
const digits = /^\d+$/;
/** The number of digits of a number that spreadsheet programs keep. All further digits become zeros. */
const keptDigits = 15;

const advice = 'enter it again from its source, or empty result_batch and result_row if it is right as it is';

/**
 * Whether a cell of a corrected row still has the text that was refused before, or a text that a spreadsheet program has
 * since made of a correct identifier. That is the same number without added zeros or plus sign before it.
 * @param earlier the cell's values in the earlier rounds
 */
export function findRepeatedDamage(
  text: string,
  earlier: readonly EarlierValue[],
  type: FieldType,
): ValueRefusal | undefined {
  for (const { text: before, code } of earlier) {
    const wasDamaged = code !== null && damageCodes.has(code);
    if (wasDamaged ? !isAnotherValue(text, before) : text !== before && !isAnotherValue(text, before)) {
      const what = wasDamaged
        ? 'is still the value that was refused before, only written in another way'
        : 'has lost digits, or what stood before them, since the failed file was written';
      return { code: 'damaged_number', message: say`${shownAs(type, text)} ${what}; ${advice}` };
    }
  }
  return undefined;
}

/**
 * Whether a person has confirmed on a page exactly this text in the cell, and the cell has had no other text since then.
 * Then an earlier round that refused the same digits no longer counts.
 */
export function isConfirmed(text: string, earlier: readonly EarlierValue[]): boolean {
  for (const { text: before, confirmed = [] } of earlier) {
    if (confirmed.includes(text)) return true;
    if (before !== text) return false;
  }
  return false;
}

/** Whether the error of a formula is still in the cell, in the notation of any program. */
export function isRepeatedError(text: string, earlier: readonly EarlierValue[]): boolean {
  return earlier.some(({ text: before, code }) => code === 'spreadsheet_error' && text === before);
}

/** Whether a numeric cell has the digits of a correct earlier text, so that a spreadsheet program has not damaged it. */
export function isUndamagedNumber(
  text: string,
  kind: CellKind | undefined,
  earlier: readonly EarlierValue[],
): boolean {
  return (
    kind === 'number' &&
    earlier.some(({ text: before, code }) => text === before && (code === null || !damageCodes.has(code)))
  );
}

function isAnotherValue(text: string, before: string): boolean {
  if (text === before) return false;
  if (dateLike.test(text) && dateLike.test(before)) return false;
  const [number, numberBefore] = [numberIn(text), numberIn(before)];
  if (number === undefined || numberBefore === undefined) return true;
  const isSameNumber = compareDecimals(number, numberBefore) === 0 || isCutAfterKeptDigits(text, before);
  // No program adds leading zeros or a plus sign. So a person added them, after looking up the number.
  return !isSameNumber || leadLength(text) > leadLength(before);
}

/**
 * Reads a number in any form in which people and spreadsheet programs write numbers: with a decimal comma, leading zeros or
 * a plus sign.
 */
function numberIn(text: string): Decimal | undefined {
  const plain = text
    .replace(/\s/g, '')
    .replace(',', '.')
    .replace(/^\+?0*(?=\d)/, '');
  return parseNumberText(plain.replace(/^-0+(?=\d)/, '-'));
}

function leadLength(text: string): number {
  return /^[+0]*(?=\d)/.exec(text.replace(/\s/g, ''))?.[0].length ?? 0;
}

function isCutAfterKeptDigits(text: string, before: string): boolean {
  const [now, then] = [text, before].map((digitsOf) => digitsOf.replace(/^\+?0*/, '').replace(/[.,]0+$/, ''));
  if (now === undefined || then === undefined || !digits.test(now) || !digits.test(then)) return false;
  return (
    then.length > keptDigits &&
    now.length === then.length &&
    now.slice(0, keptDigits) === then.slice(0, keptDigits) &&
    /^0+$/.test(now.slice(keptDigits))
  );
}
