import { type RefusedAlike, RefusedAlikeStop } from '../../domain/batches/refused-alike.ts';
import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import { resultStatus } from '../../domain/rows/row-state.ts';
import type { LedgerPort, PipelineEvent, ReferencePort, RunLogPort, SenderPort } from '../ports.ts';
import { startPreparation } from './preparation.ts';
import { type SubmitContext, submitRows } from './submit.ts';

/** What moves one batch on, as far as it goes by itself. */
export interface MoveOnContext extends Omit<SubmitContext, 'ledger' | 'onRecorded' | 'onClaimed'> {
  readonly ledger: LedgerPort;
  readonly references: ReferencePort;
  readonly sender: SenderPort;
  readonly runLog: RunLogPort;
  readonly newKey: () => string;
  /** Told of rows that were recorded. */
  readonly onProgress: (conclusions: readonly RowConclusion[]) => void;
  /** How long a row that was refused for what time mends is left alone; not at all when absent. */
  readonly waitingDelayInMs?: number;
}

/**
 * Brings a staged batch forward: rows of lost workers become unknown, keys that are too old are held,
 * requests are written, and what is ready is sent, while the requests of later rows are still being written.
 * @throws RefusedAlikeStop when the batch was stopped since its rows are all refused for one reason, now or by an
 *   earlier run; then only rows in doubt were sent
 */
export async function moveOn(context: MoveOnContext): Promise<void> {
  const { ledger, batchId } = context;
  await ledger.takeOverExpired(batchId);
  await ledger.holdExpiredKeys(batchId, context.keyLifetimeInMs);
  await ledger.explainOtherCredentials(batchId, context.credential);
  const refused = await whyStopped(context);
  if (refused !== null) {
    if (context.rows !== 'fresh') await prepareAndSubmit({ ...context, rows: 'in_doubt' });
    throw new RefusedAlikeStop(refused);
  }
  await prepareAndSubmit(context);
}

async function whyStopped({
  ledger,
  batchId,
  refusedAlike,
  rows,
}: MoveOnContext): Promise<RefusedAlike | null> {
  if (refusedAlike === undefined || rows === 'in_doubt') return null;
  const verdict = await ledger.stopIfRefusedAlike(batchId, refusedAlike);
  return verdict === 'some_created' ? null : verdict;
}

async function prepareAndSubmit(context: MoveOnContext): Promise<void> {
  const preparation = startPreparation(context);
  try {
    await submitRows({
      ...context,
      onRecorded: (conclusions) => {
        context.runLog.append(conclusions.filter(isConclusive).map(finalEvent));
        context.onProgress(conclusions);
      },
      onClaimed: preparation.claimed,
      onNothingToClaim: async () =>
        (await preparation.isMoreToClaim()) || ((await context.onNothingToClaim?.()) ?? false),
    });
  } finally {
    await preparation.ended;
  }
  preparation.throwFailure();
}

/** Whether nothing more will be sent under the row's key. */
function isConclusive({ conclusion: { state } }: RowConclusion): boolean {
  return state !== 'ready' && state !== 'unknown';
}

function finalEvent({ row, idempotencyKey, conclusion }: RowConclusion): PipelineEvent {
  return {
    event: 'row.final',
    row,
    key: idempotencyKey,
    attempt: conclusion.attempts.at(-1)?.number ?? 0,
    status: resultStatus(conclusion.state),
    id: conclusion.objectId,
    code: conclusion.code,
  };
}
