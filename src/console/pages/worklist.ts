/* The first page: where files are uploaded, and what needs a person today. */

import { type Html, html, section } from '../../account/report/page.ts';
import { actions, figure, type Line } from '../../account/table.ts';
import { rowRemedyText } from '../../account/words/row-words.ts';
import type { ApprovalTask, CorrectionTask, ReasonTask, WorkSection } from '../../account/worklist.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { Worklist } from '../../engine/status.ts';
import type { OpenTalk } from '../under-way/mapping-talks.ts';
import type { PageOfReconciliation } from '../under-way/reconciliations.ts';
import { failedRunsTable } from './failed-runs.ts';
import { haltSection } from './halt.ts';
import { type Frame, type Page, rowsAddress } from './layout.ts';
import { pageStepNames } from './page-words.ts';
import { action, link } from './remedies.ts';
import { linkCell, tableView } from './table.ts';
import { uploadSection } from './templates.ts';
import { differencesTable } from './worklist-differences.ts';
import {
  actionsCell,
  amountsCell,
  batchCell,
  contradictionsTable,
  doubtsTable,
  reasonText,
  rowsCell,
  sendingTable,
  type WorkTable,
  workTable,
} from './worklist-sending.ts';

/* Sections of the work list in which a person decides or corrects: approvals, held rows, refused rows, and those that wait. */

/** Batches that wait for approvals. */
function approvalsTable(frame: Frame, work: WorkSection<ApprovalTask>, viewer: string): WorkTable | null {
  const lines = work.tasks.map((task): Line => {
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
  return workTable(
    'approvals',
    {
      title: 'Waiting for approval',
      introduction:
        'None of these rows is sent before enough approvers have approved the plan. Once rejected, it waits until somebody approves it all the same, or closes the batch.',
      columns: ['Batch', figure('Rows'), figure('Amounts'), 'Approvals', 'Who may approve', 'You', actions],
      rows: lines,
    },
    work,
  );
}

/** The viewer's possible action. */
function part(frame: Frame, { batch, standing }: ApprovalTask, viewer: string): string {
  const { given, mayApprove, rejected, takesConsole } = standing;
  const no = rejected === null ? '' : ` (${rejected.by} rejected it: ${rejected.note})`;
  if (given.some(({ by }) => by === viewer)) return `have approved it${no}`;
  if (!mayApprove.includes(viewer)) return `may not approve it${no}`;
  const isHere = takesConsole && frame.may('POST', `/batches/${batch.id}/approval`);
  return `${isHere ? 'may approve it' : 'may approve it with your own key'}${no}`;
}

const heldTitles = {
  payees: [
    'Payees that have changed',
    'They pay a known payee at another account, or name an account of another payee. Ask the payee by another way than the file which is right. "An earlier object stands for it" keeps the earlier one and sends nothing; "Send it all the same" sends the row as it is; a row that is wrong is corrected.',
  ],
  held: [
    'Held for a decision',
    'Only a person may decide what becomes of them. What you decide is kept with your name. Nothing is sent by it: the next run does what was decided.',
  ],
} as const;

/** Held rows by batch and reason. */
function heldTable(frame: Frame, which: 'payees' | 'held', work: WorkSection<ReasonTask>): WorkTable | null {
  const [title, introduction] = heldTitles[which];
  const lines = work.tasks.map(({ batch, code, rows, sums, since, advice }): Line => {
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
  return workTable(
    which,
    {
      title,
      introduction,
      columns: ['Batch', 'Why', figure('Rows'), figure('Amounts'), 'Since', 'What can be done', actions],
      rows: lines,
    },
    work,
  );
}

/** Rows that failed the checks or were refused by the API. */
function correctionsTable(frame: Frame, work: WorkSection<CorrectionTask>): WorkTable | null {
  const lines = work.tasks.map(({ batch, status, code, rows, sums, canBeTried, alsoIn }): Line => {
    const address = rowsAddress(batch.id, { status });
    return [
      batchCell(batch, address, alsoIn),
      { status },
      reasonText(code),
      rows,
      amountsCell(sums, rows),
      actionsCell(
        link(frame, address, frame.may('GET', `/batches/${batch.id}/edit`) ? 'Correct them' : 'Look at them'),
        status === 'rejected' && canBeTried
          ? action(frame, `/batches/${batch.id}/retry`, 'Send them again', 'second')
          : null,
      ),
    ];
  });
  return workTable(
    'corrections',
    {
      title: 'To be corrected',
      introduction:
        'Nothing of them exists at the API. Correct them here or in the failed file: the correction is a batch of its own, and each row is sent once. "Send them again" sends rejected rows as they are, under new keys: it helps once the reason is gone on their side. Close a batch whose rows are not to be sent.',
      columns: ['Batch', 'Status', 'Why', figure('Rows'), figure('Amounts'), actions],
      rows: lines,
    },
    work,
  );
}

/** Rows that wait for their customer or account, or for something that the API requires of the customer. */
function waitingTable(frame: Frame, work: WorkSection<ReasonTask>): WorkTable | null {
  const lines = work.tasks.map(
    ({ batch, code, rows, sums, since, canBeTried }): Line => [
      batchCell(batch, rowsAddress(batch.id, { status: 'waiting', ...(code === null ? {} : { code }) })),
      reasonText(code),
      rows,
      amountsCell(sums, rows),
      since === null ? null : { time: since },
      actionsCell(
        canBeTried
          ? action(frame, `/batches/${batch.id}/resume?waiting=now`, 'Try them again', 'second')
          : link(frame, `/batches/${batch.id}`, 'Look at the batch'),
      ),
    ],
  );
  return workTable(
    'waiting',
    {
      title: 'Waiting',
      introduction:
        'Their customers or accounts are not there yet, or the customer has something to do first, such as to be verified (KYC). A later run tries them again by itself; remind the customer, or try them now.',
      columns: ['Batch', 'What for', figure('Rows'), figure('Amounts'), 'Since', actions],
      rows: lines,
    },
    work,
  );
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
  const table = tableView(
    {
      title: 'Files with open questions',
      introduction:
        'Nothing of them is taken in before you have agreed to how they are read. Your answers are kept.',
      columns: ['File', 'Where it stands', actions],
      rows: lines,
    },
    'asked',
  );
  return table === null ? null : { table, lines: lines.length };
}

/** The work list, and the dialogues of its viewer about files. */
interface ShownWorklist extends Worklist {
  readonly asked: readonly OpenTalk[];
  /** The pages of reconciliations, by their ids in the ledger. */
  readonly pages: ReadonlyMap<string, PageOfReconciliation>;
  /** The ids of the newest uploads by the names of their files. */
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
