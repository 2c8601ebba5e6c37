/* Forms of account numbers with check digits, by which a mistyped number shows. */

import { checkIban } from './bank-numbers.ts';
import { passedValue } from './value-text.ts';

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
