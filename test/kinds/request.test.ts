import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { fillInIds, naturalKeyOf } from '../../src/kinds/request.ts';
import { fakeReferences } from '../send/fakes.ts';

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

const definition = definitionNamed('collections');
const record = { customer_external_id: 'C-1', destination_label: 'Main wallet' };

describe('references of a record', () => {
  it('are filled in one after the other, since an account is known by its customer', async () => {
    const references = fakeReferences();
    references.objects.set('customers C-1', { id: 'customer-1', country: 'KE' });
    const handle = definition.references[1]?.handle({ ...record, customer_id: 'customer-1' }) ?? '';
    references.objects.set(`accounts ${handle}`, { id: 'account-1', country: null });
    const [resolved] = await fillInIds([{ definition, record }], references);
    expect(resolved).toEqual({
      record: { ...record, customer_id: 'customer-1', destination_id: 'account-1' },
      missing: undefined,
    });
  });

  it('that are not created yet are missing, the first of them by name', async () => {
    const references = fakeReferences();
    references.objects.set('customers C-1', { id: null, country: 'KE' });
    const [resolved] = await fillInIds([{ definition, record }], references);
    expect(resolved?.missing?.field).toBe('customer_external_id');
    expect(resolved?.record).toEqual(record);
  });

  it('of a whole group are looked up together', async () => {
    const references = fakeReferences();
    let lookUps = 0;
    const counting = {
      ...references,
      findByHandles: (...given: Parameters<typeof references.findByHandles>) => {
        lookUps += 1;
        return references.findByHandles(...given);
      },
    };
    const rows = Array.from({ length: 50 }, (_, at) => ({
      definition,
      record: { customer_external_id: `C-${at}`, destination_label: 'Main' },
    }));
    await fillInIds(rows, counting);
    expect(lookUps).toBe(definition.references.length);
  });
});
