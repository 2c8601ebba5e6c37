/* Batches as `status` shows them: all of them, and one. */

import { type RowsInDoubt, shortBatchId } from '../../domain/batches/batch.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { resultStatuses } from '../../domain/rows/row-state.ts';
import type { BatchView, RunView } from '../../engine/status/batch-view.ts';
import { exitCodes } from '../../output/words/exit-codes.ts';
import {
  approvalHeadline,
  closingHeadline,
  countOf,
  groupedNumber,
  occurring,
  printable,
  refusedAlikeHeadline,
  statusLabel,
  unansweredHeadline,
} from '../../output/words/wording.ts';
import {
  type AlignedColumn,
  alignedTable,
  type Colour,
  colourIf,
  shortened,
  TEXT_COLUMNS,
  textWidth,
  wrapped,
} from './terminal-text.ts';

/** A time as people read it, to the minute; its zone, UTC, is said elsewhere. */
function minuteOf(time: string): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

/**
 * The batches as a table, in the order given but with corrections below the batch whose rows they correct, and with a
 * column for each status that occurs; where that would be wider than the terminal, as a block of lines for each. A
 * sentence when there are none.
 * @param showCommand the command that shows a batch
 */
export function statusTable(
  listed: readonly BatchView[],
  showCommand: (batch: BatchView) => string,
  useColour: boolean,
  terminalColumns = TEXT_COLUMNS,
): string {
  const batches = inFamilies(listed);
  if (batches.length === 0) return 'There are no batches in this ledger yet.';
  const colour = colourIf(useColour);
  const table = tableOf(batches, colour, terminalColumns);
  const isTooWide = table.some((line) => textWidth(line) > terminalColumns);
  const lines = isTooWide
    ? batches.flatMap((batch) => blockOf(batch, colour, terminalColumns))
    : [
        table[0] ?? '',
        ...batches.flatMap((batch, at) => [table[at + 1] ?? '', ...moreOf(batch, terminalColumns)]),
      ];
  return [...lines, ...totalLines(batches, showCommand, colour, terminalColumns)].join('\n');
}

/** A batch in the list, and whether it stands below the one whose rows it corrects. */
interface PlacedBatch extends BatchView {
  readonly isBelowFirst: boolean;
}

/** Each family stands where its newest batch would: the first batch, then its corrections from old to new. */
function inFamilies(listed: readonly BatchView[]): PlacedBatch[] {
  const placed = new Set<string>();
  return listed.flatMap((batch) => {
    const { family } = batch;
    if (family === null) return [{ ...batch, isBelowFirst: false }];
    const members = [family.first.id, ...family.corrections.map(({ id }) => id)];
    const shown = members
      .filter((id) => !placed.has(id))
      .flatMap((id) => listed.find((other) => other.id === id) ?? []);
    for (const { id } of shown) placed.add(id);
    const isFirstShown = shown[0]?.id === family.first.id;
    return shown.map((member, at) => ({ ...member, isBelowFirst: isFirstShown && at > 0 }));
  });
}

function tableOf(batches: readonly PlacedBatch[], colour: Colour, terminalColumns: number): string[] {
  const statuses = resultStatuses.filter((status) => batches.some(({ counts }) => counts[status]));
  const columns: AlignedColumn[] = [
    { title: 'batch' },
    { title: 'file', mayShrink: true },
    { title: 'kind' },
    { title: 'rows', isFigure: true },
    ...statuses.map((status) => ({ title: statusLabel(status), isFigure: true })),
    { title: 'needs you', isFigure: true },
    { title: 'state' },
    { title: 'last run (UTC)' },
  ];
  const records = batches.map((batch) => [
    `${batch.isBelowFirst ? '  ' : ''}${shortBatchId(batch.id)}`,
    nameOf(batch),
    batch.kind,
    groupedNumber(batch.rows),
    ...statuses.map((status) => figure(batch.counts[status] ?? 0)),
    figure(batch.needsPerson),
    batch.state,
    batch.lastRunAt === null ? 'never' : minuteOf(batch.lastRunAt),
  ]);
  return alignedTable(columns, records, colour, '', terminalColumns);
}

