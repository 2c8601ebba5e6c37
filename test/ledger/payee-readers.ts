import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import { readSeriesPayees, sumRows } from '../../src/ledger/batches/last-time.ts';
import {
  findComparedObjects,
  findEarlierPayees,
  findNotedChanges,
  findPayeeDecisions,
  listOpenFindings,
  listSharedRows,
  readPayeeChanges,
} from '../../src/ledger/before-sending/payee-changes.ts';
import {
  findFamilyRows,
  findKnownAccounts,
  findKnownNames,
  findNamedPayees,
  findPayees,
  hasOthersPaidSince,
  readKnownNames,
} from '../../src/ledger/before-sending/payees.ts';
import { type LargeBatch, payeesOfRows, walk } from './large-batch.ts';

/** What is read of payees for a group of rows, or page by page. */
export const payeeReaders: readonly [string, (database: Knex, large: LargeBatch) => Promise<unknown>][] = [
  [
    'findKnownNames',
    async (database, { batch, numbers }) => {
      const customers = payeesOfRows({ batch }, numbers).map(({ customer }) => customer);
      expect(await findKnownNames(database, batch.environmentId, customers)).toHaveLength(numbers.length);
    },
  ],
  [
    'findKnownAccounts',
    async (database, { batch, numbers }) => {
      const accounts = payeesOfRows({ batch }, numbers).map(({ account }) => account);
      expect((await findKnownAccounts(database, batch.environmentId, accounts)).size).toBe(numbers.length);
    },
  ],
  [
    'findPayees',
    async (database, { batch, numbers }) => {
      const found = await findPayees(database, batch.environmentId, payeesOfRows({ batch }, numbers), [
        randomUUID(),
      ]);
      expect(found).toHaveLength(numbers.length);
    },
  ],
  [
    'findNamedPayees',
    async (database, { batch, numbers }) => {
      const found = await findNamedPayees(
        database,
        batch.environmentId,
        payeesOfRows({ batch }, numbers),
        [],
      );
      expect(found).toHaveLength(numbers.length);
    },
  ],
  [
    'findFamilyRows',
    async (database, { batch, numbers }) => {
      const rows = numbers.map((row) => ({ n: row, batch: batch.id, row }));
      const found = await findFamilyRows(database, rows);
      expect(new Set(found.map(({ n }) => n)).size).toBe(numbers.length);
    },
  ],
  [
    'readKnownNames',
    async (database, { batch, numbers }) => {
      const [{ customer = '' } = {}] = payeesOfRows({ batch }, numbers);
      expect(await walk(readKnownNames(database, batch.environmentId, customer))).not.toBe(0);
    },
  ],
  [
    'findPayeeDecisions',
    (database, { batch, numbers }) =>
      findPayeeDecisions(database, batch.environmentId, payeesOfRows({ batch }, numbers)),
  ],
  [
    'findEarlierPayees',
    (database, { batch, numbers }) =>
      findEarlierPayees(
        database,
        numbers.map((row) => ({ batch: batch.id, row })),
      ),
  ],
  ['hasOthersPaidSince', (database, { batch }) => hasOthersPaidSince(database, batch.id)],
  ['findNotedChanges', (database, { batch, numbers }) => findNotedChanges(database, batch.id, numbers)],
  ['findComparedObjects', (database, { batch, numbers }) => findComparedObjects(database, batch.id, numbers)],
  ['readPayeeChanges', (database, { batch }) => walk(readPayeeChanges(database, batch.id))],
  ['listOpenFindings', (database, { batch }) => listOpenFindings(database, batch.id, 0)],
  ['sumRows', (database, { batch, numbers }) => sumRows(database, batch.id, numbers)],
];

/** What is read of the payees of a whole batch. */
export const batchPayeeReaders: readonly [string, (database: Knex, batchId: string) => Promise<unknown>][] = [
  ['listSharedRows', listSharedRows],
  ['readSeriesPayees', (database, batchId) => walk(readSeriesPayees(database, batchId))],
];
