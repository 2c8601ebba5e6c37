import { describe, expect, it } from 'vitest';
import { changeLines } from '../../../src/cli/views/summary.ts';
import type { SeriesComparison } from '../../../src/domain/batches/last-time.ts';
import type { ShownPayee } from '../../../src/domain/rows/finding.ts';

function payee(account: string): ShownPayee {
  return { name: 'Amina Otieno', account, institution: 'Equity Bank', customer: 'C-1' };
}

function textOf(before: string, after: string): string {
  const shown = {
    row: 2,
    code: 'payee_details_changed',
    before: payee(before),
    after: payee(after),
    amount: null,
    currency: 'KES',
    earlier: {
      batch: '12d2714e-2e85-8b38-9fd2-db2ce449c9fe',
      file: 'june.csv',
      row: 7,
      createdAt: '2026-06-30T08:00:00.000Z',
    },
    isStillUsed: false,
  } as const;
  const counts = { payee_details_changed: 1 };
  return changeLines({ counts, shown: [shown] }, (_, text) => text)
    .join(' ')
    .replace(/\s+/g, ' ');
}

it('masks both accounts', () => {
  expect(textOf('DE89370400440532013000', 'DE75512108001245126199')).toContain(
    'row 2: “…3000” at Equity Bank before, “…6199” at Equity Bank now (row 7 of june.csv, batch 12d2714e, created 2026-06-30)',
  );
});

it('shows where two accounts differ that end alike', () => {
  expect(textOf('DE89370400440532013000', 'DE79370400440532213000')).toContain(
    '“…8937…3000” at Equity Bank before, “…7937…3000” at Equity Bank now',
  );
  expect(textOf('0710000111', '0720000111')).toContain('“…100…111” at Equity Bank before, “…200…111”');
});

describe('the last file of a series', () => {
  const earlier = {
    ...{
      batch: '12d2714e-2e85-8b38-9fd2-db2ce449c9fe',
      file: 'june.csv',
      createdAt: '2026-06-30T08:00:00.000Z',
    },
    payees: 1_198,
  };
  const linesOf = (series: Omit<SeriesComparison, 'earlier'>): readonly string[] =>
    changeLines({ counts: {}, shown: [], series: { earlier, ...series } }, (_, text) => text);

  it('is reported although no payee changed, with exact sums by currency', () => {
    const fresh = {
      payees: 12,
      sums: [
        { currency: 'EUR', rows: 13, amount: '1200.5' },
        { currency: 'KES', rows: 1, amount: '90071992547409.93' },
      ],
    };
    const missing = { payees: 1, sums: [{ currency: 'EUR', rows: 1, amount: '3' }] };
    expect(linesOf({ payees: 1_209, fresh, missing })).toEqual([
      '  What changed since last time',
      '  Compared with june.csv of 2026-06-30 (batch 12d2714e): 1,209 payees, 1,198 there.',
      '  12 payees are new: 1,200.50 EUR, 90,071,992,547,409.93 KES.',
      '  1 payee of that file is missing: 3.00 EUR.',
    ]);
  });

  it('is reported if it has the same payees', () => {
    const nobody = { payees: 0, sums: [] };
    expect(linesOf({ payees: 1_198, fresh: nobody, missing: nobody }).slice(2)).toEqual([
      '  No payee is new.',
      '  No payee of that file is missing.',
    ]);
  });
});
