import { expect, it } from 'vitest';
import { sumAmounts, sumRead } from '../../../src/ledger/before-sending/amounts.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { duplicateOf, stagedBatch, stagedRow } from '../../support/ledger-rows.ts';

forEachLedger((open) => {
  const paid = (row: number, currency: string, amount: string) =>
    stagedRow(row, { record: { external_id: `c-${row}`, currency, amount } });

  it('sums amounts exactly, currency by currency, and counts an object once', async () => {
    const { database } = await open();
    const batch = await stagedBatch(database, [
      paid(2, 'KES', '9007199254740993.01'),
      paid(3, 'KES', '0.02'),
      paid(4, 'UGX', '500'),
      { ...duplicateOf(3, 5), record: paid(3, 'KES', '0.02').record },
      stagedRow(6),
      { ...paid(7, 'KES', '1'), state: 'invalid' },
    ]);
    expect(await sumAmounts(database, batch.id)).toEqual([
      { currency: 'KES', rows: 2, amount: '9007199254740993.03' },
      { currency: 'UGX', rows: 1, amount: '500' },
    ]);
    // What was read of the file: every row, as a partner's control total has it.
    expect(await sumRead(database, batch.id)).toEqual({
      rows: 6,
      amounts: [
        { currency: 'KES', rows: 4, amount: '9007199254740994.05' },
        { currency: 'UGX', rows: 1, amount: '500' },
      ],
    });
  });
});
