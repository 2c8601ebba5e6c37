import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  endRun,
  endRunWithFiles,
  listRuns,
  prolongRun,
  takeOverExpired,
} from '../../../src/ledger/batches/runs.ts';
import { giveUpBatch } from '../../../src/ledger/before-sending/stage.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { readRevision } from '../../../src/ledger/protocol/batch-lock.ts';
import { execute, uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger, onServer } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestBatch,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
  stagedBatch,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

/** No process of this host has it: the highest id that Linux gives is 4,194,304. */
const deadProcess = '99999999 1 a-boot';

const expire = (database: Knex, run: { readonly id: string }): Promise<number> =>
  execute(database, "UPDATE runs SET lease_until = now() - interval '1 s' WHERE id = ?", [run.id]);

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const setOwner = (runId: string, host: string, process: string): Promise<number> =>
    execute(database, 'UPDATE runs SET owner_host = ?, owner_process = ? WHERE id = ?', [
      host,
      process,
      runId,
    ]);

  describe('beginRun', () => {
    it('refuses a second run of a batch and names who holds it', async () => {
      const batch = await stagedBatch(database, 1);
      await beginTestRun(database, batch);
      await expect(beginTestRun(database, batch)).rejects.toMatchObject({
        name: 'PaybatchError',
        kind: 'busy',
        code: 'batch_held',
        message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
      });
      expect(await listRuns(database, batch.id)).toHaveLength(1);
    });

    it('lets another run join when it asks to', async () => {
      const held = await readyBatch(database, 1);
      await claim(database, held);
      const joined = await beginTestRun(database, held.batch, { join: true });
      expect(joined.number).not.toBe(held.run.number);
      expect(await statesOf(database, held.batch)).toEqual({ 2: 'sending' });
      expect(await prolongRun(database, held.run.id, 1_000)).toBe(true);
    });

    it('begins after the run before has ended', async () => {
      const batch = await stagedBatch(database, 1);
      const first = await beginTestRun(database, batch);
      await endRun(database, first.id, 'stopped');
      const second = await beginTestRun(database, batch);
      const runs = await listRuns(database, batch.id);
      expect(runs.map(({ id, outcome, endedAt }) => [id, outcome, endedAt !== null])).toEqual([
        [first.id, 'stopped', true],
        [second.id, null, false],
      ]);
    });

    it('takes over from a dead process of this host at once', async () => {
      const held = await readyBatch(database, 2);
      await claim(database, held, { limit: 1 });
      await setOwner(held.run.id, hostname(), deadProcess);
      const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
      expect(await statesOf(database, held.batch)).toEqual({ 2: 'unknown', 3: 'ready' });
      expect(await storedRow(database, held.batch, 2)).toMatchObject({
        code: 'worker_lost',
        may_exist: true,
      });
      const claimed = [...(await claim(database, later)), ...(await claim(database, later))];
      expect(claimed.map(({ row, wasUnknown }) => [row, wasUnknown])).toEqual([
        [2, true],
        [3, false],
      ]);
      expect(await prolongRun(database, held.run.id, 1_000)).toBe(false);
    });

    it('takes over from a process whose id another one has had since', async () => {
      const batch = await stagedBatch(database, 1);
      const run = await beginTestRun(database, batch);
      await setOwner(run.id, hostname(), `${process.pid} 1 a-boot`);
      await expect(beginTestRun(database, batch)).resolves.toMatchObject({ endedAt: null });
    });

    it('waits for the lease of a run on another host, and takes over when that is up', async () => {
      const held = await readyBatch(database, 1);
      await claim(database, held);
      await setOwner(held.run.id, 'another-host', deadProcess);
      await expect(beginTestRun(database, held.batch)).rejects.toMatchObject({ kind: 'busy' });
      await expire(database, held.run);
      await beginTestRun(database, held.batch);
      expect(await statesOf(database, held.batch)).toEqual({ 2: 'unknown' });
    });

    it('finds rows that a run left under lease when it ended', async () => {
      const held = await readyBatch(database, 1);
      await claim(database, held);
      await endRun(database, held.run.id, 'stopped');
      await beginTestRun(database, held.batch);
      expect(await statesOf(database, held.batch)).toEqual({ 2: 'unknown' });
    });

    it('says so when another run gave the batch up just now', async () => {
      const batch = await beginTestBatch(database);
      const first = await beginTestRun(database, batch);
      await giveUpBatch(database, batch.id, first.id);
      await expect(beginTestRun(database, batch)).rejects.toMatchObject({
        kind: 'stopped',
        code: 'batch_given_up',
      });
    });
  });

  describe('prolongRun', () => {
    it('prolongs the run and the rows that it is sending, and no other run', async () => {
      const held = await readyBatch(database, 2);
      await claim(database, held, { limit: 1 });
      const other = { batch: held.batch, run: await beginTestRun(database, held.batch, { join: true }) };
      await claim(database, other);
      await expire(database, held.run);
      await expire(database, other.run);
      expect(await prolongRun(database, held.run.id, 60_000)).toBe(true);
      expect(await takeOverExpired(database, held.batch.id)).toBe(1);
      expect(await statesOf(database, held.batch)).toEqual({ 2: 'sending', 3: 'unknown' });
      await expect(beginTestRun(database, held.batch)).rejects.toMatchObject({ kind: 'busy' });
    });

    it('reports to a run that it has ended', async () => {
      const held = await readyBatch(database, 1);
      await endRun(database, held.run.id, 'stopped');
      expect(await prolongRun(database, held.run.id, 60_000)).toBe(false);
      expect(await prolongRun(database, randomUUID(), 60_000)).toBe(false);
    });
  });

  it('takes over only rows whose lease has run out, and only of this batch', async () => {
    const held = await readyBatch(database, 2);
    const other = await readyBatch(database, 1);
    await claim(database, held, { limit: 1 });
    await claim(database, other);
    await expire(database, other.run);
    expect(await takeOverExpired(database, held.batch.id)).toBe(0);
    const joined = { batch: held.batch, run: await beginTestRun(database, held.batch, { join: true }) };
    await claim(database, joined);
    await expire(database, joined.run);
    expect(await takeOverExpired(database, held.batch.id)).toBe(1);
    expect(await statesOf(database, held.batch)).toEqual({ 2: 'sending', 3: 'unknown' });
    expect(await statesOf(database, other.batch)).toEqual({ 2: 'sending' });
  });

  it('treats a lease that lasts for hours as one from before the clock was set back', async () => {
    const held = await readyBatch(database, 1);
    await claim(database, held);
    await execute(database, "UPDATE runs SET lease_until = now() + interval '25 h' WHERE id = ?", [
      held.run.id,
    ]);
    expect(await takeOverExpired(database, held.batch.id)).toBe(1);
    expect(await statesOf(database, held.batch)).toEqual({ 2: 'unknown' });
  });

  it('gives what was taken over to any run, whichever began first', async () => {
    const held = await readyBatch(database, 1);
    const lost = { batch: held.batch, run: await beginTestRun(database, held.batch, { join: true }) };
    await claim(database, lost);
    await expire(database, lost.run);
    await takeOverExpired(database, held.batch.id);
    expect((await claim(database, held)).map(({ row }) => row)).toEqual([2]);
  });

  describe('the end of a run that has written the files', () => {
    const end = (held: BatchUnderRun, revision: string, isLastTry = false): Promise<boolean> =>
      endRunWithFiles(
        database,
        { id: held.run.id, batchId: held.batch.id, outcome: 'done', revision },
        isLastTry,
      );

    it('comes when nothing has changed since their rows were read', async () => {
      const held = await readyBatch(database, 1);
      const before = await readRevision(database, held.batch.id);
      await claim(database, held);
      expect(await end(held, before)).toBe(false);
      expect(await end(held, await readRevision(database, held.batch.id))).toBe(true);
      expect(await end(held, await readRevision(database, held.batch.id))).toBe(true);
    });

    it('makes another run that is there write once more, when it gives up', async () => {
      const held = await readyBatch(database, 2);
      const other = { batch: held.batch, run: await beginTestRun(database, held.batch, { join: true }) };
      const before = await readRevision(database, held.batch.id);
      await claim(database, other, { limit: 1 });
      const seenByOther = await readRevision(database, held.batch.id);
      expect(await end(held, before, true)).toBe(true);
      expect(await end(other, seenByOther)).toBe(false);
    });

    it('does not give up when there is no other run', async () => {
      const held = await readyBatch(database, 2);
      const before = await readRevision(database, held.batch.id);
      await claim(database, held, { limit: 1 });
      expect(await end(held, before, true)).toBe(false);
    });
  });

  it('keeps the first exit code of a run', async () => {
    const held = await readyBatch(database, 1);
    await endRun(database, held.run.id, 'stopped');
    await endRun(database, held.run.id, 'done');
    expect((await listRuns(database, held.batch.id)).map(({ outcome }) => outcome)).toEqual(['stopped']);
  });
});

