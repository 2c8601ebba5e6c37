/* Thresholds of a policy over the files of a call, and over what one day sends without approvals. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endRun } from '../../../src/ledger/batches/runs.ts';
import { lockBatch } from '../../../src/ledger/protocol/batch-lock.ts';
import { bindVerbs } from '../../../src/ledger/verbs.ts';
import { approveRows, firstPolicy, type TestPerson } from '../../support/controls.ts';
import { emptyLedger, forEachLedger, onServer } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  claimRequest,
  conclude,
  executeByHand,
  readyBatch,
} from '../../support/ledger-rows.ts';

const live = { environment: { mode: 'live', origin: 'https://api.example' } } as const;
const notApproved = { name: 'ApprovalStop' };

/** @returns the approver of the first policy */
const setPolicy = async (database: Knex, rule: Readonly<Record<string, unknown>>): Promise<TestPerson> =>
  (await firstPolicy(database, ['ada'], rule)).ada;

forEachLedger((openTestLedger) => {
  let database: Knex;

  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });
  beforeEach(() => emptyLedger(database));

  /** A batch with this number of rows, which are claimed four at a time. */
  const batchOf = (rows: number, given: Parameters<typeof readyBatch>[3] = {}): Promise<BatchUnderRun> =>
    readyBatch(database, rows, 4, { ...live, ...given });
  const givesSums = (amount: string, currency = 'KES'): Promise<unknown> =>
    executeByHand(database, `UPDATE row_inputs SET record = record || ?::jsonb`, [
      JSON.stringify({ amount, currency }),
    ]);
  /** What midnight does: all that was claimed today was claimed yesterday. */
  const passMidnight = async (): Promise<void> => {
    await executeByHand(database, 'UPDATE unapproved_days SET day = day - 1');
    await database.raw('ALTER TABLE claims DISABLE TRIGGER claims_only_grow');
    await executeByHand(database, "UPDATE claims SET claimed_at = claimed_at - interval '1 day'");
    await database.raw('ALTER TABLE claims ENABLE TRIGGER claims_only_grow');
    await executeByHand(database, "UPDATE row_states SET first_sent_at = first_sent_at - interval '1 day'");
  };
  /** The same batch under a run of its own, as another call would have it. */
  const anew = async ({ batch, run }: BatchUnderRun): Promise<BatchUnderRun> => {
    await endRun(database, run.id, 'done');
    return { batch, run: await beginTestRun(database, batch) };
  };
  const asks = async ({ batch }: BatchUnderRun): Promise<boolean> =>
    (await bindVerbs(database).readApprovals([batch.id])).size > 0;

  describe('the files of one call', () => {
    it('count together: each of them waits', async () => {
      const importId = randomUUID();
      const [one, other] = [await batchOf(4, { importId }), await batchOf(4, { importId })];
      await setPolicy(database, { fromRows: 8 });
      for (const held of [one, other]) await expect(claim(database, held)).rejects.toMatchObject(notApproved);
      expect(await asks(one)).toBe(true);
    });

    it('count together in sums', async () => {
      const importId = randomUUID();
      const [one] = [await batchOf(4, { importId }), await batchOf(4, { importId })];
      await givesSums('0.10');
      await setPolicy(database, { fromSum: { KES: '0.8' } });
      await expect(claim(database, one)).rejects.toMatchObject(notApproved);
    });

    it.each<[string, Parameters<typeof readyBatch>[3]]>([
      ['of another kind', { kind: 'accounts' }],
      ['of another call', { importId: randomUUID() }],
      ['of another environment', { environment: { mode: 'live', origin: 'https://other.example' } }],
    ])('do not count with one %s', async (_, given) => {
      const importId = randomUUID();
      const [one] = [await batchOf(4, { importId }), await batchOf(4, { importId, ...given })];
      await setPolicy(database, { fromRows: 8 });
      expect(await claim(database, one)).toHaveLength(4);
    });
  });

  describe('a threshold of a day', () => {
    it('counts the calls of one day together', async () => {
      await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
      expect(await claim(database, await batchOf(4))).toHaveLength(4);
      const second = await batchOf(4);
      await expect(claim(database, second)).rejects.toMatchObject(notApproved);
      expect(await asks(second)).toBe(true);
      expect(await claim(database, await batchOf(3))).toHaveLength(3);
    });

    it('counts a batch with all of its rows, before they are claimed', async () => {
      await setPolicy(database, { perDay: { fromRows: 10, fromSum: {} } });
      const large = await batchOf(8);
      expect(await claim(database, large, { limit: 4 })).toHaveLength(4);
      await expect(claim(database, await batchOf(2))).rejects.toMatchObject(notApproved);
      expect(await claim(database, large, { limit: 4 })).toHaveLength(4);
    });

    it('counts sums by currency', async () => {
      await setPolicy(database, { perDay: { fromRows: null, fromSum: { KES: '8.00' } } });
      const [first, second] = [await batchOf(4), await batchOf(4)];
      await givesSums('1.00');
      expect(await claim(database, first)).toHaveLength(4);
      await expect(claim(database, second)).rejects.toMatchObject(notApproved);
    });

    it('asks for other currencies unless they are free', async () => {
      await setPolicy(database, { perDay: { fromRows: null, fromSum: { USD: '8.00' } } });
      const held = await batchOf(4);
      await givesSums('1.00');
      await expect(claim(database, held)).rejects.toMatchObject(notApproved);
    });

    it.each<[string, Parameters<typeof readyBatch>[3]]>([
      ['another kind', { kind: 'accounts' }],
      ['another environment', { environment: { mode: 'live', origin: 'https://other.example' } }],
    ])('does not count %s', async (_, given) => {
      await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
      await claim(database, await batchOf(4));
      expect(await claim(database, await batchOf(4, given))).toHaveLength(4);
    });

    it('does not count what an approver has approved', async () => {
      const ada = await setPolicy(database, { perDay: { fromRows: 6, fromSum: {} } });
      const approved = await batchOf(7);
      const approvalId = await approveRows(database, ada, approved.batch.id, '{[2,9)}');
      expect(await claim(database, approved, { approvalId })).not.toEqual([]);
      expect(await claim(database, await batchOf(4))).toHaveLength(4);
    });

    it('counts what was claimed earlier on the day, before there was a policy', async () => {
      await claim(database, await batchOf(4));
      await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
      await expect(claim(database, await batchOf(4))).rejects.toMatchObject(notApproved);
    });

    it('counts rows that were set invalid while the batch was measured', async () => {
      await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
      await claim(database, await batchOf(4));
      const second = await batchOf(4);
      await executeByHand(
        database,
        `UPDATE row_states SET state = 'invalid', owned_key = NULL, chunk = NULL WHERE batch_id = ? AND row_number > 2`,
        [second.batch.id],
      );
      expect(await asks(second)).toBe(true);
    });
  });

  describe('another day', () => {
    it('begins at midnight in UTC, whatever the time zone of a session', async () => {
      let rows: unknown;
      await database.transaction(async (transaction) => {
        await transaction.raw("SET LOCAL TIME ZONE 'Pacific/Auckland'");
        ({ rows } = await transaction.raw(
          `SELECT utc_day('2026-01-31T23:59:59.999Z')::text AS before, utc_day('2026-02-01T00:00:00Z')::text AS after,
             utc_day() = (now() AT TIME ZONE 'UTC')::date AS is_now`,
        ));
      });
      expect(rows).toEqual([{ before: '2026-01-31', after: '2026-02-01', is_now: true }]);
    });

    it('delays nothing because of what was sent the day before', async () => {
      await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
      await claim(database, await batchOf(4));
      const second = await batchOf(4);
      await expect(claim(database, second)).rejects.toMatchObject(notApproved);
      await passMidnight();
      expect(await asks(second)).toBe(false);
      expect(await claim(database, second)).toHaveLength(4);
    });

    it('counts of a batch that continues on the next day what is claimed on that day, also within one run', async () => {
      await setPolicy(database, { perDay: { fromRows: 9, fromSum: {} } });
      const large = await batchOf(8);
      await claim(database, large, { limit: 4 });
      await passMidnight();
      expect(await claim(database, large, { limit: 4 })).toHaveLength(4);
      await expect(claim(database, await batchOf(5))).rejects.toMatchObject(notApproved);
      expect(await claim(database, await batchOf(4))).toHaveLength(4);
    });

    it('lets rows in doubt be sent again, however much it has sent', async () => {
      await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
      const doubtful = await batchOf(4);
      const claimed = await claim(database, doubtful);
      await conclude(database, doubtful, claimed, {
        state: 'unknown',
        attempts: [attempt({ outcome: 'unknown', reason: 'timeout' })],
      });
      await passMidnight();
      expect(await claim(database, await batchOf(7))).not.toEqual([]);
      // A key that lives longer than a day, so that at every hour a row of the day before may be sent again.
      const keyLifetimeInMs = 2 * 86_400_000;
      expect(await claim(database, await anew(doubtful), { keyLifetimeInMs })).toHaveLength(4);
    });
  });
});

