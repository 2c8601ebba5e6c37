/* The next steps of a person for a batch, as data: the reason, and the call that does it. Each channel words it. */

import type { BatchAccount, NextStep } from '../domain/batches/account.ts';
import { shortBatchId } from '../domain/batches/batch.ts';
import { waitsForApproval } from '../domain/batches/batch-facts.ts';
import type { CallRemedy } from '../domain/failures/paybatch-error.ts';
import { rowsToSend } from './figures.ts';

/** The facts that determine the steps. */
export type StepFacts = Pick<
  BatchAccount,
  | 'id'
  | 'environment'
  | 'counts'
  | 'repeats'
  | 'contradicted'
  | 'unrecorded'
  | 'corrected'
  | 'superseded'
  | 'doubt'
  | 'refusedAlike'
  | 'closing'
  | 'approval'
  | 'valuesRefusedIn'
  | 'source'
  | 'sheet'
  | 'files'
>;

/** The steps for a batch's rows, the most urgent first; empty where every row is created or existing. */
export function nextSteps(facts: StepFacts): readonly NextStep[] {
  const { contradicted, unrecorded } = facts;
  const remedy: CallRemedy = { action: 'reconcile', ...batchOf(facts) };
  return [
    ...(unrecorded > 0 ? [{ what: 'unrecorded', objects: unrecorded, remedy } as const] : []),
    ...(contradicted > 0 ? [{ what: 'contradicted', rows: contradicted, remedy } as const] : []),
    ...(facts.closing === null ? stepsOfOpen(facts) : stepsOfClosed(facts)),
  ];
}

/** How a call names a batch. */
function batchOf({
  id,
  environment,
}: StepFacts): Pick<BatchAccount, 'environment'> & { readonly batch: string } {
  return { batch: shortBatchId(id), environment };
}

/** Rows in doubt are sent again while their keys are valid; only after that the provider is asked. */
function stepsOfOpen(facts: StepFacts): readonly NextStep[] {
  return [
    ...stepsOfReading(facts),
    ...stepsOfSending(facts),
    ...stepsOfDeciding(facts),
    ...stepsOfRefused(facts),
  ];
}

/** If a file's rows are refused for one reason, its reading is wrong: further rows would be refused as well. */
function stepsOfReading(facts: StepFacts): readonly NextStep[] {
  const { refusedAlike, valuesRefusedIn: column, source: file, sheet } = facts;
  const of = batchOf(facts);
  const steps: NextStep[] = [];
  if (refusedAlike !== null || column !== null) {
    const remedy = { action: 'edit_mapping', ...of, file, about: column, sheet } as const;
    steps.push({ what: 'read_again', column, remedy });
  }
  if (refusedAlike === null) return steps;
  const { notSent } = rowsToSend(facts);
  const remedy = { action: 'resume', ...of, refusedAlike: 'off' } as const;
  const rejected = retriedRows(facts);
  if (notSent > 0) steps.push({ what: 'send_others', rows: notSent, remedy });
  else if (rejected > 0) steps.push({ what: 'allow_retry', rows: rejected, remedy });
  return steps;
}

function stepsOfSending(facts: StepFacts): readonly NextStep[] {
  const { refusedAlike, approval, doubt } = facts;
  const rows = rowsToSend(facts);
  const notSent = refusedAlike === null ? rows.notSent : 0;
  const inDoubt = rows.inDoubt - doubtToAsk(facts);
  if (notSent + inDoubt === 0) return [];
  const of = batchOf(facts);
  if (waitsForApproval(approval)) {
    const remedy = { action: 'approve', ...of, planHash: approval.planHash } as const;
    return [{ what: 'approve', rows: notSent + inDoubt, remedy }];
  }
  const runsOutAt = doubt?.nextRunsOutAt ?? null;
  return [{ what: 'resume', notSent, inDoubt, runsOutAt, remedy: { action: 'resume', ...of } }];
}

/** Rows in doubt that no run sends again. */
function doubtToAsk(facts: StepFacts): number {
  const { expired = 0, unsettled = 0 } = facts.doubt ?? {};
  return Math.min(rowsToSend(facts).inDoubt, expired + unsettled);
}

function stepsOfDeciding(facts: StepFacts): readonly NextStep[] {
  const { doubt, counts, repeats, files } = facts;
  const { expired = 0, unsettled = 0 } = doubt ?? {};
  const [asked, held] = [doubtToAsk(facts), (counts.held ?? 0) - (repeats.held ?? 0)];
  const file = files.verdicts ?? null;
  const of = batchOf(facts);
  const remedy: CallRemedy =
    file === null ? { action: 'reconcile', ...of } : { action: 'resolve', ...of, file };
  const hasVerdictsFile = file !== null;
  return [
    ...(asked > 0
      ? [{ what: 'ask_provider', rows: asked, expired, unsettled, hasVerdictsFile, remedy } as const]
      : []),
    ...(held > 0 ? [{ what: 'decide', rows: held, hasVerdictsFile, remedy } as const] : []),
  ];
}

/** Rejected rows that are sent again unchanged, unless another file corrects them. */
function retriedRows({ counts, superseded }: StepFacts): number {
  return (counts.rejected ?? 0) - (superseded.all.rejected ?? 0);
}

function stepsOfRefused(facts: StepFacts): readonly NextStep[] {
  const { counts, corrected, refusedAlike, files } = facts;
  const { waiting = 0, rejected = 0, invalid = 0 } = counts;
  const faulty = invalid + rejected - corrected;
  // `retry` does not send the rows of a stopped batch either.
  const retried = refusedAlike === null ? retriedRows(facts) : 0;
  const { notSent } = rowsToSend(facts);
  const of = batchOf(facts);
  return [
    ...(faulty > 0 && files.failed !== null
      ? [{ what: 'correct', rows: faulty, remedy: importOf(facts, files.failed) } as const]
      : []),
    ...(retried + waiting > 0
      ? [
          {
            what: 'retry',
            ...{ rejected: retried, waiting, notSent },
            remedy: { action: 'retry', ...of },
          } as const,
        ]
      : []),
  ];
}

function importOf({ environment }: StepFacts, file: string): CallRemedy {
  return { action: 'import', files: [file], asRead: false, environment };
}

/** No row of a closed batch is sent; its file may be sent as another batch. */
function stepsOfClosed(facts: StepFacts): readonly NextStep[] {
  const { counts, files } = facts;
  const { not_sent = 0, waiting = 0, unknown = 0, held = 0, invalid = 0, rejected = 0 } = counts;
  const of = batchOf(facts);
  return [
    ...(not_sent + waiting > 0
      ? [{ what: 'finish_closing', rows: not_sent + waiting, remedy: { action: 'close', ...of } } as const]
      : []),
    ...(unknown + held > 0
      ? [{ what: 'doubt_of_closed', rows: unknown + held, remedy: { action: 'reconcile', ...of } } as const]
      : []),
    ...(invalid + rejected > 0 && files.failed !== null
      ? [{ what: 'correct_closed', remedy: importOf(facts, files.failed) } as const]
      : []),
  ];
}
