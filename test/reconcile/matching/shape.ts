import type { Knex } from 'knex';
import { inScratch } from '../../../src/ledger/connection/open.ts';
import { matchSides, type Proof } from '../../../src/reconcile/matching/match.ts';
import { type MatchLine, readMatchLines } from '../../../src/reconcile/matching/match-lines.ts';
import { createTables, loadSide, type MatchRecord } from '../../../src/reconcile/matching/records.ts';
import type { MatchRules } from '../../../src/reconcile/matching/rules.ts';
import { TextNames } from '../../../src/reconcile/matching/text-names.ts';

/** Everything equal, nothing covered. */
export const strictRules: MatchRules = {
  tolerance: { absolute: '0', percent: '0', days: 0 },
  coversFrom: null,
  coversTo: null,
  graceInDays: 0,
  compares: { id: true, reference: true, amount: true, currency: true, day: true, text: true },
  amountsLeftOut: 'not_there',
};

/** A record by what identifies it; its row is its place in the list. */
export type Given = Partial<MatchRecord>;

export interface Shape {
  readonly name: string;
  readonly here: readonly Given[];
  readonly there: readonly Given[];
  readonly rules?: Partial<MatchRules>;
  /** `STATE h1=t2`, by row on either side; `-` for no counterpart. */
  readonly outcome: readonly string[];
}

export const covered = { coversFrom: '2026-11-01', coversTo: '2026-11-30' };

/** An ordinary record: 10 KES on the 10th. */
export function record(given: Given): Given {
  return { amount: '10.00', currency: 'KES', day: '2026-11-10', ...given };
}
const [a, b, c] = ['A', 'B', 'C'].map((id) => record({ id: `id-${id}`, reference: `REF-${id}` }));
export const A = a ?? {};
export const B = b ?? {};
export const C = c ?? {};

function complete(given: Given, at: number): MatchRecord {
  return {
    file: 0,
    row: at + 1,
    id: null,
    reference: null,
    natural: null,
    group: null,
    amount: null,
    currency: null,
    day: null,
    fields: [],
    entry: null,
    text: null,
    counterparty: null,
    status: null,
    leftOut: null,
    ...given,
  };
}

export async function* oneGroup(records: readonly Given[]): AsyncGenerator<readonly MatchRecord[]> {
  yield records.map(complete);
}

function described({ state, here, there, repeats }: MatchLine): string {
  const star = repeats === null ? '' : '*';
  const [own, theirs] = [here === null ? '-' : `h${here.row}`, there === null ? '-' : `t${there.row}`];
  return `${state} ${own}=${theirs}${star}`;
}

/** Matches two sides, and describes the lines of the result. */
export async function match(
  database: Knex,
  here: readonly Given[],
  there: readonly Given[],
  rules: Partial<MatchRules> = {},
): Promise<{ proof: Proof; outcomes: string[] }> {
  return inScratch(database, async (scratch) => {
    await createTables(scratch);
    const all = { ...strictRules, ...rules };
    const names = new TextNames(scratch);
    const hereTotals = await loadSide(scratch, 'here', oneGroup(here), all.compares, names);
    const thereTotals = await loadSide(scratch, 'there', oneGroup(there), all.compares, names);
    const proof = await matchSides(scratch, hereTotals, thereTotals, all);
    const outcomes: string[] = [];
    for await (const group of readMatchLines(scratch)) outcomes.push(...group.map(described));
    return { proof, outcomes: outcomes.sort() };
  });
}
