/* The shapes of what `halt`, `audit`, `user` and `policy` print with `--json`. */

import * as z from 'zod';
import { auditHead, error, exitCode, time } from './shared.ts';

/* The output of `halt --json`, and the halt in force in the output of others. */

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

/* The JSON output of `audit`. Its names are public. */

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
    'claim_not_approved',
    'row_not_approved',
    'request_changed',
    'request_not_logged',
    'object_missing',
    'object_not_answered',
    'record_lost',
    'row_not_staged',
    'rows_not_staged',
    'answer_not_logged',
    'code_not_answered',
    'answer_missing',
    'request_not_staged',
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
      rows: z
        .strictObject({
          requests: z.int().nonnegative().meta({ description: 'Rows with a request' }),
          approved: z.int().nonnegative().meta({ description: 'Those that an approval proves' }),
          logged: z.int().nonnegative().meta({ description: 'Those that only a run log proves' }),
          unproven: z
            .string()
            .meta({ description: 'Those that neither proves: {[2,5),[7,8)} for 2, 3, 4 and 7' }),
        })
        .nullable()
        .meta({ description: 'What proves the rows of a batch; null where the chain is of none' }),
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

/* The output of `user --json` and `policy --json`. */

const proposalObject = z.strictObject({
  proposed_by: z.string(),
  approved_by: z.array(z.string()),
  needed: z.int().meta({ description: 'Approvals of different approvers' }),
  may_approve: z.array(z.string()),
  rejection: z.strictObject({ by: z.string(), at: time, note: z.string() }).nullable(),
});

const userObject = z.strictObject({
  name: z.string(),
  role: z.enum(['maker', 'approver', 'admin']),
  state: z
    .enum(['active', 'waiting', 'unnamed', 'locked'])
    .meta({ description: 'waiting: for approvals. unnamed: no policy names this approver yet' }),
  added_by: z.string(),
  added_at: time,
  locked_by: z.string().nullable(),
  locked_at: time.nullable(),
  key: z.string().meta({ description: 'SHA-256 of the present public key, in hex' }),
  key_since: time,
  appointment: proposalObject.nullable(),
});

/** The output of `user list`. */
export const usersObject = z.strictObject({
  exit_code: exitCode,
  policy_in_force: z.int().nullable(),
  users: z.array(userObject),
});

/** The output of `user` for one user. */
export const oneUserObject = z.strictObject({
  exit_code: exitCode,
  user: userObject,
  key_file: z.string().optional().meta({ description: 'An absolute path, where a key was made' }),
  link: z.string().optional().meta({
    description: 'Of user invite: the address where the user sets a password, once. A secret.',
  }),
  link_until: time.optional(),
});

const policyView = z.strictObject({
  version: z.int(),
  proposed_by: z.string(),
  proposed_at: time,
  in_force_at: time.nullable(),
  is_restored: z.boolean(),
  sentences: z.array(z.string()),
  rules: z.array(
    z.strictObject({
      mode: z.enum(['sandbox', 'live']),
      kinds: z.array(z.string()),
      approvers: z.int(),
      from_rows: z.int().nullable(),
      from_sum: z.record(z.string(), z.string()),
      findings: z.array(z.string()),
      valid_for_ms: z.int(),
      maker_may_approve: z.boolean(),
      console: z.boolean(),
    }),
  ),
});

/** The output of `policy`. */
export const policyObject = z.strictObject({
  exit_code: exitCode,
  in_force: policyView.nullable(),
  waiting: z.array(policyView.extend({ proposal: proposalObject })),
  approvers: z.array(z.string()),
  approvals_needed: z.int().meta({ description: 'For a change of the policy or of the approvers' }),
});
