/* What became of a batch, with the reasons for what was not created. */

import { waitsForApproval } from '../../domain/batches/approval.ts';
import { type Environment, shortBatchId } from '../../domain/batches/batch.ts';
import {
  type BatchFiles,
  type BatchSummary,
  hasFewValues,
  type ReasonGroup,
} from '../../domain/batches/batch-summary.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { ResultStatus } from '../../domain/rows/row-state.ts';
import { nextSteps } from '../../output/words/next-steps.ts';
import {
  approvalHeadline,
  closingHeadline,
  contradictionHeadline,
  countOf,
  failedRowsText,
  groupedAmount,
  groupedNumber,
  headline,
  occurring,
  partialSums,
  printable,
  refusedAlikeHeadline,
  statusLabel,
  statusMeaning,
  unansweredHeadline,
  unrecordedHeadline,
  workbookGap,
} from '../../output/words/wording.ts';
import { changeLines } from './changes.ts';
import {
  alignedTable,
  type Colour,
  colourIf,
  folded,
  noteLines,
  statusColour,
  stepLines,
  TEXT_COLUMNS,
  wrapped,
} from './terminal-text.ts';

const shownReasons = 6;
const shownValues = 5;

/** Why rows are not created, the most frequent reasons first, each with its rows and one of them as an example. */
export function reasonLines(
  reasons: readonly ReasonGroup[],
  colour: Colour,
  terminalColumns?: number,
): string[] {
  const told = reasons.filter(({ status, example }) => example !== null && isTold(status));
  if (told.length === 0) return [];
  const shown = [...told].sort((left, right) => right.rows - left.rows).slice(0, shownReasons);
  const lines = shown.flatMap((reason) => {
    const [first = '', ...others] = wrapped(reasonText(reason), '    ', terminalColumns);
    return [`  ${colour(statusColour(reason.status), '•')} ${first.slice(4)}`, ...others];
  });
  const left = told.length - shown.length;
  const more = left === 0 ? [] : [`    and ${countOf(left, 'more reason')}, in the report`];
  return [`  ${colour('bold', 'Reasons')}`, ...lines, ...more];
}

/** What is in doubt, or not sent yet, is told elsewhere. */
function isTold(status: ResultStatus): boolean {
  return status === 'invalid' || status === 'rejected' || status === 'held' || status === 'waiting';
}

function reasonText(reason: ReasonGroup): string {
  const { column, example: message, rows, places } = reason;
  const own = column === null ? [] : [`your column ${printable(column)}${valuesText(reason)}`];
  const first = /^\d+/.exec(places[0]?.rows ?? '')?.[0];
  const where = first === undefined ? [] : [rows === 1 ? `row ${first}` : `for example row ${first}`];
  const about = [...own, ...where];
  return `${whatHappened(reason)}: ${printable(message ?? '')}${about.length === 0 ? '' : ` (${about.join('; ')})`}`;
}

