import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { findNewestUnfinished } from '../../src/ledger/batches.ts';
import { holdExpiredKeys } from '../../src/ledger/claim.ts';
import { listRowsToPrepare } from '../../src/ledger/prepare.ts';
import { hasMovableRows, readResultRows } from '../../src/ledger/results.ts';
import { beginRun, prolongRun, takeOverExpired } from '../../src/ledger/runs.ts';
import { execute, query } from '../../src/ledger/sql.ts';
import { onServer } from '../support/ledger.ts';
import {
  attempt,
  type BatchUnderRun,
  beginTestRun,
  claim,
  conclude,
  readyBatch,
  stagedBatch,
} from '../support/ledger-rows.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** What PostgreSQL does for each statement of a call, node by node. */
async function nodesOf(database: Knex, call: () => Promise<unknown>, isRun: boolean): Promise<PlanNode[]> {
  const statements: { sql: string; bindings: readonly unknown[] }[] = [];
  const collect = (statement: { sql: string; bindings?: readonly unknown[] }): void => {
    if (/^\s*(SELECT|WITH|UPDATE)/i.test(statement.sql)) statements.push({ bindings: [], ...statement });
  };
  database.on('query', collect);
  await call();
  database.off('query', collect);
  const plans: PlanNode[] = [];
  // What is explained by running it has happened already, and is undone.
  const again = await database.transaction();
  await query(again, "SELECT set_config('paybatch.locked_batch', 'by hand', true)");
  for (const { sql, bindings } of statements) {
    const explain = `EXPLAIN (FORMAT JSON${isRun ? ', ANALYZE' : ''}) ${sql.replaceAll(/\$\d+/g, '?')}`;
    const [found] = await query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(again, explain, bindings);
    for (const { Plan } of found?.['QUERY PLAN'] ?? []) plans.push(...flatten(Plan));
  }
  await again.rollback();
  return plans;
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

/** How many rows and index entries were looked at, wanted or not. */
function rowsRead(nodes: readonly PlanNode[]): number {
  const scans = nodes.filter(
    (node) => node['Relation Name'] !== undefined && node['Node Type'].includes('Scan'),
  );
  return scans.reduce((sum, node) => {
    const each = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
    return sum + each * (node['Actual Loops'] ?? 1);
  }, 0);
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
        .filter((node) => node['Relation Name'] === 'stored_rows' && node['Node Type'].includes('Scan'))
        .map((node) => node['Index Name'] ?? node['Node Type']),
    ),
  ];

  it('a claim reads what is ready or unknown, and not what is done', async () => {
    const nodes = await nodesOf(database, () => claim(database, held, { limit: 50 }), false);
    expect(scansOfRows(nodes)).toContain('rows_pkey');
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
    expect(await costAfter(rows - 1_500)).toBeLessThan(2 * (await costAfter(0)));
  });

  it('a claim of rows that were put back reads those', async () => {
    await conclude(database, held, await claim(database, held, { limit: 3_000 }), { state: 'ready' });
    const later = { batch: held.batch, run: await beginTestRun(database, held.batch, { join: true }) };
    const nodes = await nodesOf(database, () => claim(database, later, { limit: 50 }), false);
    expect(scansOfRows(nodes)).toContain('rows_to_send');
    expect(scansOfRows(nodes)).not.toContain('Seq Scan');
  });
});
