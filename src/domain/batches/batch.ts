/* A batch: one file or one sheet, read in one way, in one environment. */

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
  /** SHA-256 over all settings that affect how the bytes are read (mapping, stated delimiter and encoding). */
  readonly readingHash: string;
}

/**
 * The batch's id: a UUID (version 8, RFC 9562) computed from the SHA-256 of the identity. So the same file is the same batch
 * on every machine, and a rebuilt ledger gives it the same id again.
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
 * Mode and API origin. Data of two environments is never mixed: batches, natural keys and references belong to one
 * environment. The origin of the built-in sandbox is its store, since its port changes with each run.
 */
export interface Environment {
  readonly mode: Mode;
  readonly origin: string;
}

/** A batch as its files name it, with the environment to which it belongs. */
interface NamedBatch extends Environment {
  readonly id: string;
  readonly kind: Kind;
  readonly fileName: string;
  readonly sheet: string | null;
  readonly header: readonly string[];
  readonly readingHash: string;
}

/** A batch as the ledger stores it. */
export interface BatchRecord extends NamedBatch {
  readonly environmentId: number;
  readonly contentHash: string;
  readonly notes: readonly Message[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Null until staging has ended. */
  readonly rowCount: number | null;
}

/** The beginning of the origin of a built-in sandbox. The id of its store follows. */
export const localSandboxPrefix = 'local-sandbox:';

/**
 * The name of the objects that a batch imports, in the plural: `customers`. The registry of resources defines which kinds
 * exist, and the order in which they depend on each other.
 */
export type Kind = string;

/** The record that a person has closed a batch, so that no run sends any more of it. */
export interface BatchClosing {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Null if it is known only from a run log; then the note is null too. */
  readonly by: string | null;
  /** The reason, in that person's words. */
  readonly note: string | null;
}

/** Rows of a batch that are no longer sent because rows of later batches correct them, by status. */
export interface SupersededCounts {
  readonly all: StatusCounts;
  /** The rows among them whose correction is created or existing. */
  readonly done: StatusCounts;
}

/** A batch and the batches that correct its rows. */
export interface BatchFamily {
  /** The batch with which the family began. */
  readonly first: { readonly id: string; readonly rows: number };
  /** How many rows of the first batch are created or existing, in any batch of the family. */
  readonly doneRows: number;
  /** Oldest first. */
  readonly corrections: readonly {
    readonly id: string;
    readonly rows: number;
    readonly doneRows: number;
  }[];
}

/** The facts about a batch's rows in doubt: rows that were sent and have no conclusive answer. */
export interface RowsInDoubt {
  /** The earliest first sending among the rows that are still in doubt (ISO 8601, UTC). */
  readonly oldestSentAt: string;
  /** When the key of that row expires. From then on only a person may decide about the row. */
  readonly oldestRunsOutAt: string;
  /** When the first key expires among the rows that the next run sends again; null if there are no such rows. */
  readonly nextRunsOutAt: string | null;
  /** Rows whose keys have expired. The next run holds them. */
  readonly expired: number;
  /** Rows whose key has not expired, but that two or more runs have sent under it without a conclusive answer. */
  readonly unsettled: number;
}

/** Rows of a batch that wait for the same reason. */
export interface WaitingRows {
  /** The reason: `customer_not_there`, or the code of a refusal that may pass with time (`kyc_required`). */
  readonly code: string;
  readonly rows: number;
  /** When the row that has waited longest began to wait, or was last refused; ISO 8601, UTC. */
  readonly since: string;
}

/** A person's decision about the hidden rows and sheets of a file: to read them like the others, or to omit them. */
export type HiddenChoice = 'include' | 'skip';

/** How a batch's file was read. */
export interface BatchReading {
  /** The JSON of the mapping file and of the rules file; `{}` if there was none. */
  readonly mapping: string;
  readonly rules: string;
  /** Hidden rows, and rows of hidden sheets, that are in the batch. */
  readonly hiddenRows: number;
  /** Null until a person has decided. */
  readonly hiddenChoice: HiddenChoice | null;
}

/** A batch with a content, and how that content was read. */
export interface ContentReading extends NamedBatch, Pick<BatchRecord, 'createdAt'> {
  /** The mapping file's JSON. */
  readonly mapping: string;
  /** Whether no run was ever asked to send it. */
  readonly isOnlyPlanned: boolean;
}

/** A batch as its failed file refers to it. */
export interface OriginalBatch extends NamedBatch {
  readonly reading: BatchReading;
}

/** A row with its data from an earlier round. */
export interface EarlierRow {
  readonly row: number;
  readonly cells: readonly string[];
  readonly findings: readonly Finding[];
  /**
   * The values that people have typed on pages in place of its cells, by the cells' places. They come from valid edits and
   * from planned edits.
   */
  readonly confirmed: ReadonlyMap<number, readonly string[]>;
}

/** A batch of which this program holds a run. */
export interface LeasedBatch {
  readonly batch: BatchRecord;
  readonly run: RunRecord;
  /** Whether this call staged it. The other batches were staged by an earlier call. */
  readonly isNew: boolean;
  /** Whether lines of its run log are missing or changed; false if absent. */
  readonly isLogDamaged?: boolean;
  /** Up to which byte its run log was compared with the ledger; absent if it was not compared. */
  readonly logComparedUntil?: number;
}
