/* What a person does next: after a call, and about what this program is not told. */

import { waitsForApproval } from '../../domain/batches/approval.ts';
import {
  type Environment,
  type RowsInDoubt,
  type SupersededCounts,
  shortBatchId,
} from '../../domain/batches/batch.ts';
import { type BatchSummary, hasFewValues } from '../../domain/batches/batch-summary.ts';
import type { CallRemedy, Remedy } from '../../domain/failures/remedy.ts';
import { type StatusCounts, sentAgainText } from '../../domain/rows/row-state.ts';
import { durationOption } from '../../domain/sending/retry-policy.ts';
import { contradictionHeadline, countOf, groupedNumber, unrecordedHeadline } from './wording.ts';

/** Up to so many rows of one file the embedded ledger serves well; beyond, it takes over a gigabyte of memory. */
const mostRowsEmbedded = 100_000;

/** Said of the embedded ledger's size, whatever the size of a file. */
export const embeddedLedgerAdvice = `from ${groupedNumber(mostRowsEmbedded)} rows on a PostgreSQL server (the setting databaseUrl) is advised`;

/** What helps when a list could not be read in full because nobody knows how its pages are chosen. */
export const pagingAdvice =
  'If the API chooses pages in a way of its own, name the query parameter with the setting institutionsPageParameter and the number of the first page with the setting institutionsFirstPage.';

/** What a person should know while nobody has stated how long the provider keeps keys; without its full stop. */
export function assumedLifetimeText(durationInMs: number): string {
  return (
    'Nobody has stated how long the provider keeps idempotency keys, so that a row in doubt is sent again by itself ' +
    `only within ${durationOption(durationInMs)} of its first send; after that it is held for a person`
  );
}

export const assumedLifetimeRemedy: Remedy = {
  action: 'advice',
  text:
    'ask the provider: "For how long after its first use is a request with the same Idempotency-Key answered ' +
    'with the first result, and nothing created again?"',
  next: { action: 'set', purpose: 'state that', oneOf: [{ setting: 'keyLifetime', value: '24h' }] },
};

/** Something to do next: a sentence for people, and the call that does it. */
export interface NextStep {
  readonly why: string;
  /** The same for somebody who clicks, where it says what to do with files and commands; as `why` when absent. */
  readonly whyOnPage?: string;
  readonly remedy: CallRemedy;
}

interface NextStepsInput {
  readonly batch: string;
  readonly counts: StatusCounts;
  /** Created rows whose answer contradicts what was sent; none when absent. */
  readonly contradicted?: number;
  /** Objects that the API created for rows which do not have them; none when absent. */
  readonly unrecorded?: number;
  /** Rows in doubt; null or absent when there are none. */
  readonly doubt?: RowsInDoubt | null;
  /** Why nothing more is sent; null or absent where nothing stands in the way. */
  readonly refusedAlike?: BatchSummary['refusedAlike'];
  /** Not null where a person has closed the batch; null or absent where runs may take it up. */
  readonly closing?: BatchSummary['closing'];
  /** Which approvals the policy asks for; null or absent where it asks for none. */
  readonly approval?: BatchSummary['approval'];
  /** Why rows are not created; absent where nobody has looked. */
  readonly reasons?: BatchSummary['reasons'];
  /** The path of the batch's file; null or absent where nobody knows it. */
  readonly source?: string | null;
  readonly sheet?: string | null;
  /** Path of the file that waits for verdicts, where it was written just now; null or absent when it was not. */
  readonly verdicts?: string | null;
  /** Invalid and rejected rows that stand corrected in a later batch; none when absent. */
  readonly corrected?: number;
  /** Rows that are not sent any more since a later batch corrects them; none when absent. */
  readonly superseded?: SupersededCounts;
  /** Path of the failed file, or null when there is none. */
  readonly failed: string | null;
  /** Where the batch belongs. */
  readonly environment?: Environment;
}

type UndecidedInput = Pick<
  NextStepsInput,
  | 'batch'
  | 'counts'
  | 'doubt'
  | 'verdicts'
  | 'refusedAlike'
  | 'approval'
  | 'reasons'
  | 'source'
  | 'sheet'
  | 'environment'
>;

