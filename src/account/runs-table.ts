/* The runs of a batch as a table, of which each channel shows the columns that it has room for. */

import { exitCodes } from '../disk/log/exit-codes.ts';
import type { RunAccount } from '../domain/batches/account.ts';
import type { CallOutcome } from '../domain/failures/paybatch-error.ts';
import { figure, type Line, shrinking, type Table } from './table/table.ts';

/** All runs, the oldest first. */
export function runsTable(runs: readonly RunAccount[]): Table {
  return {
    title: 'Runs so far',
    columns: [
      figure('Run'),
      'Command',
      'Begun by',
      'Started',
      'Ended',
      figure('Took'),
      shrinking('Exit code'),
      'Outcome',
      'Host',
    ],
    rows: runs.map(lineOf),
  };
}

function lineOf(run: RunAccount): Line {
  const { number, command, actor, startedAt, endedAt, outcome, host } = run;
  return [
    String(number),
    command,
    actor === null ? null : `${actor.name} (${actor.door})`,
    { time: startedAt },
    endedAt === null ? 'not ended' : { time: endedAt },
    tookText(run),
    outcome === null ? endText(run) : `${exitCodes[outcome]}: ${endText(run)}`,
    endText(run),
    host,
  ];
}

/** What the end of a run says, or what is known of one that has none. */
function endText({ command, outcome, endedAt, isUnderWay }: RunAccount): string {
  if (outcome !== null) return outcomeText(command, outcome);
  if (isUnderWay) return 'under way';
  return endedAt === null ? 'no sign of life: the next run takes over' : 'lost: killed, or cut off';
}

function tookText({ startedAt, endedAt }: RunAccount): string | null {
  if (endedAt === null) return null;
  const seconds = Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** Commands that end as the rows of the batch end. The others end well once they have done what they were asked. */
const endsAsRows: ReadonlySet<string> = new Set(['import', 'submit', 'resume', 'retry', 'reconcile']);

function outcomeText(command: string, outcome: CallOutcome): string {
  if (outcome === 'done') return endsAsRows.has(command) ? 'all rows are there' : 'done';
  return outcomeTexts[outcome];
}

const outcomeTexts: Readonly<Record<Exclude<CallOutcome, 'done'>, string>> = {
  rows_need_correction: 'rows to correct, or waiting',
  usage: 'usage',
  file_refused: 'refused',
  plan_changed: 'refused: the plan has changed',
  stopped: 'stopped before its end',
  decision_needed: 'rows for a person',
  credentials_refused: 'credentials refused',
  busy: 'held by another run',
  approval_needed: 'waiting for approval',
  internal: 'internal error',
};
