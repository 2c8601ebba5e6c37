/* The output of `halt --json`, and its shape. */

import * as z from 'zod';
import { haltRemedy } from '../../account/words/halt-text.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { DoubtsOfHalt, HaltInForce } from '../../domain/controls/controls.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { HaltResult } from '../../engine/halt.ts';
import { error, exitCode, time } from './shared.ts';

const doubtsObject = z.strictObject({ rows: z.int().positive(), first_held_at: time, last_held_at: time });

/** A stop of everything that is in force, for commands that are about something else. */
export const haltInForceObject = z.strictObject({
  note: z.string(),
  by: z.string(),
  at: time,
  in_doubt: doubtsObject
    .nullable()
    .meta({ description: 'Rows in doubt that are held if it lasts, and when; null for none' }),
  next: z.string().meta({ description: 'The command that lifts it' }),
});

/** A document that names the stop in force first; unchanged where nothing is stopped. */
export function withHalt<Document extends { readonly exit_code: number }>(
  document: Document,
  inForce: HaltInForce | null,
  words: Phrasebook,
): Document {
  if (inForce === null) return document;
  const first = { exit_code: document.exit_code, halt: haltInForceJson(inForce, words) };
  return Object.assign(first, document);
}

function haltInForceJson(inForce: HaltInForce, words: Phrasebook): z.output<typeof haltInForceObject> {
  const { note, by, at } = inForce.halt;
  return { note, by, at, in_doubt: doubtsJson(inForce.inDoubt), next: words.remedy(haltRemedy(inForce)) };
}

function doubtsJson(inDoubt: DoubtsOfHalt | null): z.output<typeof doubtsObject> | null {
  return inDoubt === null
    ? null
    : { rows: inDoubt.rows, first_held_at: inDoubt.firstHeldAt, last_held_at: inDoubt.lastHeldAt };
}

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
  in_doubt: doubtsObject
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
    in_doubt: doubtsJson(inDoubt),
    error: null,
  };
}
