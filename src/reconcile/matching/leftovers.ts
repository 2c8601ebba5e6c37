/* Matches the records that the keys left over: one with several, proposals for a person, and the rest. */

import type { ScratchSql } from '../../ledger/connection/open.ts';
import {
  acceptDecided,
  agreedState,
  amountsAgree,
  holds,
  type MatchRules,
  type OpenRecords,
} from './rules.ts';

/** The column names for the side with one record and for the side with several records for it. */
const directions = {
  there: { one: 'here', oneNumber: 'hn', manyNumber: 'tn', oneSum: 'sum_h', manySum: 'sum_t' },
  here: { one: 'there', oneNumber: 'tn', manyNumber: 'hn', oneSum: 'sum_t', manySum: 'sum_h' },
} as const;

/** The columns of decisions about groups. */
const groupColumns = `(hn int, tn int, state text COLLATE "C", peer_h int, peer_t int, link int, sum_h text, sum_t text)`;

function hasGroups(sql: ScratchSql, table: string): Promise<boolean> {
  return holds(sql, `EXISTS (SELECT FROM ${table} WHERE grp IS NOT NULL)`);
}

/** SQL: a group's records, and their exact sum where all of them have an amount in one currency. */
const groupSums = `grp AS key, count(*) AS records, sum(amount) AS amount, min(currency) AS currency, min(n) AS first,
  count(DISTINCT coalesce(currency, '')) = 1 AND count(amount) = count(*) AS is_summable`;

/** SQL: a group's sum in words. */
const sumText = (alias: string): string => `CASE WHEN ${alias}.is_summable
  THEN concat_ws(' ', ${alias}.amount::text, ${alias}.currency) ELSE 'not in one currency' END`;

/**
 * SQL: the state of two sums of one currency. Without amounts a group has no sum to compare, which is a difference
 * unless the call states that amounts do not matter.
 */
function sumState(left: string, right: string, isSummable: string, rules: MatchRules): string {
  if (!rules.compares.amount && rules.amountsLeftOut !== 'not_there')
    return `'${agreedState('matched', rules)}'`;
  return `CASE WHEN NOT (${isSummable}) THEN 'mismatched'
    WHEN ${left}.currency IS DISTINCT FROM ${right}.currency THEN 'mismatched'
    WHEN ${left}.amount = ${right}.amount THEN 'matched'
    WHEN ${amountsAgree(`${left}.amount`, `${right}.amount`, rules)} THEN 'matched_within_tolerance'
    ELSE 'mismatched' END`;
}

/**
 * Matches several records of one side with one of the other: they share a group value, which is the other record's
 * reference or id. Their exact sum, in one currency, has to be its amount; partial payments add up, refunds reduce
 * the sum. A single record is also a group, unless its own reference names a record there.
 * @param many the side that has the groups
 */
export async function matchGroups(
  sql: ScratchSql,
  many: 'here' | 'there',
  open: OpenRecords,
  rules: MatchRules,
): Promise<void> {
  if (!(await hasGroups(sql, open[many]))) return;
  const { one, oneNumber, manyNumber, oneSum, manySum } = directions[many];
  const decided = `decided_groups_${many}`;
  await sql.run(`CREATE TEMP TABLE ${decided} ${groupColumns} ON COMMIT DROP`);
  await sql.run(
    `INSERT INTO ${decided} (${oneNumber}, ${manyNumber}, state, link, ${oneSum}, ${manySum})
     WITH ${judgedGroups(open[many], open[one], rules)}
     SELECT CASE WHEN m.n = j.first AND j.state <> 'ambiguous' THEN j.n END, m.n, j.state, j.link, j.one_sum, j.many_sum
     FROM judged j JOIN ${open[many]} m ON m.grp = j.key
     UNION ALL
     SELECT c.n, NULL::int, 'ambiguous', min(j.link), NULL::text, NULL::text
     FROM candidates c JOIN judged j USING (key) WHERE j.state = 'ambiguous' GROUP BY c.n
     UNION ALL
     SELECT NULL::int, v.rival, 'ambiguous', min(j.link), NULL::text, NULL::text
     FROM rivals v JOIN judged j USING (key) GROUP BY v.rival`,
  );
  await acceptDecided(sql, decided, 'group', open, 'groups');
}

/** SQL: each group of the table `many` with its record of the table `one`, and the resulting state. */
function judgedGroups(many: string, one: string, rules: MatchRules): string {
  return `named AS (SELECT DISTINCT reference FROM ${one} WHERE reference IS NOT NULL),
    -- A record whose own reference names another one is matched by that, and its group is none.
    groups AS (
      SELECT ${groupSums} FROM (
        SELECT m.*, f.reference AS finer FROM ${many} m LEFT JOIN named f ON f.reference = m.reference
        WHERE m.grp IS NOT NULL) m
      GROUP BY grp HAVING bool_or(finer <> grp) IS NOT TRUE AND (count(*) > 1 OR count(finer) = 0)),
    -- A record that has the group's value as its own group is one of several: both sides have groups.
    candidates AS (
      SELECT g.key, r.n FROM groups g JOIN ${one} r ON r.reference = g.key WHERE r.grp IS DISTINCT FROM g.key
      UNION SELECT g.key, r.n FROM groups g JOIN ${one} r ON r.id = g.key WHERE r.grp IS DISTINCT FROM g.key),
    chosen AS (SELECT key, count(*) AS ones, min(n) AS n FROM candidates GROUP BY key),
    -- A record beside the groups that has the very reference.
    rivals AS (
      SELECT c.key, c.n, m.n AS rival FROM candidates c JOIN ${one} r ON r.n = c.n
      JOIN ${many} m ON m.reference = r.reference WHERE m.grp IS NULL AND (m.id <> r.id) IS NOT TRUE),
    -- Two groups may name one record, one by its id and one by its reference.
    contested AS (
      SELECT c.n FROM candidates c JOIN chosen k USING (key) GROUP BY c.n HAVING count(*) > 1 OR max(k.ones) > 1
      UNION SELECT n FROM rivals),
    judged AS (
      SELECT c.key, c.n, g.first, dense_rank() OVER (ORDER BY c.n) AS link,
        CASE WHEN c.n IN (SELECT n FROM contested) THEN 'ambiguous'
          ELSE ${sumState('r', 'g', 'g.is_summable', rules)} END AS state,
        concat_ws(' ', r.amount::text, r.currency) AS one_sum, ${sumText('g')} AS many_sum
      FROM chosen c JOIN groups g USING (key) JOIN ${one} r ON r.n = c.n)`;
}

