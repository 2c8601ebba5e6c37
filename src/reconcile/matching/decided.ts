import type { SqlPort } from '../ports.ts';

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
