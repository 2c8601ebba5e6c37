/*
 * The notice about a run that no person watched, as text for a mail: what happened, since when, who has to act, and
 * how.
 */

import { readFileSync } from 'node:fs';
import { exitCodes } from '../disk/log/exit-codes.ts';
import type { BatchAccount } from '../domain/batches/account.ts';
import { type Environment, shortBatchId } from '../domain/batches/batch.ts';
import { type FailedRun, type RunFailure, waitsForApproval } from '../domain/batches/batch-facts.ts';
import { type OpenRows, type OpenStatus, openStatuses } from '../domain/batches/open-rows.ts';
import type { ErrorKind } from '../domain/failures/error-codes.ts';
import type { CallOutcome, Phrasebook } from '../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../domain/money/money.ts';
import { type PayeeChangeCode, payeeChangeCodes } from '../domain/rows/finding.ts';
import { plainText } from '../domain/settings/message.ts';
import { printable } from '../domain/text/characters.ts';
import { addedUp } from './batch-tables.ts';
import { changesHeadlines } from './changes.ts';
import { openCountsOf } from './figures.ts';
import { stepText } from './next-steps.ts';
import { unprovenKeyText } from './words/note-text.ts';
import {
  apiName,
  approvalHeadline,
  contradictionHeadline,
  failedSinceText,
  headline,
  inputName,
  minuteOf,
  modeWord,
  reasonName,
  refusedAlikeHeadline,
  statusLabel,
  sumsText,
  unansweredHeadline,
  unrecordedHeadline,
} from './words/wording.ts';

/** The failure of a run. A failure that is recorded in the ledger also has the time when it first occurred. */
type NoticedFailure = RunFailure | FailedRun;

/** A run that no person watched, and its end. */
export interface NoticedRun {
  readonly command: string;
  readonly outcome: CallOutcome;
  /** Whether it was stopped by a signal or by the console. */
  readonly isInterrupted: boolean;
  readonly failures: readonly NoticedFailure[];
  readonly batches: readonly BatchAccount[];
  /** Rows that were sent, or whose sending was attempted. */
  readonly sentRows: number;
  readonly mode: Environment['mode'];
  /** The API by its address, or the built-in sandbox; null if the settings name no API. */
  readonly origin: string | null;
  readonly startedBy: string;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly words: Phrasebook;
}

const batchesListed = 50;

const reasonsListed = 8;

/** The words of a notice: how a run ended, who has to act on what is left, and how. */
export interface NoticeWords {
  readonly endings: Readonly<Record<CallOutcome, string>>;
  readonly actors: Readonly<Record<ErrorKind, string>>;
  /** Who acts on errors whose kind alone does not show it. No run resolves these errors. */
  readonly actorsOfCodes: readonly { readonly toDo: string; readonly codes: readonly string[] }[];
  /** Error codes and the error kinds that determine who acts on them. */
  readonly codesLikeKinds: Readonly<Record<string, ErrorKind>>;
  readonly rowActors: Readonly<Record<OpenStatus, string>>;
}

const { endings, actors, rowActors, ...ofCodes }: NoticeWords = JSON.parse(
  readFileSync(new URL('./notice-words.json', import.meta.url), 'utf8'),
);

const actorsOfCodes: ReadonlyMap<string, string> = new Map([
  ...ofCodes.actorsOfCodes.flatMap(({ toDo, codes }) => codes.map((code) => [code, toDo] as const)),
  ...Object.entries(ofCodes.codesLikeKinds).map(([code, kind]) => [code, actors[kind]] as const),
]);

/** The kinds of errors that a person has to resolve before any run gets further. */
const personFirst: readonly ErrorKind[] = [
  'usage',
  'credentials_refused',
  'content_not_approved',
  'internal',
];

/** The text of the notice; empty if there is nothing to report. It has no personal data, such as values of rows. */
export function noticeText(run: NoticedRun): string {
  const listed = run.batches.filter((batch) => isListed(batch, run));
  if (run.outcome === 'done' && listed.length === 0) return '';
  const blocks = [
    titleOf(run),
    ...run.failures.map((failure) => failureLines(failure, run)),
    ...listed.slice(0, batchesListed).map((batch) => batchLines(batch, run)),
    ...(listed.length > batchesListed
      ? [[`and ${countOf(listed.length - batchesListed, 'more batch', 'more batches')}: see paybatch status`]]
      : []),
  ];
  return `${blocks.map((lines) => lines.map(printable).join('\n')).join('\n\n')}\n`;
}

