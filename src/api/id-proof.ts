import type { Outcome } from '../domain/sending/outcome.ts';

/** So many confirmations without an id, and none with one, say that the id is looked for in the wrong place. */
const mostConfirmationsWithoutId = 5;

/**
 * Notices that the API creates objects whose ids are not found where they are looked for. Going on would
 * leave every row of the file in doubt, so the run stops after the first few.
 */
export interface IdProof {
  /** @returns true when this outcome shows that ids are not where they are looked for */
  readonly record: (outcome: Outcome) => boolean;
}

export function createIdProof(): IdProof {
  let isIdSeen = false;
  let withoutId = 0;
  return {
    record(outcome) {
      if (outcome.kind === 'created') isIdSeen = true;
      if (isIdSeen || outcome.kind !== 'unknown' || outcome.reason !== 'answer_without_id') return false;
      withoutId += 1;
      return withoutId === mostConfirmationsWithoutId;
    },
  };
}
