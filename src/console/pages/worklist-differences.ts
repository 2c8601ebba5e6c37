/* The section of the work list about differences that a reconciliation has found. */

import { actions, figure, type Line } from '../../account/table.ts';
import type { DifferencesTask, WorkSection } from '../../account/worklist.ts';
import { groupedNumber } from '../../domain/money/money.ts';
import type { PageOfReconciliation } from '../under-way/reconciliations.ts';
import { differencesAddress } from './differences.ts';
import type { Frame } from './layout.ts';
import { link } from './remedies.ts';
import { actionsCell, batchCell, linesCell, type WorkTable, workTable } from './worklist-sending.ts';

/**
 * Reconciliations with open differences: those that the viewer looks into come first.
 * @param pages their pages; those that were not made on pages have none
 */
export function differencesTable(
  frame: Frame,
  work: WorkSection<DifferencesTask>,
  pages: ReadonlyMap<DifferencesTask['reconciliation'], PageOfReconciliation>,
): WorkTable | null {
  const lines = work.tasks.map((task): Line => {
    const { batch, reconciliation, rows, by, at } = task;
    const page = pages.get(reconciliation);
    const address =
      page === undefined
        ? `/batches/${batch.id}/reconcile`
        : differencesAddress({ batch: batch.id, id: page.id }, null);
    return [
      batchCell(batch, address),
      rows,
      linesCell(people(task)),
      page === undefined || page.files.length === 0 ? null : page.files.join(', '),
      { time: at },
      by,
      actionsCell(link(frame, address, page === undefined ? 'Reconcile here' : 'Decide about them')),
    ];
  });
  return workTable(
    'differences',
    {
      title: 'Differences to decide about',
      introduction:
        'The last reconciliation of the batch has found them. Accept each with a note, or give it to a person who looks into it; what the next reconciliation does not find any more is done. So a comparison with another export replaces this list. Rows in doubt are in the sections above. A reconciliation by a command has no page: "Reconcile here" makes one.',
      columns: [
        'Batch',
        figure('Differences'),
        'Who looks into them',
        'Compared with',
        'Found',
        'By',
        actions,
      ],
      rows: lines,
    },
    work,
  );
}

/** Who looks into how many, the viewer first. */
function people({ own, others }: DifferencesTask): readonly string[] {
  return [
    ...(own === 0 ? [] : [`you: ${groupedNumber(own)}`]),
    ...others.map(({ assignedTo, count }) => `${assignedTo ?? 'not assigned'}: ${groupedNumber(count)}`),
  ];
}
