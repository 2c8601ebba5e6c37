/* Words for statuses, times and text from outside, and the sentences about a batch that all channels use. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { BatchAccount, InputAccount } from '../../domain/batches/account.ts';
import { type BatchClosing, type Environment, localSandboxPrefix } from '../../domain/batches/batch.ts';
import {
  type ApprovalStanding,
  type BatchFacts,
  correctedRows,
  type FailedRows,
  type FailedRun,
  waitsForApproval,
  withoutCorrected,
} from '../../domain/batches/batch-facts.ts';
import type { PayeeGroup } from '../../domain/batches/last-time.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/money.ts';
import { type ResultStatus, resultStatuses, type StatusCounts } from '../../domain/rows/row-state.ts';
import {
  alwaysText,
  type RefusedAlike,
  type UnansweredRows,
  unansweredText,
} from '../../domain/sending/stops.ts';
import { listOf } from '../../domain/settings/message.ts';

/**
 * The mode of a batch or a call, as a short word that every channel uses.
 * @param by `unprovenKey` is the fingerprint of a live key that nothing proves to be live; null if it is proven
 */
export function modeWord({
  environment,
  unprovenKey,
}: Pick<BatchAccount, 'unprovenKey'> & { readonly environment: Pick<Environment, 'mode'> }): string {
  if (environment.mode === 'sandbox') return 'sandbox';
  return unprovenKey === null ? 'LIVE' : 'LIVE if its key is';
}

/** Amounts that follow the name of their rows, such as `: 1,200.00 KES, 30.00 EUR`; empty if there are no amounts. */
export function sumsText({ sums }: Pick<PayeeGroup, 'sums'>): string {
  const texts = sums.map(({ currency, amount }) => `${groupedAmount(amount, currency)} ${currency}`);
  return texts.length === 0 ? '' : `: ${texts.join(', ')}`;
}

/** What a workbook lacks of the rows in the CSV file beside it; null if it has all of them. */
export function workbookGap(
  workbook: string | null,
  leftOut: number | undefined,
  csv: string | null,
): string | null {
  if (workbook === null || csv === null || leftOut === undefined || leftOut === 0) return null;
  return `without ${countOf(leftOut, 'row')}, which ${leftOut === 1 ? 'is' : 'are'} in ${basename(csv)} only`;
}

/** An input by its file, and by its sheet if the file is a workbook. */
export function inputName({ file, sheet }: Pick<InputAccount, 'file' | 'sheet'>): string {
  return sheet === null ? file : `${file}, sheet ${sheet}`;
}

/** The words for statuses of rows, and for how runs ended. */
export interface StatusWords {
  readonly statuses: Readonly<Record<ResultStatus, { readonly label: string; readonly meaning: string }>>;
  /** For rows that need no correction. */
  readonly untouched: Readonly<Partial<Record<ResultStatus, string>>>;
  readonly outcomes: Readonly<Record<Exclude<CallOutcome, 'done'>, string>>;
}

const {
  statuses: statusTexts,
  untouched: untouchedTexts,
  outcomes,
}: StatusWords = JSON.parse(readFileSync(new URL('./status-words.json', import.meta.url), 'utf8'));

/** How a run ended. */
export const outcomeTexts = outcomes;

/** The label of a status for people: `not sent`. */
export function statusLabel(status: ResultStatus): string {
  return statusTexts[status].label;
}

/** The meaning of a status for its row, as the second half of a sentence. */
export function statusMeaning(status: ResultStatus): string {
  return statusTexts[status].meaning;
}

/**
 * Says that an unfinished row needs no correction, and what happens to it; null for a row that a person corrects or
 * decides about.
 */
export function untouchedText(status: ResultStatus): string | null {
  return untouchedTexts[status] ?? null;
}

/**
 * Number of rows of a failed file that need a person: `145 for a person; 2,349 with nothing to correct`; null if all
 * rows need a person.
 */
export function failedRowsText(rows: FailedRows | undefined): string | null {
  if (rows === undefined || rows.others === 0) return null;
  return `${groupedNumber(rows.forPerson)} for a person; ${groupedNumber(rows.others)} with nothing to correct`;
}

/** The statuses that occur, in the order of their declaration, with their numbers of rows. */
export function occurring(counts: StatusCounts): readonly (readonly [ResultStatus, number])[] {
  return resultStatuses.flatMap((status) => {
    const count = counts[status] ?? 0;
    return count === 0 ? [] : [[status, count] as const];
  });
}

