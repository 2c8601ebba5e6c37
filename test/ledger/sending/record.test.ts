import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { listLateCreations } from '../../../src/ledger/protocol/late-creations.ts';
import { execute, uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { recordConclusions } from '../../../src/ledger/sending/record.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  attempt,
  beginTestRun,
  besides,
  claim,
  conclude,
  concluded,
  readyBatch,
  readyPreparation,
  stagedBatch,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  it('records each row of a group with what it came to', async () => {
    const held = await readyBatch(database, 5);
    const claimed = await claim(database, held);
    const states = ['created', 'rejected', 'unknown', 'held', 'ready'] as const;
    const group = claimed.map((row, at) =>
      concluded(row, { state: states[at] ?? 'held', code: `code-${at}` }),
    );
    const recorded = await recordConclusions(database, held.batch.id, held.run.id, group);
    expect([...recorded].toSorted()).toEqual([2, 3, 4, 5, 6]);
    expect(Object.values(await statesOf(database, held.batch))).toEqual(states);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({
      object_id: 'object-2',
      may_exist: false,
    });
    expect(await storedRow(database, held.batch, 4)).toMatchObject({ may_exist: true });
  });

  it('ends the lease with the conclusion', async () => {
    const held = await readyBatch(database, 1);
    await conclude(database, held, await claim(database, held));
    expect(await storedRow(database, held.batch, 2)).toMatchObject({ lease_token: null });
  });

  it('writes every request down, with the answer as evidence', async () => {
    const held = await readyBatch(database, 1);
    const attempts = [
      attempt({ outcome: 'unknown', reason: 'server_error', httpStatus: 503, durationInMs: 7.6 }),
      attempt({ number: 2, objectId: 'object-2', answer: '{"data":"\0 Ω"}' }),
    ];
    await conclude(database, held, await claim(database, held), { attempts });
    const written = await query(
      database,
      `SELECT number, generation, outcome, reason, http_status, object_id, duration_in_ms, answer, run_id
       FROM attempts WHERE batch_id = ? ORDER BY number`,
      [held.batch.id],
    );
    const common = { generation: 1, run_id: held.run.id };
    expect(written).toEqual([
      {
        ...common,
        number: 1,
        outcome: 'unknown',
        reason: 'server_error',
        http_status: 503,
        object_id: null,
        duration_in_ms: 8,
        answer: null,
      },
      {
        ...common,
        number: 2,
        outcome: 'created',
        reason: null,
        http_status: 201,
        object_id: 'object-2',
        duration_in_ms: 13,
        answer: '{"data":"\uFFFD Ω"}',
      },
    ]);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({ attempts: 2, http_status: 201 });
  });

  it('changes nothing for a worker whose lease was taken over, whose request the takeover has counted', async () => {
    const held = await readyBatch(database, 2);
    const lost = await claim(database, held, { limit: 1 });
    await execute(database, 'UPDATE runs SET lease_until = now() WHERE id = ?', [held.run.id]);
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
    const current = await claim(database, later, { rows: 'fresh' });
    expect([...(await conclude(database, held, lost, { attempts: [attempt()] }))]).toEqual([]);
    expect([...(await conclude(database, later, current, { attempts: [attempt()] }))]).toEqual([3]);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({
      state: 'unknown',
      object_id: null,
      attempts: 1,
    });
    const rows = await query(database, 'SELECT row_number FROM attempts WHERE batch_id = ?', [held.batch.id]);
    expect(rows).toEqual([{ row_number: 3 }]);
  });

  it('changes nothing for the old worker when another one has the row under a lease again', async () => {
    const held = await readyBatch(database, 1);
    const old = await claim(database, held);
    await endRun(database, held.run.id, 'stopped');
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
    const current = await claim(database, later);
    expect([...(await conclude(database, held, old, { state: 'rejected' }))]).toEqual([]);
    expect(await statesOf(database, held.batch)).toEqual({ 2: 'sending' });
    expect([...(await conclude(database, later, current))]).toEqual([2]);
  });

  it('records a conclusion once', async () => {
    const held = await readyBatch(database, 1);
    const claimed = await claim(database, held);
    expect((await conclude(database, held, claimed)).size).toBe(1);
    expect((await conclude(database, held, claimed, { state: 'rejected' })).size).toBe(0);
    expect(await statesOf(database, held.batch)).toEqual({ 2: 'created' });
  });

  it('frees the natural key of a refused row only', async () => {
    const held = await readyBatch(database, 4);
    const claimed = await claim(database, held);
    const states = ['rejected', 'created', 'unknown', 'held'] as const;
    const group = claimed.map((row, at) => concluded(row, { state: states[at] ?? 'held' }));
    await recordConclusions(database, held.batch.id, held.run.id, group);
    const stored = await Promise.all([2, 3, 4, 5].map((row) => storedRow(database, held.batch, row)));
    expect(stored.map((row) => row['owned_key'] !== null)).toEqual([false, true, true, true]);

    const batch = await stagedBatch(database, 2, besides(held.batch));
    const run = await beginTestRun(database, batch);
    const again = (row: number, original: number) =>
      readyPreparation(batch, row, { object: `${held.batch.id} ${original}` });
    expect(await writePreparations(database, batch.id, run.id, [again(2, 3)])).toBe(false);
    expect(await writePreparations(database, batch.id, run.id, [again(2, 2)])).toBe(true);
  });

  it('puts a row that never left back as it was, its key unused and its history kept', async () => {
    const held = await readyBatch(database, 1);
    const before = await storedRow(database, held.batch, 2);
    const attempts = [attempt({ outcome: 'not_sent', reason: 'connection_refused', httpStatus: null })];
    await conclude(database, held, await claim(database, held), {
      state: 'ready',
      code: 'connection_refused',
      attempts,
    });
    expect(await storedRow(database, held.batch, 2)).toEqual({
      ...before,
      code: 'connection_refused',
      attempts: 1,
      run_id: held.run.id,
      changed_at: expect.any(Date),
    });
  });

  it('keeps what is known about an unknown row that was claimed and not tried', async () => {
    const held = await readyBatch(database, 1);
    const attempts = [attempt({ outcome: 'unknown', reason: 'timeout', httpStatus: 504 })];
    const given = { state: 'unknown', code: 'timeout', message: 'No answer.' } as const;
    await conclude(database, held, await claim(database, held), { ...given, attempts });
    await endRun(database, held.run.id, 'decision_needed');
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
    await conclude(database, later, await claim(database, later), { state: 'unknown' });
    expect(await storedRow(database, held.batch, 2)).toMatchObject({
      ...given,
      attempts: 1,
      http_status: 504,
    });
  });

  it('keeps a late answer that created an object, until the row has that very object', async () => {
    const held = await readyBatch(database, 2);
    const late = await claim(database, held);
    await endRun(database, held.run.id, 'stopped');
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
    const current = await claim(database, later);
    for (const _ of ['at first', 'repeated']) {
      const answers = late.map((row) =>
        concluded(row, { attempts: [attempt({ objectId: `object-${row.row}` })] }),
      );
      expect([...(await recordConclusions(database, held.batch.id, held.run.id, answers))]).toEqual([]);
    }
    expect(await listLateCreations(database, held.batch.id, 10)).toMatchObject([
      { row: 2, objectId: 'object-2', idempotencyKey: late[0]?.idempotencyKey },
      { row: 3, objectId: 'object-3', idempotencyKey: late[1]?.idempotencyKey },
    ]);
    await conclude(database, later, current.slice(0, 1), { attempts: [attempt()] });
    await conclude(database, later, current.slice(1), { objectId: 'another', attempts: [attempt()] });
    expect(await listLateCreations(database, held.batch.id, 10)).toMatchObject([
      { row: 3, objectId: 'object-3' },
    ]);
  });

  it('holds a row whose object another row of the environment has, whichever way either was sent', async () => {
    const held = await readyBatch(database, 4);
    const [first, second, third, fourth] = await claim(database, held);
    const same = { objectId: 'the same', attempts: [attempt({ objectId: 'the same' })] };
    await conclude(database, held, [first, second].filter(isThere), same);
    expect(await statesOf(database, held.batch)).toMatchObject({ 2: 'created', 3: 'held' });
    expect(await storedRow(database, held.batch, 3)).toMatchObject({
      code: 'id_seen_before',
      object_id: null,
      message: expect.stringContaining('row 2 of batch'),
    });
    await conclude(database, held, [third].filter(isThere), { ...same, code: 'answer_differs' });
    await conclude(database, held, [fourth].filter(isThere), { ...same, objectId: 'another' });
    expect(await statesOf(database, held.batch)).toMatchObject({ 4: 'held', 5: 'created' });

    const other = await readyBatch(database, 1, 1, besides(held.batch));
    await conclude(database, other, await claim(database, other), { ...same, objectId: 'another' });
    expect(await statesOf(database, other.batch)).toEqual({ 2: 'held' });
  });
});

function isThere<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