onServer((openTestLedger) => {
  it('of two claims that reach the threshold of a day together, one waits for the other, and is refused', async () => {
    const { database } = await openTestLedger();
    await emptyLedger(database);
    await setPolicy(database, { perDay: { fromRows: 8, fromSum: {} } });
    const [first, second] = [await readyBatch(database, 4, 4, live), await readyBatch(database, 4, 4, live)];
    const transaction = await database.transaction();
    await lockBatch(transaction, first.batch.id);
    await transaction.raw(
      'INSERT INTO claims (batch_id, lease_token, run_id, credential) VALUES (?, ?, ?, ?)',
      [first.batch.id, claimRequest(first).leaseToken, first.run.id, 'key one'],
    );
    let hasEnded = false;
    const claimed = claim(database, second).then(
      (rows) => rows.length,
      (error: unknown) => error,
    );
    void claimed.then(() => {
      hasEnded = true;
    });
    await sleep(300);
    expect(hasEnded).toBe(false);
    await transaction.commit();
    expect(await claimed).toMatchObject(notApproved);
  });

  it('of many claims at once, no more are let through than the day has room for', async () => {
    const { database } = await openTestLedger();
    for (let round = 0; round < 5; round += 1) {
      await emptyLedger(database);
      await setPolicy(database, { perDay: { fromRows: 9, fromSum: {} } });
      const batches: BatchUnderRun[] = [];
      for (let at = 0; at < 6; at += 1) batches.push(await readyBatch(database, 4, 4, live));
      const ends = await Promise.all(
        batches.map((held) =>
          claim(database, held).then(
            (rows) => rows.length,
            (error: unknown) => {
              expect(error).toMatchObject(notApproved);
              return 0;
            },
          ),
        ),
      );
      expect(ends.reduce((sum, rows) => sum + rows, 0)).toBe(8);
    }
  });
});
