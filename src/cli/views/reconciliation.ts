/* Formats the result of a reconciliation. */

import {
  type BreakLine,
  differenceText,
  firstTexts,
  notComparedTexts,
  proofText,
  stateRows,
  stateText,
} from '../../account/reconciliation/comparison.ts';
import {
  amountTexts,
  type ReplayFigures,
  repeatedRowsText,
  replayCounts,
  type UndecidedLine,
} from '../../account/reconciliation/report.ts';
import { secondOf } from '../../account/table.ts';
import { occurring, statusLabel } from '../../account/words/wording.ts';
import type { AcceptedCount } from '../../domain/batches/difference-decisions.ts';
import type { Account, ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import type { Message } from '../../domain/settings/message.ts';
import { printable } from '../../domain/text/characters.ts';
import type { ReconcileResult } from '../../reconcile/batches/batch.ts';
import { breakLinesOf, replayFigures, writtenFiles } from '../../reconcile/batches/reconciliation.ts';
import { terminalText } from '../options/options.ts';
import { titleOf } from './summary.ts';
import {
  type AlignedColumn,
  alignedTable,
  type Colour,
  colourIf,
  stepLines,
  wrapped,
} from './terminal-text.ts';

const columns: readonly AlignedColumn[] = [
  { title: '' },
  { title: 'state' },
  { title: 'here', isFigure: true },
  { title: 'there', isFigure: true },
  { title: 'currency' },
  { title: 'amount here', isFigure: true },
  { title: 'amount there', isFigure: true },
];

/** A comparison, state by state, its first differences, and its proof, for a terminal. */
export function comparisonSummary(
  figures: ComparisonFigures,
  breaks: readonly BreakLine[],
  words: Phrasebook,
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const { hereName, thereName, here, there, breakCount } = figures;
  const records = stateRows(figures).map(({ state, isDifference, counts, currency, amounts }) => [
    ...(counts === null
      ? ['', '', '', '']
      : [markOf(state, isDifference), stateText(state, isDifference), ...countTexts(counts)]),
    ...[currency, groupedAmount(amounts.here), groupedAmount(amounts.there)],
  ]);
  return [
    ...wrapped(`${printable(hereName)} (here) beside ${printable(thereName)} (there)`, '  '),
    ...notComparedTexts(figures).flatMap((text) => wrapped(colour('yellow', text), '  ')),
    '',
    ...alignedTable(columns, records, colour).map((line) => marked(line, colour)),
    '',
    ...breakLines(breaks, breakCount, words, colour),
    ...wrapped(proofText(here, there), '  '),
  ].join('\n');
}

/** Records outside the coverage are not differences, but they are not in order either. */
function markOf(state: string, isDifference: boolean): string {
  if (isDifference) return 'DIFF';
  return state === 'not_covered' ? 'note' : 'ok';
}

function countTexts(counts: { readonly here: number; readonly there: number }): string[] {
  return [groupedNumber(counts.here), groupedNumber(counts.there)];
}

function marked(line: string, colour: Colour): string {
  return line
    .replace(/^ {2}ok\b/, `  ${colour('green', 'ok')}`)
    .replace(/^ {2}note\b/, `  ${colour('yellow', 'note')}`)
    .replace(/^ {2}DIFF\b/, `  ${colour('red', 'DIFF')}`);
}

const breaksShown = 5;

function breakLines(
  breaks: readonly BreakLine[],
  total: number,
  words: Phrasebook,
  colour: Colour,
): string[] {
  if (total === 0) return [];
  const lines = breaks
    .slice(0, breaksShown)
    .flatMap((line) => [
      `  ${colour('red', line.state)}  ${placeText(line)}`,
      ...wrapped(printable(differenceText(line)), '      '),
      ...(line.action === null ? [] : wrapped(`→ ${printable(words.rowRemedy(line.action))}`, '      ')),
    ]);
  const rest = total - Math.min(breaks.length, breaksShown);
  return [
    ...lines,
    ...(rest > 0 ? [`  and ${countOf(rest, 'more difference')}: see the breaks file`] : []),
    '',
  ];
}

function placeText({ hereRow, thereRow, thereFile }: BreakLine): string {
  const places = [
    ...(hereRow === null ? [] : [`row ${hereRow} here`]),
    ...(thereRow === null
      ? []
      : [`row ${thereRow}${thereFile === null ? '' : ` of ${printable(thereFile)}`} there`]),
  ];
  return places.join(', ');
}

function mark(colour: Colour, isGood: boolean): string {
  return isGood ? colour('green', 'ok  ') : colour('red', 'DIFF');
}

function rowList(rows: readonly number[]): string {
  return rows.slice(0, 5).join(', ') + (rows.length > 5 ? ' and more' : '');
}

/** The account of a batch's rows, for a terminal. */
function accountSummary(account: Account & { readonly sourceNote: Message }, useColour: boolean): string {
  const colour = colourIf(useColour);
  const statuses = occurring(account.counts).map(
    ([status, count]) => `${groupedNumber(count)} ${statusLabel(status)}`,
  );
  return [
    `  ${mark(colour, account.isComplete)}  Rows: ${countOf(account.rows, 'row')} taken in, each in exactly one status: ${statuses.join(', ')}.`,
    ...amountTexts(account).map((text) => `        ${text}`),
    sourceLine(account, colour),
    ...repeatedLines(account),
    echoLine(account, colour),
    contradictionLine(account, colour),
  ].join('\n');
}

function sourceLine(
  { source, sourceNote }: Account & { readonly sourceNote: Message },
  colour: Colour,
): string {
  if (source === null)
    return `  ${colour('yellow', 'note')}  Source file not compared: ${printable(terminalText(sourceNote))}`;
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

function repeatedLines({ source }: Account): string[] {
  if (source === null || source.repeated.rows === 0) return [];
  return [`        ${repeatedRowsText(source.repeated)}`];
}

function echoLine({ echoes }: Account, colour: Colour): string {
  const { checked, unchecked, differing, differences } = echoes;
  const rest = unchecked > 0 ? `; ${countOf(unchecked, 'row')} without an answer that repeats anything` : '';
  if (differing === 0) {
    return `  ${mark(colour, true)}  Answers: ${countOf(checked, 'row')} checked, none with another value than was sent${rest}.`;
  }
  const shown = differences.slice(0, 5).map(({ row, fields }) => `row ${row} (${fields.join(', ')})`);
  return `  ${mark(colour, false)}  Answers: ${countOf(differing, 'row')} with other values than were sent: ${shown.join(', ')}${differing > 5 ? ' and more' : ''}${rest}.`;
}

const contradictionTexts: Readonly<Record<Account['contradictions'][number]['kind'], string>> = {
  natural_key: 'one natural key with two ids',
  unrecorded: 'an object that was created for the row, and that the row does not have',
};

function contradictionLine({ contradictions }: Account, colour: Colour): string {
  if (contradictions.length === 0) {
    return `  ${mark(colour, true)}  Ids: none is on two rows, and no natural key has two.`;
  }
  const shown = contradictions.slice(0, 5).map(({ kind, rows }) => {
    const places = rows.map(({ batch, row }) => `row ${row} of ${batch.slice(0, 8)}`).join(', ');
    return `${contradictionTexts[kind]}: ${places}`;
  });
  return `  ${mark(colour, false)}  Ids: ${shown.join('; ')}${contradictions.length > 5 ? '; and more' : ''}.`;
}

/** The first rows that wait for a person, for a terminal. */
function undecidedSummary(
  undecided: readonly UndecidedLine[],
  total: number,
  words: Phrasebook,
  useColour: boolean,
): string {
  const colour = colourIf(useColour);
  const lines = undecided.flatMap(({ row, status, age, known, advice }) => [
    `  ${colour('yellow', `row ${row}`)}  ${status} for ${age}`,
    ...wrapped(printable(known), '      '),
    ...wrapped(`→ ${words.rowRemedy(advice)}`, '      '),
  ]);
  const rest = total - undecided.length;
  return [...lines, ...(rest > 0 ? [`  and ${countOf(rest, 'more row')}: see the verdicts file`] : [])].join(
    '\n',
  );
}

/** The written files, one per line. */
export function fileLines(files: Readonly<Record<string, string | null>>): string {
  return Object.entries(files)
    .flatMap(([name, path]) => (path === null ? [] : [`  ${name.padEnd(8)}  ${printable(path)}`]))
    .join('\n');
}

const acceptedShown = 20;

/** The differences that people have accepted, a line for each kind and decision. */
function acceptedSummary(accepted: readonly AcceptedCount[]): string {
  if (accepted.length === 0) return '';
  const lines = accepted.slice(0, acceptedShown).flatMap(({ kind, count, by, at, note }) => {
    const line = `${countOf(count, 'difference')} (${kind}), by ${by} at ${secondOf(at)}: ${note}`;
    return wrapped(printable(line), '    ');
  });
  const rest = accepted.length - acceptedShown;
  return [
    '  Accepted, and no difference any more:',
    ...lines,
    ...(rest > 0 ? [`    and ${countOf(rest, 'more decision')}`] : []),
  ].join('\n');
}

const replayedShown = 20;

/** The numbers of existing and of new objects, then the result of each row. */
function replaySummary(replayed: ReplayFigures): string {
  const facts = factsSentences(replayed).flatMap((sentence) => wrapped(sentence, '  '));
  if (replayed.rows === 0) return facts.join('\n');
  const shown = replayed.first.slice(0, replayedShown);
  const rest = replayed.rows - shown.length;
  return [
    ...wrapped(`${countOf(replayed.rows, 'row')} sent again: ${replayCounts(replayed)}.`, '  '),
    ...shown.map(({ row, status, origin }) => `    row ${row}  ${status}: ${origin}`),
    ...(rest > 0 ? [`    and ${countOf(rest, 'more row')}`] : []),
    ...facts,
  ].join('\n');
}

/** The results for facts that the ledger lacked, one sentence each. */
function factsSentences({ filledFacts, missingFacts }: ReplayFigures): string[] {
  const filled =
    filledFacts === 1 ? '1 object has its facts' : `${groupedNumber(filledFacts)} objects have their facts`;
  return [
    ...(filledFacts === 0 ? [] : [`${filled} again.`]),
    ...missingFacts.map(
      ({ reason, rows }) =>
        `${countOf(rows, 'row')} ${rows === 1 ? 'keeps' : 'keep'} empty facts: ${terminalText(reason)}.`,
    ),
  ];
}

/** The first lines: the data that was compared, and the parts that were not checked. */
export function firstLines(comparison: ComparisonFigures | null, useColour: boolean): string[] {
  const [compared, ...open] = comparison === null ? [] : firstTexts(comparison).map(terminalText);
  const lines = open.flatMap((text) => wrapped(colourIf(useColour)('yellow', text), '  '));
  return compared === undefined ? [] : [...wrapped(compared, '  '), ...lines];
}

/** The complete result of a batch's reconciliation, for a terminal. */
export function reconciliationText(
  { reconciliation, batches: [batch] }: ReconcileResult,
  words: Phrasebook,
  useColour: boolean,
): string {
  const { account, sourceNote, compared, undecided, undecidedCount, accepted } = reconciliation;
  const colour = colourIf(useColour);
  const figures = compared?.figures ?? null;
  const blocks = [
    [titleOf(batch, colour), ...firstLines(figures, useColour)].join('\n'),
    replaySummary(replayFigures(reconciliation)),
    accountSummary({ ...account, sourceNote }, useColour),
    undecidedCount > 0 ? undecidedSummary(undecided, undecidedCount, words, useColour) : '',
    compared === null ? '' : comparisonSummary(compared.figures, breakLinesOf(compared), words, useColour),
    acceptedSummary(accepted.counts()),
    fileLines({ ...writtenFiles(reconciliation), report: batch.files.report }),
    batch.next.flatMap((step) => stepLines(step, words, colour)).join('\n'),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}
