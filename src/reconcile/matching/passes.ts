import type { SqlPort } from '../ports.ts';
import { type MatchRules, pairState, signature } from './rules.ts';

/** The columns by which records are matched for certain, in this order. */
export type KeyColumn = 'id' | 'reference' | 'natural_key';

/** The tables that hold the records which are not matched yet. */
export interface OpenRecords {
  readonly here: string;
  readonly there: string;
}

/**
 * One line for each pair and for each record without one. `peer_h` and `peer_t` name a record of the other
 * side that a duplicate repeats, and that is used elsewhere; `place` says where else it is known; `sum_h` and
 * `sum_t` are what a group comes to on either side. The amounts are carried along from the very records that a
 * line uses, so that adding them up proves that each was used once.
 */
export async function createOutcomes(sql: SqlPort): Promise<void> {
  await sql.run(
    `CREATE TEMP TABLE outcomes (hn int, tn int, state text COLLATE "C", pass text COLLATE "C", link int,
       peer_h int, peer_t int, amount_h numeric, currency_h text COLLATE "C", amount_t numeric,
       currency_t text COLLATE "C", place text, sum_h text, sum_t text) ON COMMIT DROP`,
  );
}

/**
 * Matches what is open by one key. Keys that stand once on either side are joined straight away; those that
 * stand several times are looked at apart.
 * @returns the tables of what is still open
 */
