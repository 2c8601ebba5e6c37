/* What a value looks like, without what it says: its class, its form, its marks and its size. */

import type { Role } from './columns.ts';

const classes: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['sci', /^[-+]?\d(?:[.,]\d+)?[eE][-+]?\d+$/],
  ['mask', /[*•·●▪]{2,}|[xX#]{3,}|…/u],
  ['digits', /^\d+$/],
  ['day', /^(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?:[ T].*)?$/],
  ['number', /^[-(+]?(?:[\p{L}\p{Sc}]{1,4}\.? ?)?\d[\d {2}.,'’]*(?: ?[\p{L}\p{Sc}/=-]{1,4}\.?)?\)?$/u],
  ['phone', /^\+?[\d ()/-]{7,}$/],
  ['email', /^\S+@\S+\.\S+$/],
  ['code', /^(?=.*\d)[\p{L}\d._/-]+$/u],
  ['words', /^[^\d]+$/u],
];

/** The class of a value that is not empty. In a column of amounts, whole numbers and others are the same. */
export function classOf(text: string, role: Role): string {
  for (const [name, pattern] of classes) {
    if (!pattern.test(text)) continue;
    if (role === 'amount') return name === 'digits' ? 'number' : name;
    // The separators of a phone or account number have no meaning.
    if (role === 'phone' || role === 'account') {
      return name === 'number' || name === 'phone' || name === 'day' ? 'digits' : name;
    }
    return name;
  }
  return 'mixed';
}

const highestMonth = 12;
const longestPrefix = 8;

/** The form of a value, as far as it means something in a column of this role. */
export function formOf(text: string, role: Role, decimal: '.' | ','): string {
  switch (role) {
    case 'amount':
      return `${digitsBehind(text, decimal)} decimals`;
    case 'day':
      return dayForm(text);
    case 'reference':
    case 'account':
      // The name in an e-mail address is no prefix.
      if (text.includes('@')) return '';
      return /^\D*(?=\d)/.exec(text)?.[0].slice(0, longestPrefix).toUpperCase() ?? '';
    default:
      return '';
  }
}

function digitsBehind(text: string, decimal: '.' | ','): number {
  const at = text.lastIndexOf(decimal);
  return at < 0 ? 0 : (/^\d*/.exec(text.slice(at + 1))?.[0].length ?? 0);
}

function dayForm(text: string): string {
  const [, first = '', separator = '', second = ''] = /^(\d{1,4})([./-])(\d{1,2})\2/.exec(text) ?? [];
  if (first.length > 2) return 'year first';
  if (separator === '') return 'other';
  if (Number(first) > highestMonth) return `day${separator}month`;
  return Number(second) > highestMonth ? `month${separator}day` : `either${separator}`;
}

const fewestDigits = 9;

/** Whether a long number ends in zeros, as a number does that a spreadsheet program has rounded. */
export function isRounded(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  return digits.length >= fewestDigits && /0{3,}$/.test(digits) && /^\+?[\d \p{L}]+$/u.test(text);
}

const nameWord = /^\p{Lu}[\p{L}\p{M}'’.-]*$/u;
const mostNameWords = 4;

/** Whether a value may be somebody's name: a few words that begin with a capital. */
export function looksLikeName(text: string): boolean {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return words.length > 0 && words.length <= mostNameWords && words.every((word) => nameWord.test(word));
}

/* Marks by which a value is found again. They distinguish values in statistics, and no value can be read from them. */

const fnvStart = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** 32 bits of a text; never 0, which means no value. */
export function markOf(text: string): number {
  let mark = fnvStart;
  for (let at = 0; at < text.length; at += 1) mark = Math.imul(mark ^ text.charCodeAt(at), fnvPrime);
  mark = Math.imul(mark ^ (mark >>> 16), 0x85ebca6b);
  mark = Math.imul(mark ^ (mark >>> 13), 0xc2b2ae35);
  return (mark ^ (mark >>> 16)) >>> 0 || 1;
}

/** The form in which values are compared: without case and repeated blanks. */
export function foldedText(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The mark of the words of a text in any order. */
export function markOfWords(folded: string): number {
  return markOf(folded.split(/[ ,]+/).sort().join(' '));
}

/** Marks and other 32-bit numbers as a text, in the byte order of this machine. */
export function inBase64(numbers: Uint32Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64');
}

/** The 32-bit numbers of a text that `inBase64` made. */
export function numbersIn(base64: string): Uint32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Uint32Array(bytes.buffer);
}

/* Sizes of amounts, for statistics about many of them: never for money that is sent. */

const sizeSteps = 1e7;
const sizeOfOne = 1e8;

/** The logarithm of an amount as a whole number of 32 bits; 0 for none, zero or less. */
export function sizeOf(amount: string): number {
  const number = Number(amount);
  if (!Number.isFinite(number) || number <= 0) return 0;
  return Math.max(1, Math.round(Math.log10(number) * sizeSteps) + sizeOfOne);
}

/** The logarithm, to the base of ten, of how many times as large the second size is. */
export function growthOf(before: number, now: number): number {
  return (now - before) / sizeSteps;
}

/** The plain decimal of a number as it is written; undefined for anything else. */
export function plainNumber(text: string, decimal: '.' | ','): string | undefined {
  const number = text.replace(decimal === ',' ? /[.\s'’]/g : /[,\s'’]/g, '').replace(decimal, '.');
  return /^\d{1,15}(?:\.\d{1,8})?$/.test(number) ? number : undefined;
}
