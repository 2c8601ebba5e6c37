import { createHash } from 'node:crypto';
import type { Environment } from './environment.ts';
import type { Kind } from './kind.ts';

/** What makes a batch the same batch: one input's content, read in one way, in one environment. */
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
 * The batch's id: a UUID (version 8, RFC 9562) made of the identity's SHA-256, so that the same file
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

/** A batch as the ledger knows it. */
export interface BatchRecord {
  readonly id: string;
  readonly environmentId: number;
  readonly mode: 'sandbox' | 'live';
  readonly origin: string;
  readonly kind: Kind;
  readonly fileName: string;
  readonly sheet: string | null;
  readonly contentHash: string;
  readonly readingHash: string;
  readonly header: readonly string[];
  readonly notes: readonly string[];
  readonly createdAt: string;
  /** Null while staging has not come to its end. */
  readonly rowCount: number | null;
}
