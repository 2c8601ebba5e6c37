import {
  type AccountFigures,
  type ComparisonFigures,
  type DoubtLine,
  proofText,
} from './reconcile-summary.ts';
import type { TableSection } from './report-table.ts';
import { countOf } from './wording.ts';

/** A line of the differences that the report lists. */
export interface BreakLine {
  readonly state: string;
  readonly hereRow: number | null;
  readonly thereRow: number | null;
  readonly fields: readonly string[];
  readonly evidence: string;
  readonly action: string;
}

/** The account of a batch's rows as a section of the report. */
export function accountSection(account: AccountFigures, sourceNote: string): TableSection {
  const { source, echoes, contradictions } = account;
  const verdict = (isGood: boolean): string => (isGood ? 'in order' : 'DIFFERENCE');
  return {
    title: 'Reconciliation: every row accounted for',
    columns: ['Check', 'Result', 'Message'],
    rows: [
      ['Every row in exactly one status', verdict(account.isComplete), countOf(account.rows, 'row')],
      [
        'Source file read again',
        source === null ? 'not compared' : verdict(source.isEqual),
        source === null ? sourceNote : countOf(source.rows, 'row'),
      ],
      [
        'Answers repeat what was sent',
        verdict(echoes.differing === 0),
        `${countOf(echoes.checked, 'answer')} checked, ${countOf(echoes.differing, 'difference')}, ` +
          `${countOf(echoes.unchecked, 'row')} without an answer that repeats anything`,
      ],
      [
        'One id for one object',
        verdict(contradictions.length === 0),
        countOf(contradictions.length, 'contradiction'),
      ],
    ],
  };
}

export function doubtSection(doubts: readonly DoubtLine[], total: number): TableSection {
  const rest = total - doubts.length;
  return {
    title: 'Reconciliation: rows that wait for a verdict',
    ...(rest > 0 ? { introduction: `And ${countOf(rest, 'more row')}: see the verdicts file.` } : {}),
    columns: ['Row', 'Status', 'Age', 'Message', 'What to do'],
    rows: doubts.map(({ row, status, age, known, advice }) => [row, status, age, known, advice]),
  };
}

export function comparisonSections(
  figures: ComparisonFigures,
  breaks: readonly BreakLine[],
  breakCount: number,
): TableSection[] {
  const { hereName, thereName, here, there, states } = figures;
  const names = [...new Set(states.map(({ state }) => state))];
  const rows = names.flatMap((name) => {
    const own = states.find(({ state, side }) => state === name && side === 'here');
    const theirs = states.find(({ state, side }) => state === name && side === 'there');
    const currencies = [
      ...new Set([...(own?.sums ?? []), ...(theirs?.sums ?? [])].map((sum) => sum.currency)),
    ];
    const amounts =
      (sums: typeof own): ((currency: string) => { amount: string } | null) =>
      (currency) => {
        const amount = sums?.sums.find((sum) => sum.currency === currency)?.amount;
        return amount === undefined ? null : { amount };
      };
    const first = [name, own?.records ?? 0, theirs?.records ?? 0] as const;
    if (currencies.length === 0) return [[...first, null, null, null]];
    return currencies.map((currency, at) => [
      ...(at === 0 ? first : [null, null, null]),
      currency,
      amounts(own)(currency),
      amounts(theirs)(currency),
    ]);
  });
  const rest = breakCount - breaks.length;
  return [
    {
      title: `Reconciliation: ${hereName} beside ${thereName}`,
      introduction: proofText(here, there),
      columns: ['State', 'Here', 'There', 'Currency', 'Amount here', 'Amount there'],
      rows,
    },
    {
      title: 'Reconciliation: differences',
      ...(rest > 0 ? { introduction: `And ${countOf(rest, 'more difference')}: see the breaks file.` } : {}),
      columns: ['State', 'Row here', 'Row there', 'Fields', 'Message', 'What to do'],
      rows: breaks.map(({ state, hereRow, thereRow, fields, evidence, action }) => [
        state,
        hereRow,
        thereRow,
        fields.join(', '),
        evidence,
        action,
      ]),
    },
  ];
}

/** What a replay came to, row by row. */
export function replaySection(
  rows: readonly { readonly row: number; readonly status: string; readonly origin: string }[],
): TableSection {
  return {
    title: 'Reconciliation: sent again under their own keys',
    columns: ['Row', 'Status', 'Its object'],
    rows: rows.map(({ row, status, origin }) => [row, status, origin]),
  };
}
