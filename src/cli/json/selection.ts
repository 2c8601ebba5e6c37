/* What `resolve --where --json` prints, and its shape. */

import * as z from 'zod';
import type { CallResult } from '../../account/result.ts';
import type { Selection } from '../../domain/batches/selection.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import { documentOf } from './document.ts';
import { summaryObject } from './shared.ts';

/** What `resolve` prints beside its summary where the rows were selected by conditions. */
export const selectionObject = summaryObject.extend({
  recorded: z.int().nonnegative().meta({ description: 'Verdicts; 0 where nobody has agreed' }),
  selection: z.strictObject({
    hash: z.string().meta({ description: 'What `--selection` takes' }),
    verdict: z.enum(['created', 'not-created', 'existing', 'send']),
    rows: z.int().positive(),
    sent_repeatedly: z.int().nonnegative().meta({ description: 'Rows with more than one request' }),
    sums: z.array(z.strictObject({ currency: z.string(), rows: z.int(), amount: z.string() })),
    samples: z.array(
      z.strictObject({
        row: z.int(),
        status: z.enum(['held', 'unknown']),
        code: z.string().nullable(),
        name: z.string(),
        amount: z.string(),
        reference: z.string(),
        attempts: z.int(),
      }),
    ),
  }),
});

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
