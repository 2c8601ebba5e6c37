import type { Kind } from '../batches/kind.ts';

/** A mapping that a person has agreed to, for files of one header. */
export interface RememberedMapping {
  /** What tells headers apart: see `headerKeyOf`. */
  readonly headerKey: string;
  readonly header: readonly string[];
  /** As the person named it. */
  readonly name: string;
  readonly kind: Kind;
  /** The mapping file's JSON. */
  readonly mapping: string;
  /** Of the file that it was agreed to for. */
  readonly contentHash?: string | null;
  /** ISO 8601, UTC; absent before it is remembered. */
  readonly rememberedAt?: string;
}