/** Nothing is easier to overlook than a line of zeros. */
function figure(value: number): string {
  return value === 0 ? '-' : groupedNumber(value);
}

function nameOf({ file, sheet }: BatchView): string {
  return printable(sheet === null ? file : `${file}:${sheet}`);
}

function blockOf(batch: PlacedBatch, colour: Colour, terminalColumns: number): string[] {
  const counts = occurring(batch.counts).map(
    ([status, count]) => `${statusLabel(status)} ${groupedNumber(count)}`,
  );
  const ran =
    batch.lastRunAt === null ? 'it has never run' : `its last run began ${minuteOf(batch.lastRunAt)} UTC`;
  const needs = batch.needsPerson === 0 ? [] : [`needs you: ${groupedNumber(batch.needsPerson)}`];
  return [
    `${colour('bold', shortBatchId(batch.id))}  ${shortened(nameOf(batch), terminalColumns - 10)}`,
    ...wrapped(
      `${batch.state}, ${countOf(batch.rows, 'row')} of ${batch.kind}; ${ran}`,
      '    ',
      terminalColumns,
    ),
    ...[counts.join(', '), ...needs]
      .filter((text) => text !== '')
      .flatMap((text) => wrapped(text, '    ', terminalColumns)),
    ...moreOf(batch, terminalColumns),
  ];
}

/** What a column has no room for: who works on the batch, why the API is silent, and until when rows in doubt may be sent again. */
function moreOf(batch: PlacedBatch, terminalColumns: number): string[] {
  const { runs, unanswered, refusedAlike, closing, approval, doubt, environment } = batch;
  return [
    ...familySentences(batch),
    ...runningSentences(runs),
    ...(unanswered === null ? [] : [unansweredHeadline(unanswered, environment.origin)]),
    ...(refusedAlike === null ? [] : [refusedAlikeHeadline(refusedAlike)]),
    ...(closing === null ? [] : [closingHeadline(closing)]),
    ...(approval === null || batch.state === 'finished' ? [] : [approvalHeadline(approval)]),
    ...(doubt === null ? [] : doubtSentences(doubt)),
  ].flatMap((text) => wrapped(printable(text), '    ', terminalColumns));
}

/** `with its corrections, 3 of 4 rows are done now`; of a correction, whose rows it has. */
function familySentences({ id, family, rows, isBelowFirst }: PlacedBatch): string[] {
  if (family === null) return [];
  const { first, doneRows } = family;
  const done = `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')} are done now`;
  if (id === first.id) return [`with its corrections, ${done}`];
  const corrects = `corrects ${countOf(rows, 'row')} of batch ${shortBatchId(first.id)}`;
  return [isBelowFirst ? corrects : `${corrects}, of which ${done}`];
}

/** `running: paybatch resume, process 4711 on host, since 2026-11-20 10:03 UTC`, of each run that is under way. */
function runningSentences(runs: readonly RunView[]): string[] {
  return runs
    .filter(({ isUnderWay }) => isUnderWay)
    .map(
      ({ command, host, process, startedAt }) =>
        `running: paybatch ${command}, process ${process} on ${host}, since ${minuteOf(startedAt)} UTC`,
    );
}

/** A batch and its corrections, in sentences. */
export function familyNotes({ id, family }: Pick<BatchView, 'id' | 'family'>): string[] {
  if (family === null) return [];
  const { first, doneRows, corrections } = family;
  const own = corrections.find((correction) => correction.id === id);
  const done = `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')}`;
  const listed = corrections
    .filter((correction) => correction.id !== id)
    .map(({ id: other, rows, doneRows: ofIt }) => {
      return `${shortBatchId(other)} (${groupedNumber(ofIt)} of ${groupedNumber(rows)} done)`;
    });
  const whose = own === undefined ? 'its corrections' : 'other corrections';
  const rounds = listed.length === 0 ? '' : `; ${whose}: ${listed.join(', ')}`;
  if (own === undefined) return [`with its corrections, ${done} are done now${rounds}`];
  const rows = countOf(own.rows, 'row');
  return [`it corrects ${rows} of batch ${shortBatchId(first.id)}, of which ${done} are done now${rounds}`];
}

