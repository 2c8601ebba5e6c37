/* That a batch is closed, as `--json` tells it. */

import * as z from 'zod';
import type { BatchClosing } from '../../domain/batches/batch.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { CloseResult } from '../../engine/close.ts';
import { documentOf } from './document.ts';
import { summaryObject, time } from './shared.ts';

const closing = {
  at: time,
  by: z.string().nullable().meta({ description: 'Null where only a run log told of it, and so is the note' }),
  note: z.string().nullable(),
};

export const closedObject = z.strictObject(closing);

export function closedJson({ at, by, note }: BatchClosing): z.output<typeof closedObject> {
  return { at, by, note };
}

/** What `close` prints beside its summary. */
export const closeObject = summaryObject.extend({
  closed: z.strictObject({
    ...closing,
    is_new: z.boolean().meta({ description: 'False where the batch was closed before' }),
    rows: z.int().nonnegative().meta({ description: 'Rows that this call has made invalid' }),
  }),
});

/** The summary of the call, with the closing; its names are public. */
export function closeDocument(result: CloseResult, words: DoorWords): unknown {
  const { outcome, batches, failure, closing: stands, isNew, closedRows } = result;
  const summary = documentOf({ outcome, batches, failure }, words);
  return { ...(summary as object), closed: { ...closedJson(stands), is_new: isNew, rows: closedRows } };
}
