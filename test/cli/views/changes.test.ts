import { expect, it } from 'vitest';
import { changeLines } from '../../../src/cli/views/changes.ts';
import type { ShownPayee } from '../../../src/domain/rows/payee-change.ts';

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
