import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import type { RunLog } from '../../output/log/run-log.ts';
import type { HeldBatch } from '../../pipeline/intake/take-in.ts';
import type { RunLogPort } from '../../pipeline/ports.ts';
import type { JobContext } from '../running/context.ts';

/** How many rows ended how, as progress tells it. */
export function outcomesOf(conclusions: readonly RowConclusion[]): {
  created: number;
  refused: number;
  inDoubt: number;
} {
  const count = (...states: readonly RowConclusion['conclusion']['state'][]): number =>
    conclusions.filter(({ conclusion }) => states.includes(conclusion.state)).length;
  return {
    created: count('created'),
    refused: count('rejected', 'waiting'),
    inDoubt: count('unknown', 'held'),
  };
}

/** A run log that reports every answer besides, without anything personal. */
export function tellingAnswers(
  { report }: JobContext,
  batch: HeldBatch['batch'],
  runLog: RunLog,
): RunLogPort {
  return {
    flush: () => runLog.flush(),
    append: (events, at) => {
      runLog.append(events, at);
      for (const event of events) {
        if (event.event !== 'row.answered') continue;
        const { row, attempt, status, outcome, reason, duration_ms } = event;
        const fields = {
          batch: batch.id,
          row,
          attempt,
          status,
          outcome,
          code: reason,
          latency_ms: duration_ms,
        };
        report({ kind: 'detail', text: 'answered', fields });
      }
    },
  };
}
