/* The number formats of cells: what a format code shows of a value. */

/**
 * What a number format shows of a value: a date (with or without a time), only a time of day, digits with leading
 * zeros, its thousands or millions, a side of an account, or nothing that is needed here.
 */
export type NumberFormat =
  | { readonly kind: 'date' | 'time' | 'scaled' | 'other' }
  | { readonly kind: 'sided'; readonly side: string }
  | { readonly kind: 'digits'; readonly parts: readonly DigitPart[] };

/** A `0`, which shows one digit, or a literal that is shown unchanged. */
export type DigitPart = { readonly literal: string } | 'digit';

/** A format that shows nothing that is needed here. */
export const OTHER_FORMAT: NumberFormat = { kind: 'other' };

// Parts that are shown unchanged and do not depend on the value: "text", \x, _x (a gap), *x (a fill).
const LITERAL = /"[^"]*(?:"|$)|\\.|_.|\*./gs;
const BRACKETS = /\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

/** Sections are for positive, negative and zero values; a semicolon inside a literal does not end one. */
function withoutLiterals(code: string): string {
  return code.replace(LITERAL, '').replace(BRACKETS, '');
}

/** One token of a format of zeros: locale tag, quoted text, escaped letter, bare literal, `0`. */
const DIGIT_TOKEN = /\[\$-[^\]]*\]|"([^"]*)"|\\(.)|([-+/ ():!^&'~{}<>=])|(0)/gsy;

/** The format of the parts: digits with leading zeros, if it shows any digit. */
export function digitsFormat(parts: readonly DigitPart[]): NumberFormat {
  return parts.includes('digit') ? { kind: 'digits', parts } : OTHER_FORMAT;
}

function digitParts(code: string): DigitPart[] | null {
  const parts: DigitPart[] = [];
  DIGIT_TOKEN.lastIndex = 0;
  while (DIGIT_TOKEN.lastIndex < code.length) {
    const token = DIGIT_TOKEN.exec(code);
    if (token === null) return null;
    const literal = token[1] ?? token[2] ?? token[3];
    if (token[4] !== undefined) parts.push('digit');
    else if (literal !== undefined) parts.push({ literal });
  }
  return parts.includes('digit') ? parts : null;
}

/** A comma behind the last digit: `#,##0,` shows 1450435 as 1,450. */
const SCALING = /[0#?],+(?![0#?,])/;

/** Words for the two sides of an account. */
const sides = new Set(
  'dr cr db debit credit debet kredit kredyt soll haben debe haber dare avere débit crédit débito crédito'.split(
    ' ',
  ),
);

/**
 * The side of an account that a format adds to each value: `#,##0.00" Cr"`. An accounting program writes debits and credits so,
 * all as positive numbers. A format with a section for negative values tells the sides by the sign.
 */
function sideIn(code: string): string | undefined {
  if (withoutLiterals(code).includes(';')) return undefined;
  const words = [...code.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text.trim());
  return words.find((text) => sides.has(text.toLowerCase().replace(/\.$/, '')));
}

/**
 * Reads a format code such as `yyyy-mm-dd`, `00000` or `[Red]0.00`. Only the section for positive values counts for
 * dates. Leading zeros count only if there is one section.
 */
export function parseNumberFormat(code: string): NumberFormat {
  const side = sideIn(code);
  if (side !== undefined) return { kind: 'sided', side };
  const parts = digitParts(code);
  if (parts !== null) return { kind: 'digits', parts };
  const section = withoutLiterals(code).split(';')[0] ?? '';
  const letters = section
    .toLowerCase()
    .replace(/general/g, '')
    .replace(/am\/pm|a\/p/g, 'h')
    .replace(/e[+-]/g, '');
  if (/[yd]/.test(letters)) return { kind: 'date' };
  if (/[hs]/.test(letters) || /\[m+\]/.test(letters)) return { kind: 'time' };
  if (/m/.test(letters)) return { kind: 'date' };
  return SCALING.test(section) ? { kind: 'scaled' } : OTHER_FORMAT;
}

function isWithin(id: number, first: number, last: number): boolean {
  return id >= first && id <= last;
}

/** The built-in formats, which have a number but no code in the file; those from 27 are East Asian dates. */
export function builtInNumberFormat(id: number): NumberFormat {
  if (id === 1) return parseNumberFormat('0');
  if (isWithin(id, 14, 17) || id === 22) return { kind: 'date' };
  if (isWithin(id, 27, 36) || isWithin(id, 50, 58)) return { kind: 'date' };
  if (isWithin(id, 18, 21) || isWithin(id, 45, 47)) return { kind: 'time' };
  return OTHER_FORMAT;
}

/**
 * The digits as shown by the format, such as `00420` for 420.
 *
 * @param digits - the value, digits only
 * @returns null when the value has more digits than the format shows
 */
export function showDigits(digits: string, parts: readonly DigitPart[]): string | null {
  const places = parts.filter((part) => part === 'digit').length;
  if (digits.length > places) return null;
  const padded = digits.padStart(places, '0');
  let next = 0;
  return parts.map((part) => (part === 'digit' ? padded[next++] : part.literal)).join('');
}
