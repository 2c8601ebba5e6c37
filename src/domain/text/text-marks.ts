/* What programs add to values, and is no part of them. */

import { decodeHTMLStrict } from 'entities/decode';

/** Before digits, and before a code of letters and digits: `'02134`, `'+254`, `'K1A 0B1`. Not before the letters of a name. */
const markBefore = /^['’‘´`](?=\+?\d|\p{Lu}{1,4}[ -]?\d)/u;
const asFormula = /^="([^"]*)"$/;
/** The sign of postal codes in Japan, in its three forms. */
const postalMark = /^[\u3012\u3020\u3036]\s*(?=\p{Nd})/u;

/** Invisible marks of direction and blanks of no width: address books write them around phone numbers. */
const unseen = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]+/gu;
const unseenAround = new RegExp(`^(?:${unseen.source}|\\s)+|(?:${unseen.source}|\\s)+$`, 'gu');
/** Midnight behind a day, which databases write for a day without a time. An offset from UTC could mean another day. */
const midnight =
  /^(\d{1,4}[./-]\d{1,2}[./-]\d{1,4})(?:T|\s+)(?:0?0:00(?::00(?:[.,]0+)?)?Z?|12:00(?::00)?\s?AM)$/i;

/**
 * The text without what programs add to a value: an apostrophe before its digits or its code, or a formula around it, which kept a
 * spreadsheet from changing it, the sign of postal codes, invisible marks, and midnight behind a day. Codes of HTML, in which web
 * shops keep their texts, become their characters: `D&#039;Amico`.
 */
export function withoutTextMark(written: string): string {
  const text = written.includes('&') ? decodeHTMLStrict(written) : written;
  const seen = text.replace(unseen, '');
  const bare = seen === text || /\p{L}/u.test(seen) ? text.replace(unseenAround, '') : seen.trim();
  return bare
    .replace(asFormula, '$1')
    .replace(markBefore, '')
    .replace(postalMark, '')
    .replace(midnight, '$1');
}
