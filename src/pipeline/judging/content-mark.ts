import { randomInt } from 'node:crypto';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';

/** Odd, and without a pattern in their bits (from MurmurHash3 and from the golden ratio), so that multiplying loses nothing. */
const firstFactor = 0xcc9e2d51;
const secondFactor = 0x9e3779b1;

/** By a rule's presence: `required` and `optional` values serve the request, the others never get into it. */
export function sentFieldsOf({ rules }: ResourceDefinition): readonly string[] {
  return rules
    .filter(({ presence }) => presence === 'required' || presence === 'optional')
    .map(({ field }) => field);
}

/**
 * Marks what a record's request would carry, in 64 bits. Marks are compared only between rows with one natural
 * key, so chance makes different content look alike once in 2^64 such pairs; and they begin with random bits, so
 * that no file can be made to do it. Writing and hashing every request would cost as much as all other checks.
 */
export class ContentMark {
  readonly #firstSeed = randomInt(2 ** 32);
  readonly #secondSeed = randomInt(2 ** 32);
  readonly #fields = new Map<ResourceDefinition, readonly string[]>();
  /** Of the record that `take` was last called with. */
  first = 0;
  second = 0;

  take(definition: ResourceDefinition, record: NormalisedRecord): void {
    let first = this.#firstSeed;
    let second = this.#secondSeed;
    for (const field of this.#fieldsOf(definition)) {
      const value = record[field] ?? '';
      const { length } = value;
      // The length, then two characters at a time: no two lists of values give the same words.
      for (let index = -1; index < length; index += index < 0 ? 1 : 2) {
        const next = index + 1 < length ? value.charCodeAt(index + 1) << 16 : 0;
        const word = index < 0 ? length : value.charCodeAt(index) | next;
        first = Math.imul(first ^ word, firstFactor);
        first = (first << 13) | (first >>> 19);
        second = Math.imul(second ^ word, secondFactor);
        second = (second << 15) | (second >>> 17);
      }
    }
    this.first = first >>> 0;
    this.second = second >>> 0;
  }

  #fieldsOf(definition: ResourceDefinition): readonly string[] {
    const known = this.#fields.get(definition);
    if (known !== undefined) return known;
    const fields = sentFieldsOf(definition);
    this.#fields.set(definition, fields);
    return fields;
  }
}
