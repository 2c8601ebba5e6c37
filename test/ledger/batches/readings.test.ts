import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { BatchReading } from '../../../src/domain/batches/batch.ts';
import {
  discardEdits,
  endPlannedEdits,
  writeEdits,
} from '../../../src/ledger/after-sending/draft-changes.ts';
import { findDraftEdits } from '../../../src/ledger/after-sending/drafts.ts';
import {
  chooseHidden,
  findEarlierRows,
  findOriginalBatch,
  saveReading,
  sumAmounts,
  sumRead,
} from '../../../src/ledger/batches/readings.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { beginTestBatch, duplicateOf, stagedBatch, stagedRow } from '../../support/ledger-rows.ts';

const reading: BatchReading = {
  mapping: '{"dateFormat":"DD/MM/YYYY"}',
  rules: '{}',
  hiddenRows: 2,
  hiddenChoice: null,
};

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it('gives a batch with its reading back', async () => {
    const batch = await stagedBatch(database, [stagedRow(2)]);
    const { id, mode, origin, kind, fileName, sheet, header, readingHash } = batch;
    await saveReading(database, id, reading);
    const own = { id, mode, origin, kind, fileName, sheet, header, readingHash };
    expect(await findOriginalBatch(database, id)).toEqual({ ...own, reading });
  });

  it('keeps what was said of hidden rows', async () => {
    const { id } = await stagedBatch(database, [stagedRow(2)]);
    await saveReading(database, id, reading);
    await chooseHidden(database, id, 'include');
    await saveReading(database, id, reading);
    expect((await findOriginalBatch(database, id))?.reading?.hiddenChoice).toBe('include');
  });

  it('does not know a batch that was never staged to its end', async () => {
    const { id } = await beginTestBatch(database);
    expect(await findOriginalBatch(database, id)).toBeUndefined();
  });

  it('gives rows as they came in, and leaves out those that the batch does not have', async () => {
    const finding = {
      severity: 'invalid',
      field: 'email',
      column: 'E-mail',
      code: 'x',
      message: 'y',
    } as const;
    const { id } = await stagedBatch(database, [stagedRow(2, { cells: ['a', 'b'], findings: [finding] })]);
    expect([...(await findEarlierRows(database, id, [2, 3]))]).toEqual([
      [2, { row: 2, cells: ['a', 'b'], findings: [finding], confirmed: new Map() }],
    ]);
  });

  it('reports what people have written in place of cells, as long as it counts or was planned', async () => {
    const { id } = await stagedBatch(database, [
      stagedRow(2, { cells: ['a', 'b', 'c'], state: 'invalid' }),
      stagedRow(3, { cells: ['a', 'b', 'c'], state: 'invalid' }),
    ]);
    const edit = (row: number, place: number, before: string, after: string) => ({
      row,
      place,
      before,
      after,
    });
    expect(
      await writeEdits(database, id, 'amina', [edit(2, 0, 'a', 'A'), edit(2, 1, 'b', 'B')]),
    ).toMatchObject({ conflicts: [] });
    await writeEdits(database, id, 'amina', [edit(2, 1, 'B', 'BB'), edit(3, 0, 'a', 'gone')]);
    await writeEdits(database, id, 'amina', [{ ...edit(2, 2, 'c', 'c'), isRight: true }]);
    await discardEdits(database, id, 'amina', { row: 3 });
    const [planned] = await findDraftEdits(database, id, [2]);
    if (planned === undefined) throw new Error('the draft has no edit');
    await endPlannedEdits(database, id, 'amina', [planned], id);
    const earlier = await findEarlierRows(database, id, [2, 3]);
    expect([...(earlier.get(2)?.confirmed ?? [])].sort()).toEqual([
      [0, ['A']],
      [1, ['BB']],
      [2, ['c']],
    ]);
    expect(earlier.get(3)?.confirmed.size).toBe(0);
  });

  const paid = (row: number, currency: string, amount: string) =>
    stagedRow(row, { record: { external_id: `c-${row}`, currency, amount } });

  it('sums amounts exactly, currency by currency, and counts an object once', async () => {
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
