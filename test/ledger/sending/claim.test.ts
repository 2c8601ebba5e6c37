import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { claimRows, explainOtherCredentials, holdExpiredKeys } from '../../../src/ledger/sending/claim.ts';
import { forEachLedger, onServer } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  claimRequest,
  conclude,
  executeByHand,
  readyBatch,
  readyPreparation,
  stagedBatch,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

const hourInMs = 3_600_000;
const inDoubt = { state: 'unknown', attempts: [attempt({ outcome: 'unknown', reason: 'timeout' })] } as const;

/** Three rows whose sending came to nothing conclusive, under a later run that may send them again. */
async function unknownBatch(database: Knex): Promise<BatchUnderRun> {
  const held = await readyBatch(database, 3);
  await conclude(database, held, await claim(database, held), inDoubt);
  await endRun(database, held.run.id, 'decision_needed');
  return { batch: held.batch, run: await beginTestRun(database, held.batch) };
}

async function ageFirstSend(
  database: Knex,
  { batch }: BatchUnderRun,
  row: number,
  ageInMs: number,
): Promise<void> {
  await executeByHand(
    database,
    `UPDATE row_states SET first_sent_at = now() - ? * interval '1 millisecond' WHERE batch_id = ? AND row_number = ?`,
    [ageInMs, batch.id, row],
  );
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const rowsOf = async (held: BatchUnderRun, given = {}): Promise<number[]> =>
    (await claim(database, held, given)).map(({ row }) => row);

  describe('claimRows', () => {
    it('takes rows in input order, as many as asked for, and each once', async () => {
      const held = await readyBatch(database, 5);
      expect(await rowsOf(held, { limit: 2 })).toEqual([2, 3]);
      expect(await rowsOf(held, { limit: 2 })).toEqual([4, 5]);
      expect(await rowsOf(held, { limit: 2 })).toEqual([6]);
      expect(await rowsOf(held, { limit: 2 })).toEqual([]);
    });

    it('hands over exactly the bytes, key and path that were stored', async () => {
      const batch = await stagedBatch(database, 1);
      const run = await beginTestRun(database, batch);
      const ready = readyPreparation(batch, 2, {
        body: Buffer.from('{"a":"ž🙂 \\\\ \\"\r\n\t\x7f"}', 'utf8'),
        path: '/a/b',
      });
      await writePreparations(database, batch.id, run.id, [ready]);
      const request = claimRequest({ batch, run });
      const [claimed] = await claimRows(database, request);
      expect(claimed).toMatchObject({
        row: 2,
        resource: 'customers',
        generation: 1,
        path: '/a/b',
        attempts: 0,
        wasUnknown: false,
        idempotencyKey: ready.idempotencyKey,
        leaseToken: request.leaseToken,
        preparedBy: run.id,
      });
      expect(claimed?.body.equals(ready.body)).toBe(true);
      // What was handed over a moment after the claim is a moment older.
      expect(claimed?.keyTimeLeftInMs).toBeLessThanOrEqual(request.keyLifetimeInMs);
      expect(claimed?.keyTimeLeftInMs).toBeGreaterThan(request.keyLifetimeInMs - 60_000);
    });

    it('gives the same rows again, and no more, when a claim is repeated with its token', async () => {
      const held = await readyBatch(database, 4);
      const request = claimRequest(held, { limit: 2 });
      const first = await claimRows(database, request);
      const again = await claimRows(database, request);
      expect(again.map(({ row }) => row)).toEqual(first.map(({ row }) => row));
      expect(await rowsOf(held)).toEqual([4, 5]);
    });

    it('takes rows that may exist before those that were never sent, or either kind alone', async () => {
      const held = await readyBatch(database, 4);
      await conclude(database, held, await claim(database, held, { limit: 2 }), inDoubt);
      await endRun(database, held.run.id, 'decision_needed');
      const later = { batch: held.batch, run: await beginTestRun(database, held.batch) };
      expect(await rowsOf(later, { limit: 1 })).toEqual([2]);
      expect(await rowsOf(later, { limit: 1, rows: 'fresh' })).toEqual([4]);
      expect(await rowsOf(later, { rows: 'in_doubt' })).toEqual([3]);
      expect(await rowsOf(later, { rows: 'in_doubt' })).toEqual([]);
      expect(await rowsOf(later)).toEqual([5]);
    });

    it('takes chunks as a whole, as many as fit, and one at least', async () => {
      const held = await readyBatch(database, 7, 3);
      expect(await rowsOf(held, { limit: 1 })).toEqual([2, 3, 4]);
      expect(await rowsOf(held, { limit: 5 })).toEqual([5, 6, 7, 8]);
      expect(await rowsOf(held)).toEqual([]);
    });

    it('says of an unknown row that it may exist, how often it was sent and how long its key lasts', async () => {
      const held = await unknownBatch(database);
      await ageFirstSend(database, held, 2, hourInMs);
      const [claimed] = await claim(database, held, { keyLifetimeInMs: 2 * hourInMs, limit: 1 });
      expect(claimed).toMatchObject({ row: 2, wasUnknown: true, attempts: 1 });
      expect(claimed?.keyTimeLeftInMs).toBeGreaterThan(0.9 * hourInMs);
      expect(claimed?.keyTimeLeftInMs).toBeLessThanOrEqual(hourInMs);
    });

    it('counts the key lifetime from the first send, not from the latest', async () => {
      const held = await unknownBatch(database);
      await ageFirstSend(database, held, 2, hourInMs);
      const before = await storedRow(database, held.batch, 2);
      await claim(database, held, { limit: 1 });
      expect((await storedRow(database, held.batch, 2))['first_sent_at']).toEqual(before['first_sent_at']);
    });

    it('never takes an unknown row whose key is too old', async () => {
      const held = await unknownBatch(database);
      await ageFirstSend(database, held, 3, hourInMs + 1);
      expect(await rowsOf(held, { keyLifetimeInMs: hourInMs })).toEqual([2, 4]);
    });

    it('takes any lifetime that an option can state', async () => {
      const held = await unknownBatch(database);
      expect(await rowsOf(held, { keyLifetimeInMs: Number.MAX_SAFE_INTEGER })).toEqual([2, 3, 4]);
    });

    it('never takes an unknown row under another API key', async () => {
      const held = await unknownBatch(database);
      expect(await rowsOf(held, { credential: 'key two' })).toEqual([]);
      expect(await rowsOf(held)).toEqual([2, 3, 4]);
    });

    it('leaves what this run put back to a later run', async () => {
      const held = await readyBatch(database, 2);
      await conclude(database, held, await claim(database, held), { state: 'ready' });
      expect(await rowsOf(held)).toEqual([]);
      const later = await beginTestRun(database, held.batch, { join: true });
      expect(await rowsOf({ batch: held.batch, run: later })).toEqual([2, 3]);
    });

    it('gives nothing to a run that was declared lost', async () => {
      const held = await readyBatch(database, 2);
      await endRun(database, held.run.id, 'stopped');
      expect(await rowsOf(held)).toEqual([]);
    });
  });

  describe('holdExpiredKeys', () => {
    it('holds exactly the unknown rows whose key is too old', async () => {
      const held = await unknownBatch(database);
      await ageFirstSend(database, held, 3, hourInMs);
      expect(await holdExpiredKeys(database, held.batch.id, hourInMs)).toBe(1);
      expect(await statesOf(database, held.batch)).toEqual({ 2: 'unknown', 3: 'held', 4: 'unknown' });
      expect(await storedRow(database, held.batch, 3)).toMatchObject({
        code: 'key_expired',
        may_exist: true,
      });
    });

    it('leaves the natural key with a held row, since the object may exist', async () => {
      const held = await unknownBatch(database);
      await holdExpiredKeys(database, held.batch.id, 0);
      const { owned_key: owned, natural_key: natural } = await storedRow(database, held.batch, 2);
      expect(owned).toEqual(natural);
    });
  });

  it('explains once on a row of another API key why it is left alone', async () => {
    const held = await unknownBatch(database);
    expect(await explainOtherCredentials(database, held.batch.id, 'key two')).toBe(3);
    expect(await explainOtherCredentials(database, held.batch.id, 'key two')).toBe(0);
    expect(await explainOtherCredentials(database, held.batch.id, 'key one')).toBe(0);
    expect(await storedRow(database, held.batch, 2)).toMatchObject({
      state: 'unknown',
      code: 'other_credential',
    });
  });
});

