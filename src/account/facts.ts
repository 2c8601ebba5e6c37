/*
 * What is said of a batch: the sentence of each fact, for terminal, report, pages and work list, and its public key, for
 * `--json`.
 */

import * as z from 'zod';
import type { BatchAccount } from '../domain/batches/account.ts';
import {
  type BatchClosing,
  type RowsInDoubt,
  shortBatchId,
  type WaitingRows,
} from '../domain/batches/batch.ts';
import { type ApprovalStanding, waitsForApproval } from '../domain/batches/batch-facts.ts';
import type { Phrasebook } from '../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import type { Message } from '../domain/settings/message.ts';
import { kindNamed } from '../kinds/registry.ts';
import { stepText } from './next-steps.ts';
import { unprovenKeyText } from './words/note-text.ts';
import {
  approvalHeadline,
  closingHeadline,
  contradictionHeadline,
  doneHeadline,
  headline,
  isOnlyChecked,
  minuteOf,
  reasonName,
  refusedAlikeHeadline,
  standingHeadline,
  unansweredHeadline,
  unrecordedHeadline,
} from './words/wording.ts';

/* The sentences about a batch, the most important first. Every channel shows these, in this order. */

/** The importance of a sentence for its reader. */
export type Tone =
  /** Objects differ from their rows: comes before everything else. */
  | 'alarm'
  /** What was done, and for how many rows. */
  | 'main'
  | 'counts'
  /** Why nothing more is sent. */
  | 'stop'
  /** What waits for a person, what is agreed, and everything else. */
  | 'waiting'
  | 'good'
  | 'plain';

/** One sentence about a batch, without its full stop. */
export interface Sentence {
  readonly tone: Tone;
  readonly text: string;
}

/**
 * The sentences of a batch. A fact that every channel has to show gets its sentence here.
 * @param isOnPages for people who look before anything is sent: adds the results of the check
 */
export function sentencesOf(account: BatchAccount, isOnPages = false): readonly Sentence[] {
  const { kind, rows, counts, contradicted, unrecorded, unanswered } = account;
  const { refusedAlike, closing, doubt, unprovenKey } = account;
  const isClosed = closing !== null;
  const isChecked = isOnPages && isOnlyChecked(counts, isClosed);
  return [
    ...said('alarm', unprovenKey !== null && unprovenKeyText(unprovenKey)),
    ...said('alarm', unrecorded > 0 && unrecordedHeadline(unrecorded)),
    ...said('alarm', contradicted > 0 && contradictionHeadline(contradicted)),
    ...said('main', rows > 0 && !isChecked && doneHeadline(kindNamed(kind).whatWasDone, rows, counts)),
    ...said('counts', isOnPages ? standingHeadline(account, isClosed) : headline(rows, counts)),
    ...said('stop', unanswered !== null && unansweredHeadline(unanswered, account.environment.origin)),
    ...said('stop', refusedAlike !== null && refusedAlikeHeadline(refusedAlike)),
    ...said('plain', closing !== null && closingHeadline(closing)),
    ...approvalSentences(account),
    ...said('plain', doubt !== null && doubtHeadline(doubt)),
  ];
}

function said(tone: Tone, text: string | false): readonly Sentence[] {
  return text === false ? [] : [{ tone, text }];
}

/** Approvals matter only while there is something to send. */
function approvalSentences({ approval, counts }: BatchAccount): readonly Sentence[] {
  const isOpen = (counts.not_sent ?? 0) + (counts.unknown ?? 0) > 0;
  if (approval === null || !isOpen) return [];
  return said(waitsForApproval(approval) ? 'waiting' : 'good', approvalHeadline(approval));
}

/** Until when rows in doubt may be sent again, and how many may not any more. */
function doubtHeadline({ oldestRunsOutAt, expired }: RowsInDoubt): string {
  const moment = `${minuteOf(oldestRunsOutAt)} UTC`;
  if (expired === 0) return `In doubt: the oldest key runs out at ${moment}; then only a person may decide`;
  const [keys, them] =
    expired === 1
      ? ['the key of 1 row has', 'it']
      : [`the keys of ${groupedNumber(expired)} rows have`, 'them'];
  return `In doubt: ${keys} run out, since ${moment}; the next run holds ${them}`;
}

/**
 * Further notes: its family, what rows wait for, how its file was read.
 * @param isOnPages for people who click: with words in place of codes
 */
export function notesOf(account: BatchAccount, isOnPages = false): readonly Message[] {
  const waiting = isOnPages ? waitingNotes(account.waiting, reasonName) : waitingNotes(account.waiting);
  return [...familyNotes(account), ...waiting, ...account.notes];
}

/**
 * How many rows wait for what, and since when, in sentences.
 * @param reason how a code is written
 */
function waitingNotes(
  waiting: readonly WaitingRows[],
  reason: (code: string) => string = (code) => code,
): string[] {
  return waiting.map(({ code, rows, since }) => {
    const wait = rows === 1 ? 'waits' : 'wait';
    return `${countOf(rows, 'row')} ${wait} since ${minuteOf(since)} UTC: ${reason(code)}`;
  });
}

/** A batch and its corrections. */
function familyNotes({ id, family }: BatchAccount): readonly string[] {
  if (family === null) return [];
  const { first, doneRows, corrections } = family;
  const own = corrections.find((correction) => correction.id === id);
  const done = `${groupedNumber(doneRows)} of ${countOf(first.rows, 'row')}`;
  const listed = corrections
    .filter((correction) => correction.id !== id)
    .map(({ id: other, rows, doneRows: ofIt }) => {
      return `${shortBatchId(other)} (${groupedNumber(ofIt)} of ${groupedNumber(rows)} done)`;
    });
  const whose = own === undefined ? 'its corrections' : 'other corrections';
  const rounds = listed.length === 0 ? '' : `; ${whose}: ${listed.join(', ')}`;
  if (own === undefined) return [`with its corrections, ${done} are done now${rounds}`];
  const rows = countOf(own.rows, 'row');
  return [`it corrects ${rows} of batch ${shortBatchId(first.id)}, of which ${done} are done now${rounds}`];
}

/* What `status --json` says of a batch, beside what every command's `--json` says of it. The keys are public. */

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

/** The same for a fact that not every batch has. */
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
