/*
 * Sections of the work list about sending: rows in doubt, batches to be sent or continued, contradictions with the API,
 * and failed runs.
 */

import { basename } from 'node:path';
import { type Html, html } from '../../account/report/page.ts';
import { actions, type Cell, type DrawnCell, figure, secondOf } from '../../account/table.ts';
import type { ContradictionTask, DoubtTask, SendingTask, WorkSection } from '../../account/tasks.ts';
import { failedSinceText, refusedAlikeHeadline } from '../../account/words/wording.ts';
import { consoleChannel } from '../../controls/session-actor.ts';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import { countOf } from '../../domain/money/money.ts';
import { type Frame, rowsAddress } from './layout.ts';
import { consoleWords, pageText, withoutFolders } from './page-words.ts';
import { action, link } from './remedies.ts';
import { moment, type TableView, tableView } from './table.ts';
import {
  actionsCell,
  amountsCell,
  batchCell,
  linesCell,
  rowsCell,
  textsOf,
  type WorkTable,
  workTable,
} from './worklist-table.ts';

/** Rows in doubt. Those with expired keys come first, then the others by expiry. */
export function doubtsTable(frame: Frame, work: WorkSection<DoubtTask>): WorkTable | null {
  const columns = ['Batch', figure('Rows'), figure('Amounts'), 'Key', 'What it means', actions];
  return workTable('doubts', work, columns, (task) => {
    const { batch, rows, sums, doubt, canGoOn } = task;
    const unknown = (name?: string): string => rowsAddress(batch.id, { status: 'unknown' }, null, name);
    const needsProvider = doubt.expired + doubt.unsettled > 0;
    const mayGoOn = doubt.nextRunsOutAt !== null && canGoOn;
    return [
      batchCell(batch, unknown()),
      rows,
      amountsCell(sums, rows),
      keyCell(task),
      doubtMeaning(task),
      actionsCell(
        mayGoOn ? action(frame, `/batches/${batch.id}/resume`, 'Go on') : null,
        needsProvider ? link(frame, `/batches/${batch.id}/reconcile`, 'Reconcile') : null,
        needsProvider ? link(frame, unknown('decide'), 'Decide about them') : null,
      ),
    ];
  });
}

function keyCell({ doubt: { expired, nextRunsOutAt, oldestRunsOutAt } }: DoubtTask): DrawnCell {
  const out = expired > 0 ? oldestRunsOutAt : null;
  const next = nextRunsOutAt ?? (expired > 0 ? null : oldestRunsOutAt);
  const text = [
    ...(out === null ? [] : [`ran out ${secondOf(out)}`]),
    ...(next === null ? [] : [`runs out ${secondOf(next)}`]),
  ].join('; ');
  const shown = html`${out === null ? null : html`<div><b>ran out</b> ${moment(out)}</div>`}${next === null ? null : html`<div>runs out ${moment(next)}</div>`}`;
  return { text, shown };
}

function doubtMeaning({ doubt: { expired, unsettled, nextRunsOutAt }, canGoOn }: DoubtTask): DrawnCell {
  const [it, was] = expired === 1 ? ['it', 'it was'] : ['them', 'they were'];
  const further = canGoOn
    ? 'Go on before the key runs out: the rows are sent again under their own keys.'
    : 'A run is under way, the batch is closed, or corrections of its rows are not planned: its page says which.';
  const said = [
    expired > 0 &&
      `${countOf(expired, 'row')} may not be sent again: that could create ${it} twice. Ask the provider whether ${was} created, or compare with an export; then decide.`,
    unsettled > 0 &&
      `Two runs have sent ${countOf(unsettled, 'row')} without a conclusive answer: a third is of no use. Ask the provider.`,
    nextRunsOutAt !== null && further,
  ];
  return linesCell(said.filter((text) => text !== false));
}

const stateTexts: Readonly<Record<Exclude<SendingTask['state'], 'stopped'>, string>> = {
  under_way: 'A run is under way.',
  edited:
    'Corrections of its rows are not planned yet: plan or discard them. Until then no row of the batch is sent.',
  planned: 'Checked, and not sent yet: look at the plan, then send it or close the batch.',
  joined: 'Rows may be sent since the last run, such as by a decision: look at them, then go on.',
  unfinished: 'Sending stopped before the end: going on sends the rows that were not sent.',
};

