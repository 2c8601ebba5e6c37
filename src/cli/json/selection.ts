/* What `resolve --where --json` prints. */

import type { Selection } from '../../domain/batches/selection.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { CallResult } from '../../engine/running/result.ts';
import { documentOf } from './document.ts';

/** The summary of the call, with the rows that were selected; its names are public. */
export function selectionDocument(
  result: CallResult & { readonly recorded: number; readonly selection: Selection | null },
  words: DoorWords,
): unknown {
  const { outcome, batches, failure, recorded, selection } = result;
  const summary = documentOf({ outcome, batches, failure }, words);
  if (selection === null) return summary;
  const { hash, verdict, rows, sentRepeatedly, sums, samples } = selection;
  return {
    ...(summary as object),
    recorded,
    selection: { hash, verdict, rows, sent_repeatedly: sentRepeatedly, sums, samples },
  };
}
