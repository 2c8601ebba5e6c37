import type { Finding } from '../rows/finding.ts';
import type { Kind, Mode } from './batch.ts';
/** What a person said about the hidden rows and sheets of a file: to read them like the others, or to leave them out. */
export type HiddenChoice = 'include' | 'skip';

/** How a batch's file was read. */
export interface BatchReading {
  /** The mapping file's JSON, and the rules file's: `{}` where there was none. */
  readonly mapping: string;
  readonly rules: string;
  /** Hidden rows, and rows of hidden sheets, that are in the batch. */
  readonly hiddenRows: number;
  /** Null while nobody has said anything. */
  readonly hiddenChoice: HiddenChoice | null;
}

/** A batch of a content, and how it was read. */
export interface ContentReading {
  readonly id: string;
  readonly mode: Mode;
  readonly origin: string;
  readonly kind: Kind;
  readonly sheet: string | null;
  readonly fileName: string;
  readonly header: readonly string[];
  readonly readingHash: string;
  /** The mapping file's JSON. */
  readonly mapping: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Nobody has asked for it to be sent yet. */
  readonly isOnlyPlanned: boolean;
}

/** A batch as its failed file refers to it; without a reading it is of an earlier version of this program. */
export interface OriginalBatch {
  readonly id: string;
  /** Of the environment that it belongs to. */
  readonly mode: Mode;
  readonly origin: string;
  readonly kind: Kind;
  readonly fileName: string;
  readonly sheet: string | null;
  readonly header: readonly string[];
  readonly readingHash: string;
  readonly reading: BatchReading | null;
}

/** A row as it came in an earlier round. */
export interface EarlierRow {
  readonly row: number;
  readonly cells: readonly string[];
  readonly findings: readonly Finding[];
}
