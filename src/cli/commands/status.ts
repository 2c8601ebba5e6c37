/* The command `status`: all batches, one of them, or one row with its history. */

import type { RowView } from '../../account/row.ts';
import { haltRemedy, haltSentences } from '../../account/words/check-text.ts';
import { eventSentence, standingSentences, unansweredSentence } from '../../account/words/row-words.ts';
import { failedSinceText, statusLabel, statusMeaning } from '../../account/words/wording.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { RowEvent } from '../../domain/rows/result-row.ts';
import { printable } from '../../domain/text/characters.ts';
import type { StatusResult } from '../../engine/status.ts';
import { type App, type Arguments, type Command, textOf, usageError } from '../command/command.ts';
import { type DocumentWithExit, withHalt } from '../json/controls.ts';
import { jsonSummary, publicly } from '../json/document.ts';
import { publicFactsOf } from '../json/public-facts.ts';
import { terminalText } from '../options/options.ts';
import { nextOfRemedies } from '../remedies/remedy-text.ts';
import { batchStatus, statusTable } from '../views/status-table.ts';
import { batchSummary, type TitledBatch, titleOf } from '../views/summary.ts';
import {
  blocksOf,
  type Colour,
  colourIf,
  shortened,
  statusColour,
  stepLines,
  wrapped,
} from '../views/terminal-text.ts';

/** A row with its batch. */
interface ShownRow {
  readonly batch: TitledBatch;
  readonly row: RowView;
}

/** Number of an answer's lines that are shown; `--json` has all lines. */
const answerLines = 3;

/** Minimum number of columns to show times and events side by side. */
const leastColumnsForTwo = 76;

/** A row and its history, for a terminal. */
function rowHistoryText(
  shown: ShownRow,
  words: Phrasebook,
  useColour: boolean,
  terminalColumns: number,
): string {
  const colour = colourIf(useColour);
  const blocks = [
    [
      `${titleOf(shown.batch, colour)} · ${colour('bold', `row ${shown.row.row}`)}`,
      ...standingLines(shown.row, colour, terminalColumns),
    ],
    [
      `  ${colour('bold', 'Times in UTC')}`,
      ...shown.row.history.flatMap((event) => eventLines(event, terminalColumns)),
    ],
    unansweredLines(shown.row, terminalColumns),
    shown.row.next.flatMap((step) => stepLines(step, words, colour, terminalColumns)),
  ];
  return blocksOf(blocks);
}

function standingLines(row: RowView, colour: Colour, terminalColumns: number): string[] {
  const { status } = row;
  return [
    `  ${colour(statusColour(status), statusLabel(status))}: ${statusMeaning(status)}`,
    ...standingSentences(row).flatMap((text) => wrapped(printable(text), '  ', terminalColumns)),
  ];
}

function eventLines(event: RowEvent, terminalColumns: number): string[] {
  const time = `  ${event.time.slice(0, 23).replace('T', ' ')}`;
  const isBeside = terminalColumns >= leastColumnsForTwo;
  const indent = isBeside ? ' '.repeat(time.length + 2) : '      ';
  const texts = [
    ...wrapped(printable(eventSentence(event)), indent, terminalColumns),
    ...(event.event === 'attempt' && event.answer !== null
      ? cut(printable(event.answer), indent, terminalColumns)
      : []),
  ];
  const [first = '', ...others] = texts;
  return isBeside ? [`${time}  ${first.slice(indent.length)}`, ...others] : [time, ...texts];
}

/** Splits an answer at the width of the line, since it has few places for line breaks. */
function cut(text: string, indent: string, terminalColumns: number): string[] {
  const room = Math.max(20, terminalColumns - indent.length);
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < answerLines - 1) {
    const line = shortened(rest, room + 1).replace(/…$/, '');
    const taken = rest.startsWith(line) && line !== '' ? line : rest;
    lines.push(indent + taken);
    rest = rest.slice(taken.length);
  }
  return rest === '' ? lines : [...lines, indent + shortened(rest, room)];
}

function unansweredLines({ attempts, history }: RowView, terminalColumns: number): string[] {
  const text = unansweredSentence(attempts, history);
  return text === null ? [] : wrapped(text, '  ', terminalColumns);
}

export const statusCommand: Command = async (app, parsed) => {
  const result = await app.engine.status({ batch: textOf(parsed, 'batch'), row: rowIn(parsed) }, app.call)
    .result;
  printHalt(app, result.halt);
  printStatus(app, result.shown);
  return { ...result, document: withHalt(statusDocument(app.words, result.shown), result.halt, app.words) };
};

/** The output of `status --json`. Without a ledger there are no batches. */
function statusDocument(words: Phrasebook, shown: StatusResult['shown']): DocumentWithExit {
  const accounts = shown.kind === 'no_ledger' ? [] : shown.kind === 'list' ? shown.batches : [shown.batch];
  const { batches } = jsonSummary({ outcome: 'done', batches: accounts });
  const list = {
    exit_code: exitCodes.done,
    batches: batches.map((batch, at) => {
      const account = accounts[at];
      return account === undefined ? batch : { ...batch, ...publicFactsOf(account, words) };
    }),
  };
  if (shown.kind === 'no_ledger' || shown.kind === 'list') {
    const failed = shown.kind === 'list' ? shown.failedRuns : [];
    return { ...list, error: null, failed_runs: failed.map((run) => failedRunOf(run, words)) };
  }
  const runs = shown.batch.runs.map((run) => ({
    run: run.number,
    ...publicly(run, 'command', 'host', 'process', 'startedAt', 'endedAt'),
    exit_code: run.outcome === null ? null : exitCodes[run.outcome],
  }));
  return { ...list, runs, ...(shown.kind === 'row' ? { row: rowOf(shown.row) } : {}), error: null };
}

