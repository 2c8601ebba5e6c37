/* What is said of run logs from which a batch was recovered. */

import { damageText } from '../account/words/log-words.ts';
import type { CallContext } from '../call/context.ts';
import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import type { LogProof } from '../domain/batches/run-log.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { countOf } from '../domain/money/figures.ts';
import type { RestoredRows } from './restore.ts';
import type { RecoveryLogs, ToldByLogs } from './told-by-logs.ts';

/** Tells of logs that do not prove to be whole. */
export function reportProofs(
  { report }: CallContext,
  { logs, holdRest = false }: RecoveryLogs,
  { history, proofs }: ToldByLogs,
): void {
  for (const [at, { head, isLinked, lines }] of proofs.entries()) {
    if (head === 'there') continue;
    report({
      kind: 'note',
      note: {
        code: 'log_unproven',
        log: logs[at] ?? '',
        isUnlinked: !isLinked,
        lines,
        isFinished: history.unfinished.length === 0,
        isHeld: holdRest,
      },
    });
  }
}

/**
 * How a recovery ends whose logs are damaged, or contradicted by result files beside them: what they tell is recovered, and
 * a person has to see to the rest.
 * @returns null where the logs are sound
 */
export function damagedLogs(
  { id, mode, origin }: BatchRecord,
  {
    logs,
    proofs,
    rows: { held, shown },
  }: Pick<ToldByLogs, 'proofs'> & { readonly logs: readonly string[]; readonly rows: RestoredRows },
): PaybatchError | null {
  const damaged = proofs.flatMap((proof, at) => damagedText(proof, logs[at] ?? ''));
  const shownText =
    shown === 0
      ? []
      : [
          `Result files beside the run log have ${countOf(shown, 'row')} as created that it does not: a log is missing, or was cut.`,
        ];
  if (damaged.length + shownText.length === 0) return null;
  const heldText =
    held + shown === 0
      ? 'No row had to be held for that.'
      : `${countOf(held + shown, 'row')} may have been sent, and ${held + shown === 1 ? 'is' : 'are'} held.`;
  return new PaybatchError('run_log_damaged', [...damaged, ...shownText, heldText].join(' '), [
    {
      action: 'reconcile',
      batch: shortBatchId(id),
      environment: { mode, origin },
      effect: 'lists the rows that are held',
    },
    'get an undamaged copy of the log from a backup, with its head (.run.head), and recover from that: rows of which it tells everything are not held any more',
  ]);
}

function damagedText({ damages }: LogProof, log: string): string[] {
  return damages.length === 0 ? [] : [`The run log ${log} is damaged: ${damageText(damages)}.`];
}
