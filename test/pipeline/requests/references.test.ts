import { describe, expect, it } from 'vitest';
import { fillInIds } from '../../../src/pipeline/requests/references.ts';
import { definitionNamed } from '../../../src/resources/registry.ts';
import { fakeReferences } from '../fakes.ts';

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
