import type { SqlPort } from '../ports.ts';
import { acceptDecided, type OpenRecords } from './decided.ts';
import { type MatchRules, pairState } from './rules.ts';
import { findTextPairs } from './text-names.ts';

/**
 * Records whose free text has our reference in it, as statements of banks and mobile money providers do. A
 * text that has one reference as it is, which no other text has, and that agrees in what is compared, is
 * matched. Otherwise the pair is a proposal; several that could belong together are ambiguous. All records count,
 * also those that are decided otherwise or left out: a text that names two payments is not the text of one of
 * them because the other is known by its id.
 */
export async function matchFreeText(sql: SqlPort, open: OpenRecords, rules: MatchRules): Promise<void> {
  await findTextPairs(sql);
  const [found] = await sql.query<{ isAny: boolean }>('SELECT EXISTS (SELECT FROM text_pairs) AS "isAny"');
  if (found?.isAny !== true) return;
  await weighPairs(sql, open, rules);
  await sql.run(
    `CREATE TEMP TABLE decided_text ON COMMIT DROP AS
     WITH sure AS (SELECT * FROM text_candidates WHERE is_exact OR open_h AND open_t)
     SELECT hn, tn, CASE WHEN is_exact AND agrees THEN state ELSE 'proposed' END AS state, NULL::int AS peer_h,
       NULL::int AS peer_t, false AS is_certain
     FROM sure WHERE open_h AND open_t AND NOT is_contested
     UNION ALL
     SELECT DISTINCT hn, NULL::int, 'ambiguous', NULL::int, NULL::int, false FROM sure WHERE open_h AND is_contested
     UNION ALL
     SELECT NULL::int, tn, CASE WHEN bool_and(repeats) THEN 'duplicate_there' ELSE 'ambiguous' END,
       CASE WHEN bool_and(repeats) THEN min(hn) END, NULL::int, false
     FROM sure WHERE open_t AND is_contested AND NOT names_left_out GROUP BY tn`,
  );
  await acceptDecided(sql, 'decided_text', 'free_text', open, 'certainty');
}

/**
 * Makes the table `text_candidates`: the pairs that no other key has put together already. A pair is contested
 * where either of its records is part of another one, or is decided otherwise. A text repeats the record that it
 * names where it names no other, agrees with it, and that one has its counterpart.
 */
async function weighPairs(sql: SqlPort, open: OpenRecords, rules: MatchRules): Promise<void> {
  const agrees = rules.compares.amount ? "state <> 'mismatched'" : 'false';
  await sql.run(
    `CREATE TEMP TABLE text_candidates ON COMMIT DROP AS
     WITH together AS (
         SELECT coalesce(hn, peer_h) AS hn, coalesce(tn, peer_t) AS tn FROM match_lines
         UNION ALL SELECT a.hn, b.tn FROM match_lines a JOIN match_lines b USING (link)),
       named AS (
         SELECT p.hn, p.tn, p.h_out, p.is_exact, oh.n IS NOT NULL AS open_h, ot.n IS NOT NULL AS open_t,
           ${pairState(rules)} AS state
         FROM text_pairs p JOIN there t ON t.n = p.tn
         LEFT JOIN here h ON h.n = p.hn AND NOT p.h_out
         LEFT JOIN ${open.here} oh ON oh.n = h.n
         LEFT JOIN ${open.there} ot ON ot.n = p.tn
         WHERE NOT p.t_out AND (p.h_out OR h.n IS NOT NULL)
           AND NOT EXISTS (SELECT FROM together g WHERE g.hn = h.n AND g.tn = p.tn)),
       counted AS (
         SELECT *, ${agrees} AS agrees, count(*) OVER (PARTITION BY hn, h_out) AS of_h, count(*) OVER (PARTITION BY tn) AS of_t
         FROM named)
     SELECT *, of_h > 1 OR of_t > 1 OR NOT open_h OR NOT open_t AS is_contested,
       h_out AND of_t = 1 AS names_left_out,
       of_t = 1 AND agrees AND NOT h_out AND NOT open_h AND EXISTS (
         SELECT FROM match_lines l WHERE l.hn = c.hn AND (l.tn IS NOT NULL OR l.peer_t IS NOT NULL)) AS repeats
     FROM counted c`,
  );
}
