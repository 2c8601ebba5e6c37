import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchIdentity, BatchRecord } from '../../../src/domain/batches/batch.ts';
import type { SeriesComparison, SeriesKeys } from '../../../src/domain/batches/last-time.ts';
import type { StagedRow } from '../../../src/domain/rows/ledger-row.ts';
import { closeBatch } from '../../../src/ledger/batches/closing.ts';
import {
  findSeriesBatch,
  noteSeries,
  readSeries,
  readSeriesPayees,
  sumRows,
} from '../../../src/ledger/batches/last-time.ts';
import { emptyUnstaged, giveUpBatch, stageRows } from '../../../src/ledger/before-sending/stage.ts';
import { execute, uncheckedRows } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  beginTestBatch,
  beginTestRun,
  besides,
  executeByHand,
  newIdentity,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';

const keys: SeriesKeys = { name: 'salaries', mapping: 'a header' };
const payeeOf = (name: string): string => name.padEnd(8, '\xff');

function paying(row: number, name: string, given: Partial<StagedRow> = {}): StagedRow {
  return stagedRow(row, { payee: payeeOf(name), record: { amount: '0.10', currency: 'EUR' }, ...given });
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  /** A batch of a series, with a run of a command. */
  async function ofSeries(
    own: SeriesKeys,
    command: 'plan' | 'import',
    given: Partial<BatchIdentity> = {},
  ): Promise<BatchRecord> {
    const batch = await stagedBatch(database, [paying(2, 'ada')], given);
    await noteSeries(database, batch.id, own, null);
    await beginTestRun(database, batch);
    await execute(database, 'UPDATE runs SET command = ?, ended_at = now() WHERE batch_id = ?', [
      command,
      batch.id,
    ]);
    return batch;
  }

  async function foundFor(batch: BatchRecord, given: object = {}): Promise<string | undefined> {
    const { environmentId, kind } = batch;
    const file = { environmentId, kind, contentHash: 'another', keys, ...given };
    return (await findSeriesBatch(database, file))?.batch;
  }

  describe('the last batch of a series', () => {
    it('is the newest imported one of the same name or header', async () => {
      const oldest = await ofSeries(keys, 'import');
      const environment = besides(oldest);
      const byName = await ofSeries({ ...keys, mapping: null }, 'import', environment);
      expect(await foundFor(oldest)).toBe(byName.id);
      const byHeader = await ofSeries({ name: 'other', mapping: keys.mapping }, 'import', environment);
      expect(await foundFor(oldest)).toBe(byHeader.id);
      await ofSeries(keys, 'plan', environment);
      expect(await foundFor(oldest)).toBe(byHeader.id);
      expect(await foundFor(oldest, { keys: { name: 'other', mapping: null } })).toBe(byHeader.id);
      expect(await foundFor(oldest, { keys: { name: null, mapping: null } })).toBeUndefined();
    });

    it('is one that was only planned where there is no other', async () => {
      const planned = await ofSeries(keys, 'plan');
      expect(await foundFor(planned)).toBe(planned.id);
    });

    it('is of the same environment and kind, and another content', async () => {
      const batch = await ofSeries(keys, 'import');
      expect(await foundFor(batch, { environmentId: batch.environmentId + 1 })).toBeUndefined();
      expect(await foundFor(batch, { kind: 'accounts' })).toBeUndefined();
      expect(await foundFor(batch, { contentHash: batch.contentHash })).toBeUndefined();
    });

    it('is staged to its end, has payees, corrects no other, and was not closed before anything was created', async () => {
      const first = await ofSeries(keys, 'import');
      const environment = besides(first);
      const unstaged = await beginTestBatch(database, newIdentity(environment));
      await noteSeries(database, unstaged.id, keys, null);
      const corrected = paying(2, 'ada', { corrects: { batch: first.id, row: 2 } });
      const correction = await stagedBatch(database, [corrected], environment);
      await noteSeries(database, correction.id, keys, null);
      const bare = await stagedBatch(database, [stagedRow(2)], environment);
      await noteSeries(database, bare.id, keys, null);
      const closed = await ofSeries(keys, 'import', environment);
      await closeBatch(database, closed.id, { by: 'me', note: 'the wrong file' });
      expect(await foundFor(first)).toBe(first.id);
      await executeByHand(
        database,
        `INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id, run_id, credential,
           first_sent_at, http_status, attempts)
         SELECT batch_id, row_number, environment_id, kind, 'one', ?::uuid, 'key', now(), 201, 1
         FROM row_states WHERE batch_id = ?`,
        [randomUUID(), closed.id],
      );
      expect(await foundFor(first)).toBe(closed.id);
    });
  });

  describe('the payees of a batch', () => {
    const read = async (batchId: string): Promise<{ batch: string; row: number; payee: string }[]> => {
      const all: { batch: string; row: number; payee: string }[] = [];
      for await (const { batch, rows, payees } of readSeriesPayees(database, batchId)) {
        expect(payees).toHaveLength(8 * rows.length);
        all.push(...rows.map((row, at) => ({ batch, row, payee: payees.slice(8 * at, 8 * at + 8) })));
      }
      return all;
    };

    it('are those of its rows and of those that correct them, in place of the corrected ones', async () => {
      const rows = [paying(2, 'ada'), stagedRow(3), paying(5, 'ben')];
      const batch = await stagedBatch(database, rows);
      expect(await read(batch.id)).toEqual([
        { batch: batch.id, row: 2, payee: payeeOf('ada') },
        { batch: batch.id, row: 5, payee: payeeOf('ben') },
      ]);
      const corrected = paying(2, 'cleo', { corrects: { batch: batch.id, row: 5 } });
      const correction = await stagedBatch(database, [corrected], besides(batch));
      await executeByHand(
        database,
        `UPDATE row_states SET state = 'invalid', code = 'superseded' WHERE batch_id = ? AND row_number = 5`,
        [batch.id],
      );
      expect(await read(batch.id)).toEqual([
        { batch: batch.id, row: 2, payee: payeeOf('ada') },
        { batch: correction.id, row: 2, payee: payeeOf('cleo') },
      ]);
    });

    it('are read group by group, however many there are', async () => {
      const batch = await beginTestBatch(database);
      const run = await beginTestRun(database, batch);
      for (let group = 0; group < 23; group += 1) {
        const rows = [2, 3].map((row) => paying(row + 2 * group, `payee ${row + 2 * group}`));
        await stageRows(database, batch, run.id, rows);
      }
      const found = await read(batch.id);
      expect(found.map(({ row }) => row)).toEqual(Array.from({ length: 46 }, (_, at) => at + 2));
      // What is staged anew, or given up, leaves nothing behind.
      await emptyUnstaged(database, batch.id, run.id);
      expect(await read(batch.id)).toEqual([]);
      await stageRows(database, batch, run.id, [paying(2, 'ada')]);
      await noteSeries(database, batch.id, keys, null);
      await giveUpBatch(database, batch.id, run.id);
      const left = await uncheckedRows(
        database,
        `SELECT 1 FROM batch_payees WHERE batch_id = ? UNION ALL SELECT 1 FROM batch_series WHERE batch_id = ?`,
        [batch.id, batch.id],
      );
      expect(left).toEqual([]);
    });

    it('have exact sums by currency', async () => {
      const amount = (amount: string, currency: string): Partial<StagedRow> => ({
        record: { amount, currency },
      });
      const batch = await stagedBatch(database, [
        paying(2, 'ada', amount('0.10', 'EUR')),
        paying(3, 'ben', amount('99999999999999999999.20', 'EUR')),
        paying(4, 'cleo', amount('5', 'KES')),
        paying(5, 'dan', { record: { currency: 'EUR' } }),
        paying(6, 'eva', amount('7', 'EUR')),
      ]);
      expect(await sumRows(database, batch.id, [2, 3, 4, 5])).toEqual([
        { currency: 'EUR', rows: 2, amount: '99999999999999999999.30' },
        { currency: 'KES', rows: 1, amount: '5' },
      ]);
      expect(await sumRows(database, batch.id, [])).toEqual([]);
    });
  });

  it('keeps how a batch compared', async () => {
    const batch = await stagedBatch(database, 1);
    expect(await readSeries(database, batch.id)).toBeNull();
    const group = { payees: 1, sums: [{ currency: 'EUR', rows: 1, amount: '0.30' }] };
    const earlier = {
      batch: randomUUID(),
      file: 'june.csv',
      createdAt: '2026-06-30T08:00:00.000Z',
      payees: 1,
    };
    const comparison: SeriesComparison = { payees: 2, earlier, fresh: group, missing: group };
    await noteSeries(database, batch.id, keys, comparison);
    expect(await readSeries(database, batch.id)).toEqual(comparison);
    await noteSeries(database, batch.id, keys, null);
    expect(await readSeries(database, batch.id)).toBeNull();
  });
});
