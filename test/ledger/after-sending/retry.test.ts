import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { returnRejected } from '../../../src/ledger/after-sending/retry.ts';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { listRowsToPrepare, writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
  readyPreparation,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  /** Rows 2 created, 3 rejected, 4 unknown, 5 held, 6 ready. */
  const mixedBatch = async (): Promise<Awaited<ReturnType<typeof readyBatch>>> => {
    const held = await readyBatch(database, 5);
    const ends = [
      { state: 'created' },
      { state: 'rejected', attempts: [attempt({ outcome: 'refused', httpStatus: 422 })] },
      { state: 'unknown', attempts: [attempt({ outcome: 'unknown' })] },
      { state: 'held', code: 'conflict', attempts: [attempt({ outcome: 'conflict' })] },
    ] as const;
    for (const end of ends)
      await conclude(database, held, await claim(database, held, { limit: 1 }), {
        code: null,
        ...end,
      });
    await endRun(database, held.run.id, 5);
    return held;
  };

  it('takes rejected rows only, and nothing that may exist', async () => {
    const { batch } = await mixedBatch();
    const before = await statesOf(database, batch);
    expect(before).toEqual({ 2: 'created', 3: 'rejected', 4: 'unknown', 5: 'held', 6: 'ready' });
    expect(await returnRejected(database, batch.id)).toBe(1);
    expect(await statesOf(database, batch)).toEqual({ ...before, 3: 'staged' });
    expect(await returnRejected(database, batch.id)).toBe(0);
  });

  it('gives the next generation a new key, keeps the old request and goes on counting its tries', async () => {
    const { batch } = await mixedBatch();
    await returnRejected(database, batch.id);
    expect(await storedRow(database, batch, 3)).toMatchObject({
      ...{ generation: 2, first_sent_at: null, credential: null, may_exist: false, code: null, attempts: 1 },
    });
    const run = await beginTestRun(database, batch);
    const [toPrepare] = await listRowsToPrepare(database, batch.id, 0, 10);
    expect(toPrepare).toMatchObject({ row: 3, generation: 2 });
    const idempotencyKey = randomUUID();
    const ready = readyPreparation(batch, 3, { generation: 2, idempotencyKey });
    await writePreparations(database, batch.id, run.id, [ready]);
    const requests = await query<{ generation: number; key: string }>(
      database,
      `SELECT generation, idempotency_key AS key FROM requests WHERE batch_id = ? AND row_number = 3 ORDER BY 1`,
      [batch.id],
    );
    expect(requests).toMatchObject([{ generation: 1 }, { generation: 2, key: idempotencyKey }]);
    expect(requests[0]?.key).not.toBe(idempotencyKey);
    const claimed = await claim(database, { batch, run }, { rows: 'fresh' });
    expect(claimed.map(({ row, attempts, wasUnknown }) => ({ row, attempts, wasUnknown }))).toEqual([
      { row: 3, attempts: 1, wasUnknown: false },
      { row: 6, attempts: 0, wasUnknown: false },
    ]);
  });

  it('leaves what is unknown to other commands when it is told to', async () => {
    const { batch } = await mixedBatch();
    const run = await beginTestRun(database, batch);
    expect((await claim(database, { batch, run }, { rows: 'fresh' })).map(({ row }) => row)).toEqual([6]);
    expect((await claim(database, { batch, run })).map(({ row }) => row)).toEqual([4]);
  });
});
