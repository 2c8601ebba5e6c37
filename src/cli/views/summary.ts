/* Formats the current state of a batch for a terminal: its notes, rows, reasons, amounts and files, and the next step. */

import { hasFewValues } from '../../account/attention.ts';
import { amountsTable } from '../../account/batch-tables.ts';
import { changesHeadlines, driftSentences, seriesSentences } from '../../account/changes.ts';
import { notesOf, type Sentence, sentencesOf, type Tone } from '../../account/facts.ts';
import { countedStatuses } from '../../account/figures.ts';
import { failedRowsText, modeWord, statusLabel, workbookGap } from '../../account/words/wording.ts';
import type { Attention, AttentionGroup, BatchAccount, InputAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { BatchFiles, ChangesSummary } from '../../domain/batches/batch-facts.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { ShownChange, ShownPayee } from '../../domain/rows/finding.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { mask, printable } from '../../domain/text/characters.ts';
import { terminalText } from '../options/options.ts';
import {
  blocksOf,
  type Colour,
  colourIf,
  fileNames,
  folded,
  noteLines,
  type Style,
  statusColour,
  stepLines,
  TEXT_COLUMNS,
  titledTable,
  wrapped,
} from './terminal-text.ts';

/* The changes since last time, for a terminal, with masked values. */

const shownChanges = 5;

/**
 * The counts of both kinds of findings, the first findings with their values before and after, and the comparison with the
 * last file.
 */
export function changeLines(
  changes: ChangesSummary | null,
  colour: Colour,
  terminalColumns?: number,
): string[] {
  if (changes === null) return [];
  const found = findingLines(changes, colour, terminalColumns);
  const { series = null } = changes;
  const compared =
    series === null
      ? []
      : seriesSentences(series).flatMap((sentence) => wrapped(sentence, '  ', terminalColumns));
  const drifted = driftSentences(changes.drift ?? []).flatMap((sentence) => {
    const lines = wrapped(sentence, '  ', terminalColumns);
    return lines.map((line) => `  ${colour('yellow', line.slice(2))}`);
  });
  const lines = [...drifted, ...found, ...compared];
  return lines.length === 0 ? [] : [`  ${colour('bold', 'What changed since last time')}`, ...lines];
}

function findingLines(
  { counts, shown }: ChangesSummary,
  colour: Colour,
  terminalColumns: number | undefined,
): string[] {
  if (shown.length === 0) return [];
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = all - Math.min(shownChanges, shown.length);
  const lines = shown
    .slice(0, shownChanges)
    .flatMap((change) => wrapped(changeText(change), '    ', terminalColumns));
  const more = left === 0 ? [] : [`    and ${countOf(left, 'more finding')}, in the changes file`];
  return [...changesHeadlines(counts).map((line) => `  ${colour('yellow', line)}`), ...lines, ...more];
}

function changeText({ row, code, before, after, earlier }: ShownChange): string {
  const place =
    earlier.batch === null
      ? `row ${groupedNumber(earlier.row)} of this file`
      : `row ${groupedNumber(earlier.row)} of ${printable(earlier.file)}, batch ${shortBatchId(earlier.batch)}`;
  const created = earlier.createdAt === null ? '' : `, created ${earlier.createdAt.slice(0, 10)}`;
  const what =
    code === 'payee_details_changed'
      ? `${accountOf(before, after)} before, ${accountOf(after, before)} now`
      : `${accountOf(after)} is another payee's`;
  return `row ${groupedNumber(row)}: ${what} (${place}${created})`;
}

/**
 * A masked account. If its visible end is the same as that of the other account, characters that show the difference are
 * visible as well.
 */
function accountOf({ account, institution }: ShownPayee, other?: ShownPayee): string {
  const where =
    institution === '' || /^[\da-f-]{36}$/.test(institution) ? '' : ` at ${printable(institution)}`;
  return `${other === undefined ? mask(account) : maskedBeside(account, other.account)}${where}`;
}

function maskedBeside(account: string, other: string): string {
  const masked = mask(account);
  if (account === other || masked !== mask(other)) return masked;
  const [own, others] = [[...account], [...other]];
  const at = own.findIndex((character, index) => character !== others[index]);
  if (at < 0) return masked;
  // Number of characters that the mask shows at the end.
  const visible = masked.length - '“…”'.length;
  if (visible === 0) return masked;
  const differing = own.slice(at, at + visible).join('');
  return `“${at === 0 ? '' : '…'}${printable(differing)}${masked.slice(1)}`;
}

const shownReasons = 6;

const shownValues = 5;

/**
 * The reasons why rows are not created, the most frequent first. Each reason is shown with its number of rows and an
 * example row.
 */
export function reasonLines(attention: Attention | null, colour: Colour, terminalColumns?: number): string[] {
  const listed = (attention?.groups ?? []).filter(
    ({ status, example }) => example !== null && isListed(status),
  );
  if (listed.length === 0) return [];
  const shown = [...listed].sort((left, right) => right.rows - left.rows).slice(0, shownReasons);
  const lines = shown.flatMap((reason) => {
    const [first = '', ...others] = wrapped(reasonText(reason), '    ', terminalColumns);
    return [`  ${colour(statusColour(reason.status), '•')} ${first.slice(4)}`, ...others];
  });
  const left = listed.length - shown.length;
  const more = left === 0 ? [] : [`    and ${countOf(left, 'more reason')}, in the report`];
  return [`  ${colour('bold', 'Reasons')}`, ...lines, ...more];
}

/** Whether the reasons of a status are shown here. Reasons of rows in doubt, or not sent yet, are shown elsewhere. */
function isListed(status: ResultStatus): boolean {
  return status === 'invalid' || status === 'rejected' || status === 'held' || status === 'waiting';
}

function reasonText(reason: AttentionGroup): string {
  const { column, example: message, rows, places } = reason;
  const own = column === null ? [] : [`your column ${printable(column)}${valuesText(reason)}`];
  const first = /^\d+/.exec(places[0]?.rows ?? '')?.[0];
  const where = first === undefined ? [] : [rows === 1 ? `row ${first}` : `for example row ${first}`];
  const about = [...own, ...where];
  return `${whatHappened(reason)}: ${printable(message ?? '')}${about.length === 0 ? '' : ` (${about.join('; ')})`}`;
}

function whatHappened({ status, rows }: AttentionGroup): string {
  const [are, wait] = rows === 1 ? ['is', 'waits'] : ['are', 'wait'];
  switch (status) {
    case 'rejected':
      return `The API refused ${countOf(rows, 'row')}`;
    case 'held':
      return `${countOf(rows, 'row')} ${are} held for a person`;
    case 'waiting':
      return `${countOf(rows, 'row')} ${wait}`;
    default:
      return `${countOf(rows, 'row')} ${are} invalid`;
  }
}

/** `: Privat 1,112, Firma 44`, for a column with few values. */
function valuesText(reason: AttentionGroup): string {
  if (!hasFewValues(reason)) return '';
  const byRows = [...reason.places].sort((left, right) => right.rowCount - left.rowCount);
  const shown = byRows
    .slice(0, shownValues)
    .map(({ value, rowCount }) => `${printable(value || 'empty')} ${groupedNumber(rowCount)}`);
  const left = byRows.length - shown.length;
  return `: ${shown.join(', ')}${left === 0 ? '' : ` and ${countOf(left, 'other value')}`}`;
}

interface SummaryOptions {
  readonly useColour: boolean;
  readonly words: Phrasebook;
  /** The width of sentences; 100 columns when absent. */
  readonly terminalColumns?: number;
}

/** The facts for the title of a batch. */
export type TitledBatch = Pick<
  BatchAccount,
  'id' | 'file' | 'sheet' | 'kind' | 'environment' | 'unprovenKey'
>;

/** The file, the kind of its rows, and their environment. */
export function titleOf(account: TitledBatch, colour: Colour): string {
  const { id, file, sheet, kind, environment } = account;
  return [
    colour('bold', printable(sheet === null ? file : `${file}, sheet ${sheet}`)),
    kind,
    environment.mode === 'live' ? colour('red', modeWord(account)) : modeWord(account),
    `batch ${shortBatchId(id)}`,
  ].join(' · ');
}

const toneStyles: Readonly<Partial<Record<Tone, Style>>> = {
  alarm: 'red',
  main: 'bold',
  stop: 'red',
  waiting: 'yellow',
  good: 'green',
};

function sentenceLines({ tone, text }: Sentence, colour: Colour, terminalColumns?: number): string[] {
  const style = toneStyles[tone];
  const lines = wrapped(printable(text), '  ', terminalColumns);
  return style === undefined ? lines : lines.map((line) => `  ${colour(style, line.slice(2))}`);
}

function countLines(account: InputAccount, colour: Colour, terminalColumns?: number): string[] {
  const counted = countedStatuses(account);
  const labelWidth = Math.max(...counted.map(({ status }) => statusLabel(status).length));
  const numberWidth = Math.max(...counted.map(({ rows }) => groupedNumber(rows).length));
  const indent = ' '.repeat(2 + labelWidth + 2 + numberWidth + 2);
  return counted.flatMap(({ status, rows, meaning }) => {
    const label = colour(statusColour(status), statusLabel(status).padEnd(labelWidth));
    const [first = '', ...others] = wrapped(meaning, indent, terminalColumns);
    return [
      `  ${label}  ${groupedNumber(rows).padStart(numberWidth)}  ${first.slice(indent.length)}`,
      ...others,
    ];
  });
}

/** Amounts by status and currency, which are never added together, and the rows without an amount. */
function amountLines(account: InputAccount, colour: Colour, terminalColumns?: number): string[] {
  const table = amountsTable(account);
  if (table === null) return [];
  const left =
    table.introduction === undefined ? [] : wrapped(terminalText(table.introduction), '  ', terminalColumns);
  return [...titledTable(table, colour, { terminalColumns }), ...left];
}

function fileLines(files: BatchFiles): string[] {
  const named: readonly (readonly [string, string | null | undefined])[] = [
    ['results', files.results],
    ['failed', files.failed],
    ['', failedRowsText(files.failedRows)],
    ['', files.failedWorkbook],
    ['', workbookGap(files.failedWorkbook ?? null, files.failedWorkbookLeftOut, files.failed)],
    ['changes', files.changes],
    ['objects', files.objects],
    ['sheets', files.instructions],
    ['findings', files.findings],
    ['report', files.report],
    ['run log', files.log],
  ];
  return fileNames(named, 8);
}

/** A batch for a terminal: several lines, without a newline at the end. */
export function batchSummary(account: BatchAccount, options: SummaryOptions): string {
  const { words, terminalColumns } = options;
  const colour = colourIf(options.useColour);
  const blocks = [
    [
      folded(titleOf(account, colour), terminalColumns ?? TEXT_COLUMNS),
      ...sentencesOf(account).flatMap((sentence) => sentenceLines(sentence, colour, terminalColumns)),
    ],
    changeLines(account.changes, colour, terminalColumns),
    account.rows === 0 ? [] : countLines(account, colour, terminalColumns),
    reasonLines(account.attention, colour, terminalColumns),
    amountLines(account, colour, terminalColumns),
    noteLines(notesOf(account)),
    fileLines(account.files),
    account.next.flatMap((step) => stepLines(step, words, colour, terminalColumns)),
  ];
  return blocksOf(blocks);
}
