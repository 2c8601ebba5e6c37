/*
 * What a person can do about a row that no run moves on by itself, or about a record of a comparison, as data: each
 * interface words it.
 */

/** The states of a comparison. Every record of either side has exactly one of them. */
export const matchStates = [
  'matched',
  'matched_within_tolerance',
  'matched_by_id',
  'mismatched',
  'missing_there',
  'left_out',
  'expected',
  'not_covered',
  'unknown_here',
  'duplicate_here',
  'duplicate_there',
  'ambiguous',
  'proposed',
] as const;

export type MatchState = (typeof matchStates)[number];

/** Reasons why a row is held that was never sent, each with its own advice. */
export const decidedReasons = [
  'account_shared',
  'corrects_created',
  'corrects_in_doubt',
  'differs_from_created',
  'file_may_be_cut',
  'institution_unverifiable',
  'marked_row',
  'payee_details_changed',
  'unknown_elsewhere',
] as const;

type DecidedReason = (typeof decidedReasons)[number];

/** Reasons of rows that were sent: the provider knows their outcome. */
const reasonsOfSent: ReadonlySet<string> = new Set([
  'key_expired',
  'content_not_approved',
  'conflict',
  'contradicting_answers',
  'id_seen_before',
]);

export type RowRemedy =
  /** The provider knows the outcome of the row's key or content: it was created, or not. */
  | { readonly action: 'ask_provider' }
  /** Another run is sending the row, or ended while it did. */
  | { readonly action: 'resume_interrupted' }
  /** A run sends the row again under its own key, until that expires; null where it is not known when. */
  | { readonly action: 'resume'; readonly needsOwnApiKey: boolean; readonly runsOutAt: string | null }
  /** A verdict that suits the reason; null for any other verdict. */
  | { readonly action: 'decide'; readonly reason: DecidedReason | null }
  /** The other side has it under this id. */
  | { readonly action: 'confirm_found'; readonly id: string }
  | { readonly action: 'resolve_as_created'; readonly row: number; readonly id: string }
  | { readonly action: 'resolve_as_not_created'; readonly row: number }
  /** The row's object exists, and its id is not known for certain. */
  | { readonly action: 'find_id'; readonly row: number }
  /** What the state of a compared record requires. */
  | { readonly action: 'look_into'; readonly state: UnclearState };

/** States of a comparison that a person has to look into. */
export type UnclearState = Exclude<
  MatchState,
  'matched' | 'matched_within_tolerance' | 'expected' | 'not_covered'
>;

/** What can be done about rows that are held for one reason. @param code null where it is not known */
export function remedyOfReason(code: string | null): RowRemedy {
  return code !== null && reasonsOfSent.has(code) ? { action: 'ask_provider' } : remedyOfUnsent(code);
}

/** What can be done about a row that was held before anything was sent. */
export function remedyOfUnsent(code: string | null): RowRemedy {
  return { action: 'decide', reason: decidedReasons.find((reason) => reason === code) ?? null };
}

/* A difference that a reconciliation found, with the values of both sides next to each other. */

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

/** One difference between the ledger (here) and the other side (there). */
export interface FoundDifference {
  readonly kind: DifferenceKind;
  /** The row of the batch; null where there is none. */
  readonly row: number | null;
  /** Its status; null where it does not matter. */
  readonly status: string | null;
  /** Where the other side has it; null where it does not. */
  readonly there: {
    /** The file; null for the API. */
    readonly file: string | null;
    readonly row: number | null;
  } | null;
  readonly values: readonly ComparedValue[];
  /** Why the two belong together, or what is known of the single one. */
  readonly evidence: string;
  /** What a person may do; null where the kind implies it. */
  readonly action: RowRemedy | null;
  /** The id that the row's object has for certain on the other side. */
  readonly foundId: string | null;
}

/** Receives differences as they are found, group by group. */
export type TakeDifferences = (found: readonly FoundDifference[]) => Promise<void>;