onServer((openTestLedger) => {
  it('waits for its own first try, whose COMMIT comes late, and takes no second helping', async () => {
    const { database, databaseUrl } = await openTestLedger();
    const other = openServerLedger(databaseUrl ?? '');
    const held = await readyBatch(database, 4);
    const request = claimRequest(held, { limit: 2 });
    const first = await database.transaction();
    await claimRows(first, request);
    const again = claimRows(other.database, request);
    await sleep(30);
    await first.commit();
    expect((await again).map(({ row }) => row)).toEqual([2, 3]);
    expect((await claim(database, held)).map(({ row }) => row)).toEqual([4, 5]);
    await other.close();
  });

  it('never gives a row to two workers, and gives every row to one', async () => {
    const { database, databaseUrl } = await openTestLedger();
    const held = await readyBatch(database, 3_000);
    const workers = Array.from({ length: 4 }, () => openServerLedger(databaseUrl ?? ''));
    const taken = await Promise.all(
      workers.map(async (worker) => {
        const run = await beginTestRun(worker.database, held.batch, { join: true });
        const rows: number[] = [];
        for (;;) {
          const claimed = await claim(worker.database, { batch: held.batch, run }, { limit: 70 });
          if (claimed.length === 0) return rows;
          rows.push(...claimed.map(({ row }) => row));
        }
      }),
    );
    await Promise.all(workers.map((worker) => worker.close()));
    const all = taken.flat();
    expect(all).toHaveLength(3_000);
    expect(new Set(all).size).toBe(3_000);
    expect(taken.filter((rows) => rows.length > 0).length).toBeGreaterThan(1);
  });
});
