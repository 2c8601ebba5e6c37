import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import { readSeriesPayees, sumRows } from '../../src/ledger/batches/series.ts';
import {
  findComparedObjects,
  findEarlierPayees,
  findPayeeDecisions,
  listOpenFindings,
  listSharedRows,
  readPayeeChanges,
} from '../../src/ledger/before-sending/payee-changes.ts';
import {
  findKnownAccounts,
  findKnownNames,
  findNamedPayees,
  findPayees,
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
