/** What people write for a currency beside its code and the signs that Unicode's CLDR has for it. */
const commonSigns: Readonly<Record<string, readonly string[]>> = {
  ETB: ['birr', 'br'],
  EUR: ['euro', 'euros'],
  GHS: ['gh₵', 'gh¢', 'ghc', 'gh', '₵', 'cedi', 'cedis'],
  GBP: ['pound', 'pounds'],
  INR: ['rs', 're', 'rupees', '/-'],
  KES: ['ksh', 'kshs', 'sh', 'shs', '/=', '/-'],
  MWK: ['k', 'mk', 'kwacha'],
  MZN: ['mt', 'mts', 'meticais'],
  NGN: ['n', 'naira'],
  PKR: ['rs', 'rupees', '/-'],
  RWF: ['frw', 'rwfs', 'francs'],
  TZS: ['tsh', 'tshs', 'sh', 'shs', '/=', '/-'],
  UGX: ['ush', 'ushs', 'sh', 'shs', '/=', '/-'],
  USD: ['us$', 'usd$', 'dollar', 'dollars'],
  XAF: ['fcfa', 'cfa', 'f'],
  XOF: ['fcfa', 'cfa', 'f'],
  ZAR: ['r', 'rand', 'rands'],
  ZMW: ['k', 'zk', 'kwacha'],
};

/** Of these, CLDR has the signs that are used where the currencies are at home. */
const languages = ['en', 'en-KE', 'en-NG', 'en-GH', 'en-TZ', 'en-UG', 'en-ZA', 'de', 'fr', 'sw', 'pt'];

const signBefore = /^(?<sign>[^\d\s][^\d]*?)\s*(?<number>\d.*)$/u;
const signBehind = /^(?<number>\d(?:.*\d)?)\s*(?<sign>[^\d\s][^\d]*)$/u;
const isMark = /^(?:[\p{L}\p{Sc}./=]{1,8}|\/-)$/u;

/** An amount without the currency's signs before and behind it; as it is where something else stands there. */
export function splitCurrencySigns(text: string): {
  readonly signs: readonly string[];
  readonly number: string;
} {
  const signs: string[] = [];
  let number = text;
  for (const form of [signBefore, signBehind]) {
    const parts = form.exec(number)?.groups;
    const sign = parts?.['sign']?.trim() ?? '';
    // A minus stands before an amount as well, and is no sign of a currency.
    if (!isMark.test(sign) || !/[\p{L}\p{Sc}/]/u.test(sign)) continue;
    signs.push(sign);
    number = parts?.['number'] ?? number;
  }
  return { signs, number };
}

/** The same with the first sign alone; an empty one where there is none. */
export function splitCurrencySign(text: string): { readonly sign: string; readonly number: string } {
  const { signs, number } = splitCurrencySigns(text);
  return { sign: signs[0] ?? '', number };
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
