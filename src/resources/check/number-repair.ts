import type { FieldType } from '../definition.ts';
import { postalCodeForm, withLostZeros } from '../postal-codes.ts';
import { accountNumberLength, isNuban } from './account-number-form.ts';
import { countryOfCurrency } from './currency.ts';
import { phoneWithZero } from './national-phone.ts';
import { checkPhone } from './phone.ts';
import { checkRoutingNumber } from './routing-number.ts';
import type { RowValues } from './row-values.ts';
import { passedValue } from './value-result.ts';
import { foldValue } from './value-translation.ts';

/** What was agreed to for a column, and what is known beside its row. */
export interface NumberRepairs {
  readonly field: string;
  readonly type: FieldType;
  /** Zeros that are missing may be put before, where something confirms them. */
  readonly lostZeros: boolean;
  /** Whole numbers in number cells are identifiers, where no zero can be missing. */
  readonly numberCells: boolean;
  /** The one length of an institution's account numbers in the file, by `institutionOf`. */
  readonly accountLengths: ReadonlyMap<string, number> | undefined;
  /** The codes by which an institution's account numbers are checked: none where they are not known. */
  readonly bankCodesOf: BankCodes;
}

/** @param institution the name as the row has it @param country ISO 3166-1 alpha-2 */
export type BankCodes = (institution: string, country: string) => readonly string[];

/** A number that was mended: the text that is meant, and what was done, for the row's notes. */
interface MendedNumber {
  readonly text: string;
  readonly done: 'lost zero' | 'number cell';
}

const wholeNumber = /^\d{1,15}$/;

/**
 * Mends digits in a column of identifiers.
 *
 * @param isNumberCell otherwise they stand as text in a file that knows nothing but text
 * @returns undefined where nothing confirms it: what is wrong with the value then stands
 */
export function mendNumber(
  digits: string,
  isNumberCell: boolean,
  repairs: NumberRepairs,
  row: RowValues,
): MendedNumber | undefined {
  if (!wholeNumber.test(digits)) return undefined;
  if (repairs.lostZeros) {
    const text = withZeros(digits, repairs, row);
    if (text !== undefined) return { text, done: 'lost zero' };
  }
  const isWhole = isNumberCell && repairs.numberCells && isComplete(digits, repairs, row);
  return isWhole ? { text: digits, done: 'number cell' } : undefined;
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

/** Whether no zero can be missing before a number. */
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
      return digits.length === lengthOfAccounts(repairs, row);
    case 'iban':
      return false;
    default:
      return true;
  }
}

/** How many digits the account number of a row must have; undefined where nothing tells. */
function lengthOfAccounts({ type, accountLengths }: NumberRepairs, row: RowValues): number | undefined {
  const ofCountry = type === 'us_account_number' ? undefined : accountNumberLength(countryOf(row) ?? '');
  return ofCountry ?? accountLengths?.get(institutionOf(row) ?? '');
}

/** Where the institution's code is known, its check digit has the last word on a zero. */
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

/** What tells a file's rows of one institution from others, the first that is there. */
export const institutionColumns: readonly string[] = ['institution_id', 'institution_name', 'bank_name'];

/** A row's institution, in the form in which `accountLengths` has it. */
export function institutionOf(row: Pick<RowValues, 'valueOf'>): string | undefined {
  const [named] = institutionColumns.flatMap((field) => row.valueOf(field) ?? []);
  return named === undefined ? undefined : foldValue(named);
}
