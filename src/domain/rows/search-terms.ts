/* How a row is found in the whole ledger: by the words of a name, and by account and phone numbers. */

import type { Message } from '../settings/message.ts';
import { payeeName } from '../text/payee-names.ts';
import type { NormalisedRecord } from './ledger-row.ts';
import type { ResultStatus } from './row-state.ts';

const nameFields = ['account_name', 'first_name', 'middle_name', 'last_name'] as const;
const numberFields = ['account_number', 'iban', 'phone_number', 'phone'] as const;

/** The hash of a word of a name, of a pair of its words, or of a number. It has 32 bits and is the same in every program. */
type SearchTerm = number;

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

/** One way in which a typed search text may be meant. */
interface Searched {
  readonly by: 'name' | 'account';
  /** The fields of a record that are compared with the text. */
  readonly fields: readonly string[];
  /** A matching row has all of these terms. Other rows may have them too. */
  readonly terms: readonly SearchTerm[];
  /** Whether a row matches, tested with the values of those fields. */
  readonly isMeant: (values: readonly string[]) => boolean;
}

const leastOfNumber = 5;
const leastOfName = 2;

/** The possible searches for a text; empty if it is neither a name nor a number. */
export function searchesFor(text: string): readonly Searched[] {
  const found: Searched[] = [];
  const number = inOnePiece(text);
  if (number.length >= leastOfNumber && /\d/.test(number)) {
    // People write 00 instead of the plus sign before a country code.
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

/** The words by sound, whatever their spelling, without titles and initials. */
function wordsOf(name: string): readonly string[] {
  return payeeName(name).heard.slice(0, mostWords);
}

/** The two words of a pair may be in any order. */
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

/** The value without separators between the digits. A phone number has its country code, with or without a plus sign. */
function inOnePiece(value: string): string {
  return value.replace(/[\s().,/+'-]/g, '').toUpperCase();
}

/** FNV-1a with a final mixing step. */
function hashOf(text: string): SearchTerm {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** The last step of MurmurHash3. Each bit of the number changes about half of the bits of the result. */
function mixed(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

/*
 * The terms of a group of rows, in some bits for each term (a Bloom filter). A term of the group is always found. For other
 * terms, one group in some hundreds or thousands matches by mistake.
 */

const bitsOfTerm = 16;
const placesOfTerm = 4;
const leastBytes = 8;
/** The largest place, since numbers in databases are signed. */
const mostPlace = 0x7fffffff;

/** @returns bytes, whose number is a power of two; the first bit of a byte is its lowest one */
export function bitsOf(terms: readonly SearchTerm[]): Uint8Array {
  let bytes = leastBytes;
  while (bytes * 8 < terms.length * bitsOfTerm) bytes *= 2;
  const bits = new Uint8Array(bytes);
  const mask = bytes * 8 - 1;
  for (const term of terms) {
    const step = stepOf(term);
    for (let place = 0, at = term; place < placesOfTerm; place += 1, at += step) {
      const bit = at & mask;
      bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return bits;
}

/** The places of the bits of terms. Each place is a number modulo the number of bits. */
export function placesOf(terms: readonly SearchTerm[]): readonly number[] {
  return terms.flatMap((term) =>
    Array.from({ length: placesOfTerm }, (_, place) => (term + place * stepOf(term)) & mostPlace),
  );
}

function stepOf(term: SearchTerm): number {
  return (Math.imul(term, 0x9e3779b1) >>> 8) | 1;
}

/* A search among the rows of a batch, and its result. */

/** The conditions for a row, all of which must be met. An absent condition is met by every row. */
export interface RowFilter {
  readonly status?: ResultStatus | undefined;
  /** The code of the row's first finding. */
  readonly code?: string | undefined;
  /** The column of its first finding, by its title in the file; empty for findings about the row as a whole. */
  readonly column?: string | undefined;
  /** A text in one of its cells, in upper or lower case. */
  readonly text?: string | undefined;
}

/** The start of a page: rows are searched from a row number on, in the order of the file or in reverse. */
export interface RowPlace {
  readonly row: number;
  readonly direction: 'after' | 'before';
}

/** Row numbers that were found. */
export interface FoundRows {
  /** Ascending, whatever the direction of the search is. */
  readonly rows: readonly number[];
  /** The row number with which the search continues; null at the end of the batch. */
  readonly next: number | null;
  /** Whether the search stopped before the page was full, because it had examined too many rows. */
  readonly isCutShort: boolean;
}

/** Rows of one status with the same message. */
export interface RowGroup {
  readonly status: ResultStatus;
  readonly code: string;
  /** The column's title in the file; null if the message is about the row as a whole. */
  readonly column: string | null;
  readonly rows: number;
  /** The first row. */
  readonly example: number;
  /** The message of the first row about the column. */
  readonly message: Message | null;
}
