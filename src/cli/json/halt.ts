/* The output of `halt --json`, and its shape. */

import * as z from 'zod';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { HaltResult } from '../../engine/halt.ts';
import { error, exitCode, time } from './shared.ts';

/** What `halt` prints. */
export const haltObject = z.strictObject({
  exit_code: exitCode,
  halt: z
    .strictObject({ note: z.string(), by: z.string(), at: time })
    .nullable()
    .meta({ description: 'Null where nothing is halted' }),
  did: z.enum(['nothing', 'halted', 'lifted', 'proposed']).meta({ description: 'What this call has done' }),
  lifted_by_policy: z
    .int()
    .positive()
    .nullable()
    .meta({ description: 'Version of the proposed policy that lifts it once it is approved' }),
  in_doubt: z
    .strictObject({ rows: z.int().positive(), first_held_at: time, last_held_at: time })
    .nullable()
    .meta({ description: 'Rows in doubt that are held if it lasts, and when' }),
  error,
});

/** The object that `halt` prints; its names are public. */
export function haltDocument({
  outcome,
  halt,
  did,
  liftedBy,
  inDoubt,
}: HaltResult): z.output<typeof haltObject> {
  return {
    exit_code: exitCodes[outcome],
    halt: halt === null ? null : { note: halt.note, by: halt.by, at: halt.at },
    did,
    lifted_by_policy: liftedBy,
    in_doubt:
      inDoubt === null
        ? null
        : { rows: inDoubt.rows, first_held_at: inDoubt.firstHeldAt, last_held_at: inDoubt.lastHeldAt },
    error: null,
  };
}
