/**
 * How many digits the account numbers of all banks of a country have. Nigeria: the Central Bank's standard on bank
 * account numbers (NUBAN, 2010, revised 2020).
 */
const lengths: Readonly<Record<string, number>> = { NG: 10 };

/** @param country ISO 3166-1 alpha-2 @returns undefined where banks differ, or nothing is known */
export function accountNumberLength(country: string): number | undefined {
  return lengths[country];
}

const weights = [3, 7, 3];
const bankCode = /^\d{3}(?:\d{2,3})?$/;

/**
 * Whether the last digit of a Nigerian account number is the check digit of its bank.
 *
 * @param code of the bank: 3 digits, 5 of another institution (which count behind a 9), or 6
 */
export function isNuban(text: string, code: string): boolean {
  if (!/^\d{10}$/.test(text) || !bankCode.test(code)) return false;
  const prefix = code.length === 5 ? `9${code}` : code;
  const digits = [...`${prefix}${text.slice(0, 9)}`];
  const sum = digits.reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0);
  return (10 - (sum % 10)) % 10 === Number(text[9]);
}
