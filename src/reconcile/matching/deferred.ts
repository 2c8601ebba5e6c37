import type { SqlPort } from '../ports.ts';
import type { OpenRecords } from './decided.ts';
import { type MatchRules, pairState } from './rules.ts';

const sides = ['here', 'there'] as const;

/**
 * Makes the tables `deferred_here` and `deferred_there`: the records that agree in everything with one that has
 * their reference and no id, and with none of those that have their id. A pair that agrees comes before one that
 * does not, so these are matched by reference first.
 * @returns the tables of the others, which are matched by id
 */
export async function deferToReference(sql: SqlPort, rules: MatchRules): Promise<OpenRecords> {
  const all = { here: 'here', there: 'there' };
  const [found] = await sql.query<{ isAny: boolean }>(
    `SELECT (EXISTS (SELECT FROM here WHERE id IS NULL AND reference IS NOT NULL)
          OR EXISTS (SELECT FROM there WHERE id IS NULL AND reference IS NOT NULL))
        AND EXISTS (SELECT FROM here WHERE id IS NOT NULL) AND EXISTS (SELECT FROM there WHERE id IS NOT NULL) AS "isAny"`,
  );
  if (found?.isAny !== true) return all;
  const agree = `${pairState(rules)} <> 'mismatched'`;
  for (const side of sides) {
    const [own, theirs] = side === 'here' ? ['h', 't'] : ['t', 'h'];
    await sql.run(
      `CREATE TEMP TABLE deferred_${side} ON COMMIT DROP AS
       WITH better AS (
           SELECT DISTINCT ${own}.n, ${own}.id FROM here h JOIN there t ON h.reference = t.reference
           WHERE ${own}.id IS NOT NULL AND ${theirs}.id IS NULL AND ${agree}),
         by_id AS (
           SELECT ${own}.n, bool_or(${agree}) AS agrees FROM here h JOIN there t ON h.id = t.id
           WHERE ${own}.id IN (SELECT id FROM better) GROUP BY 1)
       SELECT r.* FROM ${side} r JOIN better USING (n) JOIN by_id USING (n) WHERE NOT by_id.agrees`,
    );
  }
  const [deferred] = await sql.query<{ isAny: boolean }>(
    'SELECT EXISTS (SELECT FROM deferred_here) OR EXISTS (SELECT FROM deferred_there) AS "isAny"',
  );
  if (deferred?.isAny !== true) return all;
  for (const side of sides) {
    await sql.run(
      `CREATE TEMP TABLE first_${side} ON COMMIT DROP AS
       SELECT * FROM ${side} WHERE n NOT IN (SELECT n FROM deferred_${side})`,
    );
  }
  return { here: 'first_here', there: 'first_there' };
}

/** Adds the records that were deferred to those that the ids left open. */
export async function takeBackDeferred(sql: SqlPort, first: OpenRecords, open: OpenRecords): Promise<void> {
  if (first.here === 'here') return;
  for (const side of sides) await sql.run(`INSERT INTO ${open[side]} SELECT * FROM deferred_${side}`);
}
