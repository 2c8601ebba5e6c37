/* Many connections add to the same chains at once, with the lock of the batch and without it. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { controlsChain } from '../../../src/domain/batches/batch-facts.ts';
import { checkChain } from '../../../src/domain/controls/audit.ts';
import { addReconciliation } from '../../../src/ledger/after-sending/reconciliations.ts';
import { readAuditEvents, readAuditHeads } from '../../../src/ledger/audit/events.ts';
import { compareWithTrail } from '../../../src/ledger/audit/records.ts';
import { beginRun, endRun, takeOverExpired } from '../../../src/ledger/batches/runs.ts';
import { savePlan } from '../../../src/ledger/before-sending/plans.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { lockBatch } from '../../../src/ledger/protocol/batch-lock.ts';
import { createRandom } from '../../simulation/random.ts';
import { addPerson } from '../../support/controls.ts';
import { onServer } from '../../support/ledger.ts';
import { readyBatch, restoreStagingRuns } from '../../support/ledger-rows.ts';
import { nothingFound } from '../../support/reconciliations.ts';

const connections = 12;
const stepsOfEach = 40;

onServer((openTestLedger) => {
  let database: Knex;
  let databaseUrl: string;

  beforeAll(async () => {
    const ledger = await openTestLedger();
    ({ database } = ledger);
    databaseUrl = ledger.databaseUrl ?? '';
  });

  it('has no fork, no gap and no deadlock', { timeout: 180_000 }, async () => {
    const batches = [await readyBatch(database, 40), await readyBatch(database, 40)];
    const ledgers = Array.from({ length: connections }, () => openServerLedger(databaseUrl));
    const work = async (connection: Knex, at: number): Promise<void> => {
      const random = createRandom(at + 1);
      const runs: string[] = [];
      const steps: readonly ((batchId: string, step: number) => Promise<unknown>)[] = [
        (batchId) => {
          const [id, leaseInMs] = [randomUUID(), random.pick([1, 60_000])];
          runs.push(id);
          const actor = { name: `worker ${at}`, channel: 'library' };
          return beginRun(connection, { id, batchId, command: 'resume', leaseInMs, join: true, actor });
        },
        async () => {
          const id = runs.shift();
          if (id !== undefined) await endRun(connection, id, 'done');
        },
        (batchId, step) => savePlan(connection, batchId, `${at} ${step}`, { send: [], skip: [] }),
        (batchId) => takeOverExpired(connection, batchId),
        (batchId) => decide(connection, batchId),
        (_, step) => addPerson(connection, `user-${at}-${step}`, 'maker'),
        (batchId, step) => {
          const by = { madeBy: 'ada', channel: 'console' };
          return addReconciliation(
            connection,
            batchId,
            {
              compared: at,
              result: step,
              ...by,
              outcome: 'done',
            },
            nothingFound,
          );
        },
      ];
      for (let step = 0; step < stepsOfEach; step += 1) {
        await random.pick(steps)(random.pick(batches).batch.id, step);
      }
      for (const id of runs) await endRun(connection, id, 'stopped');
    };
    await Promise.all(ledgers.map((ledger, at) => work(ledger.database, at)));
    await Promise.all(ledgers.map((ledger) => ledger.close()));

    const heads = await readAuditHeads(database, null);
    for (const chain of [controlsChain, ...batches.map(({ batch }) => batch.id)]) {
      const check = checkChain(heads.get(chain));
      for await (const events of readAuditEvents(database, chain))
        for (const event of events) check.add(event);
      const { events, problem } = check.result();
      expect(problem).toBeNull();
      expect(events).toBeGreaterThan(connections);
    }
    const { rows } = await database.raw(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
    await restoreStagingRuns(database);
    // Every line that was written has its event.
    expect(await compareWithTrail(database, null)).toEqual([]);
  });

  /** Verdicts on some rows by hand, under the lock. */
  async function decide(connection: Knex, batchId: string): Promise<void> {
    await connection.transaction(async (transaction) => {
      await lockBatch(transaction, batchId);
      await transaction.raw(
        `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, decided_by, run_id)
         SELECT batch_id, row_number, 1, 'held', 0, 'send', 'ada', gen_random_uuid() FROM row_states WHERE batch_id = ?`,
        [batchId],
      );
    });
  }
});
