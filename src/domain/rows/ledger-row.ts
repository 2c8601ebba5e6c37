import type { Conclusion } from '../sending/conclusion.ts';
import type { Finding } from './finding.ts';
import type { NormalisedRecord } from './record.ts';
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
