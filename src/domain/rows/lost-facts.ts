import type { Conclusion } from '../sending/conclusion.ts';

/**
 * Why a created row's request is not sent again for the facts that the ledger lacks: an earlier row's answer named
 * another object, nothing proves that the API created the object by this request, or its key is not to be used.
 */
const factsObstacles = [
  'other_object',
  'not_proven',
  'other_credential',
  'lifetime_not_stated',
  'key_too_old',
] as const;

export type FactsObstacle = (typeof factsObstacles)[number];

/**
 * Why the facts of an object are still missing: its request was not sent again, or what was answered. `not_asked`: the
 * run was stopped, or an answer before it showed that the API does not repeat its answers.
 */
export const missingFactsReasons = [
  ...factsObstacles,
  ...(['refused', 'no_answer', 'too_large', 'not_asked'] as const),
] as const;

export type MissingFactsReason = (typeof missingFactsReasons)[number];

/** What became of the rows about whose objects the ledger had no answer. */
export interface RefilledFacts {
  /** Rows whose objects have their facts again. */
  readonly filled: number;
  readonly missing: ReadonlyMap<MissingFactsReason, number>;
}

/** A created row about whose object the ledger has no answer, since it was rebuilt or a person named the object. */
export interface RowWithoutFacts {
  readonly row: number;
  readonly resource: string;
  readonly generation: number;
  readonly objectId: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly body: Buffer;
  /** SHA-256 of the request as it was when it was written. */
  readonly fingerprint: Buffer;
  readonly attempts: number;
  /** How long, from this reading, the key may still be used. */
  readonly keyTimeLeftInMs: number;
  /** Null where the request may be sent again. */
  readonly obstacle: FactsObstacle | null;
}

/** What was answered to the request of a created row that was sent once more. */
export interface RepeatedAnswer {
  readonly row: number;
  readonly generation: number;
  readonly idempotencyKey: string;
  /** The row's object, whatever the answer names. */
  readonly objectId: string;
  readonly conclusion: Pick<Conclusion, 'attempts'>;
}
