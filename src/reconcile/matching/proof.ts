import { parseDecimal } from '../../domain/money.ts';
import type { SqlPort } from '../ports.ts';
import type { Side, SideTotals } from './records.ts';
import type { MatchState } from './rules.ts';

/** Records and sums of one side in one state. */
export interface StateSum {
  readonly side: Side;
  readonly state: MatchState;
  readonly records: number;
  /** By currency; records without an amount are in none. */
  readonly sums: readonly { readonly currency: string; readonly rows: number; readonly amount: string }[];
}

/** The outcome of a comparison, proven against what was read. */
export interface Proof {
  readonly here: SideTotals;
  readonly there: SideTotals;
  readonly states: readonly StateSum[];
}

/**
 * Proves that every record of each side stands in exactly one state, and that the states add up to what was
 * counted while the sides were read.
 * @throws Error when they do not: a bug of ours, and no result is better than a wrong one
 */
export async function prove(sql: SqlPort, here: SideTotals, there: SideTotals): Promise<Proof> {
  const states = [...(await statesOf(sql, 'here', here)), ...(await statesOf(sql, 'there', there))];
  return { here, there, states };
}

async function statesOf(sql: SqlPort, side: Side, totals: SideTotals): Promise<StateSum[]> {
  const number = side === 'here' ? 'hn' : 'tn';
  const groups = await sql.query<{
    state: MatchState;
    currency: string | null;
    records: number;
    rows: number;
    amount: string | null;
  }>(
    `SELECT o.state, r.currency, count(*)::int AS records, count(r.amount)::int AS rows, sum(r.amount)::text AS amount
     FROM outcomes o JOIN ${side} r ON r.n = o.${number} GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const [counted] = await sql.query<{ records: number; distinct: number }>(
    `SELECT coalesce(sum(times), 0)::int AS records, count(*)::int AS distinct
     FROM (SELECT count(*) AS times FROM outcomes WHERE ${number} IS NOT NULL GROUP BY ${number}) once`,
  );
  const joined = groups.reduce((sum, { records }) => sum + records, 0);
  const isComplete = [joined, counted?.records, counted?.distinct].every((count) => count === totals.records);
  if (!isComplete || !haveSameSums(groups, totals)) {
    throw new Error(`the states of a comparison do not add up to the records ${side}`);
  }
  return merged(side, groups);
}

/** The states' sums of a currency, added up once more, are the sum that was read. */
function haveSameSums(
  groups: readonly { readonly currency: string | null; readonly amount: string | null }[],
  { sums }: SideTotals,
): boolean {
  const units = new Map<string, bigint>();
  const scale = 40n;
  const scaled = (text: string): bigint => {
    const value = parseDecimal(text);
    if (value === undefined) throw new Error('a sum of the database is no plain decimal');
    return value.units * 10n ** (scale - BigInt(value.scale));
  };
  for (const { currency, amount } of groups) {
    if (amount === null) continue;
    units.set(currency ?? '', (units.get(currency ?? '') ?? 0n) + scaled(amount));
  }
  return sums.every(({ currency, amount }) => units.get(currency) === scaled(amount));
}

function merged(
  side: Side,
  groups: readonly {
    readonly state: MatchState;
    readonly currency: string | null;
    readonly records: number;
    readonly rows: number;
    readonly amount: string | null;
  }[],
): StateSum[] {
  const states = new Map<MatchState, { records: number; sums: StateSum['sums'][number][] }>();
  for (const { state, currency, records, rows, amount } of groups) {
    const sum = states.get(state) ?? { records: 0, sums: [] };
    sum.records += records;
    if (amount !== null) sum.sums.push({ currency: currency ?? '', rows, amount });
    states.set(state, sum);
  }
  return [...states].map(([state, sum]) => ({ side, state, ...sum }));
}
