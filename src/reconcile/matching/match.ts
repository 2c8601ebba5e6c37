/* Matches the records of both sides, pass by pass. */

import type { StateSum } from '../../domain/batches/reconciliation.ts';
import { areSameAmounts } from '../../domain/money/money.ts';
import { AmountSums } from '../../domain/money/sums.ts';
import { matchStates } from '../../domain/rows/row-state.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import { judgeLeftOut, judgeUnmatched, matchGroups, matchGroupsOfBoth, proposePairs } from './leftovers.ts';
import type { Side, SideTotals } from './records.ts';
import { findLateDuplicates, matchRepeated } from './repeated.ts';
import {
  agreeingStates,
  contradiction,
  createOutcomes,
  deferToReference,
  hashOf,
  holds,
  type KeyColumn,
  type MatchRules,
  type OpenRecords,
  pairState,
  takeBackDeferred,
} from './rules.ts';
import { matchFreeText } from './text-names.ts';

/** The result of a comparison, proven against the records that were read. */
export interface Proof {
  readonly here: SideTotals;
  readonly there: SideTotals;
  /** In the order of the states' declaration, own records first. */
  readonly states: readonly StateSum[];
}

/**
 * Proves that every record of each side, apart from copies in other files, has exactly one state, and that the states
 * add up to the totals counted while reading.
 * @throws Error when they do not: a bug in paybatch, and no result is better than a wrong one
 */
async function prove(sql: ScratchSql, here: SideTotals, there: SideTotals): Promise<Proof> {
  const states = [...(await statesOf(sql, 'here', here)), ...(await statesOf(sql, 'there', there))];
  const place = ({ state }: StateSum): number => matchStates.indexOf(state);
  return { here, there, states: states.sort((left, right) => place(left) - place(right)) };
}

/** Records of one state and currency; those whose own row is in doubt although the object exists are separate. */
interface StateGroup {
  readonly state: StateSum['state'];
  readonly currency: string | null;
  readonly isInDoubt: boolean;
  readonly records: number;
  readonly rows: number;
  readonly amount: string | null;
}

const agreeingPairs =
  "o.state IN ('matched', 'matched_within_tolerance') AND (o.tn IS NOT NULL OR o.link IS NOT NULL)";
const inDoubt = `${agreeingPairs} AND o.hn IN (SELECT n FROM here WHERE status IN ('unknown', 'held')) IS TRUE`;

