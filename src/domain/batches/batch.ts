/* A batch: one file, or one sheet, under one reading, in one environment. */

import { createHash } from 'node:crypto';
import type { Finding } from '../rows/finding.ts';
import type { StatusCounts } from '../rows/row-state.ts';
import type { Message } from '../settings/message.ts';
import type { RunRecord } from './run.ts';

/** The identity of a batch: one input's content, read in one way, in one environment. */
export interface BatchIdentity {
  readonly environment: Environment;
  readonly kind: Kind;
  /** The workbook's sheet, or null. */
  readonly sheet: string | null;
  /** SHA-256 of the file's bytes, in hex. */
  readonly contentHash: string;
  /** SHA-256 over everything that changes how the bytes are read (mapping, stated delimiter and encoding). */
  readonly readingHash: string;
}

/**
 * The batch's id: a UUID (version 8, RFC 9562) made of the identity's SHA-256, so the same file
 * is the same batch on every machine, and a rebuilt ledger gives it the same id again.
 */
export function batchId(identity: BatchIdentity): string {
  const { environment, kind, sheet, contentHash, readingHash } = identity;
  const hash = createHash('sha256')
    .update(JSON.stringify([environment.mode, environment.origin, kind, sheet, contentHash, readingHash]))
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** The part of a batch's id that people see in file names and tables. */
export function shortBatchId(id: string): string {
  return id.slice(0, 8);
}

export type Mode = 'sandbox' | 'live';

/**
 * Mode and API origin. A ledger never mixes two: batches, natural keys and references belong to one
 * environment. The origin of the built-in sandbox is its store, since its port changes with each run.
 */
export interface Environment {
  readonly mode: Mode;
  readonly origin: string;
}

/** A batch as the files about it name it, in the environment that it belongs to. */
interface NamedBatch extends Environment {
  readonly id: string;
  readonly kind: Kind;
  readonly fileName: string;
  readonly sheet: string | null;
  readonly header: readonly string[];
  readonly readingHash: string;
}

/** A batch as the ledger knows it. */
export interface BatchRecord extends NamedBatch {
  readonly environmentId: number;
  readonly contentHash: string;
  readonly notes: readonly Message[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Null until staging has ended. */
  readonly rowCount: number | null;
}

/** How the origin of a built-in sandbox begins; the id of its store follows. */
export const localSandboxPrefix = 'local-sandbox:';

/**
 * The name of what a batch imports, in the plural: `customers`. The registry of resources defines which kinds exist, and
 * the order in which they depend on each other.
 */
export type Kind = string;

/** Says that a person has closed a batch: no run sends any more of it. */
export interface BatchClosing {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Null where only a run log reported it; then the note is null too. */
  readonly by: string | null;
  /** Why, in that person's words. */
  readonly note: string | null;
}

/** Rows of a batch that are no longer sent since rows of later batches correct them, by status. */
export interface SupersededCounts {
  readonly all: StatusCounts;
  /** Those of them whose correction is created or existing. */
  readonly done: StatusCounts;
}

/** A batch and the batches that correct its rows. */
export interface BatchFamily {
  /** The batch that the family began with. */
  readonly first: { readonly id: string; readonly rows: number };
  /** How many of the first batch's rows are created or existing, in any batch. */
  readonly doneRows: number;
  /** Oldest first. */
  readonly corrections: readonly {
    readonly id: string;
    readonly rows: number;
    readonly doneRows: number;
  }[];
}

/** What is known of a batch's rows in doubt: sent, and without a conclusive answer. */
export interface RowsInDoubt {
  /** The oldest first sending of a row that is still in doubt (ISO 8601, UTC). */
  readonly oldestSentAt: string;
  /** When the key of that row expires: from then on only a person may decide about it. */
  readonly oldestRunsOutAt: string;
  /** When the first key expires among the rows that the next run sends again; null where there are none. */
  readonly nextRunsOutAt: string | null;
  /** Rows whose keys have expired; the next run holds them. */
  readonly expired: number;
  /** Rows with a key that has not expired, under which two runs or more have sent them without a conclusive answer. */
  readonly unsettled: number;
}

/** The waiting rows of a batch that wait for the same thing. */
export interface WaitingRows {
  /** Why: `customer_not_there`, or the code of a refusal that may pass with time (`kyc_required`). */
  readonly code: string;
  readonly rows: number;
  /** When the row that waits longest began to wait, or was last refused; ISO 8601, UTC. */
  readonly since: string;
}

/** A person's decision about the hidden rows and sheets of a file: to read them like the others, or to leave them out. */
export type HiddenChoice = 'include' | 'skip';

/** How a batch's file was read. */
export interface BatchReading {
  /** The mapping file's JSON, and the rules file's: `{}` where there was none. */
  readonly mapping: string;
  readonly rules: string;
  /** Hidden rows, and rows of hidden sheets, that are in the batch. */
  readonly hiddenRows: number;
  /** Null until it is decided. */
  readonly hiddenChoice: HiddenChoice | null;
}

/** A batch of a content, and how it was read. */
export interface ContentReading extends NamedBatch, Pick<BatchRecord, 'createdAt'> {
  /** The mapping file's JSON. */
  readonly mapping: string;
  /** It has never been requested that it is sent. */
  readonly isOnlyPlanned: boolean;
}

/** A batch as its failed file refers to it. */
export interface OriginalBatch extends NamedBatch {
  readonly reading: BatchReading;
}

/** A row as it was in an earlier round. */
export interface EarlierRow {
  readonly row: number;
  readonly cells: readonly string[];
  readonly findings: readonly Finding[];
  /** What people have typed on pages in place of its cells, by their places: edits that count, or that were planned. */
  readonly confirmed: ReadonlyMap<number, readonly string[]>;
}

/** A batch that this program holds a run of. */
export interface LeasedBatch {
  readonly batch: BatchRecord;
  readonly run: RunRecord;
  /** Whether this call staged it; the others were staged by an earlier call. */
  readonly isNew: boolean;
  /** Whether its run log lacks lines, or has changed ones; false when absent. */
  readonly isLogDamaged?: boolean;
  /** Up to which byte its run log was compared with the ledger; absent where it was not. */
  readonly logComparedUntil?: number;
}
