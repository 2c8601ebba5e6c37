/* What a reconciliation found, as tables of a report or a page. */

import { basename } from 'node:path';
import type { AcceptedCount } from '../../domain/batches/difference-decisions.ts';
import type { Account, ComparisonFigures, SourceComparison } from '../../domain/batches/reconciliation.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import type { CurrencySum } from '../../domain/money/sums.ts';
import type { RowAdvice } from '../../domain/rows/ledger-row.ts';
import { joined, type Message, say } from '../../domain/settings/message.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { html } from '../report/page.ts';
import { type Cell, figure, type Line, secondOf, type Table } from '../table.ts';
import { differenceWords } from '../words/row-words.ts';
import {
  type BreakLine,
  differenceText,
  firstTexts,
  notComparedTexts,
  proofText,
  stateRows,
  stateText,
} from './comparison.ts';

/** A row that waits for a person or for the next run. */
export type UndecidedLine = Pick<RowAdvice, 'row' | 'status' | 'age' | 'known' | 'advice'>;

/** Rows that repeat another row count once. The text says what these rows would add. */
export function repeatedRowsText({ rows, sums }: SourceComparison['repeated']): string {
  const amounts = sums.map(({ currency, amount }) => `${groupedAmount(amount, currency)} ${currency}`);
  const inWords = amounts.length === 0 ? '' : ` (${amounts.join(', ')})`;
  return `${countOf(rows, 'row')} of it${inWords} ${rows === 1 ? 'repeats another one exactly and is' : 'repeat others exactly and are'} not counted again.`;
}

/** The sums of a batch's amounts, and what they leave out: `12.00 KES in 2 rows`. */
export function amountTexts({
  sums,
  leftOut,
  source,
}: Pick<Account, 'sums' | 'leftOut' | 'source'>): readonly string[] {
  const text = ({ currency, rows, amount }: CurrencySum, noun: string): string =>
    `${groupedAmount(amount, currency)} ${currency} in ${countOf(rows, noun)}`;
  return [
    ...sums.map((sum) => text(sum, 'row')),
    ...leftOut.invalid.map((sum) => `besides ${text(sum, 'invalid row')}`),
    // If there is a source file, the comparison with it mentions these rows.
    ...(source === null ? leftOut.repeated : []).map(
      (sum) => `besides ${text(sum, 'row')} that ${sum.rows === 1 ? 'repeats another' : 'repeat others'}`,
    ),
  ];
}

/** The results of a replay: in numbers, and the first rows one by one. */
export interface ReplayFigures {
  readonly rows: number;
  readonly origins: readonly { readonly origin: string; readonly rows: number }[];
  readonly first: readonly { readonly row: number; readonly status: string; readonly origin: string }[];
  /** Number of created rows whose objects have their missing facts again. */
  readonly filledFacts: number;
  /** Numbers of created rows whose objects still lack facts, by the reason in words. */
  readonly missingFacts: readonly { readonly reason: Message; readonly rows: number }[];
}

/** `2 × existed before, 1 × no conclusive answer`. */
export function replayCounts({ origins }: ReplayFigures): string {
  return origins.map(({ origin, rows }) => `${groupedNumber(rows)} × ${origin}`).join(', ');
}

/** The cell of a verdict. A result that needs a person is bold. */
function verdictCell(isGood: boolean): Cell {
  return isGood ? 'in order' : { text: 'DIFFERENCE', shown: html`<strong>DIFFERENCE</strong>` };
}

/** The account of a batch's rows as a section of the report. */
export function accountSection(account: Account, sourceNote: Message): Table {
  const { source, echoes, contradictions } = account;
  return {
    title: 'Reconciliation: every row accounted for',
    columns: ['Check', 'Result', 'Message'],
    rows: [
      [
        'Every row in exactly one status',
        verdictCell(account.isComplete),
        [countOf(account.rows, 'row'), ...amountTexts(account)].join('; '),
      ],
      [
        'Source file read again',
        source === null ? 'not compared' : verdictCell(source.isEqual),
        source === null ? { sentence: sourceNote } : sourceText(source),
      ],
      [
        'Answers repeat what was sent',
        verdictCell(echoes.differing === 0),
        `${countOf(echoes.checked, 'answer')} checked, ${countOf(echoes.differing, 'difference')}, ` +
          `${countOf(echoes.unchecked, 'row')} without an answer that repeats anything`,
      ],
      [
        'One id for one object',
        verdictCell(contradictions.length === 0),
        countOf(contradictions.length, 'contradiction'),
      ],
    ],
  };
}

function sourceText({ rows, repeated }: SourceComparison): string {
  return repeated.rows === 0
    ? countOf(rows, 'row')
    : `${countOf(rows, 'row')}; ${repeatedRowsText(repeated)}`;
}

/**
 * The rows that wait for a person.
 * @param file the verdicts file, which has all of them; null when no row waits
 */
export function undecidedSection(
  undecided: readonly UndecidedLine[],
  total: number,
  file: string | null,
  words: Phrasebook,
): Table {
  return {
    title: 'Reconciliation: rows that wait for a verdict',
    introduction: listedText(undecided.length, total, 'row', file),
    columns: [figure('Row'), 'Status', 'Age', 'Message', 'What to do'],
    rows: undecided.map(({ row, status, age, known, advice }) => [
      ...[row, status, age.replaceAll(' ', '\u00a0'), known, words.rowRemedy(advice)],
    ]),
  };
}

