import type { SqlPort } from '../ports.ts';
import { acceptDecided, type OpenRecords } from './decided.ts';
import { contradiction, type KeyColumn, type MatchRules } from './rules.ts';

const keys: readonly KeyColumn[] = ['id', 'reference', 'natural_key'];

/** How far apart the days of two records may be that are proposed for their amount alone. */
const proposedDaysApart = 3;

/**
 * What is open repeats a record of the other side that was matched by another of its keys. Two that have the
 * natural key of one are two all the same where their ids or references say so. A record without a counterpart, or
 * whose own counterpart is another one by that key or, where it has no such key, by another name, is not repeated:
 * it is open which of them is meant.
 */
export async function findLateDuplicates(sql: SqlPort, open: OpenRecords): Promise<void> {
  for (const key of keys) {
    const [left] = await sql.query<{ isAny: boolean }>(
      `SELECT EXISTS (SELECT FROM ${open.here} WHERE ${key} IS NOT NULL)
         OR EXISTS (SELECT FROM ${open.there} WHERE ${key} IS NOT NULL) AS "isAny"`,
    );
    if (left?.isAny !== true) continue;
    await sql.run(
      `CREATE TEMP TABLE late_${key} ON COMMIT DROP AS
       SELECT NULL::int AS hn, n AS tn, state, peer AS peer_h, NULL::int AS peer_t FROM (${repeating('there', key, open)}) t
       UNION ALL SELECT n, NULL, state, NULL, peer FROM (${repeating('here', key, open)}) h`,
    );
    await acceptDecided(sql, `late_${key}`, key, open);
  }
}

/** SQL: the open records of a side that have the key of a used record of the other one, and what that makes them. */
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

/**
 * A reference as it may be misread: without signs and case, and with letters that look like figures as those. Signs
 * are those of ASCII, and hyphens and blanks of Unicode: other letters tell references apart.
 */
const looseReference = (alias: string): string =>
  `nullif(translate(upper(regexp_replace(${alias}.reference, '[[:punct:][:space:]\\u00A0\\u2010-\\u2015\\u2212]', '', 'g')), 'OILSB', '01158'), '')`;

/**
 * Pairs that a person may want to look at, and that are never accepted by themselves: references that look
 * alike, then equal amounts of one currency a few days apart; each only where no other record would do.
 */
export async function proposePairs(sql: SqlPort, open: OpenRecords, rules: MatchRules): Promise<void> {
  await propose(
    sql,
    'similar_reference',
    open,
    looseReference('r'),
    'h.currency IS NOT DISTINCT FROM t.currency',
  );
  if (!rules.compares.amount) return;
  await propose(
    sql,
    'same_amount',
    open,
    `CASE WHEN r.amount IS NOT NULL THEN concat_ws(' ', trim_scale(r.amount)::text, r.currency) END`,
    `(abs(h.day - t.day) <= ${proposedDaysApart}) IS NOT FALSE`,
  );
}

async function propose(
  sql: SqlPort,
  pass: string,
  open: OpenRecords,
  key: string,
  condition: string,
): Promise<void> {
  const single = (table: string): string => `(
    SELECT r.*, ${key} AS key, count(*) OVER (PARTITION BY ${key}) AS twins FROM ${table} r)`;
  await sql.run(
    `CREATE TEMP TABLE proposed_${pass} ON COMMIT DROP AS
     SELECT h.n AS hn, t.n AS tn, 'proposed' AS state, NULL::int AS peer_h, NULL::int AS peer_t
     FROM ${single(open.here)} h JOIN ${single(open.there)} t ON h.key = t.key
     WHERE h.twins = 1 AND t.twins = 1 AND ${condition}`,
  );
  await acceptDecided(sql, `proposed_${pass}`, pass, open);
}

/** What ties a record `r` to one that the other side's mapping leaves out, `l`, and by what it is then told. */
const leftOutTies = [
  ['id', 'l.id = r.id'],
  ['reference', 'l.reference = r.reference'],
  ['group', 'l.grp = r.reference'],
  ['group', 'l.grp = r.id'],
  ['group', 'r.grp = l.reference'],
  ['group', 'r.grp = l.id'],
  ['groups', 'r.grp = l.grp'],
  ['free_text', 'l.n = p.left_out'],
  [
    'natural_key',
    'l.natural_key = r.natural_key AND (l.id <> r.id) IS NOT TRUE AND (l.reference <> r.reference) IS NOT TRUE',
  ],
] as const;

/** SQL: our records and texts that name each other, of which one is left out: `n` and `left_out`. */
const namedInTexts = {
  here: 'SELECT hn AS n, tn AS left_out FROM text_pairs WHERE t_out AND NOT h_out',
  there: 'SELECT tn AS n, hn AS left_out FROM text_pairs WHERE h_out AND NOT t_out',
} as const;

/** Records whose counterpart is there, and is left out by the other side's mapping: neither missing nor compared. */
export async function judgeLeftOut(sql: SqlPort, open: OpenRecords): Promise<void> {
  for (const [side, other, number, letter] of [
    ['here', 'there', 'hn', 'h'],
    ['there', 'here', 'tn', 't'],
  ] as const) {
    const [found] = await sql.query<{ isAny: boolean }>(
      `SELECT EXISTS (SELECT FROM left_out_${other}) AS "isAny"`,
    );
    if (found?.isAny !== true) continue;
    for (const [pass, condition] of leftOutTies) {
      const texts = pass === 'free_text' ? `JOIN (${namedInTexts[side]}) p ON p.n = r.n` : '';
      await sql.run(
        `INSERT INTO match_lines (${number}, state, pass, place, amount_${letter}, currency_${letter})
         SELECT r.n, 'left_out', '${pass}', min(l.reason), r.amount, r.currency
         FROM ${open[side]} r ${texts} JOIN left_out_${other} l ON ${condition} GROUP BY r.n, r.amount, r.currency`,
      );
      await sql.run(
        `DELETE FROM ${open[side]} r USING match_lines o WHERE o.${number} = r.n AND o.state = 'left_out'`,
      );
    }
  }
}

/**
 * What has no counterpart. Something is missing only where the other side has declared that it covers the
 * day: a record without a day counts as covered, and the last days of the coverage may still be on their way.
 * A record of the other side from before or after the declared days is not covered either.
 */
export async function judgeUnmatched(sql: SqlPort, open: OpenRecords, rules: MatchRules): Promise<void> {
  const { coversFrom, coversTo, graceInDays } = rules;
  const outside = '(?::date IS NOT NULL AND r.day < ?::date) OR (?::date IS NOT NULL AND r.day > ?::date)';
  const range = [coversFrom, coversFrom, coversTo, coversTo];
  const isDeclared = coversFrom !== null || coversTo !== null;
  await sql.run(
    `INSERT INTO match_lines (hn, state, pass, amount_h, currency_h)
     SELECT r.n, CASE WHEN NOT ?::boolean OR ${outside} THEN 'not_covered'
                      WHEN ?::date IS NOT NULL AND r.day > ?::date - ?::int THEN 'expected'
                      ELSE 'missing_there' END, 'none', r.amount, r.currency
     FROM ${open.here} r`,
    [isDeclared, ...range, coversTo, coversTo, graceInDays],
  );
  await sql.run(
    `INSERT INTO match_lines (tn, state, pass, amount_t, currency_t)
     SELECT r.n, CASE WHEN ${outside} THEN 'not_covered' ELSE 'unknown_here' END, 'none', r.amount, r.currency
     FROM ${open.there} r`,
    range,
  );
}
