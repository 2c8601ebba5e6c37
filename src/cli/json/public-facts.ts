/*
 * Facts about a batch that only `status --json` prints, besides those in the `--json` of every command. The keys are
 * public.
 */

import * as z from 'zod';
import { stepText } from '../../account/next-steps.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchClosing } from '../../domain/batches/batch.ts';
import type { ApprovalStanding } from '../../domain/batches/batch-facts.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();

const count = z.int().nonnegative();

export const publicClosing = z.strictObject({
  at: time,
  by: z
    .string()
    .nullable()
    .meta({ description: 'Null where it is known from a run log only, and so is the note' }),
  note: z.string().nullable(),
});

export const closingOf = ({ at, by, note }: BatchClosing) => ({ at, by, note });

export const publicApproval = z.strictObject({
  policy: z.int().positive().meta({ description: 'Version of the policy in force' }),
  needed: z.int().positive().meta({ description: 'How many approvers have to approve one plan' }),
  given: z.array(z.strictObject({ by: z.string(), at: time, plan_hash: z.string() })),
  in_force: z
    .uuid()
    .nullable()
    .meta({ description: 'The approval under which rows are sent; null while the batch waits' }),
  until: time.nullable(),
  rejected: z.strictObject({ by: z.string(), at: time, note: z.string() }).nullable(),
  may_approve: z.array(z.string()),
  plan_hash: z.string().nullable().meta({ description: 'Of the plan that was shown last' }),
});

export function approvalOf(standing: ApprovalStanding): z.output<typeof publicApproval> {
  const { policy, needed, given, inForce, until, rejected, mayApprove, planHash } = standing;
  return {
    policy,
    needed,
    given: given.map(({ by, at, planHash: hash }) => ({ by, at, plan_hash: hash })),
    in_force: inForce,
    until,
    rejected,
    may_approve: [...mayApprove],
    plan_hash: planHash,
  };
}

/** A public fact: its shape, and its value in an account. */
interface PublicFact<Shape extends z.ZodType> {
  readonly shape: Shape;
  readonly of: (account: BatchAccount, words: Phrasebook) => z.output<Shape>;
}

function fact<Shape extends z.ZodType>(shape: Shape, of: PublicFact<Shape>['of']): PublicFact<Shape> {
  return { shape, of };
}

/** A fact that not every batch has; null for batches without it. */
function factOrNull<Shape extends z.ZodType, Known>(
  shape: Shape,
  absence: string,
  find: (account: BatchAccount) => Known | null,
  of: (known: Known) => z.output<Shape>,
) {
  return fact(shape.nullable().meta({ description: absence }), (account) => {
    const known = find(account);
    return known === null ? null : of(known);
  });
}

/** The public facts by their keys, in the order in which they are printed. */
const publicFacts = {
  state: fact(
    z.enum(['running', 'planned', 'unapproved', 'unfinished', 'closed', 'finished']),
    ({ state }) => state,
  ),
  needs_person: fact(
    count.meta({ description: 'Rows that no run moves on by itself' }),
    ({ needsPerson }) => needsPerson,
  ),
  doubt: factOrNull(
    z.strictObject({
      oldest_sent_at: time,
      oldest_runs_out_at: time.meta({ description: 'From then on only a person may decide about that row' }),
      expired: count.meta({ description: 'Rows whose keys have run out' }),
      unsettled: count.meta({
        description: 'Other rows that two runs or more have sent without a conclusive answer',
      }),
    }),
    'Rows that were sent and have no conclusive answer; null when there are none',
    ({ doubt }) => doubt,
    ({ oldestSentAt, oldestRunsOutAt, expired, unsettled }) => ({
      ...{ oldest_sent_at: oldestSentAt, oldest_runs_out_at: oldestRunsOutAt, expired, unsettled },
    }),
  ),
  unanswered: factOrNull(
    z.strictObject({
      code: z.string().meta({ description: 'The most frequent cause, such as connection_refused' }),
      http_status: z.int().nullable(),
      rows: z.int().positive(),
      ranges: z
        .array(z.tuple([z.int(), z.int()]))
        .meta({ description: 'The first and the last row of the first ranges of them' }),
      alone: z
        .boolean()
        .meta({ description: 'Whether no other row is left to be sent, and others were answered' }),
      since: time.meta({ description: 'Since when nothing else was heard about them' }),
    }),
    'Rows that the API gave no answer; null when there are none',
    ({ unanswered }) => unanswered,
    ({ code, httpStatus, rows, ranges, areAlone, since }) => ({
      code,
      http_status: httpStatus,
      rows,
      ranges: ranges.map(([first, last]): [number, number] => [first, last]),
      alone: areAlone,
      since,
    }),
  ),
  refused_alike: factOrNull(
    z.strictObject({
      code: z.string(),
      message: z.string().nullable().meta({ description: 'What the API said' }),
      rows: z.int().positive().meta({ description: 'Refused for it when the sending stopped' }),
    }),
    'Why nothing more is sent until a person says so; null where there is no reason',
    ({ refusedAlike }) => refusedAlike,
    ({ code, message, rows }) => ({ code, message, rows }),
  ),
  closed: factOrNull(
    publicClosing,
    'That no run takes the batch up any more; null where runs may',
    ({ closing }) => closing,
    closingOf,
  ),
  approval: factOrNull(
    publicApproval,
    'Which approvals the policy asks for; null where it asks for none',
    ({ approval }) => approval,
    approvalOf,
  ),
  family: factOrNull(
    z.strictObject({
      first: z.uuid().meta({ description: 'The batch of the first file' }),
      rows: count.meta({ description: 'Of the first file' }),
      done_rows: count.meta({
        description: "Of the first file's rows, those that are created or existing in any of its batches",
      }),
      corrections: z
        .array(z.strictObject({ batch: z.uuid(), rows: z.int().positive(), done_rows: count }))
        .meta({ description: 'The batches that correct its rows, the oldest first' }),
    }),
    'Null for a batch that corrects none and has no corrections',
    ({ family }) => family,
    ({ first, doneRows, corrections }) => ({
      first: first.id,
      rows: first.rows,
      done_rows: doneRows,
      corrections: corrections.map(({ id, rows, doneRows: done }) => ({ batch: id, rows, done_rows: done })),
    }),
  ),
  running: fact(
    z.array(z.strictObject({ command: z.string(), host: z.string(), process: z.string(), since: time })),
    ({ runs }) =>
      runs
        .filter(({ isUnderWay }) => isUnderWay)
        .map(({ command, host, process, startedAt }) => ({ command, host, process, since: startedAt })),
  ),
  last_run_at: fact(time.nullable(), ({ lastRunAt }) => lastRunAt),
  next: fact(
    z.array(
      z.strictObject({
        why: z.string(),
        command: z.string().meta({ description: 'As a POSIX shell takes it' }),
      }),
    ),
    ({ next }, words) => next.map((step) => ({ why: stepText(step), command: words.remedy(step.remedy) })),
  ),
};

type PublicFacts = typeof publicFacts;

/** The shapes of the public facts, for a schema. */
export const publicShapes = Object.fromEntries(
  Object.entries(publicFacts).map(([key, { shape }]) => [key, shape]),
) as { [Key in keyof PublicFacts]: PublicFacts[Key]['shape'] };

/** The public facts of a batch. */
export function publicFactsOf(
  account: BatchAccount,
  words: Phrasebook,
): { [Key in keyof PublicFacts]: ReturnType<PublicFacts[Key]['of']> } {
  const values = Object.entries(publicFacts).map(([key, { of }]) => [key, of(account, words)]);
  return Object.fromEntries(values);
}