/** Batches to send, to continue, or to watch while they are sent. */
export function sendingTable(frame: Frame, work: WorkSection<SendingTask>): WorkTable | null {
  const columns = ['Batch', figure('Rows'), figure('Amounts'), 'Status', actions];
  return workTable('sending', work, columns, (task) => [
    ...[batchCell(task.batch), rowsCell(task.rows), amountsCell(task.sums, task.rows)],
    ...[stateText(task), offers(frame, task)],
  ]);
}

function stateText({ state, refusedAlike }: SendingTask): Cell {
  if (state !== 'stopped') return stateTexts[state];
  return refusedAlike === null ? null : { sentence: `${refusedAlikeHeadline(refusedAlike)}.` };
}

function offers(frame: Frame, { batch: { id }, state }: SendingTask): DrawnCell | null {
  switch (state) {
    case 'edited':
      return actionsCell(correctionsLink(frame, id));
    case 'unfinished':
      return actionsCell(action(frame, `/batches/${id}/resume`, 'Go on'));
    case 'stopped':
      return actionsCell(
        link(frame, rowsAddress(id, { status: 'rejected' }), 'Look at the refused rows'),
        action(
          frame,
          `/batches/${id}/resume?refused_alike=off`,
          'Send the other rows all the same',
          'second',
        ),
      );
    default:
      return actionsCell(
        link(frame, `/batches/${id}`, state === 'planned' ? 'Look at the plan' : 'Look at it'),
      );
  }
}

/** The link to the page where the corrections of a batch's rows are planned or discarded. */
export function correctionsLink(frame: Frame, batch: string): Html | null {
  return link(frame, `/batches/${batch}/draft`, 'Look at the corrections');
}

/** Batches in which the API contradicts the ledger. */
export function contradictionsTable(frame: Frame, work: WorkSection<ContradictionTask>): WorkTable | null {
  const columns = ['Batch', figure('Answers that contradict'), figure('Objects without a row'), actions];
  return workTable('contradictions', work, columns, ({ batch, contradicted, unrecorded }) => [
    batchCell(batch, rowsAddress(batch.id, { status: 'created', code: 'answer_differs' })),
    contradicted || null,
    unrecorded || null,
    actionsCell(link(frame, `/batches/${batch.id}/reconcile`, 'Reconcile')),
  ]);
}

/* Runs that failed without a batch, with the possible actions for each. */

/**
 * Refused files, and errors of whole runs; null if there are none.
 * @param uploads the ids of the newest uploads, by the names of their files
 */
export function failedRunsTable(
  frame: Frame,
  failed: readonly FailedRun[],
  uploads: ReadonlyMap<string, string>,
): TableView | null {
  return tableView({
    ...textsOf('failed'),
    columns: ['What', 'Why', 'What helps', 'When', 'Outcome', actions],
    rows: failed.map((run) => [
      run.file === null ? `${run.command}, the run as a whole` : basename(run.file),
      { sentence: withoutFolders(pageText(run.message), frame.folders) },
      helpFor(frame, run),
      { sentence: failedSinceText(run) },
      run.outcome.replaceAll('_', ' '),
      actionsCell(
        nextStep(frame, run, uploads),
        action(frame, `/failed-runs/${run.id}/put-away`, 'Put away', 'second'),
      ),
    ]),
  });
}

/** The remedy for a person who has the file. The file's path on the machine is not shown. */
function helpFor({ folders }: Frame, { outcome, remedies, channel }: FailedRun): string {
  if (outcome !== 'file_refused')
    return remedies.map((remedy) => withoutFolders(consoleWords.remedy(remedy), folders)).join('; or ');
  return channel === consoleChannel
    ? 'Look at it again here, or correct the file where it came from, and upload that.'
    : 'Correct the file where it came from, or upload it here and say how it is read.';
}

/** The link to look at an uploaded file again, and the link to upload another one. */
function nextStep(
  frame: Frame,
  { file, channel }: FailedRun,
  uploads: ReadonlyMap<string, string>,
): Html | null {
  if (file === null) return null;
  const id = channel === consoleChannel ? uploads.get(file) : undefined;
  return id === undefined
    ? link(frame, '/#files', 'Upload it again')
    : link(frame, `/uploads/${id}`, 'Open it again');
}
