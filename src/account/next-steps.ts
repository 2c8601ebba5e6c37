/* What a person does next about a batch: the steps, and the words for them. */

import type { BatchAccount, NextStep, StepReason } from '../domain/batches/account.ts';
import { shortBatchId } from '../domain/batches/batch.ts';
import { waitsForApproval, withoutCorrected } from '../domain/batches/batch-facts.ts';
import type { CallRemedy } from '../domain/failures/paybatch-error.ts';
import { countOf } from '../domain/money/money.ts';
import { sentAgainText } from '../domain/rows/row-state.ts';
import { rowsToSend } from './figures.ts';
import { contradictionHeadline, unrecordedHeadline } from './words/wording.ts';

/*
 * The next steps of a person for a batch, as data: the reason for each step, and the call that does it. Each channel
 * has its own words.
 */

/** The facts that determine the steps. */
type StepFacts = Omit<BatchAccount, 'next'>;

/** A list with the step if it is due; otherwise an empty list. */
function when(isDue: boolean, step: NextStep): readonly NextStep[] {
  return isDue ? [step] : [];
}

/** How a call names a batch. */
function batchOf({ id, environment }: StepFacts): Pick<StepFacts, 'environment'> & { batch: string } {
  return { batch: shortBatchId(id), environment };
}

/** The steps for a batch's rows, the most urgent first; empty where every row is created or existing. */
export function nextSteps(facts: StepFacts): readonly NextStep[] {
  const { contradicted, unrecorded, closing } = facts;
  const remedy: CallRemedy = { action: 'reconcile', ...batchOf(facts) };
  return [
    ...when(unrecorded > 0, { what: 'unrecorded', objects: unrecorded, remedy }),
    ...when(contradicted > 0, { what: 'contradicted', rows: contradicted, remedy }),
    // Rows in doubt are sent again while their keys are valid. The provider is asked only after that.
    ...(closing === null
      ? [stepsOfReading, stepsOfEdited, stepsOfSending, stepsOfDeciding, stepsOfRefused].flatMap((stepsOf) =>
          stepsOf(facts),
        )
      : stepsOfClosed(facts)),
  ];
}

/** If the API refuses a file's rows for one reason, the file was read wrongly: it would refuse further rows as well. */
function stepsOfReading(facts: StepFacts): readonly NextStep[] {
  const { refusedAlike, valuesRefusedIn: column, source: file, sheet, edited } = facts;
  const of = batchOf(facts);
  const { notSent } = rowsToSend(facts);
  const isStopped = refusedAlike !== null;
  const mayGoOn = isStopped && edited.notSent === 0;
  const rejected = retriedRows(facts);
  const reading: CallRemedy = { action: 'edit_mapping', ...of, file, about: column, sheet };
  const remedy: CallRemedy = { action: 'resume', ...of, refusedAlike: 'off' };
  return [
    ...when(isStopped || column !== null, { what: 'read_again', column, remedy: reading }),
    ...when(mayGoOn && notSent > 0, { what: 'send_others', rows: notSent, remedy }),
    ...when(mayGoOn && notSent === 0 && rejected > 0, { what: 'allow_retry', rows: rejected, remedy }),
  ];
}

function stepsOfEdited(facts: StepFacts): readonly NextStep[] {
  const { notSent, rejected, invalid } = facts.edited;
  const rows = notSent + rejected + invalid;
  const stops = notSent > 0 ? 'batch' : rejected > 0 ? 'rejected_rows' : null;
  const remedy: CallRemedy = { action: 'corrections', ...batchOf(facts) };
  return when(rows > 0, { what: 'plan_corrections', rows, stops, remedy });
}

function stepsOfSending(facts: StepFacts): readonly NextStep[] {
  const { refusedAlike, approval, doubt, edited } = facts;
  if (edited.notSent > 0) return [];
  const rows = rowsToSend(facts);
  const notSent = refusedAlike === null ? rows.notSent : 0;
  const inDoubt = rows.inDoubt - doubtToAsk(facts);
  if (notSent + inDoubt === 0) return [];
  const of = batchOf(facts);
  if (waitsForApproval(approval)) {
    const remedy: CallRemedy = { action: 'approve', ...of, planHash: approval.planHash };
    return [{ what: 'approve', rows: notSent + inDoubt, remedy }];
  }
  const runsOutAt = doubt?.nextRunsOutAt ?? null;
  return [{ what: 'resume', notSent, inDoubt, runsOutAt, remedy: { action: 'resume', ...of } }];
}

/** Number of rows in doubt that no run sends again. */
function doubtToAsk(facts: StepFacts): number {
  const { expired = 0, unsettled = 0 } = facts.doubt ?? {};
  return Math.min(rowsToSend(facts).inDoubt, expired + unsettled);
}

function stepsOfDeciding(facts: StepFacts): readonly NextStep[] {
  const { doubt, counts, repeats, files } = facts;
  const { expired = 0, unsettled = 0 } = doubt ?? {};
  const [rows, held] = [doubtToAsk(facts), (counts.held ?? 0) - (repeats.held ?? 0)];
  const file = files.verdicts ?? null;
  const of = batchOf(facts);
  const hasVerdictsFile = file !== null;
  const remedy: CallRemedy =
    file === null ? { action: 'reconcile', ...of } : { action: 'resolve', ...of, file };
  return [
    ...when(rows > 0, { what: 'ask_provider', rows, expired, unsettled, hasVerdictsFile, remedy }),
    ...when(held > 0, { what: 'decide', rows: held, hasVerdictsFile, remedy }),
  ];
}

