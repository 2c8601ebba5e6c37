import type { SqlPort } from '../ports.ts';
import { acceptDecided, type OpenRecords } from './passes.ts';
import { amountsAgree, type MatchRules } from './rules.ts';

/** The names of what belongs to the side with one record, and to the side that has several for it. */
const directions = {
  there: { one: 'here', oneNumber: 'hn', manyNumber: 'tn', oneSum: 'sum_h', manySum: 'sum_t' },
  here: { one: 'there', oneNumber: 'tn', manyNumber: 'hn', oneSum: 'sum_t', manySum: 'sum_h' },
} as const;

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
 * amount: payments in parts add up, refunds count against them.
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
  const link = many === 'there' ? '' : '-';
  await sql.run(
    `CREATE TEMP TABLE ${decided} ON COMMIT DROP AS
     WITH groups AS (
         SELECT ${groupSums} FROM ${open[many]} WHERE grp IS NOT NULL
         -- A single record that has the reference itself is an ordinary pair.
         GROUP BY grp HAVING count(*) > 1 OR bool_and(reference IS NULL)),
       -- A record that has the group's value as its own group is one of several: both sides have groups.
       candidates AS (
         SELECT g.key, r.n FROM groups g JOIN ${open[one]} r ON r.reference = g.key WHERE r.grp IS DISTINCT FROM g.key
         UNION SELECT g.key, r.n FROM groups g JOIN ${open[one]} r ON r.id = g.key WHERE r.grp IS DISTINCT FROM g.key),
       chosen AS (SELECT key, count(*) AS ones, min(n) AS n FROM candidates GROUP BY key),
       -- Two groups may name one record, one by its id and one by its reference.
       contested AS (
         SELECT c.n FROM candidates c JOIN chosen k USING (key) GROUP BY c.n HAVING count(*) > 1 OR max(k.ones) > 1),
       judged AS (
         SELECT c.key, c.n, g.first, CASE WHEN c.n IN (SELECT n FROM contested) THEN 'ambiguous'
           WHEN NOT g.is_summable THEN 'mismatched' ${sumState('r', 'g', rules)} END AS state,
           concat_ws(' ', r.amount::text, r.currency) AS ${oneSum}, ${sumText('g')} AS ${manySum}
         FROM chosen c JOIN groups g USING (key) JOIN ${open[one]} r ON r.n = c.n)
     SELECT CASE WHEN m.n = j.first AND j.state <> 'ambiguous' THEN j.n END AS ${oneNumber}, m.n AS ${manyNumber},
       j.state, NULL::int AS peer_h, NULL::int AS peer_t, ${link}j.n AS link, j.sum_h, j.sum_t
     FROM judged j JOIN ${open[many]} m ON m.grp = j.key
     UNION ALL
     SELECT DISTINCT c.n, NULL::int, 'ambiguous', NULL::int, NULL::int, ${link}c.n, NULL::text, NULL::text
     FROM candidates c JOIN judged j USING (key) WHERE j.state = 'ambiguous'`,
  );
  await acceptDecided(sql, decided, 'group', open, true);
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
  await sql.run(
    `CREATE TEMP TABLE decided_groups_both ON COMMIT DROP AS
     WITH h AS (${whole('here')}), t AS (${whole('there')}),
       judged AS (
         SELECT key, h.first AS first_h, t.first AS first_t,
           CASE WHEN NOT (h.is_summable AND t.is_summable) THEN 'mismatched' ${sumState('h', 't', rules)} END AS state,
           ${sumText('h')} AS sum_h, ${sumText('t')} AS sum_t
         FROM h JOIN t USING (key) JOIN ${open.here} one_h ON one_h.n = h.first JOIN ${open.there} one_t ON one_t.n = t.first
         WHERE h.records > 1 OR t.records > 1
           OR (one_h.reference = one_t.reference) IS NOT FALSE AND (one_h.id = one_t.id) IS NOT FALSE)
     SELECT m.n AS hn, CASE WHEN m.n = j.first_h THEN j.first_t END AS tn, j.state, NULL::int AS peer_h,
       NULL::int AS peer_t, j.first_h AS link, j.sum_h, j.sum_t
     FROM judged j JOIN ${open.here} m ON m.grp = j.key
     UNION ALL
     SELECT NULL::int, m.n, j.state, NULL::int, NULL::int, j.first_h, j.sum_h, j.sum_t
     FROM judged j JOIN ${open.there} m ON m.grp = j.key WHERE m.n <> j.first_t`,
  );
  await acceptDecided(sql, 'decided_groups_both', 'groups', open, true);
}
