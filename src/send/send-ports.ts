/* What moving a batch on asks of the ledger and of the API. */

import type { BatchIdentity, BatchRecord, RunRecord } from '../domain/batches/batch.ts';
import type { RefusedAlike } from '../domain/batches/batch-facts.ts';
import type { LoggedClaim } from '../domain/batches/run-log.ts';
import type { CallOutcome } from '../domain/failures/paybatch-error.ts';
import type {
  ClaimedRow,
  Preparation,
  RowConclusion,
  RowsToClaim,
  RowToPrepare,
  StagedRow,
} from '../domain/rows/ledger-row.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import type { Conclusion, SetAside } from '../domain/sending/conclusion.ts';
import type { Attempt, CreationReading, StoredRequest } from '../domain/sending/outcome.ts';

/** The ledger's verbs that move a batch on; `src/ledger` says what each promises. */
export interface LedgerPort {
  readonly beginBatch: (
    identity: BatchIdentity,
    input: {
      fileName: string;
      givenName?: string;
      header: readonly string[];
      importId: string;
      hasLineEnd?: boolean;
    },
  ) => Promise<BatchRecord>;
  readonly findBatch: (id: string) => Promise<BatchRecord | undefined>;
  readonly emptyUnstaged: (id: string, runId: string) => Promise<void>;
  readonly finishStaging: (id: string, runId: string, notes: readonly string[]) => Promise<number>;
  readonly giveUpBatch: (id: string, runId: string) => Promise<void>;
  readonly stageRows: (batch: BatchRecord, runId: string, rows: readonly StagedRow[]) => Promise<void>;
  readonly listRowsToPrepare: (
    batchId: string,
    afterRow: number,
    limit: number,
    waitingDelayInMs?: number,
    approvalId?: string | null,
  ) => Promise<RowToPrepare[]>;
  readonly writePreparations: (
    batchId: string,
    runId: string,
    preparations: readonly Preparation[],
  ) => Promise<boolean>;
  readonly claimRows: (request: {
    batchId: string;
    runId: string;
    leaseToken: string;
    credential: string;
    keyLifetimeInMs: number;
    limit: number;
    rows: RowsToClaim;
    approvalId?: string;
  }) => Promise<ClaimedRow[]>;
  readonly recordConclusions: (
    batchId: string,
    runId: string,
    conclusions: readonly RowConclusion[],
  ) => Promise<Set<number>>;
  readonly beginRun: (run: {
    id: string;
    batchId: string;
    command: string;
    leaseInMs: number;
    join: boolean;
    actor?: { readonly name: string; readonly door: string };
    ofClosed?: boolean;
  }) => Promise<RunRecord>;
  readonly prolongRun: (runId: string, leaseInMs: number) => Promise<boolean>;
  readonly endRun: (runId: string, outcome: CallOutcome) => Promise<void>;
  readonly readRevision: (batchId: string) => Promise<string>;
  readonly endRunWithFiles: (
    run: {
      readonly id: string;
      readonly batchId: string;
      readonly outcome: CallOutcome;
      readonly revision: string;
    },
    isLastTry: boolean,
  ) => Promise<boolean>;
  readonly takeOverExpired: (batchId: string) => Promise<number>;
  readonly holdExpiredKeys: (batchId: string, keyLifetimeInMs: number) => Promise<number>;
  readonly explainOtherCredentials: (batchId: string, credential: string) => Promise<number>;
  readonly countStatuses: (batchId: string) => Promise<StatusCounts>;
  readonly hasMovableRows: (batchId: string) => Promise<boolean>;
  readonly countUnknownClaims: (batchId: string, claims: readonly LoggedClaim[]) => Promise<number>;
  readonly stopIfRefusedAlike: (
    batchId: string,
    limit: number | null,
  ) => Promise<RefusedAlike | 'some_created' | null>;
}

/** Sends one stored request, as often as its tries allow; `src/api` says what each conclusion means. */
export interface SenderPort {
  readonly send: (
    request: StoredRequest,
    row: {
      attemptsBefore: number;
      isEarlierTryUnknown: boolean;
      resendUntil: number;
      failedAlone?: boolean;
      rowsLeft?: () => number;
      mayLeave?: () => boolean | Promise<boolean>;
      readAnswer: (json: unknown) => CreationReading;
    },
    onAttempt: (attempt: Attempt) => void,
  ) => Promise<Conclusion | SetAside>;
  readonly isApiInDoubt: () => boolean;
}
