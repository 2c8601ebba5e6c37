import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { hasMovableRows, readResultRows } from '../../../src/ledger/after-sending/results.ts';
import { findNewestUnfinished } from '../../../src/ledger/batches/batches.ts';
import { beginRun, prolongRun, takeOverExpired } from '../../../src/ledger/batches/runs.ts';
import { listRowsToPrepare } from '../../../src/ledger/before-sending/prepare.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { holdExpiredKeys } from '../../../src/ledger/sending/claim.ts';
import { onServer } from '../../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
  stagedBatch,
} from '../../support/ledger-rows.ts';
import { explained, type PlanNode, rowsReadBy } from '../plan-nodes.ts';

/** What PostgreSQL does for each statement of a call, node by node. */
async function nodesOf(database: Knex, call: () => Promise<unknown>, isRun: boolean): Promise<PlanNode[]> {
  return (await explained(database, call, isRun)).flat();
}

/** How many rows and index entries were looked at, wanted or not. */
function rowsRead(nodes: readonly PlanNode[]): number {
  return nodes.reduce((sum, node) => sum + rowsReadBy(node), 0);
}

onServer((openTestLedger) => {
  const rows = 12_000;
  let database: Knex;
  let held: BatchUnderRun;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
    held = await readyBatch(database, rows, 64);
    for (let done = 0; done < rows - 2_000; done += 2_000) {
      await conclude(database, held, await claim(database, held, { limit: 2_000 }), {
        attempts: [attempt()],
      });
    }
    await execute(database, 'ANALYZE');
  });

  const scansOfRows = (nodes: readonly PlanNode[]): string[] => [
    ...new Set(
      nodes
        .filter((node) => node['Relation Name'] === 'row_states' && node['Node Type'].includes('Scan'))
        .map((node) => node['Index Name'] ?? node['Node Type']),
    ),
  ];

  it('a claim reads what is ready or unknown, and not what is done', async () => {
    const nodes = await nodesOf(database, () => claim(database, held, { limit: 50 }), false);
    expect(scansOfRows(nodes)).toContain('row_states_pkey');
    expect(scansOfRows(nodes)).not.toContain('Seq Scan');
  });

  it('looking for lost, expired and unfinished work reads only such work', async () => {
    const { batch, run } = held;
    const environment = { mode: batch.mode, origin: batch.origin };
    const calls = [
      () => takeOverExpired(database, batch.id),
      () => holdExpiredKeys(database, batch.id, 0),
      () => prolongRun(database, run.id, 60_000),
      () => hasMovableRows(database, batch.id),
      () => findNewestUnfinished(database, environment),
      () => beginRun(database, { ...run, batchId: batch.id, id: batch.id, leaseInMs: 60_000, join: true }),
    ];
    for (const call of calls) {
      expect(rowsRead(await nodesOf(database, call, true)), String(call)).toBeLessThan(2_000);
    }
  });

  it('a late page of the results costs no more than an early one', async () => {
    const costs: number[] = [];
    const pages = readResultRows(database, held.batch.id);
    for (let page = 0; page < rows / 2_000; page += 1) {
      costs.push(rowsRead(await nodesOf(database, () => pages.next(), true)));
    }
    expect(Math.max(...costs)).toBeLessThan(2 * (costs[0] ?? 0));
  });

  it('a late group of rows to prepare costs no more than an early one', async () => {
    const batch = await stagedBatch(database, rows);
    await execute(database, 'ANALYZE');
    const costAfter = async (row: number): Promise<number> =>
      rowsRead(await nodesOf(database, () => listRowsToPrepare(database, batch.id, row, 1_000), true));
    // It may look its rows up in the index first, and then in the table.
    expect(await costAfter(rows - 1_500)).toBeLessThan(3 * (await costAfter(0)));
  });

  it('a claim of rows that were put back reads those', async () => {
    await conclude(database, held, await claim(database, held, { limit: 3_000 }), { state: 'ready' });
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch, { join: true }) };
    const nodes = await nodesOf(database, () => claim(database, later, { limit: 50 }), false);
    expect(scansOfRows(nodes)).toContain('rows_to_send');
    expect(scansOfRows(nodes)).not.toContain('Seq Scan');
  });
});
