import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { RecheckedRow } from '../../src/domain/recheck.ts';
import { listRowsToPrepare, writePreparations } from '../../src/ledger/prepare.ts';
import { listRowsToRecheck, writeRechecked } from '../../src/ledger/recheck.ts';
import { execute, query } from '../../src/ledger/sql.ts';
import { forEachLedger } from '../support/ledger.ts';
import {
  beginTestRun,
  claim,
  readyPreparation,
  stagedBatch,
  stagedRow,
  statesOf,
  storedRow,
} from '../support/ledger-rows.ts';

const finding = {
  severity: 'invalid',
  field: 'amount',
  column: 'Amount',
  code: 'below_minimum',
  message: 'x',
} as const;

function failed(row: number, to: 'invalid' | 'held' = 'invalid'): RecheckedRow {
  return { row, to, findings: [finding], reason: { code: 'below_minimum', field: 'Amount', message: 'x' } };
}

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const payee = (row: number, record = {}) =>
    stagedRow(row, { record: { institution_id: 'i-1', ...record } });

  it('lists the rows that name an institution and were never sent, in pages', async () => {
    const rows = [payee(2), stagedRow(3), stagedRow(4, { record: { institution_name: 'M-PESA' } }), payee(5)];
    const batch = await stagedBatch(database, rows);
    await execute(database, "UPDATE rows SET state = 'invalid' WHERE batch_id = ? AND row_number = 5", [
      batch.id,
    ]);
    const listed = await listRowsToRecheck(database, batch.id, 0, 10);
    expect(listed.map(({ row }) => row)).toEqual([2, 4]);
    expect((await listRowsToRecheck(database, batch.id, 2, 10)).map(({ row }) => row)).toEqual([4]);
  });

  it('takes a ready row back with its request, and frees its natural key', async () => {
    const batch = await stagedBatch(database, [payee(2)]);
    const run = await beginTestRun(database, batch);
    await writePreparations(database, batch.id, run.id, [readyPreparation(batch, 2)]);
    expect(await writeRechecked(database, batch.id, [failed(2)])).toBe(1);
    expect(await storedRow(database, batch, 2)).toMatchObject({
      ...{ state: 'invalid', owned_key: null, code: 'below_minimum', field: 'Amount', message: 'x' },
    });
    expect(await query(database, 'SELECT 1 FROM requests WHERE batch_id = ?', [batch.id])).toEqual([]);
    const [input] = await query<{ findings: string }>(
      database,
      'SELECT findings FROM row_inputs WHERE batch_id = ?',
      [batch.id],
    );
    expect(JSON.parse(input?.findings ?? '')).toEqual([finding]);
  });

  it('leaves rows alone that a worker has claimed', async () => {
    const batch = await stagedBatch(database, [payee(2), payee(3)]);
    const run = await beginTestRun(database, batch);
    const ready = [readyPreparation(batch, 2), readyPreparation(batch, 3)];
    await writePreparations(database, batch.id, run.id, ready);
    await claim(database, { batch, run }, { limit: 1 });
    expect(await writeRechecked(database, batch.id, [failed(2), failed(3, 'held')])).toBe(1);
    expect(await statesOf(database, batch)).toEqual({ 2: 'sending', 3: 'held' });
    expect(await query(database, 'SELECT 1 FROM requests WHERE batch_id = ?', [batch.id])).toHaveLength(1);
  });

  it('lets a person decide that a row is sent all the same, once and for all', async () => {
    const batch = await stagedBatch(database, [payee(2)]);
    const run = await beginTestRun(database, batch);
    await writeRechecked(database, batch.id, [failed(2, 'held')]);
    await execute(database, "UPDATE rows SET state = 'staged', code = NULL WHERE batch_id = ?", [batch.id]);
    await execute(
      database,
      `INSERT INTO verdicts (batch_id, row_number, generation, from_state, verdict, decided_by, run_id)
       VALUES (?, 2, 1, 'held', 'send', 'somebody', ?)`,
      [batch.id, run.id],
    );
    expect(await listRowsToRecheck(database, batch.id, 0, 10)).toEqual([]);
    expect(await listRowsToPrepare(database, batch.id, 0, 10)).toHaveLength(1);
  });
});
