import type { SqlPort } from '../ports.ts';
import { acceptDecided, type OpenRecords } from './passes.ts';
import { amountsAgree, type MatchRules } from './rules.ts';

/** The letters of the one side and of the side that has several records for it. */
const directions = {
  there: { one: 'here', oneNumber: 'hn', manyNumber: 'tn' },
  here: { one: 'there', oneNumber: 'tn', manyNumber: 'hn' },
} as const;

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
  const { one, oneNumber, manyNumber } = directions[many];
  const [found] = await sql.query<{ isThere: boolean }>(
    `SELECT EXISTS (SELECT FROM ${open[many]} WHERE grp IS NOT NULL) AS "isThere"`,
  );
  if (found?.isThere !== true) return;
  const decided = `decided_groups_${many}`;
  await sql.run(
    `CREATE TEMP TABLE ${decided} ON COMMIT DROP AS
     WITH groups AS (
         SELECT grp AS key, sum(amount) AS amount, min(currency) AS currency, min(n) AS first,
           count(DISTINCT coalesce(currency, '')) = 1 AND count(amount) = count(*) AS is_summable
         FROM ${open[many]} WHERE grp IS NOT NULL
         -- A single record that has the reference itself is an ordinary pair.
         GROUP BY grp HAVING count(*) > 1 OR bool_and(reference IS NULL)),
       candidates AS (
         SELECT g.key, r.n FROM groups g JOIN ${open[one]} r ON r.reference = g.key
         UNION SELECT g.key, r.n FROM groups g JOIN ${open[one]} r ON r.id = g.key),
       chosen AS (SELECT key, count(*) AS ones, min(n) AS n FROM candidates GROUP BY key),
       -- Two groups may name one record, one by its id and one by its reference.
       contested AS (
         SELECT c.n FROM candidates c JOIN chosen k USING (key) GROUP BY c.n HAVING count(*) > 1 OR max(k.ones) > 1),
       judged AS (
         SELECT c.key, c.n, CASE
           WHEN c.n IN (SELECT n FROM contested) THEN 'ambiguous'
           WHEN NOT g.is_summable OR g.currency IS DISTINCT FROM r.currency THEN 'mismatched'
           WHEN g.amount = r.amount THEN 'matched'
           WHEN ${amountsAgree('r.amount', 'g.amount', rules)} THEN 'matched_within_tolerance'
           ELSE 'mismatched' END AS state, g.first,
           CASE WHEN g.is_summable THEN concat_ws(' ', g.amount::text, g.currency) ELSE 'in several currencies' END AS place
         FROM chosen c JOIN groups g USING (key) JOIN ${open[one]} r ON r.n = c.n)
     SELECT CASE WHEN m.n = j.first AND j.state <> 'ambiguous' THEN j.n END AS ${oneNumber}, m.n AS ${manyNumber},
       j.state, NULL::int AS peer_h, NULL::int AS peer_t, j.n AS one, j.place
     FROM judged j JOIN ${open[many]} m ON m.grp = j.key
     UNION ALL
     SELECT DISTINCT c.n, NULL::int, 'ambiguous', NULL::int, NULL::int, c.n, NULL::text
     FROM candidates c JOIN judged j USING (key) WHERE j.state = 'ambiguous'`,
  );
  await acceptDecided(sql, decided, 'group', open, {
    link: many === 'there' ? 'one' : '-one',
    place: 'place',
  });
}
