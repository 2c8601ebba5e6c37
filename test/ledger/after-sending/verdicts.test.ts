import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { DecidedRow } from '../../../src/domain/rows/ledger-row.ts';
import {
  findRowsToResolve,
  listVerdicts,
  returnRejected,
  writeVerdicts,
} from '../../../src/ledger/after-sending/verdicts.ts';
import { endRun, takeOverExpired } from '../../../src/ledger/batches/runs.ts';
import { findKeyOwners } from '../../../src/ledger/before-sending/known-objects.ts';
import { listRowsToPrepare, writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { findCreators } from '../../../src/ledger/protocol/late-creations.ts';
import { execute, uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  besides,
  claim,
  conclude,
  readyBatch,
  readyPreparation,
  stagedBatch,
  stagedRow,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

function decided(row: number, given: Partial<DecidedRow> = {}): DecidedRow {
  return {
    row,
    fromState: 'unknown',
    attempts: 1,
    verdict: 'not-created',
    to: 'staged',
    objectId: null,
    note: 'they said so',
    message: 'A person decided.',
    ...given,
  };
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  async function unknownBatch(count: number): Promise<BatchUnderRun> {
    const held = await readyBatch(database, count);
    await conclude(database, held, await claim(database, held), {
      state: 'unknown',
      code: 'timeout',
      attempts: [attempt({ outcome: 'unknown', reason: 'timeout', httpStatus: null })],
    });
    return held;
  }

  function write(held: BatchUnderRun, rows: readonly DecidedRow[]): Promise<boolean> {
    return writeVerdicts(database, held.batch.id, { runId: held.run.id, user: 'ann' }, () => [rows]);
  }

  it('starts a row afresh that was not created: next generation, no key owned, no doubt, old request kept', async () => {
    const held = await unknownBatch(1);
    expect(await write(held, [decided(2)])).toBe(true);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({
      state: 'staged',
      generation: 2,
      owned_key: null,
      first_sent_at: null,
      may_exist: false,
      run_id: null,
      credential: null,
      object_id: null,
      code: 'resolved',
    });
    const requests = await query(database, 'SELECT FROM requests WHERE batch_id = ?', [held.batch.id]);
    expect(requests).toHaveLength(1);
    const [row] = await listRowsToPrepare(database, held.batch.id, 0, 10);
    expect(row).toMatchObject({ row: 2, generation: 2, isSentRegardless: false });
  });

  it('keeps the generation of a held row that never had a request', async () => {
    const batch = await stagedBatch(database, [stagedRow(2, { state: 'held' })]);
    const run = await beginTestRun(database, batch);
    await write({ batch, run }, [decided(2, { fromState: 'held', attempts: 0, verdict: 'send' })]);
    expect(await storedRow(database, batch, 2)).toMatchObject({ state: 'staged', generation: 1 });
    expect((await listRowsToPrepare(database, batch.id, 0, 10))[0]?.isSentRegardless).toBe(true);
  });

  it('takes a created row by its id, with its natural key', async () => {
    const held = await unknownBatch(1);
    await write(held, [decided(2, { verdict: 'created', to: 'created', objectId: 'object-x' })]);
    const row = await storedRow(database, held.batch, 2);
    expect(row).toMatchObject({ state: 'created', object_id: 'object-x', generation: 1 });
    expect(row['owned_key']).toEqual(row['natural_key']);
    const { id } = held.batch;
    expect(await findCreators(database, id, ['object-x'])).toEqual(
      new Map([['object-x', { batch: id, row: 2 }]]),
    );
  });

  it('lets go of the natural key of a row whose object is an earlier one', async () => {
    const held = await unknownBatch(1);
    await write(held, [decided(2, { verdict: 'existing', to: 'existing', objectId: 'object-y' })]);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({
      state: 'existing',
      object_id: 'object-y',
      owned_key: null,
    });
  });

  it('changes nothing when one of the rows has moved on', async () => {
    const held = await unknownBatch(2);
    expect(await write(held, [decided(2), decided(3, { fromState: 'held' })])).toBe(false);
    expect(await listVerdicts(database, held.batch.id, 10)).toEqual([]);
    expect((await storedRow(database, held.batch, 2))['state']).toBe('unknown');
  });

  it('changes nothing when one of the rows was sent since, also by a run that was lost before it said so', async () => {
    const held = await unknownBatch(2);
    const later = await beginTestRun(database, held.batch, { join: true });
    const claimed = await claim(database, { ...held, run: later }, { limit: 1 });
    expect(claimed.map(({ row }) => row)).toEqual([2]);
    await endRun(database, later.id, 'stopped');
    expect(await takeOverExpired(database, held.batch.id)).toBe(1);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({ state: 'unknown', attempts: 2 });
    expect(await write(held, [decided(2), decided(3)])).toBe(false);
    expect((await storedRow(database, held.batch, 3))['state']).toBe('unknown');
    expect(await write(held, [decided(2, { attempts: 2 }), decided(3)])).toBe(true);
  });

  it('keeps who, when, why and the state before, and cannot be rewritten', async () => {
    const held = await unknownBatch(1);
    await write(held, [decided(2)]);
    expect(await listVerdicts(database, held.batch.id, 10)).toMatchObject([
      {
        row: 2,
        verdict: 'not-created',
        fromState: 'unknown',
        fromCode: 'timeout',
        note: 'they said so',
        decidedBy: 'ann',
        decidedAt: expect.stringMatching(/Z$/),
      },
    ]);
    await expect(execute(database, "UPDATE verdicts SET note = 'other'")).rejects.toThrow('never changed');
    await expect(execute(database, 'DELETE FROM verdicts')).rejects.toThrow('never changed');
  });

  it('lets a row be sent although another row owns its natural key, which stays that row’s', async () => {
    const first = await readyBatch(database, 1);
    const owner = await storedRow(database, first.batch, 2);
    const naturalKey = owner['natural_key'] as Buffer;
    const batch = await stagedBatch(database, 1, besides(first.batch));
    const run = await beginTestRun(database, batch);
    const ownedKey = Buffer.from(randomUUID());
    const ready = readyPreparation(batch, 2, { naturalKey });
    expect(await writePreparations(database, batch.id, run.id, [ready])).toBe(false);
    expect(await writePreparations(database, batch.id, run.id, [{ ...ready, ownedKey }])).toBe(true);
    const owners = await findKeyOwners(database, batch.environmentId, batch.kind, [naturalKey]);
    expect(owners.get(naturalKey.toString('hex'))).toMatchObject({ batch: first.batch.id });
  });

  it('shows what a verdict is about', async () => {
    const held = await unknownBatch(1);
    expect(await findRowsToResolve(database, held.batch.id, [2, 99])).toMatchObject([
      { row: 2, state: 'unknown', attempts: 1, resource: 'customers', code: 'timeout' },
    ]);
  });
});

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
    await endRun(database, held.run.id, 'decision_needed');
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

  it('gives the next generation a new key, keeps the old request and continues to count its tries', async () => {
    const { batch } = await mixedBatch();
    await returnRejected(database, batch.id);
    expect(await storedRow(database, batch, 3)).toMatchObject({
      generation: 2,
      first_sent_at: null,
      credential: null,
      may_exist: false,
      code: null,
      attempts: 1,
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

  it('leaves unknown rows to other commands when it claims fresh rows only', async () => {
    const { batch } = await mixedBatch();
    const run = await beginTestRun(database, batch);
    expect((await claim(database, { batch, run }, { rows: 'fresh' })).map(({ row }) => row)).toEqual([6]);
    expect((await claim(database, { batch, run })).map(({ row }) => row)).toEqual([4]);
  });
});
