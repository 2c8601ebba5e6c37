import { expect, it } from 'vitest';
import { amountsTable } from '../../src/account/batch-tables.ts';
import { cellText } from '../../src/account/table.ts';
import { sampleAccount } from '../support/accounts.ts';

it('says beside the sums of a batch what is not in them, and gives each currency the decimals that it has', () => {
  const table = amountsTable(
    sampleAccount({
      counts: { created: 3, invalid: 4, not_sent: 5 },
      repeats: { not_sent: 2 },
      sums: [
        { status: 'created', currency: 'XOF', rows: 3, amount: '6898301' },
        { status: 'not_sent', currency: 'USD', rows: 3, amount: '3001.5' },
        { status: 'invalid', currency: 'USD', rows: 1, amount: '0.5' },
      ],
    }),
  );
  expect(table?.introduction).toBe(
    'Amounts in the file, only checked: none is paid; invalid: 1 of 4 rows has an amount and a currency that can be read; not sent: 2 rows more repeat earlier ones, and are not counted again.',
  );
  expect(table?.rows.map((line) => line.map(cellText).join(' '))).toEqual([
    'created XOF 3 6,898,301',
    'not sent USD 3 3,001.50',
    'invalid USD 1 0.50',
  ]);
  expect(table?.totals?.map((line) => line.map(cellText).join(' '))).toEqual([
    'all USD 4 3,002.00',
    'all XOF 3 6,898,301',
  ]);
});
