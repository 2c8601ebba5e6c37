/*
 * Sections of the work list about sending: rows in doubt, batches to send or continue, and contradictions with the
 * API.
 */

import { html } from '../../account/report/page.ts';
import {
  actions,
  type Cell,
  type DrawnCell,
  figure,
  type Line,
  secondOf,
} from '../../account/table/table.ts';
import { refusedAlikeHeadline } from '../../account/words/wording.ts';
import type { ContradictionTask, DoubtTask, SendingTask, WorkSection } from '../../account/worklist.ts';
import { countOf } from '../../domain/money/money.ts';
import { rowsAddress } from './addresses.ts';
import { type Frame, moment } from './layout.ts';
import { action, link } from './remedies.ts';
import {
  actionsCell,
  amountsCell,
  batchCell,
  linesCell,
  rowsCell,
  type WorkTable,
  workTable,
} from './worklist-cells.ts';

/** Rows in doubt: those with expired keys first, then by expiry. */
export function doubtsTable(frame: Frame, work: WorkSection<DoubtTask>): WorkTable | null {
  const lines = work.tasks.map((task): Line => {
    const { batch, rows, sums, doubt, canGoOn } = task;
    const needsProvider = doubt.expired + doubt.unsettled > 0;
    return [
      batchCell(batch, rowsAddress(batch.id, { status: 'unknown' })),
      rows,
      amountsCell(sums, rows),
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
      columns: ['Batch', figure('Rows'), 'Amounts', 'Key', 'What it means', actions],
      rows: lines,
    },
    work,
  );
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
  return linesCell(said);
}

const stateTexts: Readonly<Record<Exclude<SendingTask['state'], 'stopped'>, string>> = {
  under_way: 'A run is under way.',
  planned: 'Checked, and not sent yet: look at the plan, then send it or close the batch.',
  unfinished: 'Sending stopped before the end: going on sends the rows that were not sent.',
};

/** Batches to send, to continue, or to watch while they are sent. */
export function sendingTable(frame: Frame, work: WorkSection<SendingTask>): WorkTable | null {
  const lines = work.tasks.map(
    (task): Line => [
      batchCell(task.batch),
      rowsCell(task.rows),
      amountsCell(task.sums, task.rows),
      stateText(task),
      offers(frame, task),
    ],
  );
  return workTable(
    'sending',
    {
      title: 'To be sent',
      introduction: 'They are ready, and were not sent.',
      columns: ['Batch', figure('Rows'), 'Amounts', 'Where it stands', actions],
      rows: lines,
    },
    work,
  );
}

function stateText({ state, refusedAlike }: SendingTask): Cell {
  if (state !== 'stopped') return stateTexts[state];
  return refusedAlike === null ? null : { sentence: `${refusedAlikeHeadline(refusedAlike)}.` };
}

function offers(frame: Frame, { batch: { id }, state }: SendingTask): DrawnCell | null {
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

/** Batches in which the API contradicts the ledger. */
export function contradictionsTable(frame: Frame, work: WorkSection<ContradictionTask>): WorkTable | null {
  const lines = work.tasks.map(
    ({ batch, contradicted, unrecorded }): Line => [
      batchCell(batch, rowsAddress(batch.id, { status: 'created', code: 'answer_differs' })),
      contradicted === 0 ? null : contradicted,
      unrecorded === 0 ? null : unrecorded,
      actionsCell(link(frame, `/batches/${batch.id}/reconcile`, 'Reconcile')),
    ],
  );
  return workTable(
    'contradictions',
    {
      title: 'The API says something else',
      introduction:
        'The answer about a created row contradicts what was sent, or the API created an object that no row has. Ask the provider which is true; reconciling with an export shows both sides.',
      columns: ['Batch', figure('Answers that contradict'), figure('Objects without a row'), actions],
      rows: lines,
    },
    work,
  );
}
