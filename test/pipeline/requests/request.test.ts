import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { naturalKeyOf } from '../../../src/pipeline/requests/request.ts';
import { definitionNamed } from '../../../src/resources/registry.ts';

/** What ledgers hold: another form would make known objects look new. */
function keyAsKept(kind: string, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex');
}

describe('the natural key', () => {
  it.each([
    ['plain text', 'INV-2041'],
    ['nothing', ''],
    ['quotation marks', 'a "b"'],
    ['separators that look like the list’s own', '","'],
    ['a backslash', 'a\\b'],
    ['accents', 'Zürich'],
    ['characters of two units', '😀'],
    ['half a character', '\ud800'],
    ['a line separator', 'a\u2028b'],
    ['a control character', 'a\u0000b'],
    ['a deleted character', 'a\u007fb'],
  ])('is the hash of the list as JSON: %s', (_, reference) => {
    const key = naturalKeyOf(definitionNamed('collections'), { client_reference: reference });
    expect(key.toString('hex')).toBe(keyAsKept('collections', [reference]));
  });

  it('has every part in it', () => {
    const record = { customer_id: 'c', payee_type: 'sepa', iban: 'DE1', currency: 'EUR' };
    const key = naturalKeyOf(definitionNamed('recipients/sepa'), record);
    expect(key.toString('hex')).toBe(keyAsKept('recipients', ['c', 'sepa', 'DE1', '', 'EUR']));
  });
});