/** Says that answers contradict their requests: `1 created row whose answer contradicts what was sent`. */
export function contradictionHeadline(rows: number): string {
  return `${countOf(rows, 'created row')} whose ${rows === 1 ? 'answer contradicts' : 'answers contradict'} what was sent`;
}

export function unrecordedHeadline(objects: number): string {
  const [were, their] = objects === 1 ? ['was', 'its row does'] : ['were', 'their rows do'];
  return `${countOf(objects, 'object')} that ${were} created at the API, and that ${their} not have`;
}

/**
 * Why the API gives no answers about rows, and since when.
 * @param origin the API's address, or the built-in sandbox's name
 */
export function unansweredHeadline(
  { code, httpStatus, rows, ranges, areAlone, since }: UnansweredRows,
  origin: string,
): string {
  const always = areAlone ? alwaysText(code, httpStatus) : null;
  const from = `since ${minuteOf(since)} UTC`;
  if (always !== null) {
    const get = rows === 1 ? 'gets' : 'get';
    return `${countOf(rows, 'row')} always ${get} ${always}: ${rangesText(ranges, rows)}, ${from}; others were answered`;
  }
  const why = unansweredText(code, httpStatus, apiName(origin));
  // HTTP 500 is an answer too.
  const answer = httpStatus === null ? 'no answer' : 'no usable answer';
  return `The API gave ${answer} for ${countOf(rows, 'row')}: ${why}, ${from}`;
}

/**
 * Which rows, by their numbers: `rows 3, 7 to 12 and 4 more`.
 * @param rows number of all rows
 */
function rangesText(ranges: UnansweredRows['ranges'], rows: number): string {
  const named = ranges.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  const left = ranges.reduce((sum, [first, last]) => sum - (last - first + 1), rows);
  const parts = left > 0 ? [...named, `${groupedNumber(left)} more`] : named;
  const all = [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '');
  return `${rows === 1 ? 'row' : 'rows'} ${all.join(' and ')}`;
}

/** The code of a reason in words, for pages: without underscores. */
export function reasonName(code: string): string {
  return code.replaceAll('_', ' ');
}

/** Why the sending of a batch stopped: `Sending stopped: the API refused 50 rows for one reason, and created none: …` */
export function refusedAlikeHeadline({ rows, code, message }: RefusedAlike): string {
  const why = message === null ? code : message.replace(/[.!]$/, '');
  return `Sending stopped: the API refused ${countOf(rows, 'row')} for one reason, and created none: ${why}`;
}

/**
 * `since 2026-11-18 02:15 UTC, 3 times; the last time on 2026-11-20 02:15 UTC, by ama on night1`. After a single
 * failure, it has only the time of that failure.
 */
export function failedSinceText({ since, lastAt, times, startedBy, host }: FailedRun): string {
  const by = `by ${startedBy} on ${host}`;
  if (times === 1) return `on ${minuteOf(since)} UTC, ${by}`;
  return `since ${minuteOf(since)} UTC, ${countOf(times, 'time')}; the last time on ${minuteOf(lastAt)} UTC, ${by}`;
}

/** An API by its address, if it has one: the built-in sandbox has a new one in each run. */
export function apiName(origin: string): string {
  return origin.startsWith(localSandboxPrefix) ? 'the built-in sandbox' : origin;
}

/** A time (ISO 8601, UTC) to the minute, without its zone. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** Says that a batch is closed: `Closed by ama on 2026-11-20 10:03 UTC: wrong month. No run takes it up again` */
export function closingHeadline({ at, by, note }: BatchClosing): string {
  const who = by === null ? ', as its run log has it' : ` by ${by} on ${minuteOf(at)} UTC`;
  const why = note === null ? '' : `: ${note.replace(/[.!]$/, '')}`;
  return `Closed${who}${why}. No run takes it up again`;
}

/**
 * `Waits for 1 more approval of its plan, as policy 3 asks: ada or ben can approve`, or who approved and until when.
 */
export function approvalHeadline(standing: ApprovalStanding): string {
  const { policy, needed, given, until, mayApprove, rejected } = standing;
  const by = [...new Set(given.map((approval) => approval.by))];
  if (!waitsForApproval(standing)) {
    const end = until === null ? '' : `, until ${minuteOf(until)} UTC`;
    return `Approved by ${by.join(' and ')}, as policy ${policy} asks${end}`;
  }
  const others = mayApprove.filter((name) => !by.includes(name));
  const can = others.length === 0 ? 'nobody can approve it' : `${listOf(others, 'or')} can approve`;
  const so = by.length === 0 ? '' : `; ${by.join(' and ')} approved`;
  const no = rejected === null ? '' : `; ${rejected.by} rejected it: ${rejected.note}`;
  return `Waits for ${countOf(needed, 'approval')} of its plan, as policy ${policy} asks: ${can}${so}${no}`;
}

