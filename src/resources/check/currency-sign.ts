/** What people write for a currency beside its code and the signs that Unicode's CLDR has for it. */
const commonSigns: Readonly<Record<string, readonly string[]>> = {
  EUR: ['euro', 'euros'],
  KES: ['ksh', 'kshs', 'sh', 'shs', '/=', '/-'],
  NGN: ['n', 'naira'],
  TZS: ['tsh', 'tshs', 'sh', 'shs', '/=', '/-'],
  UGX: ['ush', 'ushs', 'sh', 'shs', '/=', '/-'],
  USD: ['us$', 'usd$', 'dollar', 'dollars'],
  XAF: ['fcfa', 'cfa', 'f'],
  XOF: ['fcfa', 'cfa', 'f'],
};

/** Of these, CLDR has the signs that are used where the currencies are at home. */
const languages = ['en', 'en-KE', 'en-NG', 'en-GH', 'en-TZ', 'en-UG', 'en-ZA', 'de', 'fr', 'sw', 'pt'];

const signBefore = /^(?<sign>[^\d\s][^\d]*?)\s*(?<number>\d.*)$/u;
const signBehind = /^(?<number>\d(?:.*\d)?)\s*(?<sign>[^\d\s][^\d]*)$/u;
const isMark = /^(?:[\p{L}\p{Sc}./=]{1,8}|\/-)$/u;

/** An amount without the currency's sign before or behind it; an empty sign where there is none, or something else. */
export function splitCurrencySign(text: string): { readonly sign: string; readonly number: string } {
  const parts = (signBefore.exec(text) ?? signBehind.exec(text))?.groups;
  const { sign = '', number = text } = parts ?? {};
  // A minus stands before an amount as well, and is no sign of a currency.
  const isSign = isMark.test(sign.trim()) && /[\p{L}\p{Sc}/]/u.test(sign);
  return isSign ? { sign: sign.trim(), number } : { sign: '', number: text };
}

const signsByCurrency = new Map<string, ReadonlySet<string>>();

/** Whether a sign or code is used for a currency, ISO 4217: `KSh` and `/=` for KES, `$` for USD. */
export function isSignOf(sign: string, currency: string): boolean {
  let signs = signsByCurrency.get(currency);
  if (signs === undefined) {
    signs = signsOf(currency);
    signsByCurrency.set(currency, signs);
  }
  return signs.has(fold(sign));
}

function signsOf(currency: string): ReadonlySet<string> {
  const found = languages.flatMap((language) =>
    (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
      const format = new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay });
      return format.formatToParts(1).find(({ type }) => type === 'currency')?.value ?? '';
    }),
  );
  return new Set(
    [currency, ...found, ...(commonSigns[currency] ?? [])].map(fold).filter((sign) => sign !== ''),
  );
}

function fold(sign: string): string {
  return sign.toLowerCase().replace(/[\s.\u00a0\u202f]/gu, '');
}
