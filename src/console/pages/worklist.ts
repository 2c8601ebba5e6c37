/* The first page: the form to upload files, and the tasks that need a person today. */

import { type Html, html, section } from '../../account/report/page.ts';
import { actions, figure, type Line } from '../../account/table.ts';
import type {
  ApprovalTask,
  CorrectionTask,
  DifferencesTask,
  ReasonTask,
  WorkSection,
} from '../../account/tasks.ts';
import { rowRemedyText } from '../../account/words/row-words.ts';
import type { HaltInForce } from '../../domain/controls/controls.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { Worklist } from '../../engine/status.ts';
import type { OpenTalk } from '../under-way/mapping-talks.ts';
import type { PageOfReconciliation } from '../under-way/reconciliations.ts';
import { differencesAddress } from './differences.ts';
import { type Frame, type Page, rowsAddress } from './layout.ts';
import { pageStepNames } from './page-words.ts';
import { action, link } from './remedies.ts';
import { linkCell, moment, tableView } from './table.ts';
import { uploadSection } from './templates.ts';
import {
  contradictionsTable,
  correctionsLink,
  doubtsTable,
  failedRunsTable,
  sendingTable,
} from './worklist-sending.ts';
import {
  actionsCell,
  amountsCell,
  batchCell,
  linesCell,
  reasonText,
  rowsCell,
  textsOf,
  type WorkTable,
  workTable,
} from './worklist-table.ts';

/*
 * Sections of the work list in which a person decides or corrects: approvals, held rows, refused rows, and waiting
 * rows.
 */

/** Batches that wait for approvals. */
function approvalsTable(frame: Frame, work: WorkSection<ApprovalTask>, viewer: string): WorkTable | null {
  const columns = [
    ...['Batch', figure('Rows'), figure('Amounts'), 'Approvals', 'Who may approve', 'You', actions],
  ];
  return workTable('approvals', work, columns, (task) => {
    const { batch, rows, sums, standing } = task;
    const { needed, given, mayApprove } = standing;
    const by = [...new Set(given.map((approval) => approval.by))];
    const others = mayApprove.filter((name) => !by.includes(name));
    const address = `/batches/${batch.id}/approval`;
    return [
      batchCell(batch, address),
      rowsCell(rows),
      amountsCell(sums, rows),
      `${by.length} of ${needed}${by.length === 0 ? '' : `: ${by.join(', ')}`}`,
      others.length === 0 ? 'nobody' : others.join(', '),
      part(frame, task, viewer),
      actionsCell(link(frame, address, 'Look at the approval')),
    ];
  });
}

/** The action that is possible for the viewer. */
function part(frame: Frame, { batch, standing }: ApprovalTask, viewer: string): string {
  const { given, mayApprove, rejected, takesConsole } = standing;
  const no = rejected === null ? '' : ` (${rejected.by} rejected it: ${rejected.note})`;
  if (given.some(({ by }) => by === viewer)) return `have approved it${no}`;
  if (!mayApprove.includes(viewer)) return `may not approve it${no}`;
  const isHere = takesConsole && frame.may('POST', `/batches/${batch.id}/approval`);
  return `${isHere ? 'may approve it' : 'may approve it with your own key'}${no}`;
}

/** Held rows by batch and reason. */
function heldTable(frame: Frame, which: 'payees' | 'held', work: WorkSection<ReasonTask>): WorkTable | null {
  const columns = [
    ...['Batch', 'Why', figure('Rows'), figure('Amounts'), 'Since', 'What can be done', actions],
  ];
  return workTable(which, work, columns, ({ batch, code, rows, sums, since, advice }) => {
    const filter = { status: 'held', ...(code === null ? {} : { code }) } as const;
    return [
      batchCell(batch, rowsAddress(batch.id, filter)),
      reasonText(code),
      rows,
      amountsCell(sums, rows),
      since === null ? null : { time: since },
      advice === null ? null : rowRemedyText(advice, pageStepNames),
      actionsCell(
        link(frame, rowsAddress(batch.id, filter), 'Look at them'),
        link(frame, rowsAddress(batch.id, filter, null, 'decide'), 'Decide about them'),
      ),
    ];
  });
}