/**
 * Whether the notice lists a batch. A completed batch is listed only if a run sent rows and payees had changed, or
 * nothing proves that its key is a live one. A row whose correction is done counts as completed: otherwise a corrected
 * file would be reported every night while it stays in the folder for incoming files.
 */
function isListed(batch: BatchAccount, { sentRows }: NoticedRun): boolean {
  const { created: _created, existing: _existing, ...open } = openCountsOf(batch);
  const openRows = Object.values(open).reduce((sum, rows) => sum + rows, 0);
  const isOpen = openRows > 0 || batch.contradicted + batch.unrecorded > 0;
  return isOpen || (sentRows > 0 && (changesIn(batch).length > 0 || batch.unprovenKey !== null));
}

function changesIn({ changes }: BatchAccount): string[] {
  return changes === null ? [] : changesHeadlines(changes.counts);
}

function titleOf(run: NoticedRun): string[] {
  const { command, outcome, origin, startedBy, host, startedAt, endedAt } = run;
  const mode = modeWord({ environment: run, unprovenKey: unprovenKeyIn(run) });
  return [
    `paybatch ${command}: exit ${exitCodes[outcome]}, ${endingOf(run)}`,
    `${mode}${origin === null || origin === '' ? '' : `, ${apiName(origin)}`}; by ${startedBy} on ${host}, ${minuteOf(startedAt)} to ${minuteOf(endedAt)} UTC`,
  ];
}

/** A run has only one key. If a key is unproven for one batch of the run, it is unproven for the whole run. */
function unprovenKeyIn({ batches }: Pick<NoticedRun, 'batches'>): string | null {
  return batches.find(({ unprovenKey }) => unprovenKey !== null)?.unprovenKey ?? null;
}

function endingOf({ outcome, isInterrupted, batches }: NoticedRun): string {
  if (outcome === 'stopped' && isInterrupted) return 'stopped by a signal';
  if (outcome === 'decision_needed' && batches.some(isInDoubt) && !batches.some(needsDecision)) {
    return 'finished, and rows are in doubt';
  }
  return endings[outcome];
}

function isInDoubt({ counts }: BatchAccount): boolean {
  return (counts.unknown ?? 0) > 0;
}

/** Whether a person has to decide about rows now, because no run resolves them any more. */
function needsDecision(batch: BatchAccount): boolean {
  const { counts, contradicted, unrecorded, refusedAlike, doubt } = batch;
  const asked = isInDoubt(batch) ? (doubt?.expired ?? 0) + (doubt?.unsettled ?? 0) : 0;
  return (counts.held ?? 0) + contradicted + unrecorded + asked > 0 || refusedAlike !== null;
}

function failureLines(failure: NoticedFailure, { words }: NoticedRun): string[] {
  const { file, outcome, code, message, remedies } = failure;
  return [
    file === null ? 'The run as a whole' : `REFUSED  ${file}: nothing of it was sent`,
    `  why: ${(words.message ?? plainText)(message)}`,
    ...('since' in failure ? [`  when: ${failedSinceText(failure)}`] : []),
    `  to do: ${actorsOfCodes.get(code) ?? actors[outcome]}`,
    ...remedies.map((remedy, at) => `  ${at === 0 ? 'how: ' : '  or '}${words.remedy(remedy)}`),
  ];
}

/** Whether a person has to act on the run as a whole before another one gets further. */
function isBlocked({ failures }: NoticedRun): boolean {
  return failures.some(
    ({ file, code, outcome }) => file === null && (actorsOfCodes.has(code) || personFirst.includes(outcome)),
  );
}

