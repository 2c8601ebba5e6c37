import type { StatusCounts } from '../domain/row-state.ts';
import { type Colour, colourIf, printable, wrapped } from './terminal-text.ts';
import { countOf, groupedNumber, occurring, statusLabel } from './wording.ts';

interface Sum {
  readonly currency: string;
  readonly rows: number;
  readonly amount: string;
}

/** Where every row of a batch stands, as the summary tells it. */
export interface AccountFigures {
  readonly rows: number;
  readonly counts: StatusCounts;
  readonly isComplete: boolean;
  readonly sums: readonly Sum[];
  /** Null when the source file was not compared. */
  readonly source: {
    readonly rows: number;
    readonly missingRows: readonly number[];
    readonly additionalRows: readonly number[];
    readonly differingRows: readonly number[];
    readonly isEqual: boolean;
  } | null;
  readonly echoes: {
    readonly checked: number;
    readonly unchecked: number;
    readonly differing: number;
    readonly differences: readonly { readonly row: number; readonly fields: readonly string[] }[];
  };
  readonly contradictions: readonly {
    readonly kind: 'id' | 'natural_key';
    readonly rows: readonly { readonly batch: string; readonly row: number }[];
  }[];
}

/** A row that waits for a person or for the next run. */
export interface DoubtLine {
  readonly row: number;
  readonly status: string;
  readonly age: string;
  readonly known: string;
  readonly advice: string;
}

/** What a comparison came to, state by state. */
export interface ComparisonFigures {
  readonly hereName: string;
  readonly thereName: string;
  readonly here: { readonly records: number; readonly sums: readonly Sum[] };
  readonly there: { readonly records: number; readonly sums: readonly Sum[] };
  readonly states: readonly {
    readonly side: 'here' | 'there';
    readonly state: string;
    readonly records: number;
    readonly sums: readonly Sum[];
  }[];
}

function mark(colour: Colour, isGood: boolean): string {
  return isGood ? colour('green', 'ok  ') : colour('red', 'DIFF');
}

function rowList(rows: readonly number[]): string {
  return rows.slice(0, 5).join(', ') + (rows.length > 5 ? ' and more' : '');
}

/** The account of a batch's rows, for a terminal. */
export function accountSummary(
  account: AccountFigures & { readonly sourceNote: string },
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const statuses = occurring(account.counts).map(
    ([status, count]) => `${groupedNumber(count)} ${statusLabel(status)}`,
  );
  return [
    `  ${mark(colour, account.isComplete)}  Rows: ${countOf(account.rows, 'row')} taken in, each in exactly one status: ${statuses.join(', ')}.`,
    ...account.sums.map(
      ({ currency, rows, amount }) => `        ${amount} ${currency} in ${countOf(rows, 'row')}`,
    ),
    sourceLine(account, colour),
    echoLine(account, colour),
    contradictionLine(account, colour),
  ].join('\n');
}

function sourceLine(
  { source, sourceNote }: AccountFigures & { readonly sourceNote: string },
  colour: Colour,
): string {
  if (source === null)
    return `  ${colour('yellow', 'note')}  Source file not compared: ${printable(sourceNote)}`;
  if (source.isEqual) {
    return `  ${mark(colour, true)}  Source file: ${countOf(source.rows, 'row')} read again, equal cell by cell, sums too.`;
  }
  const parts = [
    ...(source.missingRows.length > 0 ? [`not in the ledger: rows ${rowList(source.missingRows)}`] : []),
    ...(source.additionalRows.length > 0
      ? [`only in the ledger: rows ${rowList(source.additionalRows)}`]
      : []),
    ...(source.differingRows.length > 0 ? [`other cells: rows ${rowList(source.differingRows)}`] : []),
  ];
  return `  ${mark(colour, false)}  Source file: ${parts.join('; ') || 'other sums by currency'}.`;
}

function echoLine({ echoes }: AccountFigures, colour: Colour): string {
  const { checked, unchecked, differing, differences } = echoes;
  const rest = unchecked > 0 ? `; ${countOf(unchecked, 'row')} without an answer that repeats anything` : '';
  if (differing === 0) {
    return `  ${mark(colour, true)}  Answers: ${countOf(checked, 'row')} checked, none with another value than was sent${rest}.`;
  }
  const shown = differences.slice(0, 5).map(({ row, fields }) => `row ${row} (${fields.join(', ')})`);
  return `  ${mark(colour, false)}  Answers: ${countOf(differing, 'row')} with other values than were sent: ${shown.join(', ')}${differing > 5 ? ' and more' : ''}${rest}.`;
}

