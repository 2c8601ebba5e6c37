/* A verb that changes what belongs to a batch holds the lock of that batch, and of no other. */

import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeRows, lockBatch } from '../../../src/ledger/protocol/batch-lock.ts';
import { type Database, execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { type BatchUnderRun, claim, conclude, readyBatch, statesOf } from '../../support/ledger-rows.ts';

const changes: Readonly<Record<string, string>> = {
  'moves a row': 'UPDATE row_states SET changed_at = now() WHERE batch_id = ?',
  'adds a row': `INSERT INTO row_states (batch_id, row_number, environment_id, kind, state)
    SELECT id, 9, environment_id, kind, 'staged' FROM batches WHERE id = ?`,
  'drops a row': `DELETE FROM row_states WHERE batch_id = ? AND row_number = 3`,
  'makes a chunk':
    'INSERT INTO send_chunks (batch_id, chunk, first_row, last_row, open_rows) VALUES (?, 9, 2, 2, 1)',
  'changes a chunk': 'UPDATE send_chunks SET open_rows = 0 WHERE batch_id = ?',
  'drops a chunk': 'DELETE FROM send_chunks WHERE batch_id = ? AND chunk = 8',
  'makes a claim': `INSERT INTO claims (batch_id, lease_token, run_id, credential) VALUES (?, 1, gen_random_uuid(), '')`,
  'notes an object': `INSERT INTO created_objects (batch_id, row_number, environment_id, kind, object_id)
    SELECT id, 3, environment_id, kind, 'object-3' FROM batches WHERE id = ?`,
  'changes an object': `UPDATE created_objects SET object_id = 'another' WHERE batch_id = ?`,
  'drops an object': 'DELETE FROM created_objects WHERE batch_id = ?',
};

forEachLedger((openTestLedger) => {
  let database: Knex;
  let one: BatchUnderRun;
  let other: BatchUnderRun;

  /** A batch with a row that is created, and one that is ready. */
  async function batchUnderWay(): Promise<BatchUnderRun> {
    const held = await readyBatch(database, 2);
    await conclude(database, held, await claim(database, held, { limit: 1 }));
    const emptyChunk =
      'INSERT INTO send_chunks (batch_id, chunk, first_row, last_row, open_rows) VALUES (?, 8, 2, 2, 0)';
    await changeRows(database, held.batch.id, emptyChunk, [held.batch.id]);
    expect(await statesOf(database, held.batch)).toEqual({ 2: 'created', 3: 'ready' });
    return held;
  }

  beforeAll(async () => {
    ({ database } = await openTestLedger());
    one = await batchUnderWay();
    other = await batchUnderWay();
  });

  describe.each(Object.entries(changes))('a statement that %s', (_, sql) => {
    const change = (transaction: Database) => execute(transaction, sql, [one.batch.id]);

    it('is refused in a transaction that holds no lock', async () => {
      await expect(database.transaction(change)).rejects.toThrow('only under the lock of its batch');
    });

    it('is refused in a transaction that holds the lock of another batch', async () => {
      const underOther = database.transaction(async (transaction) => {
        await lockBatch(transaction, other.batch.id);
        return change(transaction);
      });
      await expect(underOther).rejects.toThrow('only under the lock of its batch');
    });

    it('is let through in a transaction that holds the lock of its batch', async () => {
      const undone = new Error('undone');
      const underItsOwn = database.transaction(async (transaction) => {
        await lockBatch(transaction, one.batch.id);
        expect(await change(transaction)).toBeGreaterThan(0);
        throw undone;
      });
      await expect(underItsOwn).rejects.toBe(undone);
    });
  });

  it('lets a lock end with its transaction', async () => {
    await changeRows(database, one.batch.id, 'UPDATE batches SET notes = notes WHERE id = ?', [one.batch.id]);
    const [sql] = Object.values(changes);
    await expect(execute(database, sql ?? '', [one.batch.id])).rejects.toThrow('only under the lock');
  });
});
