import type { CallOutcome } from '../../src/domain/failures/paybatch-error.ts';
import type { ResultRow } from '../../src/domain/rows/result-row.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import type { LoggedEvent } from '../../src/recover/logged-rows.ts';
import type { Random } from '../simulation/random.ts';
import type { BatchPlan } from './batch-plan.ts';
import type { Progress } from './progress.ts';
import type { ApiFault, TruthApi } from './truth-api.ts';

/** A row as result files tell of it. */
export type FiledRow = Pick<
  ResultRow,
  'row' | 'status' | 'objectId' | 'attempts' | 'idempotencyKey' | 'code' | 'changedAt'
>;

/** How a whole run ended. */
export interface RunEnd {
  readonly program: string;
  readonly command: string;
  /** Null: it was killed, or it broke off without ending its run in the ledger. */
  readonly outcome: CallOutcome | null;
  readonly hasWrittenFiles: boolean;
}

/** What the programs of one schedule share: the API, the disk, and the notes of the watcher. */
export interface World {
  readonly api: TruthApi;
  readonly progress: Progress;
  readonly plan: BatchPlan;
  /** The batch's run log, of all programs. */
  readonly log: LoggedEvent[];
  /** The result files, as they were last written. */
  files: readonly FiledRow[] | null;
  readonly ends: RunEnd[];
  readonly violations: string[];
  readonly trace: string[];
  readonly note: (text: string) => void;
  /** What becomes of the next request of a program. */
  apiFaultOf: (program: string) => ApiFault | null;
  /** Runs whose programs ended without ending them. */
  readonly goneRuns: string[];
  /** Lets the ledger know that the process of a run is gone, where its host can be asked. */
  readonly markProcessGone: (runId: string) => Promise<void>;
  /** Chance for one more program: no other program draws its ids. */
  readonly newRandom: () => Random;
  readonly keyLifetimeInMs: number;
  readonly rowsPerPreparation: number;
  readonly rowsPerClaim: number;
}

export function violate(world: World, text: string): void {
  world.note(`VIOLATION ${text}`);
  world.violations.push(text);
}

/** Every row as the ledger's own reader for result files gives it. */
export async function readFiled(
  verbs: Pick<LedgerVerbs, 'readResultRows'>,
  batch: string,
): Promise<FiledRow[]> {
  const rows: FiledRow[] = [];
  for await (const page of verbs.readResultRows(batch)) {
    rows.push(...page);
  }
  return rows;
}
