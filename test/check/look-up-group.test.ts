import { describe, expect, it } from 'vitest';
import { lookUpForGroup } from '../../src/check/look-up-group.ts';
import type { InstitutionList } from '../../src/domain/institution.ts';
import { checkTable } from '../kinds/rows.ts';
import { fakeReferences } from '../send/fakes.ts';

const list: InstitutionList = {
  country: 'KE',
  isComplete: true,
  all: [],
  byId: () => undefined,
  byName: () => [],
  nearestNames: () => [],
};

describe('the look-ups of a group of rows', () => {
  it('depend on earlier look-ups: the country of the institution is that of the customer', async () => {
    const references = fakeReferences();
    references.objects.set('customers C-1', { id: 'customer-1', country: 'KE' });
    const { checker, row } = checkTable('recipients', {
      payee_type: 'bank_account',
      customer_external_id: 'C-1',
      account_name: 'Amina Odhiambo',
      account_number: '7700000001',
      currency: 'KES',
      institution_name: 'KCB Bank Kenya',
    });
    const countries: string[] = [];
    const directory = {
      list: async (country: string) => {
        countries.push(country);
        return list;
      },
    };
    const lookups = await lookUpForGroup(checker, [row, row], references, directory);
    expect(countries).toEqual(['KE']);
    expect(lookups.institutions('KE')).toBe(list);
    expect(new Set(references.asked).size).toBe(references.asked.length);
  });

  it('ask for an account under its customer’s id once that is known', async () => {
    const references = fakeReferences();
    references.objects.set('customers C-1', { id: 'customer-1', country: 'KE' });
    const { checker, row } = checkTable('collections', {
      client_reference: 'INV-1',
      amount: '10',
      currency: 'KES',
      country: 'KE',
      customer_external_id: 'C-1',
      destination_label: 'Main wallet',
    });
    await lookUpForGroup(checker, [row], references, { list: async () => list });
    const accounts = references.asked.filter((asked) => asked.startsWith('accounts '));
    expect(accounts.some((asked) => asked.includes('customer-1'))).toBe(true);
    expect(accounts.some((asked) => asked.includes('C-1'))).toBe(true);
  });

  it('ask for no institutions where no row names one', async () => {
    const { checker, row } = checkTable('customers', { first_name: 'A', last_name: 'B', country: 'KE' });
    const directory = { list: () => Promise.reject(new Error('asked')) };
    await lookUpForGroup(checker, [row], fakeReferences(), directory);
  });
});
