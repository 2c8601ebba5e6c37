import { describe, expect, it } from 'vitest';
import { institutionsTable } from '../../../src/cli/commands/set-up.ts';
import { institutionsDocument } from '../../../src/cli/json/document.ts';
import type { InstitutionSnapshot } from '../../../src/domain/institution.ts';

const now = new Date('2026-03-02T12:00:00Z');
const bank = {
  id: 'b-1',
  name: 'École Bank',
  country: 'KE',
  currency: 'KES',
  accountNumberType: 'bank_account_number',
  minAmount: '0.10',
  maxAmount: null,
};
const provider = {
  ...bank,
  id: 'm-1',
  name: 'Airtel Money',
  accountNumberType: 'phone_number',
  maxAmount: '70000',
};
const snapshot: InstitutionSnapshot = {
  country: 'KE',
  institutions: [bank, provider],
  isComplete: true,
  hash: 'h',
  fetchedAt: new Date('2026-03-02T09:00:00Z'),
};

function shown(given: Partial<InstitutionSnapshot> = {}): string {
  return institutionsTable({ ...snapshot, ...given }, { countryName: 'Kenya', now, useColour: false });
}

describe('the institutions of a country', () => {
  it('are in the order of their names, with limits and the age of the list', () => {
    const lines = shown().split('\n');
    expect(lines[0]).toBe('Kenya (KE) · 2 institutions · read 3 hours ago');
    expect(lines[3]).toMatch(/Airtel Money +mobile money +KES +0\.10 +70,000 +m-1/);
    expect(lines[4]).toMatch(/École Bank +bank +KES +0\.10 +none +b-1/);
    expect(shown()).toContain('complete');
  });

  it('are said to be incomplete where they are, with what may help', () => {
    expect(shown({ isComplete: false })).toContain('--institutions-page-parameter');
    expect(shown({ isComplete: false })).not.toContain('is complete');
  });

  it.each([
    ['2026-03-02T11:59:30Z', 'read just now'],
    ['2026-03-02T11:59:00Z', 'read 1 minute ago'],
    ['2026-03-02T10:00:00Z', 'read 2 hours ago'],
  ])('read at %s are %s', (fetchedAt, age) => {
    expect(shown({ fetchedAt: new Date(fetchedAt) })).toContain(age);
  });

  it('are in one object for programs, in the same order', () => {
    expect(institutionsDocument(snapshot)).toMatchObject({
      exit_code: 0,
      institutions: [
        { id: 'm-1', type: 'mobile_money', max_amount: '70000' },
        { id: 'b-1', type: 'bank', min_amount: '0.10', max_amount: null },
      ],
    });
  });
});