/** Says how many entries a section lists, and how many are in the file beside the report. */
function listedText(listed: number, total: number, noun: string, file: string | null): string {
  const where = file === null ? '' : `: all of them stand in ${basename(file)}`;
  return total > listed
    ? `The first ${listed} of ${countOf(total, noun)}${where}.`
    : `${countOf(total, noun)}${where}.`;
}

/**
 * The result of a comparison, state by state.
 * @param named how fields and states are named
 */
export function statesSection(
  figures: ComparisonFigures,
  named: (name: string) => string = (name) => name,
): Table {
  const { hereName, thereName, here, there } = figures;
  return {
    title: `Reconciliation: ${hereName} beside ${thereName}`,
    introduction: joined(
      [...firstTexts(figures, named), ...notComparedTexts(figures, named), proofText(here, there)],
      ' ',
    ),
    columns: [
      ...['State', 'Result', figure('Here'), figure('There'), 'Currency'],
      ...[figure('Amount here'), figure('Amount there')],
    ],
    rows: stateRows(figures).map(({ state, isDifference, counts, currency, amounts }) => [
      counts === null ? null : named(stateText(state, isDifference)),
      counts === null ? null : state === 'not_covered' ? 'not judged' : verdictCell(!isDifference),
      counts?.here ?? null,
      counts?.there ?? null,
      currency,
      amounts.here === '' ? null : { amount: amounts.here, currency: null },
      amounts.there === '' ? null : { amount: amounts.there, currency: null },
    ]),
  };
}

/**
 * The first differences of a comparison, one by one.
 * @param file the breaks file, which has all of them; null if the file does not exist
 */
export function breaksSection(
  breaks: readonly BreakLine[],
  breakCount: number,
  file: string | null,
  words: Phrasebook,
): Table {
  return {
    title: 'Reconciliation: differences',
    introduction: listedText(breaks.length, breakCount, 'difference', file),
    columns: ['State', figure('Row here'), figure('Row there'), 'File there', 'Message', 'What to do'],
    rows: breaks.map((line) => [
      ...[line.state, line.hereRow, line.thereRow, line.thereFile, differenceText(line)],
      line.action === null ? '' : words.rowRemedy(line.action),
    ]),
  };
}

/** The differences that people have accepted, by kind and decision. */
export function acceptedSection(accepted: readonly AcceptedCount[]): Table {
  return {
    title: 'Reconciliation: differences that were accepted',
    columns: [figure('Differences'), 'Kind', 'By', 'At', 'Note'],
    rows: accepted.map(
      ({ count, kind, by, at, note }): Line => [
        ...[count, differenceWords(kind).name, by, { time: at }, note],
      ],
    ),
  };
}

const replayedListed = 200;

/** The result of a replay, row by row. */
export function replaySection(replayed: ReplayFigures): Table {
  const listed = replayed.first.slice(0, replayedListed);
  const isCut = replayed.rows > listed.length;
  return {
    title: 'Reconciliation: sent again under their own keys',
    introduction: `${countOf(replayed.rows, 'row')}: ${replayCounts(replayed)}.${isCut ? ` The first ${listed.length}:` : ''}`,
    columns: [figure('Row'), 'Status', 'Its object'],
    rows: listed.map(({ row, status, origin }) => [row, status, origin]),
  };
}

/** The results for the facts of objects that the ledger lacked. */
export function factsSection({ filledFacts, missingFacts }: ReplayFigures): Table {
  return {
    title: 'Reconciliation: facts of objects that were asked for again',
    columns: [figure('Objects'), 'Facts'],
    rows: [
      ...(filledFacts === 0 ? [] : [[filledFacts, 'there again']]),
      ...missingFacts.map(({ rows, reason }) => [rows, { sentence: say`missing: ${reason}` }]),
    ],
  };
}

/** Reconciliations in the form in which the ledger has them. */
type KeptReconciliations = readonly Pick<
  Awaited<ReturnType<LedgerVerbs['listReconciliations']>>[number],
  'result' | 'madeBy' | 'madeAt'
>[];

/**
 * The last reconciliation of a batch as sections of a later run's report. Its results are shown unchanged, although
 * rows may have changed since then.
 * @returns no sections if there was no reconciliation
 */
export function lastReconciliationSections(made: KeptReconciliations): Table[] {
  const last = made.at(-1);
  if (last === undefined) return [];
  const { account: found, doubts, comparison, accepted } = last.result;
  const dated = (section: Table): Table => ({
    ...section,
    introduction: joined(
      [
        `As of ${secondOf(last.madeAt)}, made by ${last.madeBy}; rows may have moved on since.`,
        ...(section.introduction === undefined ? [] : [section.introduction]),
      ],
      ' ',
    ),
  });
  const first = dated(accountSection(found, 'it was not there'));
  const waiting: Line = [
    'Rows that wait for a verdict',
    doubts === 0 ? 'in order' : 'WAITING',
    countOf(doubts, 'row'),
  ];
  return [
    { ...first, rows: [...first.rows, waiting] },
    ...(comparison === null ? [] : [dated(statesSection(comparison))]),
    ...(accepted.length === 0 ? [] : [dated(acceptedSection(accepted))]),
  ];
}
