/* A row as the steps of a run see it in the ledger, and the verdict that a person can give about it. */

import type { Conclusion } from '../sending/conclusion.ts';
import type { RowRemedy } from './difference.ts';
import type { Finding, PayeeChange, PayeeKeys } from './finding.ts';
import type { RowState } from './row-state.ts';

/** Why a row stands where it stands, for people and result files. */
export interface Reason {
  readonly code: string;
  /** The column it is about, as the file calls it; null when it is about the whole row. */
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
  readonly notes: readonly string[];
  readonly handle: string | null;
  /** The earlier row of the file that a duplicate repeats. */
  readonly sameAs: number | null;
  readonly objectId: string | null;
  readonly reason: Reason | null;
  /** The row of an earlier round that this one names; absent where it corrects none. */
  readonly corrects?: { readonly batch: string; readonly row: number };
  /**
   * Whom it pays, in eight bytes, a byte in each character; absent where that is nobody, or nobody has looked. Written into
   * the row, once: a copy of each row takes longer than to find out.
   */
  payee?: string;
  /** What differs from the payees that are known; absent where nothing does. */
  readonly changes?: readonly PayeeChange[];
}

/** A row whose request has to be written before it can be sent. */
export interface RowToPrepare {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
  readonly record: NormalisedRecord;
  /** A person decided that it is sent even if another row has made, or may make, the same object. */
  readonly isSentRegardless?: boolean;
  /** It corrects another row, or reads it in another way, or others do so with it. */
  readonly hasFamily?: boolean;
}

/** What the preparation decides about one row. */
export type Preparation =
  | {
      readonly row: number;
      readonly generation: number;
      readonly to: 'ready';
      readonly idempotencyKey: string;
      readonly path: string;
      readonly body: Buffer;
      readonly fingerprint: Buffer;
      readonly naturalKey: Buffer;
      /** What the row owns where that is not its natural key, because another row owns that one. */
      readonly ownedKey?: Buffer;
      readonly handle: string | null;
      /** Whom it pays; absent where it pays nobody. */
      readonly payee?: PayeeKeys;
    }
  | {
      readonly row: number;
      readonly generation: number;
      readonly to: 'waiting' | 'held';
      readonly reason: Reason;
    }
  | {
      readonly row: number;
      readonly generation: number;
      readonly to: 'existing';
      readonly objectId: string;
      readonly reason: Reason;
    };

/** A row of a batch that is being recovered, as the ledger has it now: neither final nor claimed. */
export interface RowToRestore {
  readonly row: number;
  /** Null where its payee type is not known. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly state: Extract<RowState, 'staged' | 'waiting' | 'ready' | 'unknown' | 'rejected' | 'held'>;
  /** Why it stands there; null where the state says it all. */
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

/** A row of a recovered batch that is not to be sent, without a request: another row's object, or for a person. */
export interface RestedRow {
  readonly row: number;
  readonly state: Extract<RowState, 'existing' | 'held' | 'invalid'>;
  readonly objectId: string | null;
  readonly reason: Reason;
  /** Owned by a held row that may exist: no other row creates the same object. Absent where it owns nothing. */
  readonly naturalKey?: Buffer;
}

/** A row whose key is known from a run log: its request, and how it ended. */
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
  /** The answer that created its object; null where none did, or where that request was another one than `ready`. */
  readonly answer: LoggedAnswer | null;
}

/** An answer as a run log tells of it: without its content. */
export interface LoggedAnswer {
  /** Of the request, among the row's. */
  readonly number: number;
  readonly httpStatus: number | null;
  readonly durationInMs: number;
  /** ISO 8601, UTC. */
  readonly answeredAt: string;
}

/** The row that owns a natural key: an object of ours exists for it, or may. */
export interface KeyOwner {
  readonly batch: string;
  readonly row: number;
  readonly state: Extract<RowState, 'ready' | 'sending' | 'created' | 'unknown' | 'held'>;
  readonly objectId: string | null;
  readonly fingerprint: Buffer;
  /** The exact bytes that were, or are to be, sent for it. */
  readonly body: Buffer;
}

/** A row of the same family (the row that a row corrects, its other corrections and readings) that is live. */
export interface Rival {
  readonly batch: string;
  readonly row: number;
  /** What its file was called. */
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
export interface ClaimedRow {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
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
export interface RowConclusion {
  readonly row: number;
  readonly generation: number;
  readonly idempotencyKey: string;
  readonly leaseToken: string;
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
  /** Null where the payee type follows from an institution that no complete list has had yet. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  /** Only of a row without a resource: its cells as result files have them. */
  readonly cells: readonly string[] | null;
  /** Whether it is held because no complete list said if its institution exists. */
  readonly isUnverified: boolean;
}

/** A row that does not pass any more. */
export interface RecheckedRow {
  readonly row: number;
  readonly to: 'invalid' | 'held';
  readonly findings: readonly Finding[];
  readonly reason: Reason;
}

/** What a complete list says of a row that was held until there is one. */
export type VerifiedRow =
  | (RecheckedRow & { readonly to: 'invalid' })
  | {
      readonly row: number;
      readonly to: 'staged';
      /** What it was before, but for a row that had none. */
      readonly resource: string;
      /** With what the institution fills in. */
      readonly record: NormalisedRecord;
      /** Added to those that the row has. */
      readonly notes: readonly string[];
    };

/** A row that only a person, or the next run, moves on: with all that its history tells. */
export interface UndecidedRow {
  readonly row: number;
  readonly state: Extract<RowState, 'unknown' | 'held' | 'sending'>;
  readonly idempotencyKey: string | null;
  readonly record: NormalisedRecord;
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: number;
  readonly httpStatus: number | null;
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  readonly changedAt: string;
  /** Since the first sending, or, when nothing was sent, since its state last changed; by the ledger's clock. */
  readonly ageInMs: number;
  /** Whether two runs or more have sent it under its key without a conclusive answer. */
  readonly isUnsettled: boolean;
}

/** A doubtful row as a person reads about it. */
export interface RowAdvice {
  readonly row: number;
  readonly status: 'unknown' | 'held';
  readonly key: string | null;
  /** Requests that were ever sent for it, or may have been. */
  readonly attempts: number;
  /** Of the person or the account that the row is about; empty where it has none. */
  readonly name: string;
  /** With its currency. */
  readonly amount: string;
  /** Our own, by which the other side may know it. */
  readonly reference: string;
  /** `3 days`, `4 hours`. */
  readonly age: string;
  readonly known: string;
  readonly advice: RowRemedy;
}

/** What a person can say about a row that only a person may decide. */
export const verdicts = ['created', 'not-created', 'existing', 'send'] as const;

export type Verdict = (typeof verdicts)[number];

export function isVerdict(text: string): text is Verdict {
  return (verdicts as readonly string[]).includes(text);
}

/** A row as it stands before a person's verdict on it. */
export interface RowToResolve {
  readonly row: number;
  readonly state: RowState;
  /** Null while nobody knows its payee type. */
  readonly resource: string | null;
  readonly record: NormalisedRecord;
  readonly generation: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  /** When a request of its key first left; null when none did. */
  readonly firstSentAt: string | null;
  /** Requests that were ever sent for it, or may have been. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;
}

/** What a person decided about a row, and the state that follows from it. */
export interface DecidedRow {
  readonly row: number;
  readonly fromState: 'held' | 'unknown';
  /** Of how many requests the person knew: the verdict holds only while there are no more. */
  readonly attempts: number;
  readonly verdict: Verdict;
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly note: string;
  /** For the result files: what was decided, without the note. */
  readonly message: string;
}
