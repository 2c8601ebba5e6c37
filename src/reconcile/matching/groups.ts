import type { SqlPort } from '../ports.ts';
import { acceptDecided, type OpenRecords } from './decided.ts';
import { amountsAgree, type MatchRules } from './rules.ts';

/** The names of what belongs to the side with one record, and to the side that has several for it. */
const directions = {
  there: { one: 'here', oneNumber: 'hn', manyNumber: 'tn', oneSum: 'sum_h', manySum: 'sum_t' },
  here: { one: 'there', oneNumber: 'tn', manyNumber: 'hn', oneSum: 'sum_t', manySum: 'sum_h' },
} as const;

/** The columns of what was decided about groups. */
const groupColumns = `(hn int, tn int, state text COLLATE "C", peer_h int, peer_t int, link int, sum_h text, sum_t text)`;

async function hasGroups(sql: SqlPort, table: string): Promise<boolean> {
  const [found] = await sql.query<{ isThere: boolean }>(
    `SELECT EXISTS (SELECT FROM ${table} WHERE grp IS NOT NULL) AS "isThere"`,
  );
  return found?.isThere === true;
}

/** SQL: a group's records, and their exact sum where all of them have an amount in one currency. */
const groupSums = `grp AS key, count(*) AS records, sum(amount) AS amount, min(currency) AS currency, min(n) AS first,
  count(DISTINCT coalesce(currency, '')) = 1 AND count(amount) = count(*) AS is_summable`;

/** SQL: a group's sum in words. */
const sumText = (alias: string): string => `CASE WHEN ${alias}.is_summable
  THEN concat_ws(' ', ${alias}.amount::text, ${alias}.currency) ELSE 'not in one currency' END`;

/** SQL: the state of two sums of one currency. */
const sumState = (left: string, right: string, rules: MatchRules): string => `
  WHEN ${left}.currency IS DISTINCT FROM ${right}.currency THEN 'mismatched'
  WHEN ${left}.amount = ${right}.amount THEN 'matched'
  WHEN ${amountsAgree(`${left}.amount`, `${right}.amount`, rules)} THEN 'matched_within_tolerance'
  ELSE 'mismatched'`;

/**
 * Several records of one side that are one record of the other: those that share a value in their group
 * column, which is the other record's reference or id. Their exact sum, in one currency, has to be its
 * amount: payments in parts add up, refunds count against them. A single one is a group too, unless its own
 * reference names a record there.
 * @param many the side that has the groups
 */
export async function matchGroups(
  sql: SqlPort,
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

/** SQL: each group of the table `many` with the record of the table `one` that it is, and what it comes to. */
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
          WHEN NOT g.is_summable THEN 'mismatched' ${sumState('r', 'g', rules)} END AS state,
        concat_ws(' ', r.amount::text, r.currency) AS one_sum, ${sumText('g')} AS many_sum
      FROM chosen c JOIN groups g USING (key) JOIN ${one} r ON r.n = c.n)`;
}

/**
 * Several records of one side that together are several of the other: the same value in the group columns of
 * both. Which belongs to which nobody can tell, so only their exact sums are compared, and the records share
 * one state. Only for groups of which nothing was matched by anything finer; and a single record on each side
 * with two ids or two references is no group.
 */
export async function matchGroupsOfBoth(sql: SqlPort, open: OpenRecords, rules: MatchRules): Promise<void> {
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
           CASE WHEN NOT (h.is_summable AND t.is_summable) THEN 'mismatched' ${sumState('h', 't', rules)} END AS state,
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
