/* The parts of an address in one cell, for columns that a person has agreed to split. */

import { readAs } from '../../domain/rows/finding.ts';
import type { AddressPart, AddressSplit } from '../../domain/tables/mapping.ts';
import { countryWritten, subdivisionNamed } from './places.ts';
import { postalCodeForm } from './postal-codes.ts';
import { rewrittenText } from './text-repairs.ts';
import { type CellCheck, noOtherValues, shorten, type ValueRefusal } from './value-text.ts';

/** What people call the parts, in the order in which a message names them. */
const partsInWords: readonly (readonly [AddressPart, string])[] = [
  ['address_line1', 'street'],
  ['address_line2', 'second line if there is one'],
  ['city', 'town'],
  ['state', 'state'],
  ['postal_code', 'postal code'],
  ['country', 'country'],
];

/** The check of one part of an address in such a column. */
export function createAddressCheck(check: CellCheck, { part, into }: AddressSplit, title: string): CellCheck {
  const wanted = new Set(into);
  return (raw, kind, earlier, row = noOtherValues) => {
    const text = raw.normalize('NFC').trim();
    if (text === '' || kind === 'error' || kind === 'formula_without_value') {
      return check(raw, kind, earlier, row);
    }
    const country = wanted.has('country') ? undefined : row.valueOf('country');
    const parts = splitAddress(text, wanted, country);
    if (parts === undefined) return refuseAddress(title, wanted);
    const value = parts.get(part) ?? '';
    const result = check(value, undefined, undefined, row);
    if (typeof result !== 'string' || result === '') return result;
    return { value: result, notes: [readAs(result)] };
  };
}

function refuseAddress(title: string, wanted: ReadonlySet<AddressPart>): ValueRefusal {
  const words = partsInWords.flatMap(([part, word]) => (wanted.has(part) ? [word] : []));
  const message = `is not ${words.join(', ')} in one: write them in ${shorten(title)} with commas between them, and the postal code before or behind the town`;
  return { code: 'required', message, isOfCell: true };
}

/** A text of which nothing is left, or which does not have the form. */
type Taken = { readonly value: string; readonly rest: string } | undefined;

/**
 * Splits an address that ends with the town, its state and its postal code: `1200 Main St, Austin, TX 78701`, `Lindenstr. 5,
 * 10115 Berlin`, `75011 Paris`. Commas, semicolons or line breaks separate its pieces, or two blanks, as programs for mailing
 * lists write them. A postal code is recognised by the form that codes have in the country, and a state by its code or name
 * there. All parts together are the whole address; only the name of the row's own country at the end is left out. Where a second
 * line is wanted, it has the pieces between the street and the town; it may be missing.
 *
 * @param wanted the parts that the address has
 * @param country the country of the row, ISO 3166-1 alpha-2; undefined if it is not known, or is a part of the address
 * @returns undefined if a wanted part is missing, if its place is not certain, or if something is left
 */
export function splitAddress(
  text: string,
  wanted: ReadonlySet<AddressPart>,
  country: string | undefined,
): ReadonlyMap<AddressPart, string> | undefined {
  const pieces = piecesOf(text);
  const parts = new Map<AddressPart, string>();
  const end = countryAtEnd(pieces, country);
  if (end !== undefined) pieces.splice(-1, 1, ...(end.rest === '' ? [] : [end.rest]));
  if (end !== undefined && wanted.has('country')) parts.set('country', end.value);
  const place = country ?? (end === undefined ? undefined : countryWritten(end.value));
  // A postal code that is a piece of its own before the town is read as if it were behind it.
  const [before = '', behind = ''] = pieces.slice(-2);
  if (postalCodeAlone(before, place) !== undefined && postalCodeIn(behind, place) === undefined)
    pieces.splice(-2, 2, behind, before);
  const readers: readonly (readonly [AddressPart, (piece: string) => Taken])[] = [
    ['postal_code', (piece) => postalCodeIn(piece, place)],
    ['state', (piece) => stateIn(piece, place, pieces.length > 1)],
    ['city', (piece) => (/\p{L}/u.test(piece) ? { value: piece, rest: '' } : undefined)],
  ];
  for (const [part, read] of readers) {
    if (!wanted.has(part)) continue;
    const taken = read(pieces.at(-1) ?? '');
    if (taken === undefined) return undefined;
    parts.set(part, taken.value);
    pieces.splice(-1, 1, ...(taken.rest === '' ? [] : [taken.rest]));
  }
  if (wanted.has('address_line1') && pieces.length > 0)
    parts.set('address_line1', pieces.splice(0, wanted.has('address_line2') ? 1 : pieces.length).join(', '));
  if (wanted.has('address_line2')) parts.set('address_line2', pieces.splice(0).join(', '));
  return pieces.length === 0 && parts.size === wanted.size ? parts : undefined;
}

