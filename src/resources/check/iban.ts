import { countrySpecs } from 'ibantools';
import { mask } from '../../domain/text/masking.ts';
import type { Refusal, ValueResult } from './value-result.ts';

/**
 * IBAN country codes in SEPA's geographical scope, after the European Payments Council's list of 2025
 * (EPC409-09): 41 countries, and Gibraltar (GI), which is listed with the United Kingdom but has IBANs of
 * its own.
 */
const sepaCountries: ReadonlySet<string> = new Set(
  `AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT
   RO RS SE SI SK SM VA GI`.split(/\s+/),
);

interface IbanForm {
  readonly length: number;
  readonly pattern: RegExp;
}

const forms: ReadonlyMap<string, IbanForm> = new Map(
  Object.entries(countrySpecs).flatMap(
    ([country, { chars, bban_regexp: bban, IBANRegistry: isRegistered }]) =>
      chars && bban && isRegistered ? [[country, { length: chars, pattern: new RegExp(bban) }] as const] : [],
  ),
);

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
  const form = forms.get(country);
  if (form === undefined) return refuse(iban, `no country has IBANs that begin with ${country}`);
  if (iban.length !== form.length) {
    return refuse(iban, `${country} has ${form.length} characters, this has ${iban.length}`);
  }
  if (!form.pattern.test(iban.slice(4))) {
    return refuse(iban, `letters and digits do not stand where ${country} has them`);
  }
  if (remainder(iban) !== 1) return refuse(iban, 'its check digits do not match, so a character is wrong');
  return iban;
}

export function isSepaIban(iban: string): boolean {
  return sepaCountries.has(iban.slice(0, 2));
}
