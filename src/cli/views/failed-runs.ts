/* Runs that failed without a batch, as `status` lists them. */

import { failedSinceText, printable } from '../../account/words/wording.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { FailedRun } from '../../domain/batches/failed-run.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import { countOf } from '../../domain/money/figures.ts';
import { inOptions, nextOfRemedies } from '../remedies/remedy-text.ts';
import { colourIf, wrapped } from './terminal-text.ts';

/** A block for each run: what failed and with which exit code, why, since when, and what helps. Empty when there are none. */
export function failedRunLines(
  failed: readonly FailedRun[],
  words: DoorWords,
  useColour: boolean,
  terminalColumns: number,
): string[] {
  if (failed.length === 0) return [];
  const colour = colourIf(useColour);
  const blocks = failed.flatMap((run) => {
    const { command, file, outcome, message, remedies } = run;
    const what = `exit ${exitCodes[outcome]}: paybatch ${command}${file === null ? '' : ` ${file}`}`;
    const next = nextOfRemedies(remedies, words);
    return [
      ...wrapped(printable(what), '  ', terminalColumns).map((line) => colour('bold', line)),
      ...wrapped(printable(inOptions(message)), '    ', terminalColumns),
      ...wrapped(printable(failedSinceText(run)), '    ', terminalColumns),
      // A command is typed as it is printed.
      ...(next === null ? [] : [`    next: ${printable(next)}`]),
    ];
  });
  return [
    colour('yellow', `${countOf(failed.length, 'run')} failed, and no later one made up for it:`),
    ...blocks,
  ];
}