/** The fewest pieces for which two blanks are taken for a separator. Between fewer they may be a slip. */
const fewestBetweenBlanks = 3;

/** Whether two blanks separate the pieces of an address. */
export function isBetweenBlanks(text: string): boolean {
  return text.trim().split(/\s{2,}/).length >= fewestBetweenBlanks && !/[\n\r]/.test(text.trim());
}

function piecesOf(text: string): string[] {
  return text
    .split(isBetweenBlanks(text) ? /\s{2,}/ : /[,;\n\r]/)
    .map((piece) => piece.replace(/\s+/g, ' ').trim())
    .filter((piece) => piece !== '');
}

/**
 * The country at the end of the last piece: a piece of its own, or the words behind a postal code. If the country of the row is
 * known, no other country counts. A code of two letters may also be a state (CA), so it counts only behind digits, or behind a
 * piece that is a postal code of that country.
 */
function countryAtEnd(pieces: readonly string[], country: string | undefined): Taken {
  const [before = '', piece = ''] = pieces.length > 1 ? pieces.slice(-2) : ['', ...pieces];
  const isBehindCode = (named: string): boolean => postalCodeAlone(before, named) !== undefined;
  const starts = [0, ...[...piece.matchAll(/(?<=\d )\p{L}/gu)].map(({ index }) => index)];
  const start = starts.find((index) => {
    const text = piece.slice(index);
    const named = countryWritten(text);
    if (named === undefined || (country ?? named) !== named) return false;
    return index > 0 || text.length > 2 || isBehindCode(named);
  });
  return start === undefined ? undefined : { value: piece.slice(start), rest: piece.slice(0, start).trim() };
}

/** No country's postal codes are written in more words. */
const mostWordsOfCode = 3;

/** The postal code at the beginning or at the end of a piece; undefined if there is none, or one at each. */
function postalCodeIn(piece: string, country: string | undefined): Taken {
  if (!/\d/.test(piece)) return undefined;
  const words = piece.split(' ');
  const most = Math.min(words.length, mostWordsOfCode);
  const lengths = Array.from({ length: most }, (_, index) => most - index);
  const isCode = (from: number, to: number): boolean =>
    postalCodeAlone(words.slice(from, to).join(' '), country) !== undefined;
  const first = lengths.find((length) => isCode(0, length)) ?? 0;
  const last = lengths.find((length) => isCode(words.length - length, words.length)) ?? 0;
  if (first !== words.length && first > 0 === last > 0) return undefined;
  const [code, rest] =
    first > 0 ? [words.slice(0, first), words.slice(first)] : [words.slice(-last), words.slice(0, -last)];
  return { value: postalCodeAlone(code.join(' '), country) ?? '', rest: rest.join(' ') };
}

/** A postal code of the country, without the country's letters before it; undefined for another text. */
function postalCodeAlone(text: string, country: string | undefined): string | undefined {
  if (country === undefined || !/\d/.test(text)) return undefined;
  const code = rewrittenText('country_prefix', text, () => country, 'postal_code') ?? text;
  return postalCodeForm(country)?.matches(code) === true ? code : undefined;
}

/** A sign between a town and its state: `São Paulo - SP`, `São Paulo/SP`. */
const signBefore = /[\s/–—-]+$/u;

/** The state at the end of a piece, by its code or name. @param mayBeAll whether the town may be in the piece before it */
function stateIn(piece: string, country: string | undefined, mayBeAll: boolean): Taken {
  if (country === undefined) return undefined;
  const bare = piece.replace(/\.$/, '');
  if (mayBeAll && subdivisionNamed(bare, country) !== undefined) return { value: bare, rest: '' };
  const starts = [...bare.matchAll(/(?<=[\s/–—-])[^\s/–—-]/gu)].map(({ index }) => index);
  const start = starts.find((index) => subdivisionNamed(bare.slice(index), country) !== undefined);
  if (start === undefined) return undefined;
  const rest = bare.slice(0, start).replace(signBefore, '');
  return rest === '' ? undefined : { value: bare.slice(start), rest };
}