/**
 * Matches several records of one side with several of the other: both have the same group value. Single pairs cannot
 * be identified, so only the exact sums are compared, and the records share one state. This applies only to groups
 * without any finer match. A single record on each side with two ids or two references is not a group.
 */
export async function matchGroupsOfBoth(
  sql: ScratchSql,
  open: OpenRecords,
  rules: MatchRules,
): Promise<void> {
  if (!(await hasGroups(sql, open.here)) || !(await hasGroups(sql, open.there))) return;
  const whole = (side: 'here' | 'there'): string => `
    SELECT ${groupSums} FROM ${open[side]} o WHERE grp IS NOT NULL GROUP BY grp
    HAVING count(*) = (SELECT count(*) FROM ${side} a WHERE a.grp = o.grp)`;
  await sql.run(`CREATE TEMP TABLE decided_groups_both ${groupColumns} ON COMMIT DROP`);
  await sql.run(
    `INSERT INTO decided_groups_both (hn, tn, state, link, sum_h, sum_t)
     WITH h AS (${whole('here')}), t AS (${whole('there')}),
       judged AS (
         SELECT key, h.first AS first_h, t.first AS first_t, dense_rank() OVER (ORDER BY h.first) AS link,
           ${sumState('h', 't', 'h.is_summable AND t.is_summable', rules)} AS state,
           ${sumText('h')} AS sum_h, ${sumText('t')} AS sum_t
         FROM h JOIN t USING (key) JOIN ${open.here} one_h ON one_h.n = h.first JOIN ${open.there} one_t ON one_t.n = t.first
         WHERE h.records > 1 OR t.records > 1
           OR (one_h.reference = one_t.reference) IS NOT FALSE AND (one_h.id = one_t.id) IS NOT FALSE)
     SELECT m.n, CASE WHEN m.n = j.first_h THEN j.first_t END, j.state, j.link, j.sum_h, j.sum_t
     FROM judged j JOIN ${open.here} m ON m.grp = j.key
     UNION ALL
     SELECT NULL::int, m.n, j.state, j.link, j.sum_h, j.sum_t
     FROM judged j JOIN ${open.there} m ON m.grp = j.key WHERE m.n <> j.first_t`,
  );
  await acceptDecided(sql, 'decided_groups_both', 'groups', open, 'groups');
}

/** The most days between two records that are proposed for their amount alone. */
const proposedDaysApart = 3;

/**
 * A reference in a form that ignores misreadings: without signs and case, and with letters that look like digits
 * replaced by digits. Signs are those of ASCII, and hyphens and blanks of Unicode; other letters distinguish
 * references.
 */
const looseReference = (alias: string): string =>
  `nullif(translate(upper(regexp_replace(${alias}.reference, '[[:punct:][:space:]\\u00A0\\u2010-\\u2015\\u2212]', '', 'g')), 'OILSB', '01158'), '')`;

/**
 * Proposes pairs to a person, which are never accepted automatically: similar references, then equal amounts of one
 * currency a few days apart; each only if no other record fits.
 */
export async function proposePairs(sql: ScratchSql, open: OpenRecords, rules: MatchRules): Promise<void> {
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
  sql: ScratchSql,
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

/**
 * The conditions that tie a record `r` to a record `l` that the other side's mapping leaves out, each with its key.
 */
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

/** SQL: own records and texts that name each other, where one of the two is left out: `n` and `left_out`. */
const namedInTexts = {
  here: 'SELECT hn AS n, tn AS left_out FROM text_pairs WHERE t_out AND NOT h_out',
  there: 'SELECT tn AS n, hn AS left_out FROM text_pairs WHERE h_out AND NOT t_out',
} as const;

/**
 * Records whose counterpart exists but is left out by the other side's mapping; they are neither missing nor
 * compared.
 */
export async function judgeLeftOut(sql: ScratchSql, open: OpenRecords): Promise<void> {
  for (const [side, other, number, letter] of [
    ['here', 'there', 'hn', 'h'],
    ['there', 'here', 'tn', 't'],
  ] as const) {
    if (!(await holds(sql, `EXISTS (SELECT FROM left_out_${other})`))) continue;
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
 * Records without a counterpart. A record is missing only if the other side has declared that it covers its date. A
 * record without a date counts as covered. In the last days of the coverage, records may still be on their way. A
 * record of the other side outside the declared days is not covered either.
 */
export async function judgeUnmatched(sql: ScratchSql, open: OpenRecords, rules: MatchRules): Promise<void> {
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
