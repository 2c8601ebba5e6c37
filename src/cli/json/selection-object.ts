/* The JSON object of a verdict for many rows. */

import * as z from 'zod';
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
