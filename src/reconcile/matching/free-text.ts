import type { SqlPort } from '../ports.ts';
import { acceptDecided, type OpenRecords } from './decided.ts';
import { type MatchRules, pairState } from './rules.ts';

/** A reference of fewer letters and figures than this stands in a text by chance. */
const shortestReference = 5;

/** So many words that follow each other may be one reference: spaces and hyphens get lost on the way. */
const mostWords = 6;

/** SQL: a text's letters and figures alone. */
const plain = (text: string): string => `upper(regexp_replace(${text}, '[^[:alnum:]]', '', 'g'))`;

/** SQL: whether our reference stands in a text as it is, in any case, and not as a part of a longer one. */
const standsIn = (reference: string, text: string): string => `${text} ~* (
  '(^|[^[:alnum:]._-]|(^|[^[:alnum:]])[._-]+)' || regexp_replace(${reference}, '([^[:alnum:]])', '\\\\\\1', 'g')
  || '($|[^[:alnum:]._-]|[._-]+($|[^[:alnum:]]))')`;

/**
 * Records whose free text has our reference in it, as statements of banks and mobile money providers do. A
 * text that has one reference as it is, which no other text has, and that agrees in what is compared, is
 * matched. Otherwise the pair is a proposal; several that could belong together are ambiguous.
 */
export async function matchFreeText(sql: SqlPort, open: OpenRecords, rules: MatchRules): Promise<void> {
  const [found] = await sql.query<{ isAny: boolean }>(
    `SELECT EXISTS (SELECT FROM ${open.there} WHERE free_text IS NOT NULL) AS "isAny"`,
  );
  if (found?.isAny !== true) return;
  await findNames(sql, open);
  const canMatch = rules.compares.amount ? "state <> 'mismatched'" : 'false';
  await sql.run(
    `CREATE TEMP TABLE decided_text ON COMMIT DROP AS
     WITH named AS (
         SELECT p.*, count(*) OVER (PARTITION BY hn) AS of_h, count(*) OVER (PARTITION BY tn) AS of_t FROM text_pairs p),
       judged AS (
         SELECT hn, tn, is_exact, of_h, of_t, ${pairState(rules)} AS state
         FROM named n JOIN ${open.here} h ON h.n = n.hn JOIN ${open.there} t ON t.n = n.tn),
       several AS (SELECT hn, tn FROM judged WHERE is_exact AND (of_h > 1 OR of_t > 1))
     SELECT hn, tn, CASE WHEN is_exact AND ${canMatch} THEN state ELSE 'proposed' END AS state, NULL::int AS peer_h,
       NULL::int AS peer_t, false AS is_certain
     FROM judged WHERE of_h = 1 AND of_t = 1
     UNION ALL SELECT DISTINCT hn, NULL::int, 'ambiguous', NULL::int, NULL::int, false FROM several
     UNION ALL SELECT DISTINCT NULL::int, tn, 'ambiguous', NULL::int, NULL::int, false FROM several`,
  );
  await acceptDecided(sql, 'decided_text', 'free_text', open, 'certainty');
}

/** Which of our references stand in which texts; of one that is a part of another only the longer one counts. */
async function findNames(sql: SqlPort, open: OpenRecords): Promise<void> {
  await sql.run(
    `CREATE TEMP TABLE text_pairs ON COMMIT DROP AS
     WITH ours AS (
         SELECT n, reference, ${plain('reference')} AS name FROM ${open.here}
         WHERE length(${plain('reference')}) >= ${shortestReference}),
       lines AS (
         SELECT t.n, regexp_split_to_array(upper(l.line), '[^[:alnum:]]+') AS words
         FROM ${open.there} t CROSS JOIN LATERAL regexp_split_to_table(t.free_text, '\\n') AS l(line)),
       names AS (
         SELECT DISTINCT l.n, array_to_string(l.words[first : first + more], '') AS name
         FROM lines l CROSS JOIN LATERAL generate_subscripts(l.words, 1) AS first
         CROSS JOIN generate_series(0, ${mostWords - 1}) AS more WHERE first + more <= cardinality(l.words)),
       pairs AS (
         SELECT o.n AS hn, t.n AS tn, o.name, ${standsIn('o.reference', 't.free_text')} AS is_exact
         FROM names m JOIN ours o USING (name) JOIN ${open.there} t ON t.n = m.n)
     SELECT p.hn, p.tn, p.is_exact FROM pairs p
     WHERE NOT EXISTS (SELECT FROM pairs o WHERE o.tn = p.tn AND length(o.name) > length(p.name) AND strpos(o.name, p.name) > 0)`,
  );
  await sql.run('ANALYZE text_pairs');
}
