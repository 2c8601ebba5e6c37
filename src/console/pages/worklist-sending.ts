/*
 * Sections of the work list about sending: rows in doubt, batches to send or continue, and contradictions with the
 * API.
 */

import { type Html, html } from '../../account/report/page.ts';
import {
  actions,
  type Cell,
  columnsOf,
  type DrawnCell,
  figure,
  type Line,
  secondOf,
  type Table,
} from '../../account/table.ts';
import { reasonName, refusedAlikeHeadline } from '../../account/words/wording.ts';
import type { ContradictionTask, DoubtTask, SendingTask, Task, WorkSection } from '../../account/worklist.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import { batchName } from './family.ts';
import { type Frame, moment, rowsAddress } from './layout.ts';
import { action, link } from './remedies.ts';
import { type TableView, tableView } from './table.ts';

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
      columns: ['Batch', figure('Rows'), figure('Amounts'), 'Key', 'What it means', actions],
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
  joined: 'Rows may be sent since the last run, such as by a decision: look at them, then go on.',
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
      columns: ['Batch', figure('Rows'), figure('Amounts'), 'Status', actions],
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

/* Common cells of the work list's sections: the batch, its amounts, and what the lines leave out. */

/** A section of the list, with the number of its lines. */
export interface WorkTable {
  readonly table: TableView;
  readonly lines: number;
}

/** The name of a batch, with a link to the page for its action. */
export function batchCell(
  batch: Task['batch'],
  address = `/batches/${batch.id}`,
  alsoIn: readonly Task['batch'][] = [],
): DrawnCell {
  const name = batchName(batch);
  const id = shortBatchId(batch.id);
  const others = alsoIn.map((other) => `${batchName(other)} ${shortBatchId(other.id)}`);
  const links = alsoIn.map(
    (other, at) =>
      html`${at === 0 ? '' : ', '}<a href="/batches/${other.id}">${batchName(other)}</a> ${shortBatchId(other.id)}`,
  );
  return {
    text: `${name} ${id}${others.length === 0 ? '' : `; the same rows in ${others.join(', ')}`}`,
    shown: html`<div><a href="${address}">${name}</a> <span class="soft">${id}</span>${links.length === 0 ? null : html`<br><small class="soft">the same rows in ${links}</small>`}</div>`,
  };
}

/** Amounts, one line per currency: `1,200.00 GHS`. A note says if they are incomplete or unknown. */
export function amountsCell(sums: Task['sums'], rows: number | null): DrawnCell | null {
  if (sums === null) return linesCell(['not added up']);
  return amountLines(sums, rows, []);
}

/** @param notes notes on further omitted amounts */
function amountLines(
  sums: NonNullable<Task['sums']>,
  rows: number | null,
  notes: readonly string[],
): DrawnCell | null {
  const added = sums.reduce((sum, each) => sum + each.rows, 0);
  const left =
    added > 0 && rows !== null && added < rows
      ? [`of ${groupedNumber(added)} of ${countOf(rows, 'row')}`]
      : [];
  const figures = sums.map(({ amount, currency }) => `${groupedAmount(amount, currency)} ${currency}`);
  const lines = [...figures, ...left, ...notes];
  if (lines.length === 0) return null;
  return linesCell(lines, (line) =>
    figures.includes(line)
      ? html`<div><span class="number">${line}</span></div>`
      : html`<div class="soft">${line}</div>`,
  );
}

/** Lines below each other. */
export function linesCell(
  lines: readonly string[],
  shown: (line: string) => Html = (line) => html`<div>${line}</div>`,
): DrawnCell {
  return { text: lines.join('; '), shown: html`${lines.map(shown)}` };
}

/** The number of rows, or a note that it is not known yet. */
export function rowsCell(rows: number | null): Cell {
  return rows ?? 'not counted yet';
}

/** A code of paybatch or of the API, in words. */
export function reasonText(code: string | null): string {
  return code === null ? 'several reasons' : reasonName(code);
}

/** A group of buttons and links; null if the person may use none of them. */
export function actionsCell(...offers: readonly (Html | null)[]): DrawnCell | null {
  const shown = offers.filter((offer) => offer !== null && offer.text !== '');
  return shown.length === 0 ? null : { text: '', shown: html`<div class="actions">${shown}</div>` };
}

/**
 * A section with its lines and their totals; null for no lines.
 * @param introduction what is to be done, and the meaning of each choice
 */
export function workTable(
  id: string,
  given: Table & { readonly introduction: string },
  work: WorkSection<Task>,
): WorkTable | null {
  const table = tableView({ ...given, totals: totalsOf(given, work) }, id);
  if (table === null) return null;
  const { more } = work;
  const below =
    more === 0
      ? null
      : html`<p class="second">${countOf(more, 'more line')}: the CSV file has up to 1,000 lines.</p>`;
  return { table: { ...table, below }, lines: given.rows.length + more };
}

/** The rows and amounts of all lines, under the columns that have them. */
function totalsOf(
  table: Table,
  { rows, sums, uncounted, unsummed, more }: WorkSection<Task>,
): readonly Line[] {
  const titles = columnsOf(table).map(({ title }) => title);
  if (!titles.includes('Rows')) return [];
  const without = (lines: number, what: string): readonly string[] =>
    lines === 0 ? [] : [`without ${countOf(lines, 'line')} ${what}`];
  const cells: Readonly<Record<string, Cell>> = {
    Batch: more === 0 ? 'all' : 'all, with those that are not shown',
    Rows: uncounted === 0 ? rows : linesCell([groupedNumber(rows), ...without(uncounted, 'not counted yet')]),
    Amounts: amountLines(sums, rows, without(unsummed, 'not added up')),
  };
  return [titles.map((title) => cells[title] ?? null)];
}
