/*
 * Numbers of accounts and banks whose form and check digits are known: IBANs, national account numbers, ABA
 * routing numbers.
 */

import { say } from '../../domain/settings/message.ts';
import { maskedValue, passedValue, type ValueRefusal, type ValueResult } from './value-text.ts';

/** The limit for dividing: beyond this, two more digits could exceed the exact whole numbers. */
const largestRest = 10_000_000;

/** ISO 7064 mod 97-10: the first four characters move to the end, letters count 10 to 35. */
function remainder(iban: string): number {
  let rest = 0;
  for (let index = 4; index < iban.length + 4; index += 1) {
    const code = iban.charCodeAt(index < iban.length ? index : index - iban.length);
    rest = code <= 0x39 ? rest * 10 + code - 0x30 : rest * 100 + code - 0x37;
    if (rest >= largestRest) rest %= 97;
  }
  return rest % 97;
}

/** The canonical form, in which most files have IBANs: nothing has to be removed or capitalised. */
const electronicForm = /^[A-Z]{2}\d{2}[A-Z0-9]+$/;

/** 98 minus a remainder of 97: 00, 01 and 99 leave the same remainder as 97, 98 and 02, but are never assigned. */
const givenCheckDigits = /^..(?!00|01|99)/;

function whyNoCountry(country: string): string {
  const own = ibanCountryOf(country);
  return own === undefined
    ? `no country has IBANs that begin with ${country}`
    : `those of ${country} begin with ${own}`;
}

function refuseIban(iban: string, why: string): ValueRefusal {
  return { code: 'invalid_iban', message: say`${maskedValue(iban)} is not an IBAN: ${why}` };
}

/**
 * Length and form by the IBAN registry, then the check digits. National check digits inside are left to
 * the banks: the registry does not require them.
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
  const form = ibanFormOf(country);
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

export function isSepaIban(iban: string): boolean {
  return isSepaCountry(iban.slice(0, 2));
}

/**
 * The form of each country's basic bank account number (BBAN), after the IBAN registry that SWIFT keeps for ISO 13616:
 * release 102 of June 2026, in its own notation. `4!n` are four digits, `4!a` four capital letters, `4!c` four of either.
 */
const release102 = `
  AD 4!n4!n12!c, AE 3!n16!n, AL 8!n16!c, AT 5!n11!n, AZ 4!a20!c, BA 3!n3!n8!n2!n, BE 3!n7!n2!n,
  BG 4!a4!n2!n8!c, BH 4!a14!c, BI 5!n5!n11!n2!n, BR 8!n5!n10!n1!a1!c, BY 4!c4!n16!c, CH 5!n12!c,
  CR 4!n14!n, CY 3!n5!n16!c, CZ 4!n6!n10!n, DE 8!n10!n, DJ 5!n5!n11!n2!n, DK 4!n9!n1!n, DO 4!c20!n,
  EE 2!n14!n, EG 4!n4!n17!n, ES 4!n4!n1!n1!n10!n, FI 3!n11!n, FK 2!a12!n, FO 4!n9!n1!n, FR 5!n5!n11!c2!n,
  GB 4!a6!n8!n, GE 2!a16!n, GI 4!a15!c, GL 4!n9!n1!n, GR 3!n4!n16!c, GT 4!c20!c, HN 4!a20!n, HR 7!n10!n,
  HU 3!n4!n1!n15!n1!n, IE 4!a6!n8!n, IL 3!n3!n13!n, IQ 4!a3!n12!n, IS 4!n2!n6!n10!n, IT 1!a5!n5!n12!c,
  JO 4!a4!n18!c, KW 4!a22!c, KZ 3!n13!c, LB 4!n20!c, LC 4!a24!c, LI 5!n12!c, LT 5!n11!n, LU 3!n13!c,
  LV 4!a13!c, LY 3!n3!n15!n, MC 5!n5!n11!c2!n, MD 2!c18!c, ME 3!n13!n2!n, MK 3!n10!c2!n, MN 4!n12!n,
  MR 5!n5!n11!n2!n, MT 4!a5!n18!c, MU 4!a2!n2!n12!n3!n3!a, NI 4!a20!n, NL 4!a10!n, NO 4!n6!n1!n,
  OM 3!n16!c, PK 4!a16!c, PL 8!n16!n, PS 4!a21!c, PT 4!n4!n11!n2!n, QA 4!a21!c, RO 4!a16!c, RS 3!n13!n2!n,
  RU 9!n5!n15!c, SA 2!n18!c, SC 4!a2!n2!n16!n3!a, SD 2!n12!n, SE 3!n16!n1!n, SI 5!n8!n2!n, SK 4!n6!n10!n,
  SM 1!a5!n5!n12!c, SO 4!n3!n12!n, ST 4!n4!n11!n2!n, SV 4!a20!n, TL 3!n14!n2!n, TN 2!n3!n13!n2!n,
  TR 5!n1!n16!c, UA 6!n19!c, VA 3!n15!n, VG 4!a16!n, XK 4!n10!n2!n, YE 4!a4!n18!c`;

