/* Account and bank numbers whose form and check digits are known: IBANs, national account numbers, ABA routing numbers. */

import { readFileSync } from 'node:fs';
import { say } from '../../domain/settings/message.ts';
import { maskedValue, passedValue, type ValueRefusal, type ValueResult } from './value-text.ts';

/** The limit before a division. Above it, two more digits could exceed the range of exact integers. */
const largestRest = 10_000_000;

/** ISO 7064 mod 97-10: the first four characters move to the end, and letters count as 10 to 35. */
function remainder(iban: string): number {
  let rest = 0;
  for (let index = 4; index < iban.length + 4; index += 1) {
    const code = iban.charCodeAt(index < iban.length ? index : index - iban.length);
    rest = code <= 0x39 ? rest * 10 + code - 0x30 : rest * 100 + code - 0x37;
    if (rest >= largestRest) rest %= 97;
  }
  return rest % 97;
}

/** The canonical form, which most files use for IBANs. Then no character has to be removed or capitalised. */
const electronicForm = /^[A-Z]{2}\d{2}[A-Z0-9]+$/;

/**
 * Check digits are 98 minus the remainder of a division by 97. So 00, 01 and 99 are never assigned, although they leave the
 * same remainder as 97, 98 and 02.
 */
const givenCheckDigits = /^..(?!00|01|99)/;

function whyNoCountry(country: string): string {
  const own = registry.territories[country];
  return own === undefined
    ? `no country has IBANs that begin with ${country}`
    : `those of ${country} begin with ${own}`;
}

function refuseIban(iban: string, why: string): ValueRefusal {
  return { code: 'invalid_iban', message: say`${maskedValue(iban)} is not an IBAN: ${why}` };
}

/**
 * Checks length and form by the IBAN registry, and then the check digits. National check digits within the number are left
 * to the banks, because the registry does not require them.
 */
export function checkIban(text: string): ValueResult {
  const isElectronic = electronicForm.test(text);
  const iban = isElectronic ? text : text.replace(/\s/g, '').toUpperCase();
  if (!isElectronic && !electronicForm.test(iban)) {
    return refuseIban(
      iban,
      'it begins with a country code and two check digits, then letters and digits only',
    );
  }
  const country = iban.slice(0, 2);
  const form = forms.get(country);
  if (form === undefined) return refuseIban(iban, whyNoCountry(country));
  if (iban.length !== form.length) {
    return refuseIban(iban, `${country} has ${form.length} characters, this has ${iban.length}`);
  }
  if (!form.bban.test(iban.slice(4))) {
    return refuseIban(iban, `letters and digits do not stand where ${country} has them`);
  }
  if (!givenCheckDigits.test(iban))
    return refuseIban(iban, 'check digits are from 02 to 98, so one is wrong');
  if (remainder(iban) !== 1)
    return refuseIban(iban, 'its check digits do not match, so a character is wrong');
  return iban;
}

/** How many characters the IBANs of a country have. @param country ISO 3166-1 alpha-2; undefined for one without IBANs */
export function ibanLength(country: string): number | undefined {
  return forms.get(country)?.length;
}

export function isSepaIban(iban: string): boolean {
  return sepaCountries.has(iban.slice(0, 2));
}

/** The content of `iban-registry.json`, by country. */
export interface IbanRegistry {
  readonly sources: string;
  /** The form of each country's basic bank account number (BBAN), in the registry's notation. */
  readonly forms: Readonly<Record<string, string>>;
  /** Territories without their own code. Their accounts have IBANs of another country. */
  readonly territories: Readonly<Record<string, string>>;
  /** Country codes of IBANs in SEPA's geographical scope, separated by spaces. */
  readonly sepa: string;
}

const registry: IbanRegistry = JSON.parse(
  readFileSync(new URL('./iban-registry.json', import.meta.url), 'utf8'),
);
const sepaCountries: ReadonlySet<string> = new Set(registry.sepa.split(' '));

/** The form of one country's IBANs. */
interface IbanForm {
  /** The length of the whole IBAN, including country code and check digits. */
  readonly length: number;
  /** The form of the part after the check digits. */
  readonly bban: RegExp;
}

const characters: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' };

function formOf(structure: string): IbanForm {
  const bban = structure.replace(
    /(\d+)!([nac])/g,
    (_, count, kind: string) => `${characters[kind]}{${count}}`,
  );
  const lengths = structure.match(/\d+/g) ?? [];
  const length = lengths.reduce((sum, count) => sum + Number(count), 'CC00'.length);
  return { length, bban: new RegExp(`^${bban}$`) };
}

const forms = new Map(Object.entries(registry.forms).map(([country, form]) => [country, formOf(form)]));

/**
 * The number of digits of all account numbers in a country. Nigeria: the Central Bank's standard on bank account numbers
 * (NUBAN, 2010, revised 2020).
 */
const lengths: Readonly<Record<string, number>> = { NG: 10 };

/** @param country ISO 3166-1 alpha-2 @returns undefined if banks differ, or if the length is not known */
export function accountNumberLength(country: string): number | undefined {
  return lengths[country];
}

