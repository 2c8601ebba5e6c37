import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import {
  pinInstitutionList,
  saveInstitutionList,
} from '../../src/ledger/before-sending/institution-lists.ts';
import {
  findComing,
  loadPlan,
  readRowsToPlan,
  releaseWaiting,
  savePlan,
  sumPlan,
} from '../../src/ledger/before-sending/plans.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import { forEachLedger } from '../support/ledger.ts';
import {
  besides,
  duplicateOf,
  executeByHand,
  readyBatch,
  stagedBatch,
  stagedRow,
  statesOf,
} from '../support/ledger-rows.ts';

const reason = { code: 'below_minimum', field: 'amount', message: 'too little' };

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const payee = (row: number, amount: string | undefined, id: string) =>
    stagedRow(row, {
      resource: 'recipients/bank_account',
      record: { currency: 'KES', institution_id: id, ...(amount === undefined ? {} : { amount }) },
    });

  it('sums exactly, by institution under the name of the pinned list, and counts what is left out', async () => {
    const batch = await stagedBatch(database, [
      payee(2, '0.10', 'A'),
      payee(3, '99999999999999999999.99', 'a'),
      payee(4, undefined, 'b'),
      stagedRow(5, { state: 'invalid', reason }),
      stagedRow(6, { state: 'invalid', reason }),
      duplicateOf(2, 7),
    ]);
    const bank = { id: 'a', name: 'Bank A', country: 'KE', currency: 'KES', accountNumberType: 'x' };
    const institutions = [{ ...bank, minAmount: null, maxAmount: null }];
    const list = { country: 'KE', hash: 'h', isComplete: true, fetchedAt: new Date(), institutions };
    await saveInstitutionList(database, batch.environmentId, list);
    await pinInstitutionList(database, batch.id, batch.environmentId, list);
    const common = { resource: 'recipients/bank_account', currency: 'KES' };
    expect(await sumPlan(database, batch.id)).toEqual({
      send: [
        { ...common, institution: 'Bank A', rows: 2, rowsWithAmount: 2, amount: '100000000000000000000.09' },
        { ...common, institution: 'b', rows: 1, rowsWithAmount: 0, amount: null },
      ],
      skip: [
        { status: 'invalid', code: 'below_minimum', rows: 2, firstRow: 5 },
        { status: 'not_sent', code: 'duplicate', rows: 1, firstRow: 7 },
      ],
    });
  });

  it('sums what a run would make of rows that were only looked at, and moves none of them', async () => {
    const batch = await stagedBatch(database, [
      payee(2, '1.00', 'a'),
      payee(3, '2.00', 'a'),
      payee(4, '4.00', 'a'),
      payee(5, '8.00', 'a'),
      payee(6, '16.00', 'a'),
    ]);
    await executeByHand(
      database,
      "UPDATE row_states SET state = 'waiting', code = 'customer_not_there', message = 'x' WHERE batch_id = ? AND row_number IN (4, 5, 6)",
      [batch.id],
    );
    const before = await statesOf(database, batch);
    const totals = await sumPlan(database, batch.id, {
      left: [
        { row: 3, status: 'existing', code: 'same_object' },
        { row: 5, status: 'existing', code: 'same_object' },
      ],
      released: [4],
    });
    expect(totals).toMatchObject({
      send: [{ rows: 2, amount: '5.00' }],
      skip: [
        { status: 'existing', code: 'same_object', rows: 2, firstRow: 3 },
        { status: 'waiting', code: 'customer_not_there', rows: 1, firstRow: 6 },
      ],
    });
    expect(await statesOf(database, batch)).toEqual(before);
  });

  it('refuses to pin a list that is not there', async () => {
    const batch = await stagedBatch(database, 1);
    const pinned = pinInstitutionList(database, batch.id, batch.environmentId, { country: 'UG', hash: 'no' });
    await expect(pinned).rejects.toThrow('stored');
  });

  it('lists what may be sent and what was sent, page by page', async () => {
    const { batch } = await readyBatch(database, 6);
    const states = [
      "row_number = 2, state = 'ready'",
      "row_number = 3, state = 'created', first_sent_at = now(), object_id = 'o'",
      "row_number = 4, state = 'invalid', owned_key = NULL",
      "row_number = 5, state = 'held'",
      "row_number = 6, state = 'held', first_sent_at = now()",
      "row_number = 7, state = 'waiting', owned_key = NULL",
    ];
    for (const state of states) {
      const [row, ...set] = state.split(', ');
      await executeByHand(
        database,
        `UPDATE row_states SET chunk = NULL, ${set.join(', ')} WHERE batch_id = ? AND ${row}`,
        [batch.id],
      );
    }
    const rowsAfter = async (fromAfter: number): Promise<number[]> => {
      const found: number[] = [];
      for await (const group of readRowsToPlan(database, batch.id, fromAfter))
        found.push(...group.map(({ row }) => row));
      return found;
    };
    expect(await rowsAfter(0)).toEqual([2, 3, 6, 7]);
    expect(await rowsAfter(3)).toEqual([6, 7]);
  });

  it('releases waiting rows, and no others', async () => {
    const batch = await stagedBatch(database, 3);
    await executeByHand(
      database,
      "UPDATE row_states SET state = 'waiting' WHERE batch_id = ? AND row_number = 2",
      [batch.id],
    );
    await executeByHand(
      database,
      "UPDATE row_states SET state = 'held' WHERE batch_id = ? AND row_number = 3",
      [batch.id],
    );
    expect(await releaseWaiting(database, batch.id, [2, 3, 4])).toBe(1);
    expect(await statesOf(database, batch)).toEqual({ 2: 'staged', 3: 'held', 4: 'staged' });
  });

  it('finds objects that the same import is about to create, and no others', async () => {
    const named = (row: number, state: 'staged' | 'invalid') =>
      stagedRow(row, { state, handle: `C-${row}`, reason: state === 'invalid' ? reason : null });
    const people = await stagedBatch(database, [named(2, 'staged'), named(3, 'invalid')]);
    const own = await stagedBatch(database, 1, { kind: 'recipients', ...besides(people) });
    const coming = (importBatches: string[]) =>
      findComing(database, own.id, 'customers', ['C-2', 'C-3', 'C-4'], importBatches);
    expect([...(await coming([]))]).toEqual([]);
    expect([...(await coming([people.id]))]).toEqual(['C-2']);
    const importId = randomUUID();
    await execute(database, 'UPDATE batches SET import_id = ? WHERE id = ANY(?::uuid[])', [
      importId,
      [people.id, own.id],
    ]);
    expect([...(await coming([]))]).toEqual(['C-2']);
  });

  it('remembers the totals of each hash that was shown', async () => {
    const batch = await stagedBatch(database, 1);
    const totals = { send: [], skip: [{ status: 'invalid' as const, code: 'x', rows: 1, firstRow: 2 }] };
    await savePlan(database, batch.id, 'h1', { send: [], skip: [] });
    await savePlan(database, batch.id, 'h2', { send: [], skip: [] });
    await savePlan(database, batch.id, 'h1', totals);
    expect(await loadPlan(database, batch.id, 'h1')).toEqual(totals);
    expect(await loadPlan(database, batch.id, 'other')).toBeUndefined();
  });
});
