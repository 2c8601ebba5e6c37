/* The rules by which two records are the same. */

import type { AmountComparison } from '../../domain/batches/reconciliation.ts';
import type { MatchState } from '../../domain/rows/row-state.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';

/** States that need no person; all others are differences. */
export const agreeingStates: ReadonlySet<MatchState> = new Set<MatchState>([
  'matched',
  'matched_within_tolerance',
  'expected',
  'not_covered',
]);

/** The rules for equality and for what a side may lack. */
export interface MatchRules {
  /** The allowed difference of two amounts of one currency, as decimals; the greater of both counts. */
  readonly tolerance: { readonly absolute: string; readonly percent: string; readonly days: number };
  /** The UTC days, both included, that the other side declares to cover completely; null where undeclared. */
  readonly coversFrom: string | null;
  readonly coversTo: string | null;
  /** The number of last covered days whose records may still be on their way. */
  readonly graceInDays: number;
  /** The values that both sides have and that are therefore compared. */
  readonly compares: Compares;
  /** Why amounts are not compared; has no meaning where they are. */
  readonly amountsLeftOut: AmountsLeftOut;
}

/** Why amounts are not compared. If amounts were not read, no pair is called matched, since they may matter most. */
export type AmountsLeftOut = Exclude<AmountComparison, 'compared'>;

/** The values that both sides have, besides fields. */
export interface Compares {
  /** Whether differing ids or references are a difference; records are matched by both anyway. */
  readonly id: boolean;
  readonly reference: boolean;
  readonly amount: boolean;
  readonly currency: boolean;
  readonly day: boolean;
  /** Whether own references are searched in the other side's free texts. */
  readonly text: boolean;
}

/** The state of two records that agree in all compared values. */
export function agreedState<State extends MatchState>(
  state: State,
  { compares, amountsLeftOut }: MatchRules,
): State | 'matched_by_id' {
  return !compares.amount && amountsLeftOut === 'not_read' ? 'matched_by_id' : state;
}

/** Written into SQL unchanged, so it has to be a plain decimal. */
function decimal(text: string): string {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error('a tolerance is no plain decimal');
  return `${text}::numeric`;
}

/** SQL: two amounts, of one currency, are equal within the tolerance. */
export function amountsAgree(left: string, right: string, { tolerance }: MatchRules): string {
  const allowed = `greatest(${decimal(tolerance.absolute)}, abs(${left}) * ${decimal(tolerance.percent)} / 100)`;
  return `abs(${left} - ${right}) <= ${allowed}`;
}

/** Whether an SQL condition holds. */
export async function holds(sql: ScratchSql, condition: string): Promise<boolean> {
  const [found] = await sql.query<{ holds: boolean }>(`SELECT (${condition}) IS TRUE AS holds`);
  return found?.holds === true;
}

/** The columns by which records are matched one by one, in this order. */
export type KeyColumn = 'id' | 'reference' | 'natural_key';

/** SQL: a key's hash, for finding repeated keys quickly. */
export function hashOf(key: KeyColumn): string {
  return `hashtextextended(${key}, 0)`;
}

/** SQL: whether the ids or references of two records `h` and `t`, where both have them, differ. */
const otherId = '(h.id <> t.id) IS TRUE';
const otherReference = '(h.reference <> t.reference) IS TRUE';

/**
 * SQL: the condition under which two records with one key still differ; null where there can be none. An id and a
 * reference name one object each, so a contradiction is a difference; a natural key only describes an object.
 */
export function contradiction(key: KeyColumn): string | null {
  return key === 'natural_key' ? `${otherId} OR ${otherReference}` : null;
}

/** Whether there is any tolerance. */
function hasTolerance({ tolerance }: MatchRules): boolean {
  return [tolerance.absolute, tolerance.percent, String(tolerance.days)].some((text) => /[1-9]/.test(text));
}