/** Rows that failed the checks or were refused by the API. */
function correctionsTable(frame: Frame, work: WorkSection<CorrectionTask>): WorkTable | null {
  const columns = ['Batch', 'Status', 'Why', figure('Rows'), figure('Amounts'), actions];
  return workTable('corrections', work, columns, (task) => {
    const { batch, status, code, rows, sums, canBeTried, alsoIn, isEdited } = task;
    const address = rowsAddress(batch.id, { status });
    const label = frame.may('GET', `/batches/${batch.id}/edit`) ? 'Correct them' : 'Look at them';
    const again =
      status === 'rejected' && canBeTried
        ? action(frame, `/batches/${batch.id}/retry`, 'Send them again', 'second')
        : null;
    return [
      ...[batchCell(batch, address, alsoIn), { status }, reasonText(code), rows, amountsCell(sums, rows)],
      actionsCell(isEdited ? correctionsLink(frame, batch.id) : null, link(frame, address, label), again),
    ];
  });
}

/** Rows that wait for their customer or account, or for something that the API requires of the customer. */
function waitingTable(frame: Frame, work: WorkSection<ReasonTask>): WorkTable | null {
  const columns = ['Batch', 'What for', figure('Rows'), figure('Amounts'), 'Since', actions];
  return workTable('waiting', work, columns, ({ batch, code, rows, sums, since, canBeTried }) => [
    batchCell(batch, rowsAddress(batch.id, { status: 'waiting', ...(code === null ? {} : { code }) })),
    ...[reasonText(code), rows, amountsCell(sums, rows), since === null ? null : { time: since }],
    actionsCell(
      canBeTried
        ? action(frame, `/batches/${batch.id}/resume?waiting=now`, 'Try them again', 'second')
        : link(frame, `/batches/${batch.id}`, 'Look at the batch'),
    ),
  ]);
}

/**
 * Reconciliations with open differences. Those that the viewer looks into come first.
 * @param pages their pages; reconciliations that were not made on pages have none
 */
function differencesTable(
  frame: Frame,
  work: WorkSection<DifferencesTask>,
  pages: ReadonlyMap<DifferencesTask['reconciliation'], PageOfReconciliation>,
): WorkTable | null {
  const columns = [
    ...['Batch', figure('Differences'), 'Who looks into them', 'Compared with', 'Found', 'By', actions],
  ];
  return workTable('differences', work, columns, (task) => {
    const { batch, reconciliation, rows, by, at } = task;
    const page = pages.get(reconciliation);
    const address =
      page === undefined
        ? `/batches/${batch.id}/reconcile`
        : differencesAddress({ batch: batch.id, id: page.id }, null);
    return [
      ...[batchCell(batch, address), rows, linesCell(people(task))],
      page === undefined || page.files.length === 0 ? null : page.files.join(', '),
      ...[{ time: at }, by],
      actionsCell(link(frame, address, page === undefined ? 'Reconcile here' : 'Decide about them')),
    ];
  });
}

/** The number of differences that each person looks into, the viewer first. */
function people({ own, others }: DifferencesTask): readonly string[] {
  return [
    ...(own === 0 ? [] : [`you: ${groupedNumber(own)}`]),
    ...others.map(({ assignedTo, count }) => `${assignedTo ?? 'not assigned'}: ${groupedNumber(count)}`),
  ];
}

/** Files whose questions the viewer has not answered yet. */
function askedTable(frame: Frame, asked: readonly OpenTalk[]): WorkTable | null {
  const lines = asked.map(({ name, address, answered, left }): Line => {
    const all = left === 0 ? '' : ` of at least ${groupedNumber(answered + left)}`;
    return [
      linkCell(name, address),
      `${groupedNumber(answered)}${all} questions answered`,
      actionsCell(
        link(frame, address, 'Go on', ''),
        action(frame, `${address}/stop?from=list`, 'Discard', 'second'),
      ),
    ];
  });
  const columns = ['File', 'Where it stands', actions];
  const table = tableView({ ...textsOf('asked'), columns, rows: lines }, 'asked');
  return table === null ? null : { table, lines: lines.length };
}

