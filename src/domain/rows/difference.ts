/* A difference that a reconciliation found, with the values of both sides next to each other. */

import type { RowRemedy } from './row-remedy.ts';

/** What can differ, the most urgent first. */
export const differenceKinds = [
  'two_ids',
  'unrecorded',
  'answer_differs',
  'not_in_ledger',
  'not_in_file',
  'cells_differ',
  'in_doubt_found',
  'undecided',
  'mismatched',
  'matched_by_id',
  'missing_there',
  'unknown_here',
  'duplicate_here',
  'duplicate_there',
  'ambiguous',
  'proposed',
  'left_out',
] as const;

export type DifferenceKind = (typeof differenceKinds)[number];

/** One value that a side has, or both. */
export interface ComparedValue {
  /** What it is: `amount`, or the title of a column. */
  readonly name: string;
  /** Null where that side has no such record, or no such value. */
  readonly here: string | null;
  readonly there: string | null;
  readonly differs: boolean;
}

/** One difference. Here is the ledger. */
export interface FoundDifference {
  readonly kind: DifferenceKind;
  /** The row of the batch; null where there is none. */
  readonly row: number | null;
  /** Its status; null where nothing depends on it. */
  readonly status: string | null;
  /** Where the other side has it; null where it does not. */
  readonly there: {
    /** The file; null for the API. */
    readonly file: string | null;
    readonly row: number | null;
  } | null;
  readonly values: readonly ComparedValue[];
  /** Why the two belong together, or what is known of the one. */
  readonly evidence: string;
  /** What a person may do; null where the kind tells it. */
  readonly action: RowRemedy | null;
  /** The id that the row's object has for certain on the other side. */
  readonly foundId: string | null;
}

/** Receives differences as they are found, group by group. */
export type TakeDifferences = (found: readonly FoundDifference[]) => Promise<void>;
