/* The figures of a batch, and the sentences about it. */

import type {
  BatchAccount,
  BatchState,
  InputAccount,
  NextStep,
  StepReason,
} from '../domain/batches/account.ts';
import { asksToSend, type RowsInDoubt, type RunRecord, shortBatchId } from '../domain/batches/batch.ts';
import { type BatchFacts, waitsForApproval } from '../domain/batches/batch-facts.ts';
import { type CallOutcome, outcomeOfRows } from '../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import { type ResultStatus, type StatusCounts, sentAgainText } from '../domain/rows/row-state.ts';
import type { Message } from '../domain/settings/message.ts';
import { kindNamed } from '../kinds/registry.ts';
import { mayBeAlive } from '../ledger/connection/folder-lock.ts';
import {
  approvalHeadline,
  closingHeadline,
  contradictionHeadline,
  doneHeadline,
  headline,
  isOnlyChecked,
  minuteOf,
  occurring,
  reasonName,
  refusedAlikeHeadline,
  standingHeadline,
  statusMeaning,
  unansweredHeadline,
  unprovenKeyText,
  unrecordedHeadline,
  waitingNotes,
} from './words/wording.ts';

/** Whether a run holds its batch, as far as this machine can tell. */
export function isUnderWay({ endedAt, leaseUntil, owner }: RunRecord, now: Date): boolean {
  return endedAt === null && Date.parse(leaseUntil) > now.getTime() && mayBeAlive(owner);
}

type StateFacts = Pick<BatchAccount, 'counts' | 'closing' | 'approval' | 'runs'>;

/** The state of a batch. */
export function stateOf({ counts, closing, approval, runs }: StateFacts): BatchState {
  const { not_sent = 0, unknown = 0, waiting = 0 } = counts;
  if (runs.some((run) => run.isUnderWay)) return 'running';
  if (closing !== null) return 'closed';
  if (not_sent + unknown > 0 && waitsForApproval(approval)) return 'unapproved';
  if (not_sent > 0 && !runs.some(asksToSend)) return 'planned';
  return not_sent + unknown + waiting > 0 ? 'unfinished' : 'finished';
}

/** Rows that are sent with the batch: those that are ready, and those in doubt, each object once. */
export function rowsToSend(account: Pick<InputAccount, 'counts' | 'repeats'>): {
  readonly notSent: number;
  readonly inDoubt: number;
} {
  const { counts, repeats } = account;
  return {
    notSent: (counts.not_sent ?? 0) - (repeats.not_sent ?? 0),
    inDoubt: (counts.unknown ?? 0) - (repeats.unknown ?? 0),
  };
}

/**
 * Number of rows that need a person: to correct, decide about, or investigate. Waiting rows and rows in doubt need time,
 * or a run, unless their keys have expired or two runs have sent them without a conclusive answer.
 */
export function rowsForPerson(facts: BatchFacts): number {
  const { counts, contradicted, unrecorded, corrected, doubt, refusedAlike, closing, approval } = facts;
  const { invalid = 0, rejected = 0, held = 0, not_sent: notSent = 0 } = counts;
  const toCorrect = closing === null ? invalid + rejected - corrected : 0;
  const isStopped = refusedAlike !== null || closing !== null || waitsForApproval(approval);
  const inDoubt = (doubt?.expired ?? 0) + (doubt?.unsettled ?? 0);
  return toCorrect + held + contradicted + unrecorded + inDoubt + (isStopped ? notSent : 0);
}

/** Number of rows per status that still need a person or a run: a row whose correction is done needs neither. */
export function openCountsOf({
  counts,
  superseded,
}: Pick<BatchAccount, 'counts' | 'superseded'>): StatusCounts {
  const { invalid = 0, rejected = 0 } = counts;
  const { invalid: doneInvalid = 0, rejected: doneRejected = 0 } = superseded.done;
  return { ...counts, invalid: invalid - doneInvalid, rejected: rejected - doneRejected };
}

type OutcomeFacts = Pick<
  BatchAccount,
  'counts' | 'superseded' | 'contradicted' | 'unrecorded' | 'refusedAlike' | 'approval'
