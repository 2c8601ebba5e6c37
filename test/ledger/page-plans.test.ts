import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import * as evidence from '../../src/ledger/after-sending/evidence.ts';
import { countStatuses, readResultRows } from '../../src/ledger/after-sending/results.ts';
import { findRowsToResolve } from '../../src/ledger/after-sending/verdicts.ts';
import { findByHandles, findCustomersById, findKeyOwners } from '../../src/ledger/before-sending/look-ups.ts';
import { findComing, listRowsToPlan } from '../../src/ledger/before-sending/plans.ts';
import { listRowsToPrepare } from '../../src/ledger/before-sending/prepare.ts';
import { listRowsToRecheck } from '../../src/ledger/before-sending/recheck.ts';
import { analysis } from '../../src/ledger/before-sending/stage.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import { type ClaimRequest, claimRows } from '../../src/ledger/sending/claim.ts';
import { readKeptAnswers } from '../../src/ledger/sending/kept-answers.ts';
import { countRowsWithoutFacts, listRowsWithoutFacts } from '../../src/ledger/sending/lost-facts.ts';
import { recordConclusions } from '../../src/ledger/sending/record.ts';
import { onServer } from '../support/ledger.ts';
import { attempt, claimRequest, concluded } from '../support/ledger-rows.ts';
import { type LargeBatch, largeBatch } from './large-batch.ts';
import { explained, rowsReadBy } from './plan-nodes.ts';

const wanted = { credential: 'key one', keyAgeInMs: 1e9 };
const rows = 50_000;
const openRows = 500;

/** A page has 2,000 rows; a scan may read some rows of a neighbouring chunk or page with them. */
const pageWithMargin = 2_600;

/** Everything that is read page by page, or for a group of rows, and how. */
const readers: readonly [string, (database: Knex, large: LargeBatch) => Promise<unknown>][] = [
  ['readResultRows', (database, { batch }) => walk(readResultRows(database, batch.id))],
  ['readAnsweredRows', (database, { batch }) => walk(evidence.readAnsweredRows(database, batch.id))],
  ['readUndecidedRows', (database, { batch }) => walk(evidence.readUndecidedRows(database, batch.id))],
  ['readOwnRecords', (database, { batch }) => walk(evidence.readOwnRecords(database, batch.id))],
  [
    'readReplayedRows',
    (database, large) => walk(evidence.readReplayedRows(database, large.batch.id, large.run.id)),
  ],
  [
    'listRowsToPlan',
    (database, { batch, lastRow }) => listRowsToPlan(database, batch.id, lastRow - 3_000, 1_000),
  ],
  ['listRowsToPrepare', (database, { batch }) => listRowsToPrepare(database, batch.id, 0, 1_000)],
  ['listRowsToRecheck', (database, { batch }) => listRowsToRecheck(database, batch.id, 0, 1_000)],
  [
    'findByHandles',
    (database, { batch, handles }) =>
      findByHandles(database, batch.environmentId, 'customers', handles, [batch.id]),
  ],
  [
    'findCustomersById',
    (database, { batch, objectIds }) => findCustomersById(database, batch.environmentId, objectIds),
  ],
  [
    'findKeyOwners',
    (database, { batch, naturalKeys }) =>
      findKeyOwners(database, batch.environmentId, 'customers', naturalKeys),
  ],
  [
    'findComing',
    (database, { batch, handles }) => findComing(database, batch.id, 'customers', handles, [batch.id]),
  ],
  ['findRowsToResolve', (database, { batch, numbers }) => findRowsToResolve(database, batch.id, numbers)],
  [
    'readKeptAnswers',
    (database, { batch, objectIds }) =>
      readKeptAnswers(
        database,
        batch.id,
        objectIds.map((objectId) => ({ row: Number(objectId.replace(/\D/g, '')), objectId })),
      ),
  ],
  [
    'listRowsWithoutFacts',
    (database, { batch }) =>
      listRowsWithoutFacts(database, batch.id, { ...wanted, afterRow: 40_000, limit: 200 }),
  ],
  ['countRowsWithoutFacts', (database, { batch }) => countRowsWithoutFacts(database, batch.id, wanted)],
  ['findContradictions', (database, { batch }) => evidence.findContradictions(database, batch.id, 50)],
];

const tables = ['stored_rows', 'row_inputs', 'requests', 'attempts', 'creations', 'chunks', 'claims'];

async function walk(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}

onServer((openTestLedger) => {
  let database: Knex;
  let large: LargeBatch;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
    for (const table of tables)
      await execute(database, `ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    large = await largeBatch(database, rows, openRows);
  });

  // Above the tokens that the batch was made with.
  let lastToken = 1_000_000;
  const claimOf = (held: LargeBatch): ClaimRequest => {
    lastToken += 1;
    return claimRequest(held, { leaseToken: String(lastToken), limit: 64, rows: 'fresh' });
  };
  const mostReadBy = async (call: () => Promise<unknown>): Promise<number> => {
    const plans = await explained(database, call);
    return Math.max(...plans.flat().map(rowsReadBy));
  };

  // Staging has the server look at what it wrote; of all that is written later, an embedded ledger knows nothing.
  describe.each(['as staging leaves them', 'of all tables'])('with statistics %s', (statistics) => {
    beforeAll(async () => {
      await execute(database, statistics === 'of all tables' ? 'ANALYZE' : analysis);
    });

    it.each(readers)('%s reads no more than its page', async (_, read) => {
      expect(await mostReadBy(() => read(database, large))).toBeLessThan(pageWithMargin);
    });

    it('a claim reads no more than what it hands over', async () => {
      const request = claimOf(large);
      expect(await claimRows(database, request)).not.toEqual([]);
      expect(await mostReadBy(() => claimRows(database, request))).toBeLessThan(pageWithMargin);
    });

    it('a record reads no more than what it is about', async () => {
      const { batch, run } = large;
      const conclusions = (await claimRows(database, claimOf(large))).map((row) =>
        concluded(row, { attempts: [attempt({ objectId: `object-${row.row}` })] }),
      );
      expect(conclusions).not.toEqual([]);
      const record = (): Promise<unknown> => recordConclusions(database, batch.id, run.id, conclusions);
      expect(await mostReadBy(record)).toBeLessThan(pageWithMargin);
    });

    it('counting looks at each row once', async () => {
      expect(await mostReadBy(() => countStatuses(database, large.batch.id))).toBeLessThanOrEqual(rows);
    });
  });

  it('that no row is left to recheck is known without reading the rows', async () => {
    const done = await largeBatch(database, 5_000, 0);
    const plans = await explained(database, () => listRowsToRecheck(database, done.batch.id, 0, 1));
    expect(Math.max(...plans.flat().map(rowsReadBy))).toBeLessThan(10);
  });
});
