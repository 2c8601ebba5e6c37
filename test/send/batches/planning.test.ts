import { expect, it } from 'vitest';
import type { PlanGroup, PlanTotals } from '../../../src/domain/batches/account.ts';
import { planDifference } from '../../../src/send/batches/planning.ts';

function totals(...groups: Partial<PlanGroup>[]): PlanTotals {
  const common = {
    resource: 'recipients/sepa',
    institution: null,
    currency: 'EUR',
    rowsWithAmount: 0,
    amount: null,
  };
  return { send: groups.map((group) => ({ ...common, rows: 1, ...group })), skip: [] };
}

it('names each group that has changed, with what it was and what it is', () => {
  const before = totals({ rows: 3, amount: '1200.50' }, { currency: 'USD' }, { resource: 'accounts' });
  const now = totals({ rows: 2, amount: '1000.50' }, { resource: 'accounts' }, { resource: 'customers' });
  expect(planDifference(before, now)).toBe(
    'recipients/sepa EUR: 3 rows with 1,200.50, now 2 rows with 1,000.50; ' +
      'recipients/sepa USD: 1 row, now none; customers EUR: none, now 1 row',
  );
});

it('says so when only the content of rows has changed', () => {
  expect(planDifference(totals({}), totals({}))).toContain('content of rows');
});

it('is no longer than a person reads', () => {
  const many = totals(...Array.from({ length: 30 }, (_, at) => ({ institution: `Bank ${at}` })));
  expect(planDifference(many, totals())).toMatch(/and 24 more groups$/);
});