function resumeReason(notSent: number, unknown: number, runsOutAt: string | null): string {
  const parts = [
    ...(notSent > 0 ? [`${countOf(notSent, 'row')} not sent yet`] : []),
    ...(unknown > 0 ? [`${countOf(unknown, 'row')} without a conclusive answer`] : []),
  ];
  const again = unknown === 0 ? '' : `; ${sentAgainText(unknown, runsOutAt)}`;
  return `Go on with ${parts.join(' and ')}${again}.`;
}

const filledIn = 'fill in the file of verdicts, then:';

/** Sending once more would bring what it brought before, or is not allowed any more. */
function vainReason(
  doubt: RowsInDoubt | null,
  rows: number,
  verdicts: string | null,
): Pick<NextStep, 'why' | 'whyOnPage'> {
  const [it, its, key] = rows === 1 ? ['it', 'its', 'key'] : ['them', 'their', 'keys'];
  const { expired = 0, unsettled = 0 } = doubt ?? {};
  const causes = [
    ...(unsettled > 0 ? [`two runs have sent ${it} without a conclusive answer`] : []),
    ...(expired > 0 ? [`${its} ${key} ${rows === 1 ? 'has' : 'have'} run out`] : []),
  ];
  const then =
    verdicts === null
      ? `this writes ${it} into a file for verdicts. Given an export of theirs, it looks for ${it} there.`
      : filledIn;
  const asked = `Ask the provider about the ${key} of ${countOf(rows, 'row')} in doubt, since ${causes.join(', or ')}`;
  const search = `With an export of theirs, reconciling looks for ${it} there. Then decide about ${it}.`;
  return { why: `${asked}: ${then}`, whyOnPage: `${asked}. ${search}` };
}

/** A row waits for another object, or for what the API does not ask of us, but of its customer. */
function waitedFor(rows: number): string {
  const its = rows === 1 ? 'its' : 'their';
  return `${its} customer or account is there, or the customer's verification is done`;
}

/**
 * What to do about rows that are not final, in the order in which it should be tried: rows in doubt are
 * sent again while their keys live, and only after that somebody is asked.
 */
export function undecidedSteps({
  batch,
  counts: { not_sent = 0, unknown = 0, held = 0 },
  doubt = null,
  verdicts = null,
  refusedAlike = null,
  approval = null,
  sheet = null,
  reasons = [],
  source,
  environment,
}: UndecidedInput): readonly NextStep[] {
  const short = shortBatchId(batch);
  const of = { batch: short, ...(environment === undefined ? {} : { environment }) };
  const deciding: CallRemedy =
    verdicts === null ? { action: 'reconcile', ...of } : { action: 'resolve', ...of, file: verdicts };
  const vain = Math.min(unknown, (doubt?.unsettled ?? 0) + (doubt?.expired ?? 0));
  const steps: NextStep[] = [];
  const asked =
    reasons.find((reason) => reason.status === 'rejected' && hasFewValues(reason))?.column ?? null;
  if (refusedAlike !== null || asked !== null) {
    const what = asked === null ? 'how the file is read' : `what the values of "${asked}" mean`;
    steps.push({
      why: `Say again ${what}, then import the file again: the same rows are sent corrected.`,
      whyOnPage: `Say again ${what}: the same rows are then sent corrected.`,
      remedy: { action: 'edit_mapping', ...of, file: source ?? null, about: asked, sheet },
    });
  }
  if (refusedAlike !== null && not_sent > 0) {
    steps.push({
      why: `Or send the other ${countOf(not_sent, 'row')} all the same.`,
      remedy: { action: 'resume', ...of, refusedAlike: 'off' },
    });
  }
  const sendable = refusedAlike === null ? not_sent : 0;
  if (sendable + unknown - vain > 0 && waitsForApproval(approval)) {
    steps.push({
      why: `Have the plan approved: ${countOf(sendable + unknown - vain, 'row')} ${sendable + unknown - vain === 1 ? 'waits' : 'wait'} for it. The next run then goes on.`,
      remedy: { action: 'approve', ...of, planHash: approval.planHash },
    });
  } else if (sendable + unknown - vain > 0) {
    const why = resumeReason(sendable, unknown - vain, doubt?.nextRunsOutAt ?? null);
    steps.push({ why, remedy: { action: 'resume', ...of } });
  }
  if (vain > 0) steps.push({ ...vainReason(doubt, vain, verdicts), remedy: deciding });
  if (held > 0) {
    const them = held === 1 ? 'it' : 'them';
    const why = `Look into ${countOf(held, 'held row')}: only a person may decide about ${them}`;
    steps.push({ why: verdicts === null ? `${why}.` : `${why}; ${filledIn}`, remedy: deciding });
  }
  return steps;
}