/**
 * What was done, in one sentence.
 * @param whatWasDone the meaning of created rows of this kind
 */
export function doneHeadline(whatWasDone: string, rows: number, counts: StatusCounts): string {
  const { created = 0, existing = 0, unknown = 0 } = counts;
  if (rows === 0) return 'Nothing to do';
  if (created > 0) return whatWasDone;
  if (existing === rows) return 'Nothing new: all of it was there already';
  return unknown > 0 ? 'Nothing is known to be created yet' : 'Nothing was created';
}

/** A part of all rows, as the subject of a sentence: `All 5 rows`, `3 of 5 rows`; for a single row, `1 row`. */
export function partOf(count: number, rows: number): string {
  const all = countOf(rows, 'row');
  if (count < rows) return `${groupedNumber(count)} of ${all}`;
  return rows === 1 ? all : `All ${all}`;
}

/**
 * The result of a check, in one sentence: `580 of 610 rows are ready to be sent; 3 repeat an earlier row, 27 invalid`.
 * @param repeats of `counts`, rows that repeat an earlier row: they are never sent themselves
 */
export function checkedHeadline(counts: StatusCounts, repeats: StatusCounts): string {
  const occurs = occurring(counts);
  const rows = occurs.reduce((sum, [, count]) => sum + count, 0);
  if (rows === 0) return 'No rows: nothing to do';
  const repeated = repeats.not_sent ?? 0;
  const first = partOf((counts.not_sent ?? 0) - repeated, rows);
  const others = othersText(counts, 'not_sent', repeatsIn(repeats, ''));
  return `${first} ${rows === 1 ? 'is' : 'are'} ready to be sent${others}`;
}

/** `3 repeat an earlier row`, about rows that are not sent yet; empty if no row repeats another one. */
function repeatsIn({ not_sent: rows = 0 }: StatusCounts, ofWhich: string): readonly string[] {
  const repeat = rows === 1 ? 'repeats' : 'repeat';
  return rows === 0 ? [] : [`${groupedNumber(rows)} ${ofWhich}${repeat} an earlier row`];
}

/**
 * The rows in other statuses than the one that a sentence has already named: `; 2 rejected, 1 held`.
 * @param before texts that come before them
 * @param corrected rows that another batch corrects, which come last
 */
function othersText(
  counts: StatusCounts,
  named: ResultStatus,
  before: readonly string[] = [],
  corrected = 0,
): string {
  const others = occurring(counts).filter(([status]) => status !== named);
  const parts = [
    ...before,
    ...others.map(([status, count]) => `${groupedNumber(count)} ${statusLabel(status)}`),
    ...(corrected === 0 ? [] : [`${groupedNumber(corrected)} corrected in another batch`]),
  ];
  return parts.length === 0 ? '' : `; ${parts.join(', ')}`;
}

/** The outcome in one sentence: `118 of 120 rows created; 2 rejected`. */
export function headline(rows: number, counts: StatusCounts, corrected = 0): string {
  if (rows === 0) return 'No rows: nothing to do';
  return `${partOf(counts.created ?? 0, rows)} created${othersText(counts, 'created', [], corrected)}`;
}

/**
 * Whether rows of a batch are to be sent, and no row was sent yet.
 * @param isClosed whether no run sends any more of it
 */
export function isOnlyChecked(counts: StatusCounts, isClosed: boolean): boolean {
  const { not_sent: ready = 0, created = 0, rejected = 0, unknown = 0 } = counts;
  return ready > 0 && created + rejected + unknown === 0 && !isClosed;
}

type StandingRows = Pick<InputAccount, 'rows' | 'counts' | 'repeats'> &
  Partial<Pick<BatchFacts, 'corrected'>>;

/**
 * The outcome in one sentence. For a batch that may not have been sent yet, the sentence is about the check.
 * @param isClosed whether no run sends any more of it
 */
export function standingHeadline(
  { rows, counts, repeats, corrected = {} }: StandingRows,
  isClosed: boolean,
): string {
  const left = withoutCorrected({ counts, corrected });
  const moved = correctedRows({ corrected });
  return isOnlyChecked(counts, isClosed)
    ? `${partOf(counts.not_sent ?? 0, rows)} passed the check${othersText(left, 'not_sent', repeatsIn(repeats, 'of them '), moved)}`
    : headline(rows, left, moved);
}
