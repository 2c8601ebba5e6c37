/* Runs that failed without a batch, with what can be done about each. */

import { basename } from 'node:path';
import type { Html } from '../../account/report/page.ts';
import { actions } from '../../account/table.ts';
import { failedSinceText } from '../../account/words/wording.ts';
import type { FailedRun } from '../../domain/batches/batch-facts.ts';
import { door } from '../access/sessions.ts';
import { type Frame, withoutFolders } from './layout.ts';
import { consoleWords, pageText } from './page-words.ts';
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
      { sentence: withoutFolders(pageText(run.message), frame.folders) },
      helpFor(frame, run),
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
function helpFor({ folders }: Frame, { outcome, remedies, door: of }: FailedRun): string {
  if (outcome !== 'file_refused')
    return remedies.map((remedy) => withoutFolders(consoleWords.remedy(remedy), folders)).join('; or ');
  return of === door
    ? 'Look at it again here, or correct the file where it came from, and upload that.'
    : 'Correct the file where it came from, or upload it here and say how it is read.';
}

/** Where a file that was uploaded here is looked at again, and where another one is uploaded. */
function nextStep(
  frame: Frame,
  { file, door: of }: FailedRun,
  uploads: ReadonlyMap<string, string>,
): Html | null {
  if (file === null) return null;
  const id = of === door ? uploads.get(file) : undefined;
  return id === undefined
    ? link(frame, '/#files', 'Upload it again')
    : link(frame, `/uploads/${id}`, 'Open it again');
}