>;

/**
 * The current outcome of a batch.
 * @param obstacle what its unsent rows wait for, where the call knows it better than the ledger
 */
export function outcomeOf(account: OutcomeFacts, obstacle = obstacleOf(account)): CallOutcome {
  return outcomeOfRows(openCountsOf(account), account.contradicted + account.unrecorded, obstacle);
}

function obstacleOf({ refusedAlike, approval }: OutcomeFacts): 'refused_alike' | 'approval' | null {
  if (waitsForApproval(approval)) return 'approval';
  return refusedAlike === null ? null : 'refused_alike';
}

/* The sentences about a batch, the most important first. Every channel shows these, in this order. */

/* The next steps in words: for people who type commands, and for people who click. */

/**
 * Why a step is to be done, and what it does, in a sentence or two.
 * @param isOnPages for people who click: without files to save and commands to type
 */
export function stepText(step: NextStep, isOnPages = false): string {
  switch (step.what) {
    case 'unrecorded':
      return `Look into ${unrecordedHeadline(step.objects)}: they exist besides what the rows say.`;
    case 'contradicted':
      return `Look into ${contradictionHeadline(step.rows)}: the object may be another one than was meant.`;
    case 'read_again':
      return readAgainText(step, isOnPages);
    case 'send_others':
      return `Or send the other ${countOf(step.rows, 'row')} all the same.`;
    case 'allow_retry':
      return `Or, if the refusal was not ${step.rows === 1 ? 'its' : 'their'} fault, let the batch go on: ${countOf(step.rows, 'rejected row')} can be sent again then.`;
    case 'approve':
      return `Have the plan approved: ${countOf(step.rows, 'row')} ${step.rows === 1 ? 'waits' : 'wait'} for it. The next run then goes on.`;
    case 'resume':
      return resumeText(step);
    case 'ask_provider':
      return askText(step, isOnPages);
    case 'decide': {
      const why = `Look into ${countOf(step.rows, 'held row')}: only a person may decide about ${them(step.rows)}`;
      return step.hasVerdictsFile ? `${why}; ${filledIn}` : `${why}.`;
    }
    case 'correct': {
      const rows = countOf(step.rows, 'invalid or rejected row');
      return isOnPages
        ? `Correct ${rows} on the page of the batch, or in the failed file, and upload that.`
        : `Correct ${rows} in the failed file, save it and import it.`;
    }
    case 'retry':
      return retryText(step, isOnPages);
    case 'finish_closing':
      return `The closing was cut off: ${countOf(step.rows, 'row')} still to be closed.`;
    case 'doubt_of_closed':
      return `Look into ${countOf(step.rows, 'row')} in doubt: it is not known whether they exist.`;
    case 'correct_closed':
      return isOnPages
        ? 'To send rows of it after all, correct them, and plan the corrections: a new batch.'
        : 'To send rows of it after all, correct its failed file, save it and import it: a new batch.';
  }
}

type Reason<What extends StepReason['what']> = Extract<StepReason, { readonly what: What }>;

function them(rows: number): string {
  return rows === 1 ? 'it' : 'them';
}

const filledIn = 'fill in the file of verdicts, then:';

function readAgainText({ column }: Reason<'read_again'>, isOnPages: boolean): string {
  const what = column === null ? 'how the file is read' : `what the values of "${column}" mean`;
  return isOnPages
    ? `Say again ${what}: the same rows are then sent corrected.`
    : `Say again ${what}, then import the file again: the same rows are sent corrected.`;
}

function resumeText({ notSent, inDoubt, runsOutAt }: Reason<'resume'>): string {
  const parts = [
    ...(notSent > 0 ? [`${countOf(notSent, 'row')} not sent yet`] : []),
    ...(inDoubt > 0 ? [`${countOf(inDoubt, 'row')} without a conclusive answer`] : []),
  ];
  const again = inDoubt === 0 ? '' : `; ${sentAgainText(inDoubt, runsOutAt)}`;
  return `Go on with ${parts.join(' and ')}${again}.`;
}

