/* What a pass decides, and what it leaves to later ones. */

import type { SqlPort } from '../ports.ts';
import { type MatchRules, pairState } from './rules.ts';

/** The tables that hold the records which are not matched yet. */
export interface OpenRecords {
  readonly here: string;
  readonly there: string;
}

/**
 * One line for each pair and for each record without one. `peer_h` and `peer_t` name a record of the other
 * side that a duplicate repeats, and that is used elsewhere; `place` says where else it is known; `sum_h` and
 * `sum_t` are what a group comes to on either side; `is_certain` tells a pair of which each record is the only
 * one that its key could mean. The amounts are carried along from the very records that a
 * line uses, so that adding them up proves that each was used once.
 */
export async function createOutcomes(sql: SqlPort): Promise<void> {
  await sql.run(
    `CREATE TEMP TABLE match_lines (hn int, tn int, state text COLLATE "C", pass text COLLATE "C", link int,
       peer_h int, peer_t int, is_certain boolean, amount_h numeric, currency_h text COLLATE "C", amount_t numeric,
       currency_t text COLLATE "C", place text, sum_h text, sum_t text) ON COMMIT DROP`,
  );
}

/**
 * Notes what was decided in a table of its own, and takes those records out of what is open.
 * @param has further columns of that table: `link`, `sum_h` and `sum_t` of groups, or `is_certain` of pairs
 */
export async function acceptDecided(
  sql: SqlPort,
  decided: string,
  pass: string,
  open: OpenRecords,
  has: 'groups' | 'certainty' | null = null,
): Promise<void> {
  // Groups are numbered on, whichever pass finds them, so that no two share a number.
  const grouped =
    has === 'groups'
      ? 'd.link + (SELECT coalesce(max(link), 0) FROM match_lines), d.sum_h, d.sum_t'
      : 'NULL::int, NULL::text, NULL::text';
  const certainty = has === 'certainty' ? 'd.is_certain' : 'false';
  await sql.run(
    `INSERT INTO match_lines (hn, tn, state, pass, is_certain, link, sum_h, sum_t, peer_h, peer_t, amount_h, currency_h, amount_t,
       currency_t)
     SELECT d.hn, d.tn, d.state, '${pass}', ${certainty}, ${grouped}, d.peer_h, d.peer_t, h.amount, h.currency, t.amount, t.currency
     FROM ${decided} d LEFT JOIN ${open.here} h ON h.n = d.hn LEFT JOIN ${open.there} t ON t.n = d.tn`,
  );
  await sql.run(`DELETE FROM ${open.here} r USING ${decided} d WHERE d.hn = r.n`);
  await sql.run(`DELETE FROM ${open.there} r USING ${decided} d WHERE d.tn = r.n`);
}

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
