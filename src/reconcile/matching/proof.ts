import type { StateSum } from '../../domain/batches/reconciliation.ts';
import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../domain/money/money.ts';
import { matchStates } from '../../domain/rows/difference.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import type { Side, SideTotals } from './records.ts';
import { agreeingStates } from './rules.ts';

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
export async function prove(sql: ScratchSql, here: SideTotals, there: SideTotals): Promise<Proof> {
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
  const found = new Map<string, Decimal>();
  for (const { currency, amount } of groups) {
    const sum = amount === null ? undefined : parseDecimal(amount);
    const earlier = found.get(currency ?? '');
    if (sum !== undefined) found.set(currency ?? '', earlier === undefined ? sum : addDecimals(earlier, sum));
  }
  return sums.every(({ currency, amount }) => {
    const [read, added] = [parseDecimal(amount), found.get(currency)];
    return read !== undefined && added !== undefined && compareDecimals(read, added) === 0;
  });
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
