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
