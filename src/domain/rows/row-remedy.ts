/*
 * What a person can do about a row that no run moves on by itself, or about a record of a comparison, as data: each way in
 * words it.
 */

import type { MatchState } from './match-state.ts';

/** Reasons for which a row is held that was never sent, each with an advice of its own. */
export const decidedReasons = [
  'account_shared',
  'corrects_created',
  'corrects_in_doubt',
  'differs_from_created',
  'file_may_be_cut',
  'institution_unverifiable',
  'payee_details_changed',
  'unknown_elsewhere',
] as const;

type DecidedReason = (typeof decidedReasons)[number];

/** Reasons of rows that were sent: the provider knows what became of them. */
const reasonsOfSent: ReadonlySet<string> = new Set([
  'key_expired',
  'conflict',
  'contradicting_answers',
  'id_seen_before',
]);

export type RowRemedy =
  /** The provider knows what became of the row's key or content: it was created, or not. */
  | { readonly action: 'ask_provider' }
  /** Another run is sending the row, or ended while it did. */
  | { readonly action: 'resume_interrupted' }
  /** A run sends the row again under its own key, until that runs out; null where nobody knows when. */
  | { readonly action: 'resume'; readonly needsOwnApiKey: boolean; readonly runsOutAt: string | null }
  /** A verdict that suits the reason; null for any other. */
  | { readonly action: 'decide'; readonly reason: DecidedReason | null }
  /** The other side has it under this id. */
  | { readonly action: 'confirm_found'; readonly id: string }
  | { readonly action: 'resolve_as_created'; readonly row: number; readonly id: string }
  | { readonly action: 'resolve_as_not_created'; readonly row: number }
  /** The row's record is there, and its id is not known for certain. */
  | { readonly action: 'find_id'; readonly row: number }
  /** What the state of a compared record asks for. */
  | { readonly action: 'look_into'; readonly state: UnclearState };

/** States of a comparison that somebody has to look into. */
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
