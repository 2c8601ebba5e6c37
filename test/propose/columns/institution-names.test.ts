import { expect, it } from 'vitest';
import { createInstitutionMatcher } from '../../../src/propose/columns/institution-names.ts';
import { institution } from '../grids.ts';

const kenya = createInstitutionMatcher(
  'KE',
  [
    'Equity Bank Kenya',
    'KCB Bank Kenya',
    'Co-operative Bank of Kenya',
    'Standard Chartered Bank Kenya',
    'Stanbic Bank Kenya',
    'M-Pesa',
  ].map((name) => institution(name, 'bank')),
);
const nigeria = createInstitutionMatcher(
  'NG',
  [
    'Guaranty Trust Bank',
    'United Bank for Africa',
    'Unity Bank',
    'Globus Bank',
    'First Bank of Nigeria',
    'First Microfinance Bank',
    'First Microfinance Bank',
  ].map((name, index) => ({
    ...institution(name, 'bank', 'NG', 'NGN'),
    id: String(index),
  })),
);

it.each([
  ['KCB', 'KCB Bank Kenya'],
  ['Kenya Commercial Bank', 'KCB Bank Kenya'],
  ['Equity', 'Equity Bank Kenya'],
  ['EQUITY BANK LTD', 'Equity Bank Kenya'],
  ['Co-op Bank', 'Co-operative Bank of Kenya'],
  ['Stanchart', 'Standard Chartered Bank Kenya'],
  ['Safaricom', 'M-Pesa'],
  ['68', 'Equity Bank Kenya'],
])('%s is %s in Kenya', (text, name) => {
  expect(kenya.match(text)?.name).toBe(name);
});

it.each([
  ['GTBank', 'Guaranty Trust Bank'],
  ['UBA', 'United Bank for Africa'],
  ['044', undefined],
  ['First Microfinance Bank', undefined],
  ['First', undefined],
  ['FCMB', undefined],
  ['Heritage Savings Coop', undefined],
])('%s is %s in Nigeria', (text, name) => {
  expect(nigeria.match(text)?.name).toBe(name);
});

it('shows those with a word in common first, and all of them', () => {
  expect(kenya.suggestions('Standard').map(({ name }) => name)[0]).toBe('Standard Chartered Bank Kenya');
  expect(kenya.suggestions('Nothing of the kind')).toHaveLength(6);
});
