import { basename } from 'node:path';
import { failedSinceText } from '../../account/words/wording.ts';
import type { FailedRun } from '../../domain/batches/failed-run.ts';
import { consoleWords } from './remedy-words.ts';
import { type TableView, tableView } from './table.ts';

/** Runs that failed without a batch: refused files, and what a run as a whole failed with. Nothing where there are none. */
export function failedRunsTable(failed: readonly FailedRun[]): TableView | null {
  return tableView({
    title: 'Runs that failed',
    introduction: 'No later run has made up for what is listed here.',
    columns: ['What', 'Why', 'What helps', 'When', 'Outcome'],
    rows: failed.map((run) => [
      run.file === null ? `${run.command}, the run as a whole` : basename(run.file),
      { sentence: run.message },
      helpFor(run),
      { sentence: failedSinceText(run) },
      run.outcome.replaceAll('_', ' '),
    ]),
  });
}

/** What somebody does who has the file; where it is on the machine is not told. */
function helpFor({ outcome, remedies }: FailedRun): string {
  return outcome === 'file_refused'
    ? 'Correct the file where it came from, or upload it here and say how it is read.'
    : remedies.map(consoleWords.remedy).join('; or ');
}
