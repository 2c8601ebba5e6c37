import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { RecheckedRow } from '../../../src/domain/rows/ledger-row.ts';
import { listRowsToPrepare, writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import {
  listRowsToRecheck,
  writeRechecked,
  writeVerified,
} from '../../../src/ledger/before-sending/recheck.ts';
import { execute, uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  beginTestRun,
  claim,
  executeByHand,
  readyPreparation,
  stagedBatch,
  stagedRow,
  statesOf,
  storedRow,
} from '../../support/ledger-rows.ts';

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
    await executeByHand(
      database,
      "UPDATE row_states SET state = 'invalid' WHERE batch_id = ? AND row_number = 5",
      [batch.id],
    );
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
      state: 'invalid',
      owned_key: null,
      code: 'below_minimum',
      field: 'Amount',
      message: 'x',
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
    await writePreparations(database, batch.id, run.id, ready, 1);
    await claim(database, { batch, run }, { limit: 1 });
    expect(await writeRechecked(database, batch.id, [failed(2), failed(3, 'held')])).toBe(1);
    expect(await statesOf(database, batch)).toEqual({ 2: 'sending', 3: 'held' });
    expect(await query(database, 'SELECT 1 FROM requests WHERE batch_id = ?', [batch.id])).toHaveLength(1);
  });

  it('lets a person decide that a row is sent all the same, once and for all', async () => {
    const batch = await stagedBatch(database, [payee(2)]);
    const run = await beginTestRun(database, batch);
    await writeRechecked(database, batch.id, [failed(2, 'held')]);
    await executeByHand(database, "UPDATE row_states SET state = 'staged', code = NULL WHERE batch_id = ?", [
      batch.id,
    ]);
    await execute(
      database,
      `INSERT INTO verdicts (batch_id, row_number, generation, from_state, attempts, verdict, decided_by, run_id)
       VALUES (?, 2, 1, 'held', 0, 'send', 'somebody', ?)`,
      [batch.id, run.id],
    );
    expect(await listRowsToRecheck(database, batch.id, 0, 10)).toEqual([]);
    expect(await listRowsToPrepare(database, batch.id, 0, 10)).toHaveLength(1);
  });

  const unverifiable = { code: 'institution_unverifiable', field: 'Bank', message: 'x' };
  const heldPayee = (row: number, given = {}) =>
    stagedRow(row, {
      state: 'held',
      record: { institution_name: 'i' },
      notes: ['a note'],
      findings: [{ ...finding, severity: 'held' }],
      reason: unverifiable,
      ...given,
    });

  it('lists rows that are held because nothing could verify them, and no others that are held', async () => {
    const other = { ...unverifiable, code: 'differs_from_created' };
    const rows = [heldPayee(2), heldPayee(3, { reason: other }), heldPayee(4), payee(5)];
    const batch = await stagedBatch(database, rows);
    await executeByHand(
      database,
      'UPDATE row_states SET first_sent_at = now() WHERE batch_id = ? AND row_number = 4',
      [batch.id],
    );
    const listed = await listRowsToRecheck(database, batch.id, 0, 10);
    expect(listed.map(({ row, isUnverified }) => [row, isUnverified])).toEqual([
      [2, true],
      [5, false],
    ]);
  });

  it('releases a verified row with what its institution fills in', async () => {
    const batch = await stagedBatch(database, [heldPayee(2), heldPayee(3)]);
    const run = await beginTestRun(database, batch);
    const record = { institution_name: 'i', institution_id: 'i-1' };
    const released = { row: 2, to: 'staged', resource: 'x', record, notes: ['limits not checked'] } as const;
    const refused = { ...failed(3), to: 'invalid' } as const;
    expect(await writeVerified(database, batch.id, [released, refused])).toBe(2);
    expect(await storedRow(database, batch, 2)).toMatchObject({ state: 'staged', code: null, message: null });
    expect(await storedRow(database, batch, 3)).toMatchObject({ state: 'invalid', code: 'below_minimum' });
    const inputs = await query(
      database,
      'SELECT findings, record, notes FROM row_inputs WHERE batch_id = ? ORDER BY row_number',
      [batch.id],
    );
    expect(inputs).toEqual([
      { findings: '[]', record, notes: '["a note", "limits not checked"]' },
      { findings: JSON.stringify([finding]), record: { institution_name: 'i' }, notes: '["a note"]' },
    ]);
    expect(await listRowsToPrepare(database, batch.id, 0, 10)).toHaveLength(1);
    const preparation = readyPreparation(batch, 2);
    expect(await writePreparations(database, batch.id, run.id, [preparation])).toBe(true);
    expect(await statesOf(database, batch)).toEqual({ 2: 'ready', 3: 'invalid' });
  });

  it('does not release a row that was moved meanwhile, or that is held for another reason', async () => {
    const other = { ...unverifiable, code: 'differs_from_created' };
    const batch = await stagedBatch(database, [heldPayee(2, { reason: other }), payee(3)]);
    const rows = [2, 3].map((row) => ({ row, to: 'staged', resource: 'x', record: {}, notes: [] }) as const);
    expect(await writeVerified(database, batch.id, rows)).toBe(0);
    expect(await statesOf(database, batch)).toEqual({ 2: 'held', 3: 'staged' });
    expect((await listRowsToRecheck(database, batch.id, 0, 10)).map(({ record }) => record)).toEqual([
      { institution_id: 'i-1' },
    ]);
  });
});