/** Another request would bring the same result, or is not allowed any more. */
function askText(step: Reason<'ask_provider'>, isOnPages: boolean): string {
  const { rows, expired, unsettled, hasVerdictsFile } = step;
  const [it, its, key] = rows === 1 ? ['it', 'its', 'key'] : ['them', 'their', 'keys'];
  const causes = [
    ...(unsettled > 0 ? [`two runs have sent ${it} without a conclusive answer`] : []),
    ...(expired > 0 ? [`${its} ${key} ${rows === 1 ? 'has' : 'have'} run out`] : []),
  ];
  const asked = `Ask the provider about the ${key} of ${countOf(rows, 'row')} in doubt, since ${causes.join(', or ')}`;
  if (isOnPages)
    return `${asked}. With an export of theirs, reconciling looks for ${it} there. Then decide about ${it}.`;
  return hasVerdictsFile
    ? `${asked}: ${filledIn}`
    : `${asked}: this writes ${it} into a file for verdicts. Given an export of theirs, it looks for ${it} there.`;
}

function retryText({ rejected, waiting, notSent }: Reason<'retry'>, isOnPages: boolean): string {
  const parts = [
    ...(rejected > 0
      ? [
          `${countOf(rejected, 'rejected row')} as ${rejected === 1 ? 'it is, if the refusal was not its' : 'they are, if the refusal was not their'} fault`,
        ]
      : []),
    ...(waiting > 0 ? [`${countOf(waiting, 'waiting row')}, once ${waitedFor(waiting)}`] : []),
  ];
  const again = `Send again ${parts.join(', and ')}.`;
  if (isOnPages) return notSent > 0 ? `${again} ${sentToo(notSent)}` : again;
  return waiting > 0 ? `${again} import and resume try waiting rows again by themselves.` : again;
}

/** One click on a page sends these as well. */
function sentToo(rows: number): string {
  const [was, is] = rows === 1 ? ['was', 'is'] : ['were', 'are'];
  return `The ${countOf(rows, 'row')} that ${was} not sent yet ${is} sent too.`;
}

/** A row waits for another object, or for something that the API requires of its customer, not of paybatch. */
function waitedFor(rows: number): string {
  const its = rows === 1 ? 'its' : 'their';
  return `${its} customer or account is there, or the customer's verification is done`;
}

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
  const {
    kind,
    rows,
    counts,
    contradicted,
    unrecorded,
    unanswered,
    refusedAlike,
    closing,
    doubt,
    unprovenKey,
  } = account;
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

/** Number of rows with a status, and its meaning for them. */
interface CountedStatus {
  readonly status: ResultStatus;
  readonly rows: number;
  readonly meaning: string;
}

/** The statuses that occur, in the order of their declaration. */
export function countedStatuses({
  counts,
  repeats,
}: Pick<InputAccount, 'counts' | 'repeats'>): readonly CountedStatus[] {
  return occurring(counts).map(([status, rows]) => {
    const repeated = repeats[status] ?? 0;
    const note = repeated === 0 ? '' : `; ${repeatsText(repeated, status)}`;
    return { status, rows, meaning: `${statusMeaning(status)}${note}` };
  });
}

/** A row that repeats another one is never sent itself: it is not ready, whatever the state of its original. */
function repeatsText(rows: number, status: ResultStatus): string {
  const [them, repeat, are, its] =
    rows === 1
      ? ['1 of them', 'repeats an earlier row', 'is', 'that']
      : [`${groupedNumber(rows)} of them`, 'repeat earlier rows', 'are', 'these'];
  return status === 'not_sent' ? `${them} ${repeat} and ${are} sent with ${its}` : `${them} ${repeat}`;
}

/**
 * Further notes: its family, what rows wait for, how its file was read.
 * @param isOnPages for people who click: with words in place of codes
 */
export function notesOf(account: BatchAccount, isOnPages = false): readonly Message[] {
  const waiting = isOnPages ? waitingNotes(account.waiting, reasonName) : waitingNotes(account.waiting);
  return [...familyNotes(account), ...waiting, ...account.notes];
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
