/* The output of `halt`, `audit`, `user` and `policy` with `--json`, and its shape. */

import * as z from 'zod';
import type { CallResult } from '../../account/result.ts';
import { haltRemedy } from '../../account/words/check-text.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import type { DoubtsOfHalt, HaltInForce, ProposalState } from '../../domain/controls/controls.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import type { AuditExport, AuditProblem, AuditVerification } from '../../engine/audit.ts';
import type { HaltResult } from '../../engine/halt.ts';
import type { PolicyResult, PolicyView } from '../../engine/policy.ts';
import type { UserView } from '../../engine/users.ts';
import { problemText } from '../views/controls.ts';
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

export function verificationDocument({
  outcome,
  chains,
  unknownHead,
  loggedHeads,
}: AuditVerification): z.output<typeof verificationObject> {
  return {
    exit_code: exitCodes[outcome],
    chains: chains.map(({ chain, events, head, rows, problems }) => ({
      chain,
      events,
      head,
      rows,
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

function proposalOf({ proposedBy, approvedBy, needed, mayApprove, rejection }: ProposalState): object {
  return {
    proposed_by: proposedBy,
    approved_by: approvedBy,
    needed,
    may_approve: mayApprove,
    rejection: rejection === null ? null : { by: rejection.by, at: rejection.at, note: rejection.note },
  };
}

function userOf(user: UserView): object {
  return {
    name: user.name,
    role: user.role,
    state: user.state,
    added_by: user.addedBy,
    added_at: user.addedAt,
    locked_by: user.lockedBy,
    locked_at: user.lockedAt,
    key: user.keyId,
    key_since: user.keySince,
    appointment: user.appointment === null ? null : proposalOf(user.appointment),
  };
}

export function usersDocument(
  result: CallResult & { readonly users: readonly UserView[]; readonly policyInForce: number | null },
): object {
  const { outcome, users, policyInForce } = result;
  return { exit_code: exitCodes[outcome], policy_in_force: policyInForce, users: users.map(userOf) };
}

export function userDocument(
  result: CallResult & {
    readonly user: UserView;
    readonly keyFile?: string;
    readonly link?: string;
    readonly until?: string;
  },
): object {
  const { outcome, user, keyFile, link, until } = result;
  const key = keyFile === undefined ? {} : { key_file: keyFile };
  const invitation = link === undefined ? {} : { link, link_until: until };
  return { exit_code: exitCodes[outcome], user: userOf(user), ...key, ...invitation };
}

function policyOf(view: PolicyView): object {
  return {
    version: view.version,
    proposed_by: view.proposedBy,
    proposed_at: view.proposedAt,
    in_force_at: view.inForceAt,
    is_restored: view.isRestored,
    sentences: view.sentences,
    rules: view.policy.rules.map((rule) => ({
      mode: rule.mode,
      kinds: rule.kinds,
      approvers: rule.approvers,
      from_rows: rule.fromRows,
      from_sum: rule.fromSum,
      findings: rule.findings,
      valid_for_ms: rule.validForInMs,
      maker_may_approve: rule.makerMayApprove,
      console: rule.console,
    })),
  };
}

export function policyDocument({
  outcome,
  inForce,
  waiting,
  approvers,
  approvalsNeeded,
}: PolicyResult): object {
  return {
    exit_code: exitCodes[outcome],
    in_force: inForce === null ? null : policyOf(inForce),
    waiting: waiting.map((each) => ({ ...policyOf(each), proposal: proposalOf(each.state) })),
    approvers,
    approvals_needed: approvalsNeeded,
  };
}
