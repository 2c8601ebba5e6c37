import type { Knex } from 'knex';
import { type Database, uncheckedRows as query } from '../../src/ledger/query/sql.ts';

/** A node of a plan of PostgreSQL, as EXPLAIN in JSON gives it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** This many statements of one call are explained, from the first to the last of them. */
const mostExplained = 4;

/**
 * What PostgreSQL does for the statements of a call, node by node.
 * @param isRun whether they are run for it once more: without that nothing is counted
 * @param most statements that are explained
 */
export async function explained(
  database: Knex,
  call: () => Promise<unknown>,
  isRun = true,
  most = mostExplained,
): Promise<PlanNode[][]> {
  const statements: { sql: string; bindings: readonly unknown[] }[] = [];
  const settings: string[] = [];
  const collect = (statement: { sql: string; bindings?: readonly unknown[] }): void => {
    if (/^SELECT set_config\(/.test(statement.sql)) settings.push(statement.sql);
    else if (/^\s*(SELECT|WITH|UPDATE)/i.test(statement.sql)) statements.push({ bindings: [], ...statement });
  };
  database.on('query', collect);
  await call();
  database.off('query', collect);
  const plans: PlanNode[][] = [];
  // What is explained by running it has happened already, and is undone.
  const again = await database.transaction();
  // Some only: the statement that takes the lock may not be among them.
  await query(again, 'SET LOCAL session_replication_role = replica');
  for (const setting of settings) await query(again, setting);
  const step = Math.max(1, (statements.length - 1) / (most - 1));
  for (let at = 0; Math.round(at) < statements.length; at += step) {
    const { sql, bindings } = statements[Math.round(at)] ?? { sql: '', bindings: [] };
    plans.push(await explain(again, sql.replaceAll(/\$\d+/g, '?'), bindings, isRun));
  }
  await again.rollback();
  return plans;
}

/**
 * What PostgreSQL does for the statements of a change, which is made twice and undone both times: once to see its
 * statements, and once to explain each in its place, on what those before it have changed.
 */
export async function explainedChange(
  database: Knex,
  change: (database: Knex) => Promise<unknown>,
): Promise<PlanNode[][]> {
  const statements: { sql: string; bindings: readonly unknown[] }[] = [];
  const collect = (statement: { sql: string; bindings?: readonly unknown[] }): void => {
    if (!/^\s*(BEGIN|COMMIT)/i.test(statement.sql)) statements.push({ bindings: [], ...statement });
  };
  database.on('query', collect);
  const seen = await database.transaction();
  await change(seen);
  database.off('query', collect);
  await seen.rollback();
  const plans: PlanNode[][] = [];
  const again = await database.transaction();
  for (const { sql, bindings } of statements) {
    const plain = sql.replaceAll(/\$\d+/g, '?');
    if (/^\s*(SET|SAVEPOINT|RELEASE|ROLLBACK)/i.test(plain)) await query(again, plain, bindings);
    // What fails, failed for the change as well, and was taken back to a savepoint.
    else plans.push(await explain(again, plain, bindings, true).catch(() => []));
  }
  await again.rollback();
  return plans;
}

async function explain(
  database: Database,
  sql: string,
  bindings: readonly unknown[],
  isRun: boolean,
): Promise<PlanNode[]> {
  const [found] = await query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    database,
    `EXPLAIN (FORMAT JSON${isRun ? ', ANALYZE' : ''}) ${sql}`,
    bindings,
  );
  return (found?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => flatten(Plan));
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

/** How many rows or index entries a scan of a table looked at, wanted or not; 0 for every other node. */
export function rowsReadBy(node: PlanNode): number {
  const isOfTable = node['Relation Name'] !== undefined || node['Index Name'] !== undefined;
  return isOfTable && node['Node Type'].includes('Scan') ? rowsHandledBy(node) : 0;
}

/** How many rows a node handled: those that it gave, and those that it looked at and left out. */
export function rowsHandledBy(node: PlanNode): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return each * (node['Actual Loops'] ?? 1);
}
