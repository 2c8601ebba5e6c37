import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockBatch } from '../../src/ledger/protocol/batch-lock.ts';
import { approvalOf, approveRows, firstPolicy, type TestPerson, writeApproval } from '../support/controls.ts';
import { emptyLedger, onServer } from '../support/ledger.ts';
import { type BatchUnderRun, claim, readyBatch } from '../support/ledger-rows.ts';

/* The moments between a change and its commit, which chance seldom hits. */
onServer((openTestLedger) => {
  let database: Knex;
  let ada: TestPerson;
  let held: BatchUnderRun;
  let approvalId: string;

  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });
  beforeEach(async () => {
    await emptyLedger(database);
    ({ ada } = await firstPolicy(database, ['ada', 'ben']));
    held = await readyBatch(database, 2, 1, { environment: { mode: 'live', origin: 'https://api.example' } });
    approvalId = await approveRows(database, ada, held.batch.id, '{[2,4)}');
  });

  /** Makes a change, lets a claim begin, and commits the change while the claim waits. */
  async function claimDuring(change: (transaction: Knex.Transaction) => Promise<unknown>): Promise<unknown> {
    const transaction = await database.transaction();
    await change(transaction);
    let hasEnded = false;
    const claimed = claim(database, held, { approvalId }).then(
      (rows) => rows.length,
      (error: unknown) => error,
    );
    void claimed.then(() => {
      hasEnded = true;
    });
    await sleep(300);
    expect(hasEnded).toBe(false);
    await transaction.commit();
    return claimed;
  }

  describe('a claim waits for', () => {
    it.each<readonly [string, (transaction: Knex.Transaction) => Promise<unknown>]>([
      [
        'the lock of an approver',
        (sql) => sql.raw("UPDATE users SET locked_at = now(), locked_by = 'x' WHERE name = 'ada'"),
      ],
      [
        'the replacing of a key',
        (sql) => sql.raw("UPDATE user_keys SET replaced_at = now() WHERE user_name = 'ada'"),
      ],
      [
        'a verdict that sends',
        async (sql) => {
          await lockBatch(sql, held.batch.id);
          await sql.raw(
            `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, decided_by, run_id)
           VALUES (?, 2, 1, 'held', 0, 'send', 'mia', ?)`,
            [held.batch.id, held.run.id],
          );
        },
      ],
    ])('%s, and is refused then', async (_, change) => {
      expect(await claimDuring(change)).toMatchObject({ name: 'ApprovalStop' });
    });

    it('a change that does not concern it, and goes on then', async () => {
      expect(
        await claimDuring((sql) =>
          sql.raw("UPDATE users SET locked_at = now(), locked_by = 'x' WHERE name = 'ben'"),
        ),
      ).toBe(2);
    });
  });

  it('a rejection waits for a claim that is being made', async () => {
    const transaction = await database.transaction();
    await lockBatch(transaction, held.batch.id);
    const rejection = approvalOf(ada, held.batch.id, {
      decision: 'reject',
      planHash: undefined,
      rowsHash: undefined,
    });
    let hasEnded = false;
    const rejected = writeApproval(database, ada, rejection).then(() => {
      hasEnded = true;
    });
    await sleep(200);
    expect(hasEnded).toBe(false);
    await transaction.commit();
    await rejected;
    await expect(claim(database, held, { approvalId })).rejects.toMatchObject({ name: 'ApprovalStop' });
  });
});
