import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { Restoration } from '../../../src/domain/rows/ledger-row.ts';
import { restoreRows } from '../../../src/ledger/after-sending/restore.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  type BatchUnderRun,
  beginTestRun,
  claim,
  readyPreparation,
  stagedBatch,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

const longAgo = '2026-01-02T03:04:05.678Z';

function restoration(
  { batch }: BatchUnderRun,
  row: number,
  given: Partial<Restoration> = {},
  object = `${batch.id} ${row}`,
): Restoration {
  return {
    ready: readyPreparation(batch, row, { generation: 2, object }),
    state: 'unknown',
    objectId: null,
    reason: { code: 'recovered', field: null, message: 'As the run log has it.' },
    firstSentAt: longAgo,
    credential: 'key one',
    attempts: 3,
    httpStatus: 500,
    answer: null,
    ...given,
  };
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const lostBatch = async (rows: number): Promise<BatchUnderRun> => {
    const batch = await stagedBatch(database, rows);
    return { batch, run: await beginTestRun(database, batch) };
  };

  const restore = (held: BatchUnderRun, restorations: readonly Restoration[]): Promise<void> =>
    restoreRows(database, held.batch.id, held.run.id, restorations);

  it('gives rows their ends, and leaves those without a history staged', async () => {
    const held = await lostBatch(5);
    await restore(held, [
      restoration(held, 2, { state: 'created', objectId: 'object', reason: null }),
      restoration(held, 3, { state: 'rejected' }),
      restoration(held, 4, { state: 'held' }),
      restoration(held, 5),
    ]);
    expect(await statesOf(database, held.batch)).toEqual({
      2: 'created',
      3: 'rejected',
      4: 'held',
      5: 'unknown',
      6: 'staged',
    });
    expect(await storedRow(database, held.batch, 2)).toMatchObject({ object_id: 'object', code: null });
    expect(await storedRow(database, held.batch, 3)).toMatchObject({ owned_key: null });
  });

  it('has a row in doubt sent again under its very key, generation and bytes, aged from its first send', async () => {
    const held = await lostBatch(1);
    const lost = restoration(held, 2);
    await restore(held, [lost]);
    const row = await storedRow(database, held.batch, 2);
    expect(row).toMatchObject({ generation: 2, may_exist: true, attempts: 3, http_status: 500 });
    expect(row['first_sent_at']).toEqual(new Date(longAgo));
    const later = { ...held, run: await beginTestRun(database, held.batch, { join: true }) };
    expect(await claim(database, later)).toEqual([]);
    expect(await claim(database, later, { keyLifetimeInMs: 1e12, credential: 'key two' })).toEqual([]);
    const [claimed] = await claim(database, later, { keyLifetimeInMs: 1e12 });
    expect(claimed).toMatchObject({
      idempotencyKey: lost.ready.idempotencyKey,
      generation: 2,
      attempts: 3,
      wasUnknown: true,
    });
    expect(claimed?.body.equals(lost.ready.body)).toBe(true);
  });

  it('restores all of a group or nothing', async () => {
    const held = await lostBatch(2);
    const twice = 'the same object';
    const both = [restoration(held, 2, {}, twice), restoration(held, 3, {}, twice)];
    await expect(restore(held, both)).rejects.toMatchObject({ constraint: 'rows_own_key_once' });
    expect(await statesOf(database, held.batch)).toEqual({ 2: 'staged', 3: 'staged' });
    expect(await query(database, 'SELECT FROM requests WHERE batch_id = ?', [held.batch.id])).toHaveLength(0);
  });
});
