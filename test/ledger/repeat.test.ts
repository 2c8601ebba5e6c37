import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { endRun } from '../../src/ledger/batches/runs.ts';
import { writePreparations } from '../../src/ledger/before-sending/prepare.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { recordConclusions } from '../../src/ledger/sending/record.ts';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { forEachLedger, onServer } from '../support/ledger.ts';
import {
  attempt,
  beginTestRun,
  claim,
  claimRequest,
  concluded,
  readyBatch,
  readyPreparation,
  stagedBatch,
  statesOf,
  storedRow,
} from '../support/ledger-rows.ts';

/** Verbs are repeated when the reply to their COMMIT was lost: the second time has to come to the same. */
forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  describe('a record that is repeated', () => {
    it('finds its rows recorded, each answer once', async () => {
      const held = await readyBatch(database, 2);
      const conclusions = (await claim(database, held)).map((row) =>
        concluded(row, { attempts: [attempt({ outcome: 'unknown' }), attempt({ number: 2 })] }),
      );
      const record = (): Promise<Set<number>> =>
        recordConclusions(database, held.batch.id, held.run.id, conclusions);
      expect(await record()).toEqual(new Set([2, 3]));
      const before = await storedRow(database, held.batch, 2);
      expect(await record()).toEqual(new Set([2, 3]));
      expect(await storedRow(database, held.batch, 2)).toEqual(before);
      const attempts = await query(database, 'SELECT FROM attempts WHERE batch_id = ?', [held.batch.id]);
      expect(attempts).toHaveLength(4);
    });

    it('does not count the answer of the run that took the row over as its own', async () => {
      const held = await readyBatch(database, 1);
      const late = (await claim(database, held)).map((row) => concluded(row, { attempts: [attempt()] }));
      await endRun(database, held.run.id, 'stopped');
      const successor = { batch: held.batch, run: await beginTestRun(database, held.batch) };
      const answers = (await claim(database, successor)).map((row) =>
        concluded(row, { attempts: [attempt()] }),
      );
      await recordConclusions(database, held.batch.id, successor.run.id, answers);
      expect(await recordConclusions(database, held.batch.id, held.run.id, late)).toEqual(new Set());
    });
  });

  it('gives a row its request once when its preparation is repeated', async () => {
    const batch = await stagedBatch(database, 2);
    const run = await beginTestRun(database, batch);
    const preparations = [
      readyPreparation(batch, 2),
      {
        row: 3,
        generation: 1,
        to: 'waiting',
        reason: { code: 'customer_not_there', field: null, message: 'Not yet.' },
      },
    ] as const;
    for (const _ of ['first', 'again'])
      expect(await writePreparations(database, batch.id, run.id, preparations)).toBe(true);
    expect(await statesOf(database, batch)).toEqual({ 2: 'ready', 3: 'waiting' });
    const requests = await query<{ key: string }>(
      database,
      'SELECT idempotency_key AS key FROM requests WHERE batch_id = ?',
      [batch.id],
    );
    expect(requests).toEqual([{ key: preparations[0].idempotencyKey }]);
  });
});

onServer((openTestLedger) => {
  it('survives the death of the very connection that a verb is using', async () => {
    const { database, databaseUrl } = await openTestLedger();
    const held = await readyBatch(database, 2);
    const worker = openServerLedger(databaseUrl ?? '');
    const verbs = bindVerbs(worker.database);
    // Holds the verb up in the middle, until its connection is gone.
    const claiming = await database.transaction(async (blocking) => {
      await execute(blocking, 'LOCK TABLE runs IN ACCESS EXCLUSIVE MODE');
      const claimed = verbs.claimRows(claimRequest(held));
      let killed = 0;
      while (killed === 0) {
        killed = await execute(
          database,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
      }
      return { claimed };
    });
    expect((await claiming.claimed).map(({ row }) => row)).toEqual([2, 3]);
    await worker.close();
  });
});