function failedRunOf(run: FailedRun, words: Phrasebook): object {
  return {
    ...publicly(run, 'command', 'file'),
    exit_code: exitCodes[run.outcome],
    code: run.code,
    message: terminalText(run.message),
    next: nextOfRemedies(run.remedies, words),
    ...publicly(run, 'since', 'lastAt', 'times', 'startedBy', 'host'),
  };
}

function rowOf(row: RowView): object {
  return {
    ...publicly(row, 'row', 'status', 'sameAs', 'objectId', 'code', 'field', 'message', 'notes', 'attempts'),
    ...publicly(row, 'firstSentAt', 'keyRunsOutAt', 'changedAt'),
    history: row.history.map((event) => publicly(event, 'time', 'event', ...factsOfEvents[event.event])),
  };
}

/** The facts that `--json` contains for each event of a row. */
const factsOfEvents = {
  staged: [],
  request_written: ['run', 'idempotencyKey', 'path'],
  attempt: [
    ...(['run', 'attempt', 'idempotencyKey', 'outcome', 'reason', 'httpStatus'] as const),
    ...(['objectId', 'durationInMs', 'answer'] as const),
  ],
  verdict: ['verdict', 'fromState', 'objectId', 'attempts', 'note', 'decidedBy'],
  late_answer: ['objectId', 'idempotencyKey'],
} as const;

/** Prints first that everything is halted. Until the halt is lifted, no other advice helps. */
function printHalt({ terminal, words }: App, halt: StatusResult['halt']): void {
  if (halt === null) return;
  const colour = colourIf(terminal.useColour);
  const [said = '', ...doubts] = haltSentences(halt).map((sentence) =>
    wrapped(printable(sentence), '  ', terminal.columns).join('\n'),
  );
  const next = `    next: ${printable(words.remedy(haltRemedy(halt)))}`;
  terminal.print(`${[colour('red', said), ...doubts, next].join('\n')}\n`);
}

function rowIn(parsed: Arguments): number | undefined {
  const row = textOf(parsed, 'row');
  if (row === undefined) return undefined;
  if (textOf(parsed, 'batch') === undefined)
    throw usageError('status', '--row is about one batch: which one?');
  if (!/^[1-9]\d{0,8}$/.test(row))
    throw usageError('status', `--row is "${row}"; it has to be a row's number.`);
  return Number(row);
}

function printStatus(app: App, shown: StatusResult['shown']): void {
  const { print, useColour, columns } = app.terminal;
  switch (shown.kind) {
    case 'no_ledger':
      print(`There is no ledger in ${app.settings.ledger.ledgerDir} yet: nothing was imported.`);
      break;
    case 'list': {
      const showCommand = ({ id, environment }: BatchAccount): string =>
        app.words.remedy({ action: 'status', batch: shortBatchId(id), environment });
      const { batches, failedRuns } = shown;
      print(
        batches.length === 0
          ? 'No batch was imported yet.'
          : statusTable(batches, showCommand, useColour, columns),
      );
      const failed = failedRunLines(failedRuns, app.words, useColour, columns);
      if (failed.length > 0) print(`\n${failed.join('\n')}`);
      break;
    }
    case 'batch':
      printBatch(app, shown.batch);
      break;
    case 'row':
      print(rowHistoryText(shown, app.words, useColour, columns));
      break;
  }
}

function printBatch(app: App, account: BatchAccount): void {
  const { print, useColour, columns: terminalColumns } = app.terminal;
  const { environment, id } = account;
  print(batchSummary(account, { useColour, words: app.words, terminalColumns }));
  if (account.files.results === null && account.rows > 0) {
    const line = app.words.remedy({ action: 'results', batch: shortBatchId(id), environment });
    print(
      `\n  Its result files are not in ${printable(app.settings.output.out)}. Write them there:\n    ${printable(line)}`,
    );
  }
  print(`\n${batchStatus(account, useColour, terminalColumns)}`);
}

/* Formats runs that failed without a batch, for `status`. */

/**
 * A block for each run: the failed command, its exit code, the reason, the time, and the remedy. Empty without such runs.
 */
function failedRunLines(
  failed: readonly FailedRun[],
  words: Phrasebook,
  useColour: boolean,
  terminalColumns: number,
): string[] {
  if (failed.length === 0) return [];
  const colour = colourIf(useColour);
  const blocks = failed.flatMap((run) => {
    const { command, file, outcome, message, remedies } = run;
    const what = `exit ${exitCodes[outcome]}: paybatch ${command}${file === null ? '' : ` ${file}`}`;
    const next = nextOfRemedies(remedies, words);
    return [
      ...wrapped(printable(what), '  ', terminalColumns).map((line) => colour('bold', line)),
      ...wrapped(printable(terminalText(message)), '    ', terminalColumns),
      ...wrapped(printable(failedSinceText(run)), '    ', terminalColumns),
      // The command is escaped so that it can be typed as it is printed.
      ...(next === null ? [] : [`    next: ${printable(next)}`]),
    ];
  });
  return [
    colour('yellow', `${countOf(failed.length, 'run')} failed, and no later one made up for it:`),
    ...blocks,
  ];
}
