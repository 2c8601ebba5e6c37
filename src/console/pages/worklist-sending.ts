/* Sections of the work list about what is sent: rows in doubt, batches to send or to go on with, and what contradicts the API. */

import type { ContradictionTask, DoubtTask, SendingTask, WorkSection } from '../../engine/worklist.ts';
import { type Html, html, type TableCell } from '../../output/report/page.ts';
import { countOf, refusedAlikeHeadline } from '../../output/words/wording.ts';
import { rowsAddress } from './addresses.ts';
import { type Frame, moment, sentence } from './layout.ts';
import { action, link } from './remedies.ts';
import {
  actionsCell,
  amountsCell,
  batchCell,
  rowsCell,
  type WorkTable,
  workTable,
} from './worklist-cells.ts';

/** Rows in doubt: those whose keys have run out first, then by when they do. */
export function doubtsTable(frame: Frame, work: WorkSection<DoubtTask>): WorkTable | null {
  const lines = work.tasks.map((task): readonly TableCell[] => {
    const { batch, rows, sums, doubt, canGoOn } = task;
    const needsProvider = doubt.expired + doubt.unsettled > 0;
    return [
      batchCell(batch, rowsAddress(batch.id, { status: 'unknown' })),
      rows,
      amountsCell(sums),
      keyCell(task),
      doubtMeaning(task),
      actionsCell(
        doubt.nextRunsOutAt === null || !canGoOn
          ? null
          : action(frame, `/batches/${batch.id}/resume`, 'Go on'),
        needsProvider ? link(frame, `/batches/${batch.id}/reconcile`, 'Reconcile') : null,
        needsProvider
          ? link(frame, rowsAddress(batch.id, { status: 'unknown' }, null, 'decide'), 'Decide about them')
          : null,
      ),
    ];
  });
  return workTable(
    'doubts',
    {
      title: 'In doubt',
      introduction:
        'They were sent and have no conclusive answer, so they may exist. Until its key runs out, a row is sent again under the same key, so that nothing is doubled. After that only a person may decide, who has asked the provider.',
      columns: ['Batch', 'Rows', 'Amounts', 'Key', 'What it means', ''],
      rows: lines,
    },
    work,
  );
}

function keyCell({ doubt: { expired, nextRunsOutAt, oldestRunsOutAt } }: DoubtTask): Html {
  const out = expired > 0 ? html`<div><b>ran out</b> ${moment(oldestRunsOutAt)}</div>` : null;
  const next = nextRunsOutAt ?? (expired > 0 ? null : oldestRunsOutAt);
  return html`${out}${next === null ? null : html`<div>runs out ${moment(next)}</div>`}`;
}

function doubtMeaning({ doubt: { expired, unsettled, nextRunsOutAt }, canGoOn }: DoubtTask): Html {
  const said = [
    ...(expired > 0
      ? [
          `${countOf(expired, 'row')} may not be sent again: that could create ${expired === 1 ? 'it' : 'them'} twice. Ask the provider whether ${expired === 1 ? 'it was' : 'they were'} created, or compare with an export; then decide.`,
        ]
      : []),
    ...(unsettled > 0
      ? [
          `Two runs have sent ${countOf(unsettled, 'row')} without a conclusive answer: a third is of no use. Ask the provider.`,
        ]
      : []),
    ...(nextRunsOutAt === null
      ? []
      : [
          canGoOn
            ? 'Go on before the key runs out: the rows are sent again under their own keys.'
            : 'A run is under way, or the batch is closed: its page tells.',
        ]),
  ];
  return html`${said.map((text) => html`<div>${text}</div>`)}`;
}

const stateTexts: Readonly<Record<Exclude<SendingTask['state'], 'stopped'>, string>> = {
  under_way: 'A run is under way.',
  planned: 'Checked, and not sent yet: look at the plan, then send it or close the batch.',
  unfinished: 'Sending stopped before the end: going on sends the rows that were not sent.',
};

/** Batches to send, to go on with, or to look at while they are sent. */
export function sendingTable(frame: Frame, work: WorkSection<SendingTask>): WorkTable | null {
  const lines = work.tasks.map((task): readonly TableCell[] => [
    batchCell(task.batch),
    rowsCell(task.rows),
    amountsCell(task.sums),
    stateText(task),
    offers(frame, task),
  ]);
  return workTable(
    'sending',
    {
      title: 'To be sent',
      introduction: 'They are ready, and were not sent.',
      columns: ['Batch', 'Rows', 'Amounts', 'Where it stands', ''],
      rows: lines,
    },
    work,
  );
}

function stateText({ state, refusedAlike }: SendingTask): TableCell {
  if (state !== 'stopped') return stateTexts[state];
  return refusedAlike === null ? '' : sentence(`${refusedAlikeHeadline(refusedAlike)}.`);
}

function offers(frame: Frame, { batch: { id }, state }: SendingTask): Html | null {
  switch (state) {
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

/** Batches of which the API says something else than the ledger. */
export function contradictionsTable(frame: Frame, work: WorkSection<ContradictionTask>): WorkTable | null {
  const lines = work.tasks.map(({ batch, contradicted, unrecorded }): readonly TableCell[] => [
    batchCell(batch, rowsAddress(batch.id, { status: 'created', code: 'answer_differs' })),
    contradicted === 0 ? null : contradicted,
    unrecorded === 0 ? null : unrecorded,
    actionsCell(link(frame, `/batches/${batch.id}/reconcile`, 'Reconcile')),
  ]);
  return workTable(
    'contradictions',
    {
      title: 'The API says something else',
      introduction:
        'The answer about a created row contradicts what was sent, or the API created an object that no row has. Ask the provider which is true; reconciling with an export shows both sides.',
      columns: ['Batch', 'Answers that contradict', 'Objects without a row', ''],
      rows: lines,
    },
    work,
  );
}