/** Nothing of a closed batch is sent; its rows may be, as those of another one. */
function stepsOfClosed(
  { counts, failed }: NextStepsInput,
  of: { readonly batch: string; readonly environment?: Environment },
): NextStep[] {
  const { not_sent = 0, waiting = 0, unknown = 0, held = 0, invalid = 0, rejected = 0 } = counts;
  const { environment } = of;
  const steps: NextStep[] = [];
  if (not_sent + waiting > 0) {
    const why = `The closing was cut off: ${countOf(not_sent + waiting, 'row')} still to be closed.`;
    steps.push({ why, remedy: { action: 'close', ...of } });
  }
  if (unknown + held > 0) {
    const why = `Look into ${countOf(unknown + held, 'row')} in doubt: it is not known whether they exist.`;
    steps.push({ why, remedy: { action: 'reconcile', ...of } });
  }
  if (invalid + rejected > 0 && failed !== null) {
    const why = 'To send rows of it after all, correct its failed file, save it and import it: a new batch.';
    const whyOnPage = 'To send rows of it after all, correct them, and plan the corrections: a new batch.';
    const place = environment === undefined ? {} : { environment };
    steps.push({ why, whyOnPage, remedy: { action: 'import', files: [failed], asRead: false, ...place } });
  }
  return steps;
}

/** What to do about a batch's rows, the most urgent first; empty when every row is created or existing. */
export function nextSteps(input: NextStepsInput): readonly NextStep[] {
  const { counts, contradicted = 0, unrecorded = 0, corrected = 0, superseded, failed, environment } = input;
  const place = environment === undefined ? {} : { environment };
  const of = { batch: shortBatchId(input.batch), ...place };
  const { waiting = 0, rejected = 0, invalid = 0 } = counts;
  const steps: NextStep[] = [];
  if (unrecorded > 0) {
    const why = `Look into ${unrecordedHeadline(unrecorded)}: they exist besides what the rows say.`;
    steps.push({ why, remedy: { action: 'reconcile', ...of } });
  }
  if (contradicted > 0) {
    const why = `Look into ${contradictionHeadline(contradicted)}: the object may be another one than was meant.`;
    steps.push({ why, remedy: { action: 'reconcile', ...of } });
  }
  if ((input.closing ?? null) !== null) return [...steps, ...stepsOfClosed(input, of)];
  steps.push(...undecidedSteps(input));
  const faulty = invalid + rejected - corrected;
  if (faulty > 0 && failed !== null) {
    const why = `Correct ${countOf(faulty, 'invalid or rejected row')} in the failed file, save it and import it.`;
    const whyOnPage = `Correct ${countOf(faulty, 'invalid or rejected row')} on the page of the batch, or in the failed file, and upload that.`;
    steps.push({ why, whyOnPage, remedy: { action: 'import', files: [failed], asRead: false, ...place } });
  }
  // What is stopped is not sent again by `retry` either.
  const isStopped = (input.refusedAlike ?? null) !== null;
  const retried = isStopped ? 0 : rejected - (superseded?.all.rejected ?? 0);
  if (retried + waiting > 0) {
    const parts = [
      ...(retried > 0
        ? [
            `${countOf(retried, 'rejected row')} as ${retried === 1 ? 'it is, if the refusal was not its' : 'they are, if the refusal was not their'} fault`,
          ]
        : []),
      ...(waiting > 0 ? [`${countOf(waiting, 'waiting row')}, once ${waitedFor(waiting)}`] : []),
    ];
    const again = `Send again ${parts.join(', and ')}.`;
    const byItself = waiting > 0 ? ' import and resume try waiting rows again by themselves.' : '';
    steps.push({
      why: `${again}${byItself}`,
      whyOnPage: again,
      remedy: { action: 'retry', ...of },
    });
  }
  return steps;
}
