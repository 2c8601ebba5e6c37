import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import {
  findByHandles,
  findCustomersById,
  findKeyOwners,
  listAccountHandles,
} from '../../../src/ledger/before-sending/known-objects.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { recordConclusions } from '../../../src/ledger/sending/record.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  type BatchUnderRun,
  beginTestRun,
  besides,
  claim,
  concluded,
  readyPreparation,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';

forEachLedger((openTestLedger, engine) => {
  let database: Knex;
  let held: BatchUnderRun;
  const states = ['created', 'rejected', 'unknown', 'held', 'ready'] as const;
  const handle = (row: number): string => `${engine} c-${row}`;
  const object = (row: number): string => `${engine} ${row}`;

  beforeAll(async () => {
    ({ database } = await openTestLedger());
    const rows = [2, 3, 4, 5, 6, 7].map((row) => stagedRow(row, { handle: handle(row) }));
    const batch = await stagedBatch(database, rows);
    held = { batch, run: await beginTestRun(database, batch) };
    const preparations = [2, 3, 4, 5, 6].map((row) =>
      readyPreparation(batch, row, { handle: handle(row), object: object(row) }),
    );
    await writePreparations(database, batch.id, held.run.id, preparations);
    const claimed = await claim(database, held);
    const conclusions = claimed.map((row, at) => concluded(row, { state: states[at] ?? 'held' }));
    await recordConclusions(database, batch.id, held.run.id, conclusions);
  });

  it('finds what rows refer to: with its id when it is created, without while it may come', async () => {
    const handles = [2, 3, 4, 5, 6, 7].map(handle);
    const found = await findByHandles(database, held.batch.environmentId, 'customers', handles, []);
    expect([...found].toSorted()).toEqual([
      [handle(2), { id: 'object-2', country: 'KE' }],
      [handle(4), { id: null, country: 'KE' }],
      [handle(5), { id: null, country: 'KE' }],
      [handle(6), { id: null, country: 'KE' }],
    ]);
  });

  it('finds every row of the same import, since it may come to exist', async () => {
    const { environmentId, id } = held.batch;
    const found = await findByHandles(database, environmentId, 'customers', [handle(3), handle(7)], [id]);
    expect([...found.keys()].toSorted()).toEqual([handle(3), handle(7)]);
  });

  it('never finds an object of another environment or another kind', async () => {
    const { environmentId } = held.batch;
    expect((await findByHandles(database, environmentId + 1, 'customers', [handle(2)], [])).size).toBe(0);
    expect((await findByHandles(database, environmentId, 'accounts', [handle(2)], [])).size).toBe(0);
    expect((await findCustomersById(database, environmentId + 1, ['object-2'])).size).toBe(0);
  });

  it('prefers the created object among several of one handle', async () => {
    const later = stagedRow(2, { handle: handle(2), record: { country: 'UG' } });
    const batch = await stagedBatch(database, [later], besides(held.batch));
    const found = await findByHandles(database, batch.environmentId, 'customers', [handle(2)], [batch.id]);
    expect(found.get(handle(2))).toEqual({ id: 'object-2', country: 'KE' });
  });

  it('lists the handles of accounts, of this environment alone', async () => {
    const account = stagedRow(1, { handle: '["external:C-1","Rent"]' });
    const batch = await stagedBatch(database, [account], { ...besides(held.batch), kind: 'accounts' });
    expect(await listAccountHandles(database, batch.environmentId, 10)).toEqual(['["external:C-1","Rent"]']);
    expect(await listAccountHandles(database, batch.environmentId + 1, 10)).toEqual([]);
  });

  it('finds customers by their id at the API', async () => {
    const ids = ['object-2', 'object-3', 'nobody'];
    const found = await findCustomersById(database, held.batch.environmentId, ids);
    expect([...found]).toEqual([['object-2', { id: 'object-2', country: 'KE' }]]);
  });

  it('finds who owns a natural key, and no owner for one that was refused or never asked for', async () => {
    const keys = [2, 3, 4, 5, 6, 7].map((row) => readyPreparation(held.batch, row, { object: object(row) }));
    const owners = await findKeyOwners(
      database,
      held.batch.environmentId,
      'customers',
      keys.map(({ naturalKey }) => naturalKey),
    );
    const found = keys.map(({ naturalKey }) => owners.get(naturalKey.toString('hex'))?.state);
    expect(found).toEqual(['created', undefined, 'unknown', 'held', 'ready', undefined]);
    const [first] = keys;
    const owner = owners.get(first?.naturalKey.toString('hex') ?? '');
    expect(owner).toMatchObject({ batch: held.batch.id, row: 2, objectId: 'object-2' });
    expect(owner?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(owner?.fingerprint.equals(first?.fingerprint ?? Buffer.alloc(0))).toBe(true);
  });
});