function whatHappened({ status, rows }: ReasonGroup): string {
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

/** `: Privat 1,112, Firma 44`, of a column whose values are few. */
function valuesText(reason: ReasonGroup): string {
  if (!hasFewValues(reason)) return '';
  const { places } = reason;
  const byRows = [...places].sort((left, right) => right.rowCount - left.rowCount);
  const shown = byRows
    .slice(0, shownValues)
    .map(({ value, rowCount }) => `${value === '' ? 'empty' : printable(value)} ${groupedNumber(rowCount)}`);
  const left = byRows.length - shown.length;
  return `: ${shown.join(', ')}${left === 0 ? '' : ` and ${countOf(left, 'other value')}`}`;
}

interface SummaryOptions {
  readonly environment: Environment;
  readonly useColour: boolean;
  readonly words: DoorWords;
  /** How wide sentences may be; 100 columns when absent. */
  readonly terminalColumns?: number;
}

function titleLine(batch: BatchSummary, environment: Environment, colour: Colour): string {
  const file = batch.sheet === null ? batch.file : `${batch.file}, sheet ${batch.sheet}`;
  const mode = environment.mode === 'live' ? colour('red', 'LIVE') : 'sandbox';
  const parts = [colour('bold', printable(file)), batch.kind, mode];
  if (batch.batch !== null) parts.push(`batch ${shortBatchId(batch.batch)}`);
  return parts.join(' · ');
}

/** Why the API says nothing: without it, rows that are not sent would look like somebody's choice. */
function unansweredLines({ unanswered = null }: BatchSummary, options: SummaryOptions): string[] {
  if (unanswered === null) return [];
  const text = unansweredHeadline(unanswered, options.environment.origin);
  return wrapped(printable(text), '  ', options.terminalColumns).map((line) =>
    colourIf(options.useColour)('red', line),
  );
}

/** That a person wants nothing more of it sent. */
function closingLines({ closing = null }: BatchSummary, options: SummaryOptions): string[] {
  return closing === null ? [] : wrapped(printable(closingHeadline(closing)), '  ', options.terminalColumns);
}

/** Why rows stay unsent although nothing is wrong with the API. */
function refusedAlikeLines({ refusedAlike = null }: BatchSummary, options: SummaryOptions): string[] {
  if (refusedAlike === null) return [];
  const text = refusedAlikeHeadline(refusedAlike);
  return wrapped(printable(text), '  ', options.terminalColumns).map((line) =>
    colourIf(options.useColour)('red', line),
  );
}

/** Rows that wait for approval are not stopped by anything else. */
function approvalLines({ approval = null, counts }: BatchSummary, options: SummaryOptions): string[] {
  const isOpen = (counts.not_sent ?? 0) + (counts.unknown ?? 0) > 0;
  if (approval === null || !isOpen) return [];
  return wrapped(printable(approvalHeadline(approval)), '  ', options.terminalColumns).map((line) =>
    colourIf(options.useColour)(waitsForApproval(approval) ? 'yellow' : 'green', line),
  );
}

/** Said before everything else: the counts alone would look as if all were well. */
function contradictionLines({ contradicted = 0, unrecorded = 0 }: BatchSummary, colour: Colour): string[] {
  const lines = [
    ...(unrecorded === 0 ? [] : [unrecordedHeadline(unrecorded)]),
    ...(contradicted === 0 ? [] : [contradictionHeadline(contradicted)]),
  ];
  return lines.map((line) => `  ${colour('red', line)}`);
}

function countLines(batch: BatchSummary, colour: Colour, terminalColumns?: number): string[] {
  const counts = occurring(batch.counts);
  const labelWidth = Math.max(...counts.map(([status]) => statusLabel(status).length));
  const numberWidth = Math.max(...counts.map(([, count]) => groupedNumber(count).length));
  const indent = ' '.repeat(2 + labelWidth + 2 + numberWidth + 2);
  return counts.flatMap(([status, count]) => {
    const label = colour(statusColour(status), statusLabel(status).padEnd(labelWidth));
    const [first = '', ...others] = wrapped(statusMeaning(status), indent, terminalColumns);
    return [
      `  ${label}  ${groupedNumber(count).padStart(numberWidth)}  ${first.slice(indent.length)}`,
      ...others,
    ];
  });
}

/** Amounts of one status and currency on each line, since they are never added to each other. */
function totalLines(
  { totals = [], counts }: BatchSummary,
  colour: Colour,
  terminalColumns?: number,
): string[] {
  if (totals.length === 0) return [];
  const columns = [
    { title: 'amounts' },
    { title: 'currency' },
    { title: 'rows', isFigure: true },
    { title: 'sum', isFigure: true },
  ];
  const records = totals.map(({ status, currency, rows, amount }) => [
    ...[statusLabel(status), currency, groupedNumber(rows), groupedAmount(amount, currency)],
  ]);
  const partial = partialSums(totals, counts).flatMap((text) => wrapped(text, '  ', terminalColumns));
  return [...alignedTable(columns, records, colour), ...partial];
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
  return named.flatMap(([name, path]) =>
    path === null || path === undefined ? [] : [`  ${name.padEnd(8)}  ${printable(path)}`],
  );
}

function nextLines(batch: BatchSummary, options: SummaryOptions, colour: Colour): string[] {
  if (batch.batch === null) return [];
  const { words, environment, terminalColumns } = options;
  const steps = nextSteps({ ...batch, batch: batch.batch, failed: batch.files.failed, environment });
  return steps.flatMap((step) => stepLines(step, words, colour, terminalColumns));
}

/** What became of one input, for a terminal: several lines, without a newline at the end. */
export function batchSummary(batch: BatchSummary, options: SummaryOptions): string {
  const colour = colourIf(options.useColour);
  const blocks = [
    [
      folded(titleLine(batch, options.environment, colour), options.terminalColumns ?? TEXT_COLUMNS),
      ...contradictionLines(batch, colour),
      ...(batch.done === undefined ? [] : [`  ${colour('bold', batch.done)}`]),
      ...wrapped(headline(batch.rows, batch.counts), '  ', options.terminalColumns),
      ...unansweredLines(batch, options),
      ...refusedAlikeLines(batch, options),
      ...closingLines(batch, options),
      ...approvalLines(batch, options),
    ],
    changeLines(batch.changes, colour, options.terminalColumns),
    batch.rows === 0 ? [] : countLines(batch, colour, options.terminalColumns),
    reasonLines(batch.reasons ?? [], colour, options.terminalColumns),
    totalLines(batch, colour, options.terminalColumns),
    noteLines(batch.notes ?? []),
    fileLines(batch.files),
    nextLines(batch, options, colour),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}
