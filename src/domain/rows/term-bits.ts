/*
 * Which terms the rows of a group have, in some bits for each (a Bloom filter): what a group has is always found, and
 * one group in some hundreds or thousands seems to have a term that it does not.
 */

import type { SearchTerm } from './search-terms.ts';

const bitsOfTerm = 16;
const placesOfTerm = 4;
const leastBytes = 8;
/** Databases have signed numbers. */
const mostPlace = 0x7fffffff;

/** @returns bytes of which the number is a power of two; the first bit of a byte is its lowest */
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

/** Where the bits of terms are: each of the numbers modulo the number of bits. */
export function placesOf(terms: readonly SearchTerm[]): readonly number[] {
  return terms.flatMap((term) =>
    Array.from({ length: placesOfTerm }, (_, place) => (term + place * stepOf(term)) & mostPlace),
  );
}

function stepOf(term: SearchTerm): number {
  return (Math.imul(term, 0x9e3779b1) >>> 8) | 1;
}
