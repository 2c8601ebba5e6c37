/* A row as the steps of a run read it from the ledger, and the verdict that a person can give about it. */

import type { Conclusion } from '../sending/outcome.ts';
import type { Finding, PayeeChange, PayeeKeys, RowNote } from './finding.ts';
import type { RowRemedy, RowState } from './row-state.ts';

/** A row of a batch, by its number in the batch's file. */
export interface RowOfBatch {
  readonly batch: string;
  readonly row: number;
}

/** The reason why a row is in its state, for people and result files. */
export interface Reason {
  readonly code: string;
  /** The column of the reason, by its title in the file; null if the reason is about the whole row. */
  readonly field: string | null;
  readonly message: string;
}

/** A row with the result of its validation, as it is stored in the ledger. */
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
  /** The row of an earlier round that this row names; absent if it corrects none. */
  readonly corrects?: RowOfBatch;
  /**
   * Its payee, in eight bytes; each character represents one byte. Absent if it has no payee, or if the payee was not
   * determined. It is assigned to the existing object, because copying each row takes longer than determining the payee.
   */
  payee?: string;
  /** Differences from the known payees; absent if there are none. */
  readonly changes?: readonly PayeeChange[];
}

/** The data that is reported about a row whose payee differs from the known payees. */
export type ChangedRow = Pick<StagedRow, 'row' | 'resource' | 'record' | 'changes'>;

/** A row whose request has to be written before it can be sent. */
export interface RowToPrepare {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
  readonly record: NormalisedRecord;
  /** Whether a person decided to send it even if another row has created, or may create, the same object. */
  readonly isSentRegardless?: boolean;
  /** Whether it corrects another row or reads it in another way, or other rows do this to it. */
  readonly hasFamily?: boolean;
}

/** The decision of the preparation about one row. */
export type Preparation = Pick<RowToPrepare, 'row' | 'generation'> &
  (
    | {
        readonly to: 'ready';
        readonly idempotencyKey: string;
        readonly path: string;
        readonly body: Buffer;
        readonly fingerprint: Buffer;
        readonly naturalKey: Buffer;
        /** The natural key that the row owns, if another row owns the row's own natural key. */
        readonly ownedKey?: Buffer;
        readonly handle: string | null;
        /** Its payee; absent if it has none. */
        readonly payee?: PayeeKeys;
        /** Differences from payees that became known after the row was staged; absent if there are none. */
        readonly changes?: readonly PayeeChange[];
      }
    | {
        readonly to: 'waiting' | 'held';
        readonly reason: Reason;
        /** As for a ready row. */
        readonly changes?: readonly PayeeChange[];
      }
    | { readonly to: 'existing'; readonly objectId: string; readonly reason: Reason }
  );

/** A row of a batch that is being recovered, as the ledger has it now. It is neither final nor claimed. */
export interface RowToRestore {
  readonly row: number;
  /** Null if its payee type is not known. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly state: Extract<RowState, 'staged' | 'waiting' | 'ready' | 'unknown' | 'rejected' | 'held'>;
  /** The reason for its state; null if the state is enough. */
  readonly code: string | null;
  readonly generation: number;
  /** When its newest key was first sent, ISO 8601; null if it never was. */
  readonly firstSentAt: string | null;
  /** The newest request that this ledger has for it; null if there is none for this generation. */
  readonly request: {
    readonly key: string;
    readonly path: string;
    readonly body: Buffer;
    readonly fingerprint: Buffer;
  } | null;
  /** Keys of earlier generations. They were refused conclusively, or a person gave them up. */
  readonly earlierKeys: readonly string[];
}

/** A row of a recovered batch that is not sent and gets no request: another row has its object, or a person decides. */
export interface RestedRow {
  readonly row: number;
  readonly state: Extract<RowState, 'existing' | 'held' | 'invalid'>;
  readonly objectId: string | null;
  readonly reason: Reason;
  /** The natural key of a held row whose object may exist, so that no other row creates the object; else absent. */
  readonly naturalKey?: Buffer;
}

/** A row whose key is known from a run log, with its request and its outcome. */
export interface Restoration {
  readonly ready: Extract<Preparation, { to: 'ready' }>;
  readonly state: Extract<RowState, 'created' | 'rejected' | 'waiting' | 'held' | 'unknown'>;
  readonly objectId: string | null;
  readonly reason: Reason | null;
  /** ISO 8601. No request under the key was sent earlier. */
  readonly firstSentAt: string;
  readonly credential: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** The answer that created its object; null if there was none, or if it answered another request than `ready`. */
  readonly answer: LoggedAnswer | null;
}

/** An answer as recorded in a run log, without its content. */
export interface LoggedAnswer {
  /** The number of the request among the row's requests. */
  readonly number: number;
  readonly httpStatus: number | null;
  readonly durationInMs: number;
  /** ISO 8601, UTC. */
  readonly answeredAt: string;
}

/** The row that owns a natural key: paybatch has created an object for it, or may have created one. */
export interface KeyOwner extends RowOfBatch {
  readonly state: Extract<RowState, 'ready' | 'sending' | 'created' | 'unknown' | 'held'>;
  readonly objectId: string | null;
  readonly fingerprint: Buffer;
  /** The exact bytes that were sent for it or will be sent. */
  readonly body: Buffer;
}

