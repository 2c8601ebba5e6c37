/* A row as the steps of a run see it in the ledger, and the verdict that a person can give about it. */

import type { Conclusion } from '../sending/outcome.ts';
import type { Finding, PayeeChange, PayeeKeys, RowNote } from './finding.ts';
import type { RowRemedy, RowState } from './row-state.ts';

/** A row of a batch, by its number in the batch's file. */
export interface RowOfBatch {
  readonly batch: string;
  readonly row: number;
}

/** Why a row is in its state, for people and result files. */
export interface Reason {
  readonly code: string;
  /** The column it is about, by the file's name; null when it is about the whole row. */
  readonly field: string | null;
  readonly message: string;
}

/** A row as validation leaves it in the ledger. */
export interface StagedRow {
  readonly row: number;
  readonly resource: string | null;
  readonly state: Extract<RowState, 'staged' | 'invalid' | 'duplicate' | 'existing' | 'held'>;
  readonly cells: readonly string[];
  readonly record: NormalisedRecord;
  readonly findings: readonly Finding[];
  readonly notes: readonly RowNote[];
  readonly handle: string | null;
  /** The earlier row of the file that a duplicate repeats. */
  readonly sameAs: number | null;
  readonly objectId: string | null;
  readonly reason: Reason | null;
  /** The row of an earlier round that this one names; absent where it corrects none. */
  readonly corrects?: RowOfBatch;
  /**
   * Its payee, in eight bytes, a byte in each character; absent where it has no payee, or where this was not determined.
   * Written into the row, once: copying each row takes longer than determining it.
   */
  payee?: string;
  /** Differences from the known payees; absent where there are none. */
  readonly changes?: readonly PayeeChange[];
}

/** What is reported of a row whose payee differs from the known payees. */
export type ChangedRow = Pick<StagedRow, 'row' | 'resource' | 'record' | 'changes'>;

/** A row whose request has to be written before it can be sent. */
export interface RowToPrepare {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
  readonly record: NormalisedRecord;
  /** A person decided that it is sent even if another row has made, or may make, the same object. */
  readonly isSentRegardless?: boolean;
  /** It corrects another row or reads it in another way, or other rows do this to it. */
  readonly hasFamily?: boolean;
}

/** What the preparation decides about one row. */
export type Preparation = Pick<RowToPrepare, 'row' | 'generation'> &
  (
    | {
        readonly to: 'ready';
        readonly idempotencyKey: string;
        readonly path: string;
        readonly body: Buffer;
        readonly fingerprint: Buffer;
        readonly naturalKey: Buffer;
        /** The natural key that the row owns where that is not its own, because another row owns that one. */
        readonly ownedKey?: Buffer;
        readonly handle: string | null;
        /** Its payee; absent where it has none. */
        readonly payee?: PayeeKeys;
        /** Differences from payees that became known since the row was staged; absent where there are none. */
        readonly changes?: readonly PayeeChange[];
      }
    | {
        readonly to: 'waiting' | 'held';
        readonly reason: Reason;
        /** As for a row that is ready. */
        readonly changes?: readonly PayeeChange[];
      }
    | { readonly to: 'existing'; readonly objectId: string; readonly reason: Reason }
  );

/** A row of a batch that is being recovered, as the ledger has it now: neither final nor claimed. */
export interface RowToRestore {
  readonly row: number;
  /** Null where its payee type is not known. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly state: Extract<RowState, 'staged' | 'waiting' | 'ready' | 'unknown' | 'rejected' | 'held'>;
  /** Why it is in its state; null where the state is enough. */
  readonly code: string | null;
  readonly generation: number;
  /** When its newest key was first sent, ISO 8601; null when it never was. */
  readonly firstSentAt: string | null;
  /** The newest request that this ledger has for it; null where it has none of this generation. */
  readonly request: {
    readonly key: string;
    readonly path: string;
    readonly body: Buffer;
    readonly fingerprint: Buffer;
  } | null;
  /** Keys of earlier generations: refused conclusively, or given up by a person. */
  readonly earlierKeys: readonly string[];
}

/** A row of a recovered batch that is not to be sent, without a request: another row has its object, or a person decides. */
export interface RestedRow {
  readonly row: number;
  readonly state: Extract<RowState, 'existing' | 'held' | 'invalid'>;
  readonly objectId: string | null;
  readonly reason: Reason;
  /** The natural key of a held row that may exist: no other row creates the same object. Absent where there is none. */
  readonly naturalKey?: Buffer;
}

/** A row whose key is known from a run log: its request, and its outcome. */
export interface Restoration {
  readonly ready: Extract<Preparation, { to: 'ready' }>;
  readonly state: Extract<RowState, 'created' | 'rejected' | 'waiting' | 'held' | 'unknown'>;
  readonly objectId: string | null;
  readonly reason: Reason | null;
  /** ISO 8601: no request under the key was earlier. */
  readonly firstSentAt: string;
  readonly credential: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** The answer that created its object; null where there was none, or where it answered another request than `ready`. */
  readonly answer: LoggedAnswer | null;
}

/** An answer as reported by a run log: without its content. */
export interface LoggedAnswer {
  /** Of the request, among the row's. */
  readonly number: number;
  readonly httpStatus: number | null;
  readonly durationInMs: number;
  /** ISO 8601, UTC. */
  readonly answeredAt: string;
}

