import type { CallOutcome } from '../../domain/failures/call-outcome.ts';
import type { BatchView, RunView } from '../../engine/status/batch-view.ts';
import { exitCodes } from '../../output/words/exit-codes.ts';
import { groupedNumber, printable } from '../../output/words/wording.ts';
import { alignedTable } from './aligned-table.ts';
import { doubtSentences, runningSentences } from './status-table.ts';
import { colourIf, wrapped } from './terminal-text.ts';

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
  internal: 'a bug of ours',
};
