import { mask } from '../../domain/text/masking.ts';
import { ibanCountryOf, ibanFormOf, isSepaCountry } from './iban-registry.ts';
import type { Refusal, ValueResult } from './value-result.ts';

/** Before a division is due: beyond this, two more digits could leave the whole numbers that are exact. */
const largestRest = 10_000_000;

/** ISO 7064 mod 97-10: the first four characters go to the end, letters count 10 to 35. */
function remainder(iban: string): number {
  let rest = 0;
  for (let index = 4; index < iban.length + 4; index += 1) {
    const code = iban.charCodeAt(index < iban.length ? index : index - iban.length);
    rest = code <= 0x39 ? rest * 10 + code - 0x30 : rest * 100 + code - 0x37;
    if (rest >= largestRest) rest %= 97;
  }
  return rest % 97;
}

/** The form that every IBAN has and most files write, so that nothing is left to be taken out or put in capitals. */
const electronicForm = /^[A-Z]{2}\d{2}[A-Z0-9]+$/;

/** 98 minus a remainder of 97: 00, 01 and 99 leave the same remainder as 97, 98 and 02, but are never given. */
const givenCheckDigits = /^..(?!00|01|99)/;

function whyNoCountry(country: string): string {
  const own = ibanCountryOf(country);
  return own === undefined
    ? `no country has IBANs that begin with ${country}`
    : `those of ${country} begin with ${own}`;
}

function refuse(iban: string, why: string): Refusal {
  return { code: 'invalid_iban', message: `${mask(iban)} is not an IBAN: ${why}` };
}

/**
 * Length and form by the IBAN registry, then the check digits. National check digits inside are left to
 * the banks: the registry does not require them.
 */
export function checkIban(text: string): ValueResult {
  const isElectronic = electronicForm.test(text);
  const iban = isElectronic ? text : text.replace(/\s/g, '').toUpperCase();
  if (!isElectronic && !electronicForm.test(iban)) {
    return refuse(iban, 'it begins with a country code and two check digits, then letters and digits only');
  }
  const country = iban.slice(0, 2);
  const form = ibanFormOf(country);
  if (form === undefined) return refuse(iban, whyNoCountry(country));
  if (iban.length !== form.length) {
    return refuse(iban, `${country} has ${form.length} characters, this has ${iban.length}`);
  }
  if (!form.bban.test(iban.slice(4))) {
    return refuse(iban, `letters and digits do not stand where ${country} has them`);
  }
  if (!givenCheckDigits.test(iban)) return refuse(iban, 'check digits are from 02 to 98, so one is wrong');
  if (remainder(iban) !== 1) return refuse(iban, 'its check digits do not match, so a character is wrong');
  return iban;
}

export function isSepaIban(iban: string): boolean {
  return isSepaCountry(iban.slice(0, 2));
}
