/* The list of batches. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { FailedRun } from '../../domain/batches/failed-run.ts';
import type { BatchView } from '../../engine/status/batch-view.ts';
import { html, section } from '../../output/report/page.ts';
import { standingHeadline } from '../../output/words/wording.ts';
import { failedRunsTable } from './failed-runs.ts';
import { moment, type Page } from './layout.ts';
import { tableView } from './table.ts';

/** The newest batches, and before them runs that failed without one. */
export function batchesPage(batches: readonly BatchView[], failedRuns: readonly FailedRun[]): Page {
  const table = tableView({
    title: 'Newest batches',
    columns: ['Batch', 'File', 'Kind', 'Received', 'State', 'Rows', 'For a person', 'Standing'],
    rows: batches.map(({ id, file, sheet, kind, createdAt, state, rows, needsPerson, counts }) => [
      html`<a href="/batches/${id}">${shortBatchId(id)}</a>`,
      sheet === null ? file : `${file}, sheet ${sheet}`,
      kind,
      moment(createdAt),
      state,
      rows,
      needsPerson === 0 ? null : needsPerson,
      standingHeadline(rows, counts, state === 'closed'),
    ]),
  });
  return {
    title: 'Batches',
    part: '/batches',
    content: [
      failedRunsTable(failedRuns),
      table ??
        section(
          'There are no batches yet',
          html`<p class="empty"><a href="/">Upload a file</a> to make the first one.</p>`,
        ),
    ],
  };
}