/** Territories without a code of their own: their accounts have another country's IBANs, by the same release. */
const countryOfTerritory: Readonly<Record<string, string>> = {
  AX: 'FI',
  GG: 'GB',
  IM: 'GB',
  JE: 'GB',
  BL: 'FR',
  GF: 'FR',
  GP: 'FR',
  MF: 'FR',
  MQ: 'FR',
  NC: 'FR',
  PF: 'FR',
  PM: 'FR',
  RE: 'FR',
  TF: 'FR',
  WF: 'FR',
  YT: 'FR',
};

/**
 * Codes of IBANs in SEPA's geographical scope, after the European Payments Council's list EPC409-09 as it has been since
 * May 2025: 41 countries, and Gibraltar (GI), which is listed with the United Kingdom but has IBANs of its own. The
 * council decides on that; the registry still has no for Albania, Moldova, Montenegro, North Macedonia and Serbia.
 */
const sepaCountries: ReadonlySet<string> = new Set(
  `AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT
   RO RS SE SI SK SM VA GI`.split(/\s+/),
);

/** The form of one country's IBANs. */
interface IbanForm {
  /** Of the whole IBAN, including country code and check digits. */
  readonly length: number;
  /** Of the part after the check digits. */
  readonly bban: RegExp;
}

const characters: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' };

function formOf(structure: string): IbanForm {
  const parts = [...structure.matchAll(/(\d+)!([nac])/g)].map(([, count = '', kind = '']) => ({
    count,
    kind,
  }));
  const bban = parts.map(({ count, kind }) => `${characters[kind]}{${count}}`).join('');
  const length = parts.reduce((sum, { count }) => sum + Number(count), 'CC00'.length);
  return { length, bban: new RegExp(`^${bban}$`) };
}

const forms: ReadonlyMap<string, IbanForm> = new Map(
  release102.split(',').map((entry) => {
    const [country = '', structure = ''] = entry.trim().split(' ');
    return [country, formOf(structure)];
  }),
);

/** The form of the IBANs that begin with a country code; undefined where there are none. */
function ibanFormOf(country: string): IbanForm | undefined {
  return forms.get(country);
}

/** The code of the IBANs of a territory that has none of its own; undefined for any other code. */
function ibanCountryOf(territory: string): string | undefined {
  return countryOfTerritory[territory];
}

/** Whether IBANs that begin with a code are of accounts within SEPA. */
function isSepaCountry(country: string): boolean {
  return sepaCountries.has(country);
}

/**
 * How many digits the account numbers of all banks of a country have. Nigeria: the Central Bank's standard on bank
 * account numbers (NUBAN, 2010, revised 2020).
 */
const lengths: Readonly<Record<string, number>> = { NG: 10 };

/** @param country ISO 3166-1 alpha-2 @returns undefined where banks differ, or it is not known */
export function accountNumberLength(country: string): number | undefined {
  return lengths[country];
}

const nubanWeights = [3, 7, 3];
const bankCode = /^\d{3}(?:\d{2,3})?$/;

/**
 * Whether the last digit of a Nigerian account number is the check digit of its bank.
 *
 * @param code of the bank: 3 digits, 5 of another institution (which count after a 9), or 6
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

/* Forms of account numbers with check digits, by which a mistyped number shows. */

/**
 * The forms, by the name that a mapping has for them. `clabe`: Mexico, 18 digits. `cbu`: Argentina, 22 digits. `iban`: an
 * IBAN. `luhn`: card numbers, 16 to 19 digits. `mod97_0`, `mod97_1`: the whole number leaves this remainder, as the RIB of
 * France, Morocco, Tunisia and West Africa, and numbers after ISO 7064.
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

/** Whether an account number, however it is grouped, has a form with its right check digits. */
export function hasAccountForm(text: string, form: AccountForm): boolean {
  return checks[form](text.replace(/[\s.\u00a0\u202f-]/g, ''));
}

/** The last digit completes the weighted sum of the others to a multiple of ten; of each product only the last digit counts. */
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
/** Of ten numbers without check digits, one would pass by chance. */
const mostOfThem = 0.8;

/** The form that nearly all of a column's account numbers have; undefined for none. */
export function formOfAccounts(texts: readonly string[]): AccountForm | undefined {
  if (texts.length < fewestValues) return undefined;
  return accountForms.find(
    (form) => texts.filter((text) => hasAccountForm(text, form)).length >= texts.length * mostOfThem,
  );
}
