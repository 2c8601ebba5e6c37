/* What `audit` prints as JSON. Its names are public. */

import * as z from 'zod';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { AuditExport, AuditProblem, AuditVerification } from '../../engine/audit.ts';
import { problemText } from '../views/audit.ts';
import { auditHead, error, exitCode } from './shared.ts';

const chain = z.string().meta({ description: "A batch's id, or controls: users, keys and policies" });

const problem = z.strictObject({
  code: z.enum([
    'event_changed',
    'event_missing',
    'link_broken',
    'tail_missing',
    'head_differs',
    'record_unnoted',
    'record_missing',
    'record_changed',
    'signature_wrong',
    'logged_head_differs',
  ]),
  event: z.int().positive().nullable().meta({ description: 'Its number; null where it is about none' }),
  message: z.string(),
});

/** `audit verify`. */
export const verificationObject = z.strictObject({
  exit_code: exitCode,
  chains: z.array(
    z.strictObject({
      chain,
      events: z.int().nonnegative(),
      head: auditHead,
      problems: z.array(problem).meta({ description: 'The first broken link comes first' }),
    }),
  ),
  unknown_head: z.string().nullable().meta({ description: 'The named head, where no event has that hash' }),
  logged_heads: z
    .int()
    .nonnegative()
    .meta({ description: 'Heads in run logs that the chains were compared with' }),
  error,
});

/** `audit export --to FILE`. */
export const exportObject = z.strictObject({
  exit_code: exitCode,
  file: z.string().nullable(),
  events: z.int().nonnegative(),
  heads: z.array(z.strictObject({ chain, number: z.int().positive(), hash: z.string() })),
  error,
});

export function verificationDocument({
  outcome,
  chains,
  unknownHead,
  loggedHeads,
}: AuditVerification): z.output<typeof verificationObject> {
  return {
    exit_code: exitCodes[outcome],
    chains: chains.map(({ chain, events, head, problems }) => ({
      chain,
      events,
      head,
      problems: problems.map((each) => ({
        code: each.code,
        event: eventOf(each),
        message: problemText(each),
      })),
    })),
    unknown_head: unknownHead,
    logged_heads: loggedHeads,
    error: null,
  };
}

function eventOf(of: AuditProblem): number | null {
  return 'number' in of ? of.number : null;
}

export function exportDocument(
  { outcome, events, heads }: AuditExport,
  file: string | null,
): z.output<typeof exportObject> {
  return { exit_code: exitCodes[outcome], file, events, heads: [...heads], error: null };
}
