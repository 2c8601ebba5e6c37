/* The output of `disown --json`, and its shape. */

import * as z from 'zod';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { DisownResult } from '../../engine/disown.ts';
import { documentOf } from './document.ts';
import { summaryObject } from './shared.ts';

const count = z.int().nonnegative();

/** The additional output of `disown`. */
export const disownObject = summaryObject.extend({
  disowned: z.strictObject({
    fingerprint: z.string().meta({ description: 'Of the API key that was no live key' }),
    batches: z.array(
      z.strictObject({
        batch: z.uuid(),
        created: count.meta({ description: 'Rows that were created with it, and are sent again' }),
        sums: z.array(z.strictObject({ currency: z.string(), rows: count, amount: z.string() })),
        existing: count.meta({
          description: 'Rows for which such an object stood, and which are sent as well',
        }),
        prepared_anew: count.meta({
          description: 'Rows that were never sent, and whose requests are written anew',
        }),
      }),
    ),
    decided: count.meta({ description: 'Rows that a person has named as created: these stay' }),
  }),
});

/** The summary of the call, with what was taken back; its names are public. */
export function disownDocument(result: DisownResult, words: Phrasebook): unknown {
  const { outcome, batches, failure, key, taken } = result;
  const summary = documentOf({ outcome, batches, failure }, words);
  const disowned = {
    fingerprint: key,
    batches: taken.batches.map(({ id, created, sums, existing, ready }) => ({
      ...{ batch: id, created, sums, existing },
      prepared_anew: ready,
    })),
    decided: taken.decided,
  };
  return { ...(summary as object), disowned };
}