onServer((openTestLedger) => {
  it('lets exactly one of many runs that begin at once have the batch', async () => {
    const { database, databaseUrl } = await openTestLedger();
    const batch = await stagedBatch(database, 1);
    const hosts = Array.from({ length: 5 }, () => openServerLedger(databaseUrl ?? ''));
    const begun = await Promise.allSettled(hosts.map((host) => beginTestRun(host.database, batch)));
    await Promise.all(hosts.map((host) => host.close()));
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('has its whole lease, however long it waited for the lock', async () => {
    const { database } = await openTestLedger();
    const batch = await stagedBatch(database, 1);
    const { id } = await beginTestRun(database, batch, { leaseInMs: 60_000 });
    // The transaction's own time is that of its beginning, before the wait.
    const [run] = await query(
      database,
      'SELECT lease_until > started_at + interval \'60 s\' AS "isWhole" FROM runs WHERE id = ?',
      [id],
    );
    expect(run).toEqual({ isWhole: true });
  });

  it('takes over what was not recorded, once the record that is under way has ended', async () => {
    const { database, databaseUrl } = await openTestLedger();
    const other = openServerLedger(databaseUrl ?? '');
    const held = await readyBatch(database, 4);
    const claimed = await claim(database, held);
    await expire(database, held.run);
    const recording = await database.transaction();
    await conclude(recording, held, claimed.slice(0, 1), { attempts: [attempt()] });
    await conclude(recording, held, claimed.slice(1, 2), { state: 'rejected', attempts: [attempt()] });
    const takenOver = takeOverExpired(other.database, held.batch.id);
    await recording.commit();
    expect(await takenOver).toBe(2);
    const states = { 2: 'created', 3: 'rejected', 4: 'unknown', 5: 'unknown' };
    expect(await statesOf(database, held.batch)).toEqual(states);
    expect([...(await conclude(database, held, claimed, { attempts: [attempt({ number: 2 })] }))]).toEqual(
      [],
    );
    expect(await statesOf(database, held.batch)).toEqual(states);
    await other.close();
  });

  it('begins while rows are being written, whose batch must not change meanwhile', async () => {
    const { database, databaseUrl } = await openTestLedger();
    await execute(
      database,
      `ALTER DATABASE ${new URL(databaseUrl ?? '').pathname.slice(1)} SET lock_timeout = '5s'`,
    );
    const other = openServerLedger(databaseUrl ?? '');
    const batch = await stagedBatch(database, 1);
    await database.transaction(async (writing) => {
      await execute(writing, 'SELECT 1 FROM batches WHERE id = ? FOR KEY SHARE', [batch.id]);
      await expect(beginTestRun(other.database, batch)).resolves.toMatchObject({ endedAt: null });
    });
    await other.close();
  });
});
