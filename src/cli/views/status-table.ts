/* Formats batches for `status`: the list of batches, and a single batch. */

import { reasonsTable, runsTable } from '../../account/batch-tables.ts';
import { sentencesOf } from '../../account/facts.ts';
import { withColumns } from '../../account/table.ts';
import { minuteOf, occurring, statusLabel } from '../../account/words/wording.ts';
import type { BatchAccount, RunAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { resultStatuses } from '../../domain/rows/row-state.ts';
import { printable } from '../../domain/text/characters.ts';
import {
  type AlignedColumn,
  alignedTable,
  type Colour,
  colourIf,
  shortened,
  TEXT_COLUMNS,
  tableLines,
  textWidth,
  titledTable,
  wrapped,
} from './terminal-text.ts';

/**
 * The batches as a table, in their order, with corrections below the batch whose rows they correct, and a column for each
 * status that occurs. If the table is wider than the terminal, each batch is a block of lines. A sentence if no batches
 * exist.
 * @param showCommand the command that shows a batch
 */
export function statusTable(
  listed: readonly BatchAccount[],
  showCommand: (batch: BatchAccount) => string,
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

/** A batch in the list, and whether it is below the batch whose rows it corrects. */
interface PlacedBatch extends BatchAccount {
  readonly isBelowFirst: boolean;
}

/**
 * Sorts the list by family. Each family is at the position of its newest batch: the first batch, then its corrections from
 * old to new.
 */
function inFamilies(listed: readonly BatchAccount[]): PlacedBatch[] {
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

/** A number; zero is shown as `-`, since a line of zeros is easy to overlook. */
function figure(value: number): string {
  return value === 0 ? '-' : groupedNumber(value);
}

function nameOf({ file, sheet }: BatchAccount): string {
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

/** Further lines of a batch that do not fit into columns: its family, its running process, and notes. */
function moreOf(batch: PlacedBatch, terminalColumns: number): string[] {
  const said = sentencesOf(batch).filter(({ tone }) => tone !== 'main' && tone !== 'counts');
  return [
    ...familySentences(batch),
    ...runningSentences(batch.runs),
    ...said.map(({ text }) => text),
  ].flatMap((text) => wrapped(printable(text), '    ', terminalColumns));
}

/** `with its corrections, 3 of 4 rows are done now`; for a correction, the batch whose rows it corrects. */
function familySentences({ id, family, rows, isBelowFirst }: PlacedBatch): string[] {
  if (family === null) return [];
  const { first, doneRows, corrections } = family;
  const done = `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')} are done now`;
  if (id === first.id) return [`with its corrections, ${done}`];
  // A file that was delivered again as a whole contains other rows as well.
  const corrected = corrections.find((each) => each.id === id)?.rows ?? rows;
  const corrects = `corrects ${countOf(corrected, 'row')} of batch ${shortBatchId(first.id)}`;
  return [isBelowFirst ? corrects : `${corrects}, of which ${done}`];
}

/** `running: paybatch resume, process 4711 on host, since 2026-11-20 10:03 UTC`, for each active run. */
function runningSentences(runs: readonly RunAccount[]): string[] {
  return runs
    .filter(({ isUnderWay }) => isUnderWay)
    .map(
      ({ command, host, process, startedAt }) =>
        `running: paybatch ${command}, process ${process} on ${host}, since ${minuteOf(startedAt)} UTC`,
    );
}

/** Maximum of batches that are named at the end, the newest ones; a long list has a column for this. */
const mostNamed = 3;

/** The totals. They are printed last, since readers look at the end first. */
function totalLines(
  batches: readonly BatchAccount[],
  showCommand: (batch: BatchAccount) => string,
  colour: Colour,
  terminalColumns: number,
): string[] {
  const needing = batches.filter(({ needsPerson }) => needsPerson > 0);
  if (needing.length === 0) return [];
  const rows = needing.reduce((sum, { needsPerson }) => sum + needsPerson, 0);
  const text = `needs you: ${countOf(rows, 'row')} in ${countOf(needing.length, 'batch', 'batches')}. These say what to do:`;
  return [
    '',
    ...wrapped(text, '', terminalColumns).map((line) => colour('yellow', line)),
    ...needing.slice(0, mostNamed).map((batch) => `  ${colour('bold', printable(showCommand(batch)))}`),
  ];
}

/** The text of `status` after a batch's summary: the rows that need a person and the reasons, and the runs of the batch. */
export function batchStatus(account: BatchAccount, useColour: boolean, terminalColumns: number): string {
  const colour = colourIf(useColour);
  const { needsPerson, runs } = account;
  const running = runningSentences(runs).flatMap((text) => wrapped(printable(text), '  ', terminalColumns));
  const needs =
    needsPerson === 0 ? [] : [`  ${colour('yellow', `needs you: ${groupedNumber(needsPerson)}`)}`];
  const shown = withColumns(runsTable(runs), ['Run', 'Command', 'Started', 'Took', 'Exit code']);
  const blocks = [
    [...needs, ...running],
    titledTable(reasonsTable(account), colour, { terminalColumns }),
    tableLines(shown, colour, { terminalColumns }),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
