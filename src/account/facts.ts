/*
 * The sentences about a batch, one for each fact, the most important first. Terminal, report, pages and work list show
 * these, in this order.
 */

import type { BatchAccount } from '../domain/batches/account.ts';
import { type RowsInDoubt, shortBatchId, type WaitingRows } from '../domain/batches/batch.ts';
import { waitsForApproval } from '../domain/batches/batch-facts.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import type { Message } from '../domain/settings/message.ts';
import { kindNamed } from '../kinds/registry.ts';
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

/** The importance of a sentence for its reader. */
export type Tone =
  /** Objects differ from their rows, or the key may not be a live one. This comes before everything else. */
  | 'alarm'
  /** What was done, and for how many rows. */
  | 'main'
  | 'counts'
  /** Why nothing more is sent. */
  | 'stop'
  /** `waiting`: something waits for a person. `good`: something is agreed. `plain`: everything else. */
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
 * @param isOnPages for people who look before anything is sent: includes the results of the check
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

/** Until when rows in doubt may be sent again, and how many of them may not be sent again any more. */
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
 * Further notes about a batch: its corrections, what its rows wait for, and how its file was read.
 * @param isOnPages for people who click: has words instead of codes
 */
export function notesOf(account: BatchAccount, isOnPages = false): readonly Message[] {
  const waiting = isOnPages ? waitingNotes(account.waiting, reasonName) : waitingNotes(account.waiting);
  return [...familyNotes(account), ...waiting, ...account.notes];
}

/**
 * Sentences that say how many rows wait, for what, and since when.
 * @param reason writes a code for the reader
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

/** Says how many rows of a batch and of its corrections are done. */
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