async function statesOf(sql: ScratchSql, side: Side, totals: SideTotals): Promise<StateSum[]> {
  const letter = side === 'here' ? 'h' : 't';
  const groups = await sql.query<StateGroup>(
    `SELECT state, currency_${letter} AS currency, ${inDoubt} AS "isInDoubt", count(*)::int AS records,
       count(amount_${letter})::int AS rows, sum(amount_${letter})::text AS amount
     FROM match_lines o WHERE ${letter}n IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  const [counted] = await sql.query<{ records: number; distinct: number }>(
    `SELECT count(${letter}n)::int AS records, count(DISTINCT ${letter}n)::int AS distinct FROM match_lines`,
  );
  const joined = groups.reduce((sum, { records }) => sum + records, 0);
  const compared = totals.records - totals.repeated.records;
  const isComplete = [joined, counted?.records, counted?.distinct].every((count) => count === compared);
  if (!isComplete || !haveSameSums([...groups, ...totals.repeated.sums], totals)) {
    throw new Error(`the states of a comparison do not add up to the records ${side}`);
  }
  return merged(side, groups);
}

/** Whether a currency's sums over states and copies, added up again, equal the sum that was read. */
function haveSameSums(
  groups: readonly { readonly currency: string | null; readonly amount: string | null }[],
  { sums }: SideTotals,
): boolean {
  const found = new AmountSums();
  for (const { currency, amount } of groups) if (amount !== null) found.add(currency ?? '', amount);
  const added = new Map(found.result().map(({ currency, amount }) => [currency, amount]));
  return sums.every(({ currency, amount }) => areSameAmounts(amount, added.get(currency) ?? ''));
}

function merged(side: Side, groups: readonly StateGroup[]): StateSum[] {
  const states = new Map<string, StateSum & { records: number; sums: StateSum['sums'][number][] }>();
  for (const { state, isInDoubt, currency, records, rows, amount } of groups) {
    const key = `${state} ${isInDoubt}`;
    const isDifference = isInDoubt || !agreeingStates.has(state);
    const sum = states.get(key) ?? { side, state, isDifference, records: 0, sums: [] };
    sum.records += records;
    if (amount !== null) sum.sums.push({ currency: currency ?? '', rows, amount });
    states.set(key, sum);
  }
  return [...states.values()];
}

/**
 * Writes into the table `into (n, place)` the records of the table `open` (with columns `n` and `id`) that are known
 * elsewhere, outside the comparison, and where.
 */
export type FindElsewhere = (open: string, into: string) => Promise<void>;

/**
 * Matches two loaded sides in fixed passes over all records: by the object's id, by groups that are one record of the
 * other side, by own reference, by deferred ids, by own reference in free text, by natural key, by groups of both
 * sides. A remaining record is a duplicate, left out by the other side's mapping, a proposal for a person, or without
 * a counterpart. Every record is used once, and the order of rows has no effect. The database does the joins, within
 * its memory settings.
 */
export async function matchSides(
  sql: ScratchSql,
  here: SideTotals,
  there: SideTotals,
  rules: MatchRules,
  findElsewhere: FindElsewhere = async () => {},
): Promise<Proof> {
  await createOutcomes(sql);
  const first = await deferToReference(sql, rules);
  let open = await apart(sql, await matchByKey(sql, 'id', first, rules));
  await takeBackDeferred(sql, first, open);
  await matchGroups(sql, 'there', open, rules);
  await matchGroups(sql, 'here', open, rules);
  open = await matchByKey(sql, 'reference', open, rules);
  if (first.here !== 'here') open = await matchByKey(sql, 'id', open, rules, 'id_again');
  await matchFreeText(sql, open, rules);
  open = await matchByKey(sql, 'natural_key', open, rules);
  await matchGroupsOfBoth(sql, open, rules);
  await findLateDuplicates(sql, open);
  await takeOutElsewhere(sql, open, findElsewhere);
  await judgeLeftOut(sql, open);
  await proposePairs(sql, open, rules);
  await judgeUnmatched(sql, open, rules);
  return prove(sql, here, there);
}

/**
 * Removes the other side's records that are known elsewhere, outside the comparison; they get no further state here.
 */
async function takeOutElsewhere(
  sql: ScratchSql,
  open: OpenRecords,
  findElsewhere: FindElsewhere,
): Promise<void> {
  await sql.run('CREATE TEMP TABLE elsewhere (n int, place text) ON COMMIT DROP');
  await findElsewhere(open.there, 'elsewhere');
  await sql.run(
    `INSERT INTO match_lines (tn, state, pass, amount_t, currency_t, place)
     SELECT r.n, 'not_covered', 'id', r.amount, r.currency, min(e.place)
     FROM elsewhere e JOIN ${open.there} r USING (n) GROUP BY r.n, r.amount, r.currency`,
  );
  await sql.run(`DELETE FROM ${open.there} r USING elsewhere e WHERE e.n = r.n`);
}

/** Copies the open records, so that removals leave the records as they were read. */
async function apart(sql: ScratchSql, open: OpenRecords): Promise<OpenRecords> {
  if (open.here !== 'here') return open;
  await sql.run('CREATE TEMP TABLE open_here ON COMMIT DROP AS SELECT * FROM here');
  await sql.run('CREATE TEMP TABLE open_there ON COMMIT DROP AS SELECT * FROM there');
  return { here: 'open_here', there: 'open_there' };
}

/**
 * Matches open records by one key. Keys that occur once on each side are joined directly; repeated keys are handled
 * separately.
 * @param pass the name of the pass, if a key has several
 * @returns the tables of the records that are still open
 */
async function matchByKey(
  sql: ScratchSql,
  key: KeyColumn,
  open: OpenRecords,
  rules: MatchRules,
  pass: string = key,
): Promise<OpenRecords> {
  const isOnBothSides = `EXISTS (SELECT FROM ${open.here} WHERE ${key} IS NOT NULL)
    AND EXISTS (SELECT FROM ${open.there} WHERE ${key} IS NOT NULL)`;
  if (!(await holds(sql, isOnBothSides))) return open;
  const repeated = `repeated_${pass}`;
  const next = { here: `open_here_${pass}`, there: `open_there_${pass}` };
  // Grouped by hash, since that is quicker; handling a key with a shared hash separately does no harm. Sorted, since
  // very many groups of one record each take longer in a hash table.
  const twice = (table: string): string =>
    `SELECT hash FROM (SELECT ${hashOf(key)} AS hash FROM ${table} WHERE ${key} IS NOT NULL ORDER BY 1) sorted
     GROUP BY hash HAVING count(*) > 1`;
  await sql.run(
    `CREATE TEMP TABLE ${repeated} ON COMMIT DROP AS ${twice(open.here)} UNION ${twice(open.there)}`,
  );
  const [counted] = await sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${repeated}`);
  const repeatedCount = counted?.count ?? 0;
  // Records with a repeated key stay open, as do those with a contradiction.
  const refused = contradiction(key);
  const stillOpen = refused === null ? '' : `WHEN ${refused} THEN NULL `;
  // The join uses the plain key and not an expression, so that PostgreSQL knows that it is hardly ever repeated.
  await sql.run(
    `INSERT INTO match_lines (hn, tn, state, pass, is_certain, amount_h, currency_h, amount_t, currency_t)
     SELECT h.n, t.n, CASE WHEN h.n IS NULL OR t.n IS NULL THEN NULL ${stillOpen}ELSE ${pairState(rules)} END, '${key}',
       true, h.amount, h.currency, t.amount, t.currency
     FROM ${singles(open.here, key, repeated, repeatedCount)} h
     FULL JOIN ${singles(open.there, key, repeated, repeatedCount)} t ON h.${key} = t.${key}`,
  );
  if (repeatedCount > 0) {
    const isRepeated = `${hashOf(key)} IN (SELECT hash FROM ${repeated})`;
    await sql.run(
      `INSERT INTO match_lines (hn, tn) SELECT n, NULL FROM ${open.here} WHERE ${isRepeated}
       UNION ALL SELECT NULL, n FROM ${open.there} WHERE ${isRepeated}`,
    );
  }
  await sql.run('ANALYZE match_lines');
  await takeOutUnmatched(sql, open, next);
  if (repeatedCount > 0) await matchRepeated(sql, key, repeated, next, rules);
  return next;
}

/** The number of hashes that fit into memory besides the join; further ones are joined later. */
const hashesInMemory = 200_000;

/** SQL: the records of a table without those whose key is repeated on either side. */
function singles(table: string, key: KeyColumn, repeated: string, count: number): string {
  if (count === 0) return table;
  if (count <= hashesInMemory) {
    return `(SELECT * FROM ${table} WHERE (${hashOf(key)} IN (SELECT hash FROM ${repeated})) IS NOT TRUE)`;
  }
  return `(SELECT r.* FROM ${table} r LEFT JOIN ${repeated} k ON k.hash = hashtextextended(r.${key}, 0)
    WHERE k.hash IS NULL)`;
}

async function takeOutUnmatched(sql: ScratchSql, open: OpenRecords, next: OpenRecords): Promise<void> {
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