/** Until when rows in doubt may be sent again, and how many may not any more. */
function doubtSentences({ oldestRunsOutAt, expired }: RowsInDoubt): string[] {
  if (expired === 0) {
    return [
      `in doubt: the oldest key runs out at ${minuteOf(oldestRunsOutAt)} UTC; then only a person may decide`,
    ];
  }
  const [keys, them] =
    expired === 1
      ? ['the key of 1 row has', 'it']
      : [`the keys of ${groupedNumber(expired)} rows have`, 'them'];
  return [`in doubt: ${keys} run out, since ${minuteOf(oldestRunsOutAt)} UTC; the next run holds ${them}`];
}

/** So many batches are named at the end, the newest: a long list has its column. */
const mostNamed = 3;

/** Said last, for readers who look there first. */
function totalLines(
  batches: readonly BatchView[],
  showCommand: (batch: BatchView) => string,
  colour: Colour,
  terminalColumns: number,
): string[] {
  const needing = batches.filter(({ needsPerson }) => needsPerson > 0);
  if (needing.length === 0) return [];
  const rows = needing.reduce((sum, { needsPerson }) => sum + needsPerson, 0);
  const text = `needs you: ${countOf(rows, 'row')} in ${countOf(needing.length, 'batch', 'batches')}. What to do, say:`;
  return [
    '',
    ...wrapped(text, '', terminalColumns).map((line) => colour('yellow', line)),
    ...needing.slice(0, mostNamed).map((batch) => `  ${colour('bold', printable(showCommand(batch)))}`),
  ];
}

/** What a batch's account adds to its summary: what needs a person, rows in doubt, and its runs. */
export function batchStatus(
  { needsPerson, runs, doubt }: Pick<BatchView, 'needsPerson' | 'runs' | 'doubt'>,
  useColour: boolean,
  terminalColumns: number,
): string {
  const colour = colourIf(useColour);
  const sentences = [...runningSentences(runs), ...(doubt === null ? [] : doubtSentences(doubt))].flatMap(
    (text) => wrapped(printable(text), '  ', terminalColumns),
  );
  const needs =
    needsPerson === 0 ? [] : [`  ${colour('yellow', `needs you: ${groupedNumber(needsPerson)}`)}`];
  const blocks = [[...needs, ...sentences], runLines(runs, useColour, terminalColumns)];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function runLines(runs: readonly RunView[], useColour: boolean, terminalColumns: number): string[] {
  if (runs.length === 0) return [];
  return alignedTable(
    [
      { title: 'run', isFigure: true },
      { title: 'command' },
      { title: 'began (UTC)' },
      { title: 'took', isFigure: true },
      { title: 'end', mayShrink: true },
    ],
    runs.map((run) => [
      String(run.number),
      `paybatch ${run.command}`,
      run.startedAt.slice(0, 19).replace('T', ' '),
      durationOf(run),
      endOf(run),
    ]),
    colourIf(useColour),
    '  ',
    terminalColumns,
  );
}

function durationOf({ startedAt, endedAt }: RunView): string {
  if (endedAt === null) return '-';
  const seconds = Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

function endOf({ endedAt, outcome, isUnderWay }: RunView): string {
  if (outcome !== null) return `exit ${exitCodes[outcome]}: ${meanings[outcome]}`;
  if (isUnderWay) return 'under way';
  return endedAt === null ? 'no sign of life: the next run takes over' : 'lost: killed, or cut off';
}

/** What the end of a run says of it. */
const meanings: Readonly<Record<CallOutcome, string>> = {
  done: 'all rows are there',
  rows_need_correction: 'rows to correct, or waiting',
  usage: 'usage',
  file_refused: 'refused',
  plan_changed: 'refused',
  stopped: 'stopped before its end',
  decision_needed: 'rows for a person',
  credentials_refused: 'credentials refused',
  busy: 'held by another run',
  approval_needed: 'waiting for approval',
  internal: 'a bug of ours',
};
