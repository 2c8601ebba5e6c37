/* By what a row is found in the whole ledger: the words of a name, and numbers of accounts and phones. */

import { payeeName } from '../text/payee-names.ts';
import type { NormalisedRecord } from './ledger-row.ts';

const nameFields = ['account_name', 'first_name', 'middle_name', 'last_name'] as const;
const numberFields = ['account_number', 'iban', 'phone_number', 'phone'] as const;

/** A word of a name, each two words of it, or a number, as a hash in 32 bits, the same in every program. */
export type SearchTerm = number;

const mostWords = 12;

/** The terms of a row that may be sent. */
export function termsOfRecord(record: NormalisedRecord): readonly SearchTerm[] {
  const terms: SearchTerm[] = [];
  let name = '';
  for (const field of nameFields) {
    const value = record[field];
    if (value !== undefined) name = name === '' ? value : `${name} ${value}`;
  }
  if (name !== '') addTermsOfWords(terms, wordsOf(name));
  for (const field of numberFields) {
    const value = record[field];
    if (value !== undefined) terms.push(hashOf(inOnePiece(value)));
  }
  return terms;
}

/** What a text may be that somebody has typed in. */
export interface Searched {
  readonly by: 'name' | 'account';
  /** The fields of a record that are compared with the text. */
  readonly fields: readonly string[];
  /** A row that is meant has all of them, and others may have them too. */
  readonly terms: readonly SearchTerm[];
  /** Whether a row is meant, by its values of those fields. */
  readonly isMeant: (values: readonly string[]) => boolean;
}

const leastOfNumber = 5;
const leastOfName = 2;

/** How rows may be found by a text; by nothing where it is neither a name nor a number. */
export function searchesFor(text: string): readonly Searched[] {
  const found: Searched[] = [];
  const number = inOnePiece(text);
  if (number.length >= leastOfNumber && /\d/.test(number)) {
    // People write 00 in place of the sign before the code of a country.
    for (const form of new Set([number, number.replace(/^00(?=[1-9])/, '')]))
      found.push(searchForNumber(form));
  }
  if (/\p{L}/u.test(text) && text.trim().length >= leastOfName) found.push(searchForName(text));
  return found;
}

function searchForNumber(number: string): Searched {
  return {
    by: 'account',
    fields: numberFields,
    terms: [hashOf(number)],
    isMeant: (values) => values.some((value) => inOnePiece(value) === number),
  };
}

function searchForName(name: string): Searched {
  const words = wordsOf(name);
  const terms: SearchTerm[] = [];
  addTermsOfWords(terms, words);
  return {
    by: 'name',
    fields: nameFields,
    terms,
    isMeant: (values) => {
      const own = wordsOf(values.join(' '));
      return words.every((word) => own.includes(word));
    },
  };
}

/** Words as they sound: however the name is written, without titles and initials. */
function wordsOf(name: string): readonly string[] {
  return payeeName(name).heard.slice(0, mostWords);
}

/** The two words of a pair stand in any order. */
function addTermsOfWords(terms: SearchTerm[], words: readonly string[]): void {
  const first = terms.length;
  for (const word of words) terms.push(hashOf(word));
  const end = terms.length;
  for (let at = first; at < end; at += 1) {
    for (let other = at + 1; other < end; other += 1) {
      const [one = 0, two = 0] = [terms[at], terms[other]];
      if (one !== two) terms.push(mixed(one + two));
    }
  }
}

/** Without what people write between the digits. A phone number has its country code, with or without a sign before it. */
function inOnePiece(value: string): string {
  return value.replace(/[\s().,/+'-]/g, '').toUpperCase();
}

/** FNV-1a with a last mixing. */
function hashOf(text: string): SearchTerm {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** As MurmurHash3 ends: each bit of the number changes half of the result's. */
function mixed(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