const nubanWeights = [3, 7, 3];
const bankCode = /^\d{3}(?:\d{2,3})?$/;

/**
 * Whether the last digit of a Nigerian account number is the right check digit for its bank.
 * @param code the bank's code: 3 digits, 5 digits of another institution (preceded by a 9 in the calculation), or 6 digits
 */
export function isNuban(text: string, code: string): boolean {
  if (!/^\d{10}$/.test(text) || !bankCode.test(code)) return false;
  const prefix = code.length === 5 ? `9${code}` : code;
  const digits = [...`${prefix}${text.slice(0, 9)}`];
  const sum = digits.reduce((total, digit, at) => total + Number(digit) * (nubanWeights[at % 3] ?? 0), 0);
  return (10 - (sum % 10)) % 10 === Number(text[9]);
}

const routingWeights = [3, 7, 1, 3, 7, 1, 3, 7, 1];
const nineDigits = /^\d{9}$/;

/** Prefixes that the ABA assigns: Federal Reserve districts, thrifts, electronic, and traveler's checks. */
function isAssignedPrefix(prefix: number): boolean {
  return (
    (prefix >= 0 && prefix <= 12) ||
    (prefix >= 21 && prefix <= 32) ||
    (prefix >= 61 && prefix <= 72) ||
    prefix === 80
  );
}

function hasRightChecksum(text: string): boolean {
  let sum = 0;
  for (let index = 0; index < routingWeights.length; index += 1) {
    sum += (routingWeights[index] ?? 0) * (text.charCodeAt(index) - 0x30);
  }
  return sum % 10 === 0;
}

function refuseRoutingNumber(text: string, why: string): ValueRefusal {
  return {
    code: 'invalid_routing_number',
    message: say`${maskedValue(text)} is not an ABA routing number: ${why}`,
  };
}

export function checkRoutingNumber(text: string): ValueResult {
  if (!nineDigits.test(text)) return refuseRoutingNumber(text, 'it has nine digits and nothing else');
  if (text === '000000000') return refuseRoutingNumber(text, 'it is not only zeros');
  if (!isAssignedPrefix(Number(text.slice(0, 2))))
    return refuseRoutingNumber(text, 'no bank has one that begins like this');
  if (!hasRightChecksum(text))
    return refuseRoutingNumber(text, 'its checksum does not match, so a digit is wrong');
  return text;
}

/* Forms of account numbers with check digits, which reveal a mistyped number. */

/**
 * The forms, by their names in a mapping. `clabe`: Mexico, 18 digits. `cbu`: Argentina, 22 digits. `iban`: an IBAN. `luhn`:
 * card numbers, 16 to 19 digits. `mod97_0`, `mod97_1`: the whole number leaves this remainder, like the RIB of France,
 * Morocco, Tunisia and West Africa, and numbers according to ISO 7064.
 */
export const accountForms = ['clabe', 'cbu', 'iban', 'luhn', 'mod97_0', 'mod97_1'] as const;

export type AccountForm = (typeof accountForms)[number];

const checks: Readonly<Record<AccountForm, (digits: string) => boolean>> = {
  clabe: (digits) => /^\d{18}$/.test(digits) && isSum(digits, [3, 7, 1]),
  cbu: (digits) =>
    /^\d{22}$/.test(digits) &&
    isSum(digits.slice(0, 8), [7, 1, 3, 9]) &&
    isSum(digits.slice(8), [3, 9, 7, 1]),
  iban: (text) => passedValue(checkIban(text)) !== undefined,
  luhn: (digits) => /^\d{16,19}$/.test(digits) && isLuhn(digits),
  mod97_0: (digits) => /^\d{15,30}$/.test(digits) && BigInt(digits) % 97n === 0n,
  mod97_1: (digits) => /^\d{15,30}$/.test(digits) && BigInt(digits) % 97n === 1n,
};

/** Whether an account number, with or without groups, has a form and its right check digits. */
export function hasAccountForm(text: string, form: AccountForm): boolean {
  return checks[form](text.replace(/[\s.\u00a0\u202f-]/g, ''));
}

/**
 * The last digit completes the weighted sum of the other digits to a multiple of ten. Of each product only the last digit
 * counts.
 */
function isSum(digits: string, weights: readonly number[]): boolean {
  const own = [...digits].map(Number);
  const sum = own
    .slice(0, -1)
    .reduce((total, digit, at) => total + ((digit * (weights[at % weights.length] ?? 0)) % 10), 0);
  return (10 - (sum % 10)) % 10 === own.at(-1);
}

function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const fewestValues = 10;
/** Among ten numbers without check digits, one passes by chance on average. */
const mostOfThem = 0.8;

/** The form of nearly all account numbers in a column; undefined if there is none. */
export function formOfAccounts(texts: readonly string[]): AccountForm | undefined {
  if (texts.length < fewestValues) return undefined;
  return accountForms.find(
    (form) => texts.filter((text) => hasAccountForm(text, form)).length >= texts.length * mostOfThem,
  );
}
