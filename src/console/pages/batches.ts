/* The list of batches. */

import { html, section } from '../../account/report/page.ts';
import { figure } from '../../account/table/table.ts';
import { standingHeadline } from '../../account/words/wording.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { FailedRun } from '../../domain/batches/failed-run.ts';
import { failedRunsTable } from './failed-runs.ts';
import type { Page } from './layout.ts';
import { linkCell, tableView } from './table.ts';

/** The newest batches, and before them runs that failed without one. */
export function batchesPage(batches: readonly BatchAccount[], failedRuns: readonly FailedRun[]): Page {
  const table = tableView({
    title: 'Newest batches',
    columns: [
      ...['Batch', 'File', 'Kind', 'Received', 'State', figure('Rows'), figure('For a person')],
      'Standing',
    ],
    rows: batches.map(({ id, file, sheet, kind, createdAt, state, rows, needsPerson, counts }) => [
      linkCell(shortBatchId(id), `/batches/${id}`),
      sheet === null ? file : `${file}, sheet ${sheet}`,
      kind,
      { time: createdAt },
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