/** The work list, and the viewer's open dialogues about files. */
interface ShownWorklist extends Worklist {
  readonly asked: readonly OpenTalk[];
  /** The pages of reconciliations, by their ids in the ledger. */
  readonly pages: ReadonlyMap<string, PageOfReconciliation>;
  /** The ids of the newest uploads, by the names of their files. */
  readonly uploads: ReadonlyMap<string, string>;
}

/** The tasks for people today, the most urgent first. @param viewer the viewer's name */
export function worklistPage(frame: Frame, list: ShownWorklist, viewer: string): Page {
  const failed = failedRunsTable(frame, list.failedRuns, list.uploads);
  const tables = [
    failed === null ? null : { table: failed, lines: list.failedRuns.length },
    doubtsTable(frame, list.doubts),
    approvalsTable(frame, list.approvals, viewer),
    heldTable(frame, 'payees', list.changedPayees),
    heldTable(frame, 'held', list.held),
    contradictionsTable(frame, list.contradictions),
    differencesTable(frame, list.differences, list.pages),
    askedTable(frame, list.asked),
    sendingTable(frame, list.sending),
    correctionsTable(frame, list.corrections),
    waitingTable(frame, list.waiting),
  ].filter((table) => table !== null);
  const halted = list.halt === null ? null : haltSection(list.halt);
  const upload = uploadSection(frame);
  return {
    title: 'To do',
    part: '/',
    content:
      tables.length === 0
        ? [halted, upload, nothing(frame)]
        : [halted, upload, summary(tables, list.isCutShort), ...tables.map(({ table }) => table)],
  };
}

function nothing(frame: Frame): Html {
  const upload = frame.may('POST', '/uploads');
  return section(
    'Nothing waits for you',
    html`<p class="empty">No batch waits for an approval or a decision, nothing is in doubt, and nothing is left to be sent or corrected. ${upload ? 'Upload a file to begin, or look' : 'Look'} at <a href="/batches">the batches</a>.</p>`,
  );
}

/** Links to the sections, each with its number of lines. */
function summary(tables: readonly WorkTable[], isCutShort: boolean): Html {
  const all = tables.reduce((sum, { lines }) => sum + lines, 0);
  const items = tables.map(
    ({ table, lines }) => html`<li><a href="#${table.id}">${table.title}</a> <b>${lines}</b></li>
`,
  );
  const cut = isCutShort
    ? html`<p class="second">There are too many open batches: only the newest ones were looked at. Close those that are not to be sent, and correct or leave the others from <a href="/batches">the list of batches</a>.</p>`
    : null;
  return html`<section aria-label="Overview"><p class="headline">${countOf(all, 'thing')} to do</p>
<ul class="overview">
${items}</ul>${cut}</section>
`;
}

/**
 * Says that everything is halted: since when, by whom and why, which rows in doubt will be held, and how to lift the
 * halt.
 */
export function haltSection({ halt, inDoubt, liftedBy }: HaltInForce): Html {
  const doubt =
    inDoubt === null
      ? null
      : html`<p>${countOf(inDoubt.rows, 'row')} in doubt ${inDoubt.rows === 1 ? 'is' : 'are'} held if it lasts: the first from ${moment(inDoubt.firstHeldAt)} on, all from ${moment(inDoubt.lastHeldAt)} on.</p>`;
  const lifting =
    liftedBy === null
      ? html`<p>A person who may change the policy can lift it: <code>paybatch halt --lift</code></p>`
      : html`<p>Version ${liftedBy} of the policy lifts it. It waits for approvals: <code>paybatch policy approve ${liftedBy}</code></p>`;
  return section(
    'Everything is stopped',
    html`<p>Since ${moment(halt.at)}, by ${halt.by}: ${halt.note}</p>${doubt}${lifting}`,
  );
}
