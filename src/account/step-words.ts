/* The next steps in words: for somebody who types commands, and for somebody who clicks. */

import type { NextStep, StepReason } from '../domain/batches/account.ts';
import { countOf } from '../domain/money/figures.ts';
import { sentAgainText } from '../domain/rows/row-state.ts';
import { contradictionHeadline, unrecordedHeadline } from './words/wording.ts';

/**
 * Why a step is to be done, and what it does, in a sentence or two.
 * @param isOnPages for somebody who clicks: without files to save and commands to type
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

/** Sending once more would bring what it brought before, or is not allowed any more. */
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

/** A row waits for another object, or for what the API does not ask of us, but of its customer. */
function waitedFor(rows: number): string {
  const its = rows === 1 ? 'its' : 'their';
  return `${its} customer or account is there, or the customer's verification is done`;
}
