/* The first page: where files are uploaded, and what needs a person today. */

import { type Html, html, section } from '../../account/report/page.ts';
import { countOf } from '../../domain/money/figures.ts';
import type { Worklist } from '../../engine/worklist.ts';
import { failedRunsTable } from './failed-runs.ts';
import type { Frame, Page } from './layout.ts';
import { uploadSection } from './upload.ts';
import type { WorkTable } from './worklist-cells.ts';
import { approvalsTable, correctionsTable, heldTable, waitingTable } from './worklist-decisions.ts';
import { contradictionsTable, doubtsTable, sendingTable } from './worklist-sending.ts';

/** What needs a person today: the most urgent first. @param viewer name of who looks */
export function worklistPage(frame: Frame, list: Worklist, viewer: string): Page {
  const failed = failedRunsTable(list.failedRuns);
  const tables = [
    failed === null ? null : { table: failed, lines: list.failedRuns.length },
    doubtsTable(frame, list.doubts),
    approvalsTable(frame, list.approvals, viewer),
    heldTable(frame, 'payees', list.changedPayees),
    heldTable(frame, 'held', list.held),
    contradictionsTable(frame, list.contradictions),
    sendingTable(frame, list.sending),
    correctionsTable(frame, list.corrections),
    waitingTable(frame, list.waiting),
  ].filter((table) => table !== null);
  const upload = uploadSection(frame);
  return {
    title: 'To do',
    part: '/',
    content:
      tables.length === 0
        ? [upload, nothing(frame)]
        : [upload, summary(tables, list.isCutShort), ...tables.map(({ table }) => table)],
  };
}

function nothing(frame: Frame): Html {
  const upload = frame.may('POST', '/uploads');
  return section(
    'Nothing waits for you',
    html`<p class="empty">No batch waits for an approval or a decision, nothing is in doubt, and nothing is left to be sent or corrected. ${upload ? 'Upload a file to begin, or look' : 'Look'} at <a href="/batches">the batches</a>.</p>`,
  );
}

/** The ways to the sections, each with its number. */
function summary(tables: readonly WorkTable[], isCutShort: boolean): Html {
  const all = tables.reduce((sum, { lines }) => sum + lines, 0);
  const items = tables.map(
    ({ table, lines }) => html`<li><a href="#${table.id}">${table.title}</a> <b>${lines}</b></li>
`,
  );
  const cut = isCutShort
    ? html`<p class="second">So many batches are open that only the newest ones were looked at. Close those that are not to be sent, and correct or leave the others from <a href="/batches">the list of batches</a>.</p>`
    : null;
  return html`<section aria-label="Overview"><p class="headline">${countOf(all, 'thing')} to do</p>
<ul class="overview">
${items}</ul>${cut}</section>
`;
}