/** A live row of the same family: the row that a row corrects, another correction of it, or another reading. */
export interface Rival extends RowOfBatch {
  /** The name of its file. */
  readonly fileName: string;
  readonly state: KeyOwner['state'] | 'existing';
  readonly objectId: string | null;
}

/**
 * The rows that a claim takes. `in_doubt`: rows that were sent and have no conclusive answer. `fresh`: rows that were never
 * sent under their key. `all`: both, rows in doubt first.
 */
export type RowsToClaim = 'all' | 'fresh' | 'in_doubt';

/** A claimed row. This worker may send it until the lease expires. */
export interface ClaimedRow extends Pick<RowToPrepare, 'row' | 'resource' | 'generation'> {
  readonly leaseToken: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
  /** The run that wrote the request: this run, or an earlier one whose log may be elsewhere. */
  readonly preparedBy: string;
  readonly attempts: number;
  /** Whether an earlier try under this key has no conclusive answer. */
  readonly wasUnknown: boolean;
  /** How long the key may still be used, counted from the claim. */
  readonly keyTimeLeftInMs: number;
}

/** The conclusion about a claimed row, to be recorded under its lease. */
export interface RowConclusion
  extends Pick<ClaimedRow, 'row' | 'generation' | 'idempotencyKey' | 'leaseToken'> {
  readonly conclusion: Conclusion;
}

/**
 * One row's values by field name, normalised: trimmed, in canonical form (IBAN without spaces, phone in E.164, codes in
 * capitals), with defaults. Empty values are absent.
 */
export type NormalisedRecord = Readonly<Record<string, string>>;

/** A row that was never sent and names an institution. It is checked with a newer list of institutions. */
export interface RowToRecheck {
  readonly row: number;
  /** Null if the payee type depends on an institution that was in no complete list yet. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  /** Only for a row without a resource: its cells as in result files. */
  readonly cells: readonly string[] | null;
  /** Whether it is held because no complete list showed whether its institution exists. */
  readonly isUnverified: boolean;
}

/** A row that no longer passes. */
export interface RecheckedRow {
  readonly row: number;
  readonly to: 'invalid' | 'held';
  readonly findings: readonly Finding[];
  readonly reason: Reason;
}

/** The result of a complete list for a row that was held until such a list was available. */
export type VerifiedRow =
  | (RecheckedRow & { readonly to: 'invalid' })
  | {
      readonly row: number;
      readonly to: 'staged';
      /** Unchanged, except for a row that had none. */
      readonly resource: string;
      /** The record, including the values that the institution determines. */
      readonly record: NormalisedRecord;
      /** Notes that are added to the notes of the row. */
      readonly notes: readonly RowNote[];
    };

/** A row about which a person may have to decide, with the facts of its history. */
interface RowWithHistory {
  readonly row: number;
  readonly idempotencyKey: string | null;
  readonly record: NormalisedRecord;
  readonly code: string | null;
  readonly message: string | null;
  /** The number of requests that were sent for it, or may have been sent. */
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** When a request under its key was first sent; null if none was. */
  readonly firstSentAt: string | null;
}

/** A row that only a person, or the next run, can move to another state. */
export interface UndecidedRow extends RowWithHistory {
  readonly state: Extract<RowState, 'unknown' | 'held' | 'sending'>;
  readonly changedAt: string;
  /** The time since the first sending or, if nothing was sent, since the last change of state; by the ledger's clock. */
  readonly ageInMs: number;
  /** Whether two or more runs have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/** A row in doubt as shown to a person. */
export interface RowAdvice extends Pick<RowWithHistory, 'row' | 'attempts'> {
  readonly status: 'unknown' | 'held';
  readonly key: string | null;
  /** The name of the person or the account in the row; empty if it has none. */
  readonly name: string;
  /** The amount with its currency. */
  readonly amount: string;
  /** paybatch's own reference, by which the other side may identify it. */
  readonly reference: string;
  /** `3 days`, `4 hours`. */
  readonly age: string;
  readonly known: string;
  readonly advice: RowRemedy;
}

/** The verdicts that a person can give about a row that no run can decide. */
export const verdicts = ['created', 'not-created', 'existing', 'send'] as const;

export type Verdict = (typeof verdicts)[number];

export function isVerdict(text: string): text is Verdict {
  return (verdicts as readonly string[]).includes(text);
}

/** A row before a person's verdict about it. */
export interface RowToResolve extends RowWithHistory {
  readonly state: RowState;
  /** Null if its payee type is not known yet. */
  readonly resource: string | null;
  readonly generation: number;
}

/** A person's decision about a row, and the resulting state. */
export interface DecidedRow {
  readonly row: number;
  readonly fromState: 'held' | 'unknown';
  /** The number of requests that the person knew of. The verdict is valid only if there are no more requests by then. */
  readonly attempts: number;
  readonly verdict: Verdict;
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly note: string;
  /** The decision for the result files, without the person's note. */
  readonly message: string;
}