/** Number of rejected rows that are sent again unchanged. Rows that another file corrects are not among them. */
function retriedRows({ counts, superseded }: StepFacts): number {
  return (counts.rejected ?? 0) - (superseded.all.rejected ?? 0);
}

function stepsOfRefused(facts: StepFacts): readonly NextStep[] {
  const { edited } = facts;
  const { waiting = 0, rejected = 0, invalid = 0 } = withoutCorrected(facts);
  // Rows that are already corrected only have to be planned.
  const faulty = Math.max(0, invalid - edited.invalid) + Math.max(0, rejected - edited.rejected);
  // `retry` does not send the rows of a stopped batch either.
  const retried = facts.refusedAlike === null ? retriedRows(facts) : 0;
  const { notSent } = rowsToSend(facts);
  const remedy: CallRemedy = { action: 'retry', ...batchOf(facts) };
  return [
    ...correcting(facts, faulty, { what: 'correct', rows: faulty }),
    ...when(retried + waiting > 0 && edited.notSent + edited.rejected === 0, {
      what: 'retry',
      rejected: retried,
      waiting,
      notSent,
      remedy,
    }),
  ];
}

/** The step to correct rows in the failed file, if that file was written. */
function correcting(
  { environment, files: { failed } }: StepFacts,
  rows: number,
  reason: Reason<'correct'> | Reason<'correct_closed'>,
): readonly NextStep[] {
  if (rows === 0 || failed === null) return [];
  return [{ ...reason, remedy: { action: 'import', files: [failed], asRead: false, environment } }];
}

/** No row of a closed batch is sent; its file may be sent as another batch. */
function stepsOfClosed(facts: StepFacts): readonly NextStep[] {
  const { not_sent = 0, waiting = 0, unknown = 0, held = 0, invalid = 0, rejected = 0 } = facts.counts;
  const of = batchOf(facts);
  const [unclosed, rows] = [not_sent + waiting, unknown + held];
  return [
    ...when(unclosed > 0, { what: 'finish_closing', rows: unclosed, remedy: { action: 'close', ...of } }),
    ...when(rows > 0, { what: 'doubt_of_closed', rows, remedy: { action: 'reconcile', ...of } }),
    ...correcting(facts, invalid + rejected, { what: 'correct_closed' }),
  ];
}

/* The words for the next steps: for people who type commands, and for people who click. */

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
    case 'plan_corrections':
      return planCorrectionsText(step, isOnPages);
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

function planCorrectionsText({ rows, stops }: Reason<'plan_corrections'>, isOnPages: boolean): string {
  const [has, them] = rows === 1 ? ['has a correction that is', 'it'] : ['have corrections that are', 'them'];
  const until = {
    batch: ' Until then no row of the batch is sent.',
    rejected_rows: ' Until then no rejected row is sent again.',
  };
  const where = isOnPages ? '' : ', on the page of the batch in the console';
  return `${countOf(rows, 'row')} ${has} not planned yet: plan or discard ${them}${where}.${stops === null ? '' : until[stops]}`;
}

function resumeText({ notSent, inDoubt, runsOutAt }: Reason<'resume'>): string {
  const parts = [
    notSent > 0 && `${countOf(notSent, 'row')} not sent yet`,
    inDoubt > 0 && `${countOf(inDoubt, 'row')} without a conclusive answer`,
  ].filter((part) => part !== false);
  const again = inDoubt === 0 ? '' : `; ${sentAgainText(inDoubt, runsOutAt)}`;
  return `Go on with ${parts.join(' and ')}${again}.`;
}

/** Why the provider has to be asked: another request would have the same result, or is not allowed any more. */
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
  const [they, their] = rejected === 1 ? ['it is', 'its'] : ['they are', 'their'];
  const parts = [
    rejected > 0 && `${countOf(rejected, 'rejected row')} as ${they}, if the refusal was not ${their} fault`,
    waiting > 0 && `${countOf(waiting, 'waiting row')}, once ${waitedFor(waiting)}`,
  ].filter((part) => part !== false);
  const again = `Send again ${parts.join(', and ')}.`;
  if (isOnPages) return notSent > 0 ? `${again} ${sentToo(notSent)}` : again;
  return waiting > 0 ? `${again} import and resume try waiting rows again by themselves.` : again;
}

/** Says that one click on a page also sends these rows. */
function sentToo(rows: number): string {
  const [was, is] = rows === 1 ? ['was', 'is'] : ['were', 'are'];
  return `The ${countOf(rows, 'row')} that ${was} not sent yet ${is} sent too.`;
}

/** What rows wait for: another object, or something that the API requires of its customer, not of paybatch. */
function waitedFor(rows: number): string {
  const its = rows === 1 ? 'its' : 'their';
  return `${its} customer or account is there, or the customer's verification is done`;
}
