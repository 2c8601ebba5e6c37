/* Runs that failed without a batch, with what can be done about each. */

import { basename } from 'node:path';
import { actions } from '../../account/table.ts';
import { failedSinceText } from '../../account/words/wording.ts';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import type { Frame } from './layout.ts';
import { consoleWords } from './page-words.ts';
import { action, link } from './remedies.ts';
import { type TableView, tableView } from './table.ts';
import { actionsCell } from './worklist-sending.ts';

/**
 * Refused files, and errors of whole runs. Null for none.
 * @param uploads the ids of the newest uploads by the names of their files
 */
export function failedRunsTable(
  frame: Frame,
  failed: readonly FailedRun[],
  uploads: ReadonlyMap<string, string>,
): TableView | null {
  return tableView({
    title: 'Runs that failed',
    introduction:
      'No later run has made up for what is listed here. "Put away" takes a line off this list, with your name; it comes back if the same fails again.',
    columns: ['What', 'Why', 'What helps', 'When', 'Outcome', actions],
    rows: failed.map((run) => [
      run.file === null ? `${run.command}, the run as a whole` : basename(run.file),
      { sentence: run.message },
      helpFor(run),
      { sentence: failedSinceText(run) },
      run.outcome.replaceAll('_', ' '),
      actionsCell(
        nextStep(frame, run, uploads),
        action(frame, `/failed-runs/${run.id}/put-away`, 'Put away', 'second'),
      ),
    ]),
  });
}

/** The remedy for a person who has the file; its path on the machine is not shown. */
function helpFor({ outcome, remedies }: FailedRun): string {
  return outcome === 'file_refused'
    ? 'Correct the file where it came from, or upload it here and say how it is read.'
    : remedies.map(consoleWords.remedy).join('; or ');
}

/** Where a file that was uploaded here is looked at again, and where another one is uploaded. */
function nextStep(frame: Frame, { file, door }: FailedRun, uploads: ReadonlyMap<string, string>) {
  if (file === null) return null;
  const id = door === 'console' ? uploads.get(file) : undefined;
  return id === undefined
    ? link(frame, '/#files', 'Upload it again')
    : link(frame, `/uploads/${id}`, 'Open it again');
}