/** The row that owns a natural key: paybatch has created an object for it, or may have. */
export interface KeyOwner extends RowOfBatch {
  readonly state: Extract<RowState, 'ready' | 'sending' | 'created' | 'unknown' | 'held'>;
  readonly objectId: string | null;
  readonly fingerprint: Buffer;
  /** The exact bytes that were, or are to be, sent for it. */
  readonly body: Buffer;
}

/** A row of the same family (the row that a row corrects, its other corrections and readings) that is live. */
export interface Rival extends RowOfBatch {
  /** The name of its file. */
  readonly fileName: string;
  readonly state: KeyOwner['state'] | 'existing';
  readonly objectId: string | null;
}

/**
 * Which rows a claim takes: those `in_doubt` (sent, and without a conclusive answer), `fresh` ones that were never
 * sent under their key, or `all`, those in doubt first.
 */
export type RowsToClaim = 'all' | 'fresh' | 'in_doubt';

/** A claimed row: this worker may send it while the lease lasts. */
export interface ClaimedRow extends Pick<RowToPrepare, 'row' | 'resource' | 'generation'> {
  readonly leaseToken: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
  /** The run that wrote the request: this one, or an earlier one whose log may be elsewhere. */
  readonly preparedBy: string;
  readonly attempts: number;
  /** An earlier try under this key has no conclusive answer. */
  readonly wasUnknown: boolean;
  /** How long, from the claim, the key may still be used. */
  readonly keyTimeLeftInMs: number;
}

/** The conclusion about a claimed row, to be recorded under its lease. */
export interface RowConclusion
  extends Pick<ClaimedRow, 'row' | 'generation' | 'idempotencyKey' | 'leaseToken'> {
  readonly conclusion: Conclusion;
}

/**
 * One row's values by field name, normalised: trimmed, canonical in form (IBAN without spaces, phone
 * in E.164, codes in capitals), defaults filled in. Empty values are absent.
 */
export type NormalisedRecord = Readonly<Record<string, string>>;

/** A row that was never sent and names an institution, to be judged by a newer list of institutions. */
export interface RowToRecheck {
  readonly row: number;
  /** Null where the payee type follows from an institution that was in no complete list yet. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  /** Only of a row without a resource: its cells as result files have them. */
  readonly cells: readonly string[] | null;
  /** Whether it is held because no complete list showed if its institution exists. */
  readonly isUnverified: boolean;
}

/** A row that no longer passes. */
export interface RecheckedRow {
  readonly row: number;
  readonly to: 'invalid' | 'held';
  readonly findings: readonly Finding[];
  readonly reason: Reason;
}

/** What a complete list says about a row that was held until there is one. */
export type VerifiedRow =
  | (RecheckedRow & { readonly to: 'invalid' })
  | {
      readonly row: number;
      readonly to: 'staged';
      /** As before, except for a row that had none. */
      readonly resource: string;
      /** Including the values that the institution fills in. */
      readonly record: NormalisedRecord;
      /** Added to those that the row has. */
      readonly notes: readonly RowNote[];
    };

/** A row of which a person may have to decide, with the facts of its history. */
interface RowWithHistory {
  readonly row: number;
  readonly idempotencyKey: string | null;
  readonly record: NormalisedRecord;
  readonly code: string | null;
  readonly message: string | null;
  /** Requests that were sent for it, or may have been. */
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** When a request under its key first left; null when none did. */
  readonly firstSentAt: string | null;
}

/** A row that only a person, or the next run, moves on. */
export interface UndecidedRow extends RowWithHistory {
  readonly state: Extract<RowState, 'unknown' | 'held' | 'sending'>;
  readonly changedAt: string;
  /** Since the first sending, or, if nothing was sent, since the last change of state; by the ledger's clock. */
  readonly ageInMs: number;
  /** Whether two runs or more have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/** A row in doubt as shown to a person. */
export interface RowAdvice extends Pick<RowWithHistory, 'row' | 'attempts'> {
  readonly status: 'unknown' | 'held';
  readonly key: string | null;
  /** Of the person or the account in the row; empty where it has none. */
  readonly name: string;
  /** With its currency. */
  readonly amount: string;
  /** paybatch's own reference, by which the other side may know it. */
  readonly reference: string;
  /** `3 days`, `4 hours`. */
  readonly age: string;
  readonly known: string;
  readonly advice: RowRemedy;
}

/** The verdicts that a person can give about a row that only a person may decide. */
export const verdicts = ['created', 'not-created', 'existing', 'send'] as const;

export type Verdict = (typeof verdicts)[number];

export function isVerdict(text: string): text is Verdict {
  return (verdicts as readonly string[]).includes(text);
}

/** A row before a person's verdict on it. */
export interface RowToResolve extends RowWithHistory {
  readonly state: RowState;
  /** Null until its payee type is known. */
  readonly resource: string | null;
  readonly generation: number;
}

/** What a person decided about a row, and the state that follows from it. */
export interface DecidedRow {
  readonly row: number;
  readonly fromState: 'held' | 'unknown';
  /** The number of requests the person knew of: the verdict holds only while there are no more. */
  readonly attempts: number;
  readonly verdict: Verdict;
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly note: string;
  /** For the result files: the decision, without the note. */
  readonly message: string;
}
