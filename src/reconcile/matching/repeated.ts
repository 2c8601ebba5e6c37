/* Matches records of which several have one key, and finds those that only repeat others. */

import type { ScratchSql } from '../../ledger/connection/open.ts';
import {
  acceptDecided,
  contradiction,
  hashOf,
  holds,
  type KeyColumn,
  type MatchRules,
  type OpenRecords,
  pairState,
  signature,
  type Tier,
  tiersOf,
} from './rules.ts';

/** If one key has more possible pairs than this, they are ambiguous and not compared one by one. */
const pairsWeighed = 250_000;

/** SQL: all values of a record. Records with equal values cannot be distinguished. */
const everything =
  'key, id, reference, natural_key, grp, amount, currency, day, fields, status, entry, free_text';

const sides = ['h', 't'] as const;

/**
 * Matches records whose key is repeated on a side, independent of their order. Records with equal values form a
 * class, and classes are paired tier by tier. A class with only one candidate class is paired with it record by
 * record. If there are several and the choice matters, all of them are ambiguous. Remaining records of a key are
 * duplicates. Those of a natural key stay open, since other keys may contradict it.
 */
export async function matchRepeated(
  sql: ScratchSql,
  key: KeyColumn,
  repeated: string,
  open: OpenRecords,
  rules: MatchRules,
): Promise<void> {
  const decided = `decided_${key}`;
  await collectMembers(sql, key, repeated, open, rules);
  await sql.run(
    `CREATE TEMP TABLE ${decided} (hn int, tn int, state text COLLATE "C", peer_h int, peer_t int, is_certain boolean)
     ON COMMIT DROP`,
  );
  for (const tier of tiersOf(key, rules)) {
    const pairs = await mostPairs(sql, tier);
    if (pairs === 0) continue;
    if (pairs > pairsWeighed) await giveUpLargest(sql, decided, tier);
    await pairClasses(sql, decided, tier, rules);
  }
  if (contradiction(key) === null) await noteDuplicates(sql, decided);
  for (const side of sides) await sql.run(`DROP TABLE members_${side}, classes_${side}`);
  await acceptDecided(sql, decided, key, open, 'certainty');
  await sql.run(`DROP TABLE ${decided}`);
}

/** The records of repeated keys that both sides have, each with its class and its position in it. */
async function collectMembers(
  sql: ScratchSql,
  key: KeyColumn,
  repeated: string,
  open: OpenRecords,
  rules: MatchRules,
): Promise<void> {
  for (const [side, own, other] of [
    ['h', open.here, open.there],
    ['t', open.there, open.here],
  ] as const) {
    // Where names can contradict the key, a record stays only if some record of the other side does not contradict
    // it.
    const suits =
      contradiction(key) === null
        ? ''
        : 'AND NOT (r.id IS NOT NULL AND o.has_id) AND NOT (r.reference IS NOT NULL AND o.has_reference)';
    await sql.run(
      `CREATE TEMP TABLE members_${side} ON COMMIT DROP AS
       WITH named AS (
           SELECT ${key} AS key, id IS NOT NULL AS has_id, reference IS NOT NULL AS has_reference
           FROM ${other} WHERE ${hashOf(key)} IN (SELECT hash FROM ${repeated}) GROUP BY 1, 2, 3),
         found AS (
           SELECT r.*, r.${key} AS key, ${signature(rules)} AS sig, count(*) OVER of_key AS of_key,
             min(coalesce(r.id, '')) OVER of_key = max(coalesce(r.id, '')) OVER of_key AS has_one_id
           FROM ${own} r
           WHERE ${hashOf(key)} IN (SELECT hash FROM ${repeated})
             AND EXISTS (SELECT FROM named o WHERE o.key = r.${key} ${suits})
           WINDOW of_key AS (PARTITION BY r.${key})),
         classed AS (SELECT *, dense_rank() OVER (ORDER BY ${everything}) AS class FROM found)
       SELECT *, row_number() OVER (PARTITION BY class ORDER BY n) AS place FROM classed`,
    );
    await sql.run(
      `CREATE TEMP TABLE classes_${side} ON COMMIT DROP AS
       SELECT class, key, id, reference, amount, currency, day, fields, sig, count(*)::int AS open, 0 AS used
       FROM members_${side} GROUP BY class, key, id, reference, amount, currency, day, fields, sig`,
    );
    await sql.run(`ANALYZE classes_${side}`);
  }
}

/** The common values of the classes of a tier. */
function sharedBy({ isEqual }: Tier): string {
  return isEqual ? 'key, sig' : 'key';
}