/** SQL conditions on `h` and `t`: exactly compared values, and amount and day exactly or within the tolerance. */
function comparisons(rules: MatchRules): { exact: string[]; equal: string[]; near: string[] } {
  const { compares, tolerance } = rules;
  const days = Math.max(0, Math.trunc(tolerance.days));
  const sameAmount = 'h.amount IS NOT DISTINCT FROM t.amount';
  const sameDay = 'h.day IS NOT DISTINCT FROM t.day';
  return {
    exact: [
      'h.fields = t.fields',
      ...(compares.currency ? ['h.currency IS NOT DISTINCT FROM t.currency'] : []),
    ],
    equal: [...(compares.amount ? [sameAmount] : []), ...(compares.day ? [sameDay] : [])],
    near: [
      ...(compares.amount ? [`(${sameAmount} OR ${amountsAgree('h.amount', 't.amount', rules)})`] : []),
      ...(compares.day ? [`(${sameDay} OR abs(h.day - t.day) <= ${days})`] : []),
    ],
  };
}

/**
 * SQL: the state of the pair of records `h` and `t`. An id or reference of only one side is ignored; if both have
 * one, it has to be equal.
 */
export function pairState(rules: MatchRules): string {
  const { exact, equal, near } = comparisons(rules);
  const { id, reference } = rules.compares;
  const named = [
    ...(id ? [`NOT (${otherId})`] : []),
    ...(reference ? [`NOT (${otherReference})`] : []),
    ...exact,
  ];
  const stateOf = (state: MatchState): string => `'${agreedState(state, rules)}'`;
  const within = hasTolerance(rules)
    ? `WHEN ${[...named, ...near].join(' AND ')} THEN ${stateOf('matched_within_tolerance')}`
    : '';
  return `CASE WHEN ${[...named, ...equal].join(' AND ')} THEN ${stateOf('matched')} ${within} ELSE 'mismatched' END`;
}

/** A degree to which two records of one key may belong together, as an SQL condition on them. */
export interface Tier {
  readonly condition: string;
  /** Whether both have the same `signature`, so that a join by it finds them. */
  readonly isEqual: boolean;
  /**
   * Whether used and ambiguous records also count as candidates. A natural key only describes an object, so two
   * differing records with one natural key are a pair only if there is no other candidate.
   */
  readonly countsUsed: boolean;
}

/**
 * The tiers of one key, the strongest first: pairs that agree in everything (those with more common names first),
 * then nearly, then the rest, and last those whose names contradict each other.
 */
export function tiersOf(key: KeyColumn, rules: MatchRules): Tier[] {
  const { exact, near } = comparisons(rules);
  const equal = (condition: string): Tier => ({ condition, isEqual: true, countsUsed: false });
  const nearly = (condition: string): Tier[] =>
    hasTolerance(rules)
      ? [{ condition: [condition, ...exact, ...near].join(' AND '), isEqual: false, countsUsed: false }]
      : [];
  const any = (condition: string): Tier => ({
    condition,
    isEqual: false,
    countsUsed: key === 'natural_key',
  });
  const degrees = (named: readonly string[]): Tier[] => [
    ...named.map(equal),
    ...named.flatMap(nearly),
    ...named.map(any),
  ];
  if (key === 'natural_key') return degrees([`NOT (${contradiction(key)})`]);
  const named =
    key === 'id' ? ['h.reference = t.reference', `NOT (${otherReference})`] : [`NOT (${otherId})`];
  return [...degrees(named), ...degrees(['true'])];
}

/** SQL: one text of all compared values that distinguishes two records of one key. */
export function signature({ compares }: MatchRules): string {
  const parts = [
    ...(compares.currency ? ["coalesce(currency, '')"] : []),
    ...(compares.amount ? ["coalesce(trim_scale(amount)::text, '')"] : []),
    ...(compares.day ? ["coalesce(day::text, '')"] : []),
    'fields',
  ];
  return `concat_ws('|', ${parts.join(', ')})`;
}

/* Records the decisions of a pass, and keeps the open records for later passes. */

/** The tables of records that are not matched yet. */
export interface OpenRecords {
  readonly here: string;
  readonly there: string;
}

