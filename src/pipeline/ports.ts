/* What the steps ask of the ledger, the API, the run log and the clock. */

import type { BatchIdentity, BatchRecord, Kind, RunRecord } from '../domain/batches/batch.ts';
import type { RefusedAlike } from '../domain/batches/batch-facts.ts';
import type { LoggedClaim } from '../domain/batches/run-log.ts';
import type { PayeesOfRows } from '../domain/batches/series.ts';
import type { CallOutcome } from '../domain/failures/paybatch-error.ts';
import type { InstitutionList } from '../domain/institution.ts';
import type { CurrencySum } from '../domain/money/expectation.ts';
import type {
  ClaimedRow,
  KeyOwner,
  Preparation,
  Rival,
  RowConclusion,
  RowsToClaim,
  RowToPrepare,
  StagedRow,
} from '../domain/rows/ledger-row.ts';
import type { PayeeKeys } from '../domain/rows/payee-change.ts';
import type { ResultStatus, StatusCounts } from '../domain/rows/row-state.ts';
import type { Conclusion, SetAside } from '../domain/sending/conclusion.ts';
import type { Attempt, CreationReading, StoredRequest } from '../domain/sending/outcome.ts';
import type { EarlierValues, Table, TableRow } from '../domain/tables/table.ts';
import type { NameMarks } from '../domain/text/name-marks.ts';
import type { KnownObject } from '../resources/definition.ts';

/** A row of an input, with what follows for it from elsewhere. */
export interface SourceRow extends TableRow {
  /** What its cells held before, for a row of a failed file that was corrected. */
  readonly earlier?: EarlierValues;
  /** The row of an earlier round that it names. */
  readonly corrects?: { readonly batch: string; readonly row: number };
  /** Where a person finds the row that it corrects, in the first file of all rounds: `row 57 of people.csv`. */
  readonly correctedPlace?: string;
  /** What kind of recipient it is, where that follows from the institution that it names. */
  readonly payeeType?: string;
}

export type SourceTable = Table<SourceRow>;

/** What validation and preparation may ask of the ledger about other rows, in one environment. */
export interface ReferencePort {
  readonly findByHandles: (
    kind: Kind,
    handles: readonly string[],
  ) => Promise<ReadonlyMap<string, KnownObject>>;
  readonly findCustomersById: (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownObject>>;
  /** By natural key, in hex. */
  readonly findKeyOwners: (kind: Kind, keys: readonly Buffer[]) => Promise<ReadonlyMap<string, KeyOwner>>;
  /** By row, for rows of a batch that have a family. */
  readonly findRivals: (batchId: string, rows: readonly number[]) => Promise<ReadonlyMap<number, Rival>>;
}

/** A known payee that a row's payee is compared with; `n` names that row. */
interface ComparedPayee {
  readonly n: number;
  readonly batch: string;
  readonly row: number;
  readonly isSameCustomer: boolean;
  readonly isSameName: boolean;
  readonly isSameDetails: boolean;
}

/** The known payees of a customer, by its place among those that were asked for. */
export interface KnownNames {
  readonly n: number;
  /** Name key and marks of each; null for a customer of very many. */
  readonly names: readonly KnownName[] | null;
}

export interface KnownName {
  /** As in `PayeeSigns`. */
  readonly name: string;
  readonly marks: NameMarks;
}

/** What may be asked about the payees of one environment; `n` names a row of a group, or what is asked. */
export interface PayeePort {
  /** Of these customers, those that have known payees. The look-ups below are for what is known at all. */
  readonly findKnownNames: (customers: readonly string[]) => Promise<readonly KnownNames[]>;
  /** Of these accounts, those that known payees have. */
  readonly findKnownAccounts: (accounts: readonly string[]) => Promise<ReadonlySet<number>>;
  /** The batches of the file's own family, with those whose rows it corrects: their payees do not count. */
  readonly familyOf: (corrected: readonly string[]) => Promise<readonly string[]>;
  readonly findPayees: (
    asked: readonly (PayeeKeys & { readonly n: number })[],
    without: readonly string[],
  ) => Promise<readonly ComparedPayee[]>;
  /** The known payees of such customers and name keys, with their names as they were written; the newest first. */
  readonly findNamedPayees: (
    asked: readonly { readonly n: number; readonly customer: string; readonly name: string }[],
    without: readonly string[],
  ) => Promise<
    readonly { readonly n: number; readonly batch: string; readonly row: number; readonly name: string }[]
  >;
  readonly findDecisions: (
    asked: readonly (PayeeKeys & { readonly n: number })[],
  ) => Promise<
    readonly { readonly n: number; readonly verdict: 'send' | 'existing'; readonly objectId: string | null }[]
  >;
}

/** What may be asked about an earlier file of a series. */
export interface SeriesPort {
  /** The payees of a batch's rows, and of those that correct them, in groups. */
  readonly readPayees: (batchId: string) => AsyncIterable<PayeesOfRows>;
  /** The amounts of some rows of a batch, by currency. */
  readonly sumRows: (batchId: string, rows: readonly number[]) => Promise<readonly CurrencySum[]>;
}

/** The payees that those of a file are compared with. */
export type PayeesOf = (file: { readonly contentHash: string }) => PayeePort;

/** The institutions of countries, for the limits and names checks. */
export interface DirectoryPort {
  readonly list: (country: string) => Promise<InstitutionList>;
}

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

/** First and last of rows that were claimed together, and the number of their keys, where that is not their first. */
export type ClaimedRange = [first: number, last: number] | [first: number, last: number, generation: number];

/** What the pipeline notes in the run log; every other event is the caller's. */
export type PipelineEvent =
  | {
      readonly event: 'claim.made';
      readonly run: string;
      readonly claim: number;
      readonly ledger?: string | undefined;
      readonly rows?: ClaimedRange[] | undefined;
    }
  | {
      readonly event: 'row.staged';
      readonly row: number;
      readonly key: string;
      readonly attempt: number;
      readonly generation: number;
      readonly request_hash: string;
    }
  | {
      readonly event: 'row.answered';
      readonly row: number;
      readonly key: string;
      readonly attempt: number;
      readonly status: number | null;
      readonly outcome: Attempt['outcome'];
      readonly reason: string | null;
      readonly id: string | null;
      readonly duration_ms: number;
    }
  | {
      readonly event: 'row.final';
      readonly row: number;
      readonly key: string | null;
      readonly attempt: number;
      readonly status: ResultStatus;
      readonly id: string | null;
      readonly code: string | null;
    };

export interface RunLogPort {
  /**
   * Notes events; they are on disk once a later `flush` has resolved.
   * @param at when they happened, where that was not just now
   */
  readonly append: (events: readonly PipelineEvent[], at?: Date) => void;
  /** Resolves when everything appended is on disk. */
  readonly flush: () => Promise<void>;
  /**
   * Flushes, and makes sure that it will be noticed if what is on disk now is cut off the log.
   * @returns the claims that others have written into the same log since the last call
   */
  readonly seal: () => Promise<readonly LoggedClaim[]>;
}

/** Time and randomness come in from outside, so that tests can hold them. */
export interface ClockPort {
  /** The date of today's UTC day and the time of events. */
  readonly now: () => Date;
  /** Never goes back; only differences mean anything. */
  readonly monotonicInMs: () => number;
}