/** SQL: for each key with open classes on both sides, the number of pairs of classes to compare. */
function pairsByKey(tier: Tier): string {
  const classes = (side: 'h' | 't'): string => `
    SELECT ${sharedBy(tier)}, count(*) FILTER (WHERE open > 0) AS open, count(*) AS classes
    FROM classes_${side} GROUP BY ${sharedBy(tier)}`;
  const pairs = tier.countsUsed ? 'h.open * t.classes + t.open * h.classes' : 'h.open * t.open';
  return `SELECT ${sharedBy(tier)}, ${pairs} AS pairs
    FROM (${classes('h')}) h JOIN (${classes('t')}) t USING (${sharedBy(tier)}) WHERE h.open > 0 AND t.open > 0`;
}

/** The largest number of pairs of classes of one key. */
async function mostPairs(sql: ScratchSql, tier: Tier): Promise<number> {
  const [found] = await sql.query<{ pairs: number }>(
    `SELECT coalesce(max(pairs), 0)::float8 AS pairs FROM (${pairsByKey(tier)}) p`,
  );
  return found?.pairs ?? 0;
}

async function giveUpLargest(sql: ScratchSql, decided: string, tier: Tier): Promise<void> {
  await sql.run(
    `CREATE TEMP TABLE largest ON COMMIT DROP AS
     SELECT * FROM (${pairsByKey(tier)}) p WHERE pairs > ${pairsWeighed}`,
  );
  for (const side of sides) {
    await markAmbiguous(
      sql,
      decided,
      side,
      `SELECT class FROM classes_${side} JOIN largest USING (${sharedBy(tier)})`,
    );
  }
  await sql.run('DROP TABLE largest');
}

/** The remaining records of some classes are ambiguous. */
async function markAmbiguous(
  sql: ScratchSql,
  decided: string,
  side: 'h' | 't',
  classes: string,
): Promise<void> {
  await sql.run(
    `INSERT INTO ${decided} (${side}n, state)
     SELECT m.n, 'ambiguous' FROM members_${side} m JOIN classes_${side} c USING (class)
     WHERE c.open > 0 AND m.place > c.used AND m.class IN (${classes})`,
  );
  await sql.run(`UPDATE classes_${side} SET open = 0 WHERE class IN (${classes})`);
}

/**
 * Pairs the open classes of one tier. A class whose candidates have no other candidate than it is the centre of a
 * star. The centre is paired with all of them if it has enough records, or with its only candidate as far as records
 * last. Every other arrangement has several solutions, as has one with used or ambiguous candidates, if the tier
 * counts those.
 */
async function pairClasses(sql: ScratchSql, decided: string, tier: Tier, rules: MatchRules): Promise<void> {
  const shared = tier.isEqual ? 'h.key = t.key AND h.sig = t.sig' : 'h.key = t.key';
  await sql.run(
    `CREATE TEMP TABLE weighed ON COMMIT DROP AS
     WITH candidates AS (
         SELECT h.class AS hc, t.class AS tc, h.open AS open_h, t.open AS open_t, h.used AS used_h, t.used AS used_t,
           count(*) OVER of_one_h AS of_h, count(*) OVER of_one_t AS of_t,
           bool_and(t.open > 0) OVER of_one_h AND bool_and(h.open > 0) OVER of_one_t AS is_clear
         FROM classes_h h JOIN classes_t t ON ${shared} AND ${tier.condition}
         WHERE h.open > 0 ${tier.countsUsed ? 'OR' : 'AND'} t.open > 0
         WINDOW of_one_h AS (PARTITION BY h.class), of_one_t AS (PARTITION BY t.class)),
       edges AS (SELECT * FROM candidates WHERE open_h > 0 AND open_t > 0),
       stars AS (
         SELECT *, max(of_h) OVER around_t = 1 AS is_around_t, max(of_t) OVER around_h = 1 AS is_around_h,
           sum(open_h) OVER around_t AS sum_h, sum(open_t) OVER around_h AS sum_t,
           sum(open_h) OVER (around_t ORDER BY hc) - open_h AS before_h,
           sum(open_t) OVER (around_h ORDER BY tc) - open_t AS before_t
         FROM edges WINDOW around_t AS (PARTITION BY tc), around_h AS (PARTITION BY hc))
     SELECT hc, tc, used_h, used_t,
       CASE WHEN NOT is_clear THEN 0
            WHEN is_around_t AND is_around_h THEN least(open_h, open_t)
            WHEN is_around_t AND sum_h <= open_t THEN open_h
            WHEN is_around_h AND sum_t <= open_h THEN open_t ELSE 0 END AS pairs,
       CASE WHEN is_around_t AND NOT is_around_h THEN before_h ELSE 0 END::int AS shift_t,
       CASE WHEN is_around_h AND NOT is_around_t THEN before_t ELSE 0 END::int AS shift_h
     FROM stars`,
  );
  await sql.run(
    `INSERT INTO ${decided} (hn, tn, state, is_certain)
     SELECT h.n, t.n, ${pairState(rules)},
       h.of_key = 1 AND t.has_one_id
     FROM weighed w CROSS JOIN LATERAL generate_series(1, w.pairs) AS step
     JOIN members_h h ON h.class = w.hc AND h.place = w.used_h + w.shift_h + step
     JOIN members_t t ON t.class = w.tc AND t.place = w.used_t + w.shift_t + step`,
  );
  for (const side of sides) {
    await sql.run(
      `UPDATE classes_${side} c SET open = open - w.pairs, used = used + w.pairs
       FROM (SELECT ${side}c AS class, sum(pairs)::int AS pairs FROM weighed GROUP BY 1) w WHERE w.class = c.class`,
    );
  }
  for (const side of sides) {
    await markAmbiguous(sql, decided, side, `SELECT ${side}c FROM weighed WHERE pairs = 0`);
  }
  await sql.run('DROP TABLE weighed');
}

