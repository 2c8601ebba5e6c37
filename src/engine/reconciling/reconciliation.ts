import { resolve } from 'node:path';
import type { BatchRecord, RowsInDoubt } from '../../domain/batches/batch.ts';
import type { RowAdvice } from '../../domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { ReplayFigures } from '../../output/reconciliation/account-texts.ts';
import { writeVerdictsFile } from '../../output/reconciliation/files.ts';
import type { Account } from '../../reconcile/accounting/account.ts';
import type { Origin } from '../../reconcile/replaying/origin.ts';
import { missingFactsTexts, originTexts, type ReplayResult } from '../../reconcile/replaying/replay.ts';
import { adviceOn } from '../../reconcile/verdicts/advice.ts';
import { keyLifetimeFor } from '../access/key-lifetime.ts';
import { stemOf } from '../files/files-of-batch.ts';
import type { CallContext } from '../running/context.ts';
import type { ComparedWith } from './comparison.ts';

/** What one reconciliation of a batch found. */
export interface Reconciliation extends UndecidedRows {
  readonly account: Account;
  /** Why the source file was not compared; empty when it was. */
  readonly sourceNote: string;
  /** Null when there was no export to compare with. */
  readonly compared: ComparedWith | null;
  readonly replayed: ReplayResult;
}

/** The rows that wait for somebody's verdict. */
interface UndecidedRows {
  /** The first of them. */
  readonly undecided: readonly RowAdvice[];
  readonly undecidedCount: number;
  /** What is known of those in doubt; null when none is. */
  readonly doubt: RowsInDoubt | null;
  /** The file that asks for verdicts; null when no row waits for one. */
  readonly verdicts: string | null;
}

const undecidedShown = 10;

/**
 * Writes the verdicts file, and keeps the first of its rows for showing.
 * @param foundIds ids that the other side has for doubtful rows, by row
 */
export async function writeUndecided(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  foundIds: ReadonlyMap<number, string>,
): Promise<UndecidedRows> {
  const undecided: RowAdvice[] = [];
  const { durationInMs } = keyLifetimeFor(app, batch.mode);
  let undecidedCount = 0;
  async function* watched(): AsyncGenerator<RowAdvice[]> {
    for await (const group of verbs.readUndecidedRows(batch.id)) {
      const read = group.map((row) => adviceOn(row, durationInMs, foundIds.get(row.row)));
      undecidedCount += read.length;
      undecided.push(...read.slice(0, Math.max(0, undecidedShown - undecided.length)));
      yield read;
    }
  }
  const verdicts = await writeVerdictsFile(
    resolve(app.settings.output.out),
    stemOf(batch),
    watched(),
    foundIds,
  );
  const doubt = await verbs.readRowsInDoubt(batch.id, durationInMs);
  return { undecided, undecidedCount, doubt, verdicts };
}

/** What a replay came to, as the terminal and the report show it. */
export function replayFigures({ replayed }: Pick<Reconciliation, 'replayed'>): ReplayFigures {
  const textOf = (origin: Origin | null): string =>
    origin === null ? 'no conclusive answer' : originTexts[origin];
  return {
    rows: replayed.rows,
    origins: [...replayed.origins].map(([origin, rows]) => ({ origin: textOf(origin), rows })),
    first: replayed.first.map(({ row, state, origin }) => ({ row, status: state, origin: textOf(origin) })),
    filledFacts: replayed.facts.filled,
    missingFacts: [...replayed.facts.missing].map(([reason, rows]) => ({
      ...{ reason: missingFactsTexts[reason], rows },
    })),
  };
}