export async function matchByKey(
  sql: SqlPort,
  key: KeyColumn,
  open: OpenRecords,
  rules: MatchRules,
): Promise<OpenRecords> {
  if (!(await isKeyOnBothSides(sql, key, open))) return open;
  const repeated = `repeated_${key}`;
  const next = { here: `open_here_${key}`, there: `open_there_${key}` };
  // By hash, since that is quicker: a key that only shares its hash is looked at apart to no harm.
  const twice = (table: string): string =>
    `SELECT ${hashOf(key)} AS hash FROM ${table} WHERE ${key} IS NOT NULL GROUP BY 1 HAVING count(*) > 1`;
  await sql.run(
    `CREATE TEMP TABLE ${repeated} ON COMMIT DROP AS ${twice(open.here)} UNION ${twice(open.there)}`,
  );
  const [counted] = await sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${repeated}`);
  const repeatedCount = counted?.count ?? 0;
  const keyed = (table: string): string => singleKeys(table, key, repeated, repeatedCount);
  await sql.run(
    `INSERT INTO outcomes (hn, tn, state, pass, amount_h, currency_h, amount_t, currency_t)
     SELECT h.n, t.n, CASE WHEN h.n IS NOT NULL AND t.n IS NOT NULL THEN ${pairState(rules, key)} END, '${key}',
       h.amount, h.currency, t.amount, t.currency
     FROM ${keyed(open.here)} h FULL JOIN ${keyed(open.there)} t ON h.key = t.key`,
  );
  await takeOutUnmatched(sql, open, next);
  if (repeatedCount > 0) await matchRepeated(sql, key, repeated, next, rules);
  return next;
}

function hashOf(key: KeyColumn): string {
  return `hashtextextended(${key}, 0)`;
}

/** So many hashes fit into memory beside the join; more of them are joined in their turn. */
const hashesInMemory = 200_000;

/** SQL: a table with its key, which is null where it stands several times on either side. */
function singleKeys(table: string, key: KeyColumn, repeated: string, count: number): string {
  if (count === 0) return `(SELECT *, ${key} AS key FROM ${table})`;
  if (count <= hashesInMemory) {
    return `(SELECT *, CASE WHEN ${hashOf(key)} NOT IN (SELECT hash FROM ${repeated}) THEN ${key} END AS key FROM ${table})`;
  }
  return `(SELECT r.*, CASE WHEN k.hash IS NULL THEN r.${key} END AS key
    FROM ${table} r LEFT JOIN ${repeated} k ON k.hash = hashtextextended(r.${key}, 0))`;
}

async function isKeyOnBothSides(sql: SqlPort, key: KeyColumn, open: OpenRecords): Promise<boolean> {
  const [found] = await sql.query<{ isThere: boolean }>(
    `SELECT EXISTS (SELECT FROM ${open.here} WHERE ${key} IS NOT NULL)
        AND EXISTS (SELECT FROM ${open.there} WHERE ${key} IS NOT NULL) AS "isThere"`,
  );
  return found?.isThere === true;
}

async function takeOutUnmatched(sql: SqlPort, open: OpenRecords, next: OpenRecords): Promise<void> {
  for (const [side, number] of [
    ['here', 'hn'],
    ['there', 'tn'],
  ] as const) {
    await sql.run(
      `CREATE TEMP TABLE ${next[side]} ON COMMIT DROP AS
       SELECT r.* FROM outcomes o JOIN ${open[side]} r ON r.n = o.${number} WHERE o.state IS NULL`,
    );
    await sql.run(`ANALYZE ${next[side]}`);
  }
  await sql.run('DELETE FROM outcomes WHERE state IS NULL');
}

/**
 * Keys that stand several times: a multiset. Records that are equal in everything are paired one by one; of
 * what is left, one on each side is a pair, several on both sides are ambiguous, and several on one side are
 * duplicates of what was paired. A key that the other side does not have at all stays open.
 */
async function matchRepeated(
  sql: SqlPort,
  key: KeyColumn,
  repeated: string,
  open: OpenRecords,
  rules: MatchRules,
): Promise<void> {
  const decided = `decided_${key}`;
  await sql.run(
    `CREATE TEMP TABLE ${decided} ON COMMIT DROP AS
     WITH h AS (SELECT r.*, ${key} AS key, row_number() OVER (PARTITION BY ${key}, ${signature(rules)} ORDER BY n) AS i,
                  ${signature(rules)} AS sig FROM ${open.here} r WHERE ${hashOf(key)} IN (SELECT hash FROM ${repeated})),
       t AS (SELECT r.*, ${key} AS key, row_number() OVER (PARTITION BY ${key}, ${signature(rules)} ORDER BY n) AS i,
               ${signature(rules)} AS sig FROM ${open.there} r WHERE ${hashOf(key)} IN (SELECT hash FROM ${repeated})),
       equal AS (SELECT h.n AS hn, t.n AS tn, ${pairState(rules, key)} AS state
                 FROM h JOIN t ON h.key = t.key AND h.sig = t.sig AND h.i = t.i),
       members AS (
         SELECT h.key, h.n AS hn, NULL::int AS tn, e.hn IS NULL AS is_open FROM h LEFT JOIN equal e ON e.hn = h.n
         UNION ALL
         SELECT t.key, NULL, t.n, e.tn IS NULL FROM t LEFT JOIN equal e ON e.tn = t.n),
       keys AS (
         SELECT key, count(hn) AS here, count(tn) AS there, min(hn) AS first_h, min(tn) AS first_t,
           count(hn) FILTER (WHERE is_open) AS open_h, count(tn) FILTER (WHERE is_open) AS open_t,
           min(hn) FILTER (WHERE is_open) AS hn, min(tn) FILTER (WHERE is_open) AS tn
         FROM members GROUP BY key)
     SELECT hn, tn, state, NULL::int AS peer_h, NULL::int AS peer_t FROM equal
     UNION ALL
     SELECT h.n, t.n, ${pairState(rules, key)}, NULL, NULL
     FROM keys k JOIN h ON h.n = k.hn JOIN t ON t.n = k.tn WHERE k.open_h = 1 AND k.open_t = 1
     UNION ALL
     SELECT m.hn, m.tn, CASE WHEN k.open_h > 0 AND k.open_t > 0 THEN 'ambiguous'
                             WHEN m.hn IS NOT NULL THEN 'duplicate_here' ELSE 'duplicate_there' END,
       CASE WHEN m.hn IS NULL AND k.open_h = 0 THEN k.first_h END,
       CASE WHEN m.tn IS NULL AND k.open_t = 0 THEN k.first_t END
     FROM members m JOIN keys k USING (key)
     WHERE m.is_open AND k.here > 0 AND k.there > 0 AND NOT (k.open_h = 1 AND k.open_t = 1)`,
  );
  await acceptDecided(sql, decided, key, open);
}

/**
 * Notes what was decided in a table of its own, and takes those records out of what is open.
 * @param isGrouped whether that table has `link`, `sum_h` and `sum_t` as well
 */
export async function acceptDecided(
  sql: SqlPort,
  decided: string,
  pass: string,
  open: OpenRecords,
  isGrouped = false,
): Promise<void> {
  const grouped = isGrouped ? 'd.link, d.sum_h, d.sum_t' : 'NULL::int, NULL::text, NULL::text';
  await sql.run(
    `INSERT INTO outcomes (hn, tn, state, pass, link, sum_h, sum_t, peer_h, peer_t, amount_h, currency_h, amount_t,
       currency_t)
     SELECT d.hn, d.tn, d.state, '${pass}', ${grouped}, d.peer_h, d.peer_t, h.amount, h.currency, t.amount, t.currency
     FROM ${decided} d LEFT JOIN ${open.here} h ON h.n = d.hn LEFT JOIN ${open.there} t ON t.n = d.tn`,
  );
  await sql.run(`DELETE FROM ${open.here} r USING ${decided} d WHERE d.hn = r.n`);
  await sql.run(`DELETE FROM ${open.there} r USING ${decided} d WHERE d.tn = r.n`);
}