/** For a key whose records on one side are all used, the remaining ones of the other side are duplicates. */
async function noteDuplicates(sql: ScratchSql, decided: string): Promise<void> {
  for (const [side, other, name] of [
    ['h', 't', 'here'],
    ['t', 'h', 'there'],
  ] as const) {
    await sql.run(
      `INSERT INTO ${decided} (${side}n, state, peer_${other})
       SELECT m.n, 'duplicate_${name}', o.n FROM members_${side} m JOIN classes_${side} c USING (class)
       JOIN (SELECT key, min(n) AS n FROM members_${other} GROUP BY key) o ON o.key = m.key
       WHERE c.open > 0 AND m.place > c.used`,
    );
  }
}

const keys: readonly KeyColumn[] = ['id', 'reference', 'natural_key'];

/**
 * Finds open records that repeat a record of the other side which was matched by another key. Two records with one
 * natural key still count as two if their ids or references differ. A record is not repeated if it has no
 * counterpart, or if its counterpart differs in that key or, lacking the key, in another name; then it is unclear
 * which one is meant.
 */
export async function findLateDuplicates(sql: ScratchSql, open: OpenRecords): Promise<void> {
  for (const key of keys) {
    const isLeft = `EXISTS (SELECT FROM ${open.here} WHERE ${key} IS NOT NULL)
      OR EXISTS (SELECT FROM ${open.there} WHERE ${key} IS NOT NULL)`;
    if (!(await holds(sql, isLeft))) continue;
    await sql.run(
      `CREATE TEMP TABLE late_${key} ON COMMIT DROP AS
       SELECT NULL::int AS hn, n AS tn, state, peer AS peer_h, NULL::int AS peer_t FROM (${repeating('there', key, open)}) t
       UNION ALL SELECT n, NULL, state, NULL, peer FROM (${repeating('here', key, open)}) h`,
    );
    await acceptDecided(sql, `late_${key}`, key, open);
  }
}

/** SQL: the open records of a side with the key of a used record of the other side, and their resulting state. */
function repeating(side: 'here' | 'there', key: KeyColumn, open: OpenRecords): string {
  const other = side === 'here' ? 'there' : 'here';
  const [own, theirs] = side === 'here' ? ['h', 't'] : ['t', 'h'];
  const refused = contradiction(key);
  const suits = refused === null ? '' : `AND NOT (${refused})`;
  const isAnother = 'coalesce(o.id <> r.id, false) OR coalesce(o.reference <> r.reference, false)';
  const areTwo = refused === null ? '' : `HAVING NOT coalesce(bool_and(${isAnother}), false)`;
  return `WITH tied AS (
      SELECT ${own}.n, ${own}.${key} AS key, ${theirs}.n AS used
      FROM ${open[side]} ${own} JOIN ${other} ${theirs} ON ${theirs}.${key} = ${own}.${key}
      WHERE NOT EXISTS (SELECT FROM ${open[other]} o WHERE o.n = ${theirs}.n) ${suits}),
    lines AS (SELECT * FROM match_lines WHERE ${theirs}n IN (SELECT used FROM tied)),
    counterparts AS (
      SELECT ${theirs}n AS used, coalesce(${own}n, peer_${own}) AS n FROM lines
      UNION SELECT l.${theirs}n, g.${own}n FROM lines l JOIN match_lines g USING (link)),
    judged AS (
      SELECT tied.n, tied.used,
        coalesce(bool_or(c.n IS NOT NULL AND coalesce(r.${key} = tied.key, NOT (${isAnother}))), false) AS repeats
      FROM tied JOIN ${side} o ON o.n = tied.n LEFT JOIN counterparts c USING (used) LEFT JOIN ${side} r ON r.n = c.n
      GROUP BY 1, 2 ${areTwo})
    SELECT n, CASE WHEN bool_or(repeats) THEN 'duplicate_${side}' ELSE 'ambiguous' END AS state,
      min(used) FILTER (WHERE repeats) AS peer
    FROM judged GROUP BY n`;
}
