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
}