function batchLines(batch: BatchAccount, run: NoticedRun): string[] {
  const { words } = run;
  const { id, kind, rows, counts, files, environment } = batch;
  const { contradicted, unrecorded, unanswered, refusedAlike, approval, unprovenKey } = batch;
  const remarks = [
    ...(unprovenKey === null ? [] : [`${unprovenKeyText(unprovenKey)}.`]),
    ...changesIn(batch),
    ...(contradicted > 0 ? [`${contradictionHeadline(contradicted)}.`] : []),
    ...(unrecorded > 0 ? [`${unrecordedHeadline(unrecorded)}.`] : []),
    ...(unanswered === null ? [] : [`${unansweredHeadline(unanswered, environment.origin)}.`]),
    ...(refusedAlike === null ? [] : [`${refusedAlikeHeadline(refusedAlike)}.`]),
    ...(waitsForApproval(approval) ? [`${approvalHeadline(approval)}.`] : []),
  ];
  return [
    `${inputName(batch)} (${kind}, batch ${shortBatchId(id)}): ${headline(rows, counts)}`,
    ...remarks.map((text) => `  ${text}`),
    ...openLines(batch),
    ...unsettledLines(batch, isBlocked(run)),
    ...batch.next.flatMap((step) => [`  ${stepText(step)}`, `    ${words.remedy(step.remedy)}`]),
    ...(files.failedWorkbook == null ? [] : [`  the rows that are not done: ${files.failedWorkbook}`]),
  ];
}

/** Lines for the rows by status: since when, why, their amounts, and who has to act. */
function openLines({ open }: BatchAccount): string[] {
  return openStatuses.flatMap((status) => {
    const groups = (open ?? []).filter((group) => group.status === status);
    if (groups.length === 0) return [];
    const rows = groups.reduce((sum, group) => sum + group.rows, 0);
    const since = groups.flatMap((group) => group.since ?? []).sort()[0];
    const sums = addedUp(groups.flatMap((group) => group.sums ?? []));
    return [
      `  ${groupedNumber(rows)} ${statusLabel(status)}${since === undefined ? '' : ` since ${minuteOf(since)} UTC`}${sumsText({ sums })}`,
      `    why: ${reasonsText(groups)}`,
      `    to do: ${rowActors[status]}${status === 'held' && groups.some(isOfPayee) ? ': ask the payee by another way than the file' : ''}`,
    ];
  });
}

function isOfPayee({ code }: OpenRows): boolean {
  return payeeChangeCodes.includes(code as PayeeChangeCode);
}

function reasonsText(groups: readonly OpenRows[]): string {
  const shown = [...groups].sort((one, other) => other.rows - one.rows).slice(0, reasonsListed);
  const texts = shown.map(
    ({ code, rows }) => `${code === null ? 'other reasons' : reasonName(code)} (${groupedNumber(rows)})`,
  );
  const left = groups.length - shown.length;
  return [...texts, ...(left > 0 ? [countOf(left, 'more reason')] : [])].join(', ');
}

/**
 * Lines for rows in doubt, and for rows that were not sent. They are not reasons of their own.
 * @param isRunBlocked whether a person has to act on the run first
 */
function unsettledLines(batch: BatchAccount, isRunBlocked: boolean): string[] {
  const { unknown = 0, not_sent: notSent = 0 } = batch.counts;
  const { doubt } = batch;
  const first = isRunBlocked ? 'first what is said of the run as a whole; then ' : '';
  const lines: string[] = [];
  if (unknown > 0 && doubt !== null) {
    const { oldestSentAt, nextRunsOutAt } = doubt;
    const asked = 'a person asks the provider about their keys';
    const toDo =
      nextRunsOutAt === null
        ? asked
        : `${first}until ${minuteOf(nextRunsOutAt)} UTC each run sends them again under their own keys, later ${asked}`;
    lines.push(
      `  ${groupedNumber(unknown)} in doubt since ${minuteOf(oldestSentAt)} UTC`,
      `    to do: ${toDo}`,
    );
  }
  if (notSent > 0) {
    const toDo = isRunBlocked ? `${first}the next run sends them` : toDoOfUnsent(batch);
    lines.push(`  ${groupedNumber(notSent)} not sent`, `    to do: ${toDo}`);
  }
  return lines;
}

function toDoOfUnsent({ refusedAlike, approval, unanswered }: BatchAccount): string {
  if (waitsForApproval(approval)) return actors.approval_needed;
  if (refusedAlike !== null) return actors.decision_needed;
  const patience = 'nothing yet, the next run sends them';
  return unanswered === null
    ? patience
    : `${patience}; if the API stays away, the administrator of this job asks the provider`;
}