/**
 * Creates the table of results: one line per pair and per unpaired record. `peer_h` and `peer_t` name the other
 * side's record, used elsewhere, that a duplicate repeats. `place` is where else it is known. `sum_h` and `sum_t` are
 * a group's sums on both sides. `is_certain` marks a pair whose records are the only candidates of their key. Amounts
 * are copied from the records that a line uses, so that their sum proves that each was used once.
 */
export async function createOutcomes(sql: ScratchSql): Promise<void> {
  await sql.run(
    `CREATE TEMP TABLE match_lines (hn int, tn int, state text COLLATE "C", pass text COLLATE "C", link int,
       peer_h int, peer_t int, is_certain boolean, amount_h numeric, currency_h text COLLATE "C", amount_t numeric,
       currency_t text COLLATE "C", place text, sum_h text, sum_t text) ON COMMIT DROP`,
  );
}

/**
 * Records decisions from a table, and removes their records from the open ones.
 * @param has further columns of that table: `link`, `sum_h` and `sum_t` of groups, or `is_certain` of pairs
 */
export async function acceptDecided(
  sql: ScratchSql,
  decided: string,
  pass: string,
  open: OpenRecords,
  has: 'groups' | 'certainty' | null = null,
): Promise<void> {
  // Groups are numbered across all passes, so that no two share a number.
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

const sides = ['here', 'there'] as const;

/**
 * Creates the tables `deferred_here` and `deferred_there`: records that agree in everything with a record of their
 * reference and no id, and with no record of their id. A pair that agrees takes precedence, so these are matched by
 * reference first.
 * @returns the tables of the others, which are matched by id
 */
export async function deferToReference(sql: ScratchSql, rules: MatchRules): Promise<OpenRecords> {
  const all = { here: 'here', there: 'there' };
  const mayDefer = `(EXISTS (SELECT FROM here WHERE id IS NULL AND reference IS NOT NULL)
      OR EXISTS (SELECT FROM there WHERE id IS NULL AND reference IS NOT NULL))
    AND EXISTS (SELECT FROM here WHERE id IS NOT NULL) AND EXISTS (SELECT FROM there WHERE id IS NOT NULL)`;
  if (!(await holds(sql, mayDefer))) return all;
  const agree = `${pairState(rules)} <> 'mismatched'`;
  for (const side of sides) {
    const [own, theirs] = side === 'here' ? ['h', 't'] : ['t', 'h'];
    await sql.run(
      `CREATE TEMP TABLE deferred_${side} ON COMMIT DROP AS
       WITH better AS (
           SELECT DISTINCT ${own}.n, ${own}.id FROM here h JOIN there t ON h.reference = t.reference
           WHERE ${own}.id IS NOT NULL AND ${theirs}.id IS NULL AND ${agree}),
         by_id AS (
           SELECT ${own}.n, bool_or(${agree}) AS agrees FROM here h JOIN there t ON h.id = t.id
           WHERE ${own}.id IN (SELECT id FROM better) GROUP BY 1)
       SELECT r.* FROM ${side} r JOIN better USING (n) JOIN by_id USING (n) WHERE NOT by_id.agrees`,
    );
  }
  const isAnyDeferred = 'EXISTS (SELECT FROM deferred_here) OR EXISTS (SELECT FROM deferred_there)';
  if (!(await holds(sql, isAnyDeferred))) return all;
  for (const side of sides) {
    await sql.run(
      `CREATE TEMP TABLE first_${side} ON COMMIT DROP AS
       SELECT * FROM ${side} WHERE n NOT IN (SELECT n FROM deferred_${side})`,
    );
  }
  return { here: 'first_here', there: 'first_there' };
}

/** Adds the deferred records to those that stayed open after the ids. */
export async function takeBackDeferred(
  sql: ScratchSql,
  first: OpenRecords,
  open: OpenRecords,
): Promise<void> {
  if (first.here === 'here') return;
  for (const side of sides) await sql.run(`INSERT INTO ${open[side]} SELECT * FROM deferred_${side}`);
}