function contradictionLine({ contradictions }: AccountFigures, colour: Colour): string {
  if (contradictions.length === 0) {
    return `  ${mark(colour, true)}  Ids: none stands on two rows, and no natural key has two.`;
  }
  const shown = contradictions.slice(0, 5).map(({ kind, rows }) => {
    const places = rows.map(({ batch, row }) => `row ${row} of ${batch.slice(0, 8)}`).join(', ');
    return `${kind === 'id' ? 'one id' : 'one natural key with two ids'}: ${places}`;
  });
  return `  ${mark(colour, false)}  Ids: ${shown.join('; ')}${contradictions.length > 5 ? '; and more' : ''}.`;
}

/** The first rows that wait for a person, for a terminal. */
export function doubtSummary(doubts: readonly DoubtLine[], total: number, useColour: boolean): string {
  const colour = colourIf(useColour);
  const lines = doubts.flatMap(({ row, status, age, known, advice }) => [
    `  ${colour('yellow', `row ${row}`)}  ${status} for ${age}`,
    ...wrapped(printable(known), '      '),
    ...wrapped(`→ ${advice}`, '      '),
  ]);
  const rest = total - doubts.length;
  return [...lines, ...(rest > 0 ? [`  and ${countOf(rest, 'more row')}: see the verdicts file`] : [])].join(
    '\n',
  );
}

function sumText(sums: readonly Sum[]): string {
  return sums.map(({ amount, currency }) => `${amount} ${currency}`.trim()).join(', ');
}

/** A comparison, state by state, with its proof, for a terminal. */
export function comparisonSummary(figures: ComparisonFigures, useColour: boolean): string {
  const colour = colourIf(useColour);
  const { hereName, thereName, here, there, states } = figures;
  const names = [...new Set(states.map(({ state }) => state))];
  const width = Math.max(...names.map((name) => name.length), 0);
  const lines = names.map((name) => {
    const cells = (['here', 'there'] as const).map((side) => {
      const found = states.find((each) => each.side === side && each.state === name);
      return groupedNumber(found?.records ?? 0).padStart(12);
    });
    const sums = states.find(({ state, side }) => state === name && side === 'here')?.sums;
    const shown = sums ?? states.find(({ state }) => state === name)?.sums ?? [];
    return `  ${name.padEnd(width)}${cells.join('')}  ${sumText(shown)}`.trimEnd();
  });
  return [
    `  ${printable(hereName)} (here) beside ${printable(thereName)} (there)`,
    colour('bold', `  ${'state'.padEnd(width)}${'here'.padStart(12)}${'there'.padStart(12)}  amounts`),
    ...lines,
    ...proofLines(here, there),
  ].join('\n');
}

/** The sentence that the comparison was proven by; without the proof there is no comparison. */
export function proofText(here: ComparisonFigures['here'], there: ComparisonFigures['there']): string {
  const side = (name: string, { records, sums }: ComparisonFigures['here']): string =>
    `${countOf(records, 'record')} ${name}${sums.length > 0 ? ` (${sumText(sums)})` : ''}`;
  return (
    `Proof: each of ${side('here', here)} and ${side('there', there)} stands in exactly one state, ` +
    'and the states add up to what was read.'
  );
}

function proofLines(here: ComparisonFigures['here'], there: ComparisonFigures['there']): string[] {
  return wrapped(proofText(here, there), '  ');
}

/** The files that were written, a line each. */
export function fileLines(files: Readonly<Record<string, string | null>>): string {
  return Object.entries(files)
    .flatMap(([name, path]) => (path === null ? [] : [`  ${name.padEnd(8)}  ${printable(path)}`]))
    .join('\n');
}

/** All that a reconciliation of a batch tells a person, for a terminal. */
export function reconciliationText(
  found: {
    readonly title: string;
    readonly replayed: readonly { readonly row: number; readonly status: string; readonly origin: string }[];
    readonly account: AccountFigures & { readonly sourceNote: string };
    readonly doubts: readonly DoubtLine[];
    readonly doubtCount: number;
    readonly comparison: ComparisonFigures | null;
    readonly files: Readonly<Record<string, string | null>>;
    /** The command that takes the verdicts, or null when no row waits for one. */
    readonly next: string | null;
  },
  useColour: boolean,
): string {
  const { title, replayed, account, doubts, doubtCount, comparison, files, next } = found;
  const blocks = [
    title,
    replayed.map(({ row, status, origin }) => `  row ${row}  sent again: ${status}, ${origin}`).join('\n'),
    accountSummary(account, useColour),
    doubtCount > 0 ? doubtSummary(doubts, doubtCount, useColour) : '',
    comparison === null ? '' : comparisonSummary(comparison, useColour),
    fileLines(files),
    next === null ? '' : `  Fill in the verdicts, then:\n    ${next}`,
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}
