/* What is said of a batch, sentence by sentence, the most important first. Every channel says these, in this order. */

import type { BatchAccount, InputAccount } from '../domain/batches/account.ts';
import { waitsForApproval } from '../domain/batches/approval.ts';
import { type RowsInDoubt, shortBatchId } from '../domain/batches/batch.ts';
import { countOf, groupedNumber } from '../domain/money/figures.ts';
import type { ResultStatus } from '../domain/rows/row-state.ts';
import { kindNamed } from '../kinds/registry.ts';
import {
  approvalHeadline,
  closingHeadline,
  contradictionHeadline,
  doneHeadline,
  headline,
  isOnlyChecked,
  occurring,
  reasonName,
  refusedAlikeHeadline,
  standingHeadline,
  statusMeaning,
  unansweredHeadline,
  unrecordedHeadline,
  waitingNotes,
} from './words/wording.ts';

/** What a sentence is to whoever reads it. */
export type Tone =
  /** Objects are not what the rows say: before everything else. */
  | 'alarm'
  /** What was done, and how many rows it was done for. */
  | 'main'
  | 'counts'
  /** Why nothing more is sent. */
  | 'stop'
  /** What waits for somebody, what is agreed, and everything else. */
  | 'waiting'
  | 'good'
  | 'plain';

/** One sentence about a batch, without its full stop. */
export interface Sentence {
  readonly tone: Tone;
  readonly text: string;
}

/**
 * The sentences of a batch. A fact that is to be known everywhere gets its sentence here.
 * @param isOnPages for somebody who looks before anything is sent: then what the check has found is said
 */
export function sentencesOf(account: BatchAccount, isOnPages = false): readonly Sentence[] {
  const { kind, rows, counts, contradicted, unrecorded, unanswered, refusedAlike, closing, doubt } = account;
  const isClosed = closing !== null;
  const isChecked = isOnPages && isOnlyChecked(counts, isClosed);
  return [
    ...said('alarm', unrecorded > 0 && unrecordedHeadline(unrecorded)),
    ...said('alarm', contradicted > 0 && contradictionHeadline(contradicted)),
    ...said('main', rows > 0 && !isChecked && doneHeadline(kindNamed(kind).whatWasDone, rows, counts)),
    ...said('counts', isOnPages ? standingHeadline(rows, counts, isClosed) : headline(rows, counts)),
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

/** Approvals matter as long as there is something to send. */
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

function minuteOf(time: string): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

/** How many rows have a status, and what that says of them. */
export interface CountedStatus {
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

/** A row that repeats another one is never sent itself: it is not ready, whatever its original is. */
function repeatsText(rows: number, status: ResultStatus): string {
  const [them, repeat, are, its] =
    rows === 1
      ? ['1 of them', 'repeats an earlier row', 'is', 'that']
      : [`${groupedNumber(rows)} of them`, 'repeat earlier rows', 'are', 'these'];
  return status === 'not_sent' ? `${them} ${repeat} and ${are} sent with ${its}` : `${them} ${repeat}`;
}

/**
 * What is worth knowing besides: its family, what rows wait for, how its file was read.
 * @param isOnPages for somebody who clicks: with words in place of codes
 */
export function notesOf(account: BatchAccount, isOnPages = false): readonly string[] {
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
