import type { SqlPort } from '../ports.ts';
import type { OpenRecords } from './decided.ts';
import { matchRepeated } from './repeated.ts';
import { contradiction, hashOf, type KeyColumn, type MatchRules, pairState } from './rules.ts';

/**
 * Matches what is open by one key. Keys that stand once on either side are joined straight away; those that
 * stand several times are looked at apart.
 * @param pass the name of the pass, where a key has several
 * @returns the tables of what is still open
 */
export async function matchByKey(
  sql: SqlPort,
  key: KeyColumn,
  open: OpenRecords,
  rules: MatchRules,
  pass: string = key,
): Promise<OpenRecords> {
  if (!(await isKeyOnBothSides(sql, key, open))) return open;
  const repeated = `repeated_${pass}`;
  const next = { here: `open_here_${pass}`, there: `open_there_${pass}` };
  // By hash, since that is quicker: a key that only shares its hash is looked at apart to no harm. And sorted,
  // since so many groups of one record each take longer in a hash table.
  const twice = (table: string): string =>
    `SELECT hash FROM (SELECT ${hashOf(key)} AS hash FROM ${table} WHERE ${key} IS NOT NULL ORDER BY 1) sorted
     GROUP BY hash HAVING count(*) > 1`;
  await sql.run(
    `CREATE TEMP TABLE ${repeated} ON COMMIT DROP AS ${twice(open.here)} UNION ${twice(open.there)}`,
  );
  const [counted] = await sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${repeated}`);
  const repeatedCount = counted?.count ?? 0;
  const refused = contradiction(key);
  const stillOpen = refused === null ? '' : `WHEN ${refused} THEN NULL `;
  // The key itself is joined, and not an expression: PostgreSQL knows then that it is hardly ever repeated.
  await sql.run(
    `INSERT INTO match_lines (hn, tn, state, pass, is_certain, amount_h, currency_h, amount_t, currency_t)
     SELECT h.n, t.n, CASE WHEN h.n IS NULL OR t.n IS NULL THEN NULL ${stillOpen}ELSE ${pairState(rules)} END, '${key}',
       true, h.amount, h.currency, t.amount, t.currency
     FROM ${singles(open.here, key, repeated, repeatedCount)} h
     FULL JOIN ${singles(open.there, key, repeated, repeatedCount)} t ON h.${key} = t.${key}`,
  );
  if (repeatedCount > 0) await keepRepeated(sql, key, repeated, open);
  await sql.run('ANALYZE match_lines');
  await takeOutUnmatched(sql, open, next);
  if (repeatedCount > 0) await matchRepeated(sql, key, repeated, next, rules);
  return next;
}

/** So many hashes fit into memory beside the join; more of them are joined in their turn. */
const hashesInMemory = 200_000;

/** SQL: the records of a table without those whose key stands several times on either side. */
function singles(table: string, key: KeyColumn, repeated: string, count: number): string {
  if (count === 0) return table;
  if (count <= hashesInMemory) {
    return `(SELECT * FROM ${table} WHERE (${hashOf(key)} IN (SELECT hash FROM ${repeated})) IS NOT TRUE)`;
  }
  return `(SELECT r.* FROM ${table} r LEFT JOIN ${repeated} k ON k.hash = hashtextextended(r.${key}, 0)
    WHERE k.hash IS NULL)`;
}

/** Records whose key stands several times are still open. */
async function keepRepeated(
  sql: SqlPort,
  key: KeyColumn,
  repeated: string,
  open: OpenRecords,
): Promise<void> {
  await sql.run(
    `INSERT INTO match_lines (hn, tn)
     SELECT n, NULL FROM ${open.here} WHERE ${hashOf(key)} IN (SELECT hash FROM ${repeated})
     UNION ALL
     SELECT NULL, n FROM ${open.there} WHERE ${hashOf(key)} IN (SELECT hash FROM ${repeated})`,
  );
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
       SELECT r.* FROM match_lines o JOIN ${open[side]} r ON r.n = o.${number} WHERE o.state IS NULL`,
    );
    await sql.run(`ANALYZE ${next[side]}`);
  }
  await sql.run('DELETE FROM match_lines WHERE state IS NULL');
}
