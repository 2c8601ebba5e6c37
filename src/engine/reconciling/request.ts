/* What is asked of a reconciliation. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { GivenMatchOptions } from '../../reconcile/comparing/match-options.ts';

/** Accounts for every row of a batch, and compares it with exports of the other side. */
export interface BatchRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Paths of the other side's exports; none to compare with nothing. */
  readonly against: readonly string[];
  readonly rules: GivenMatchOptions;
  /** Path of the imported file; looked for under its name in the working folder when absent. */
  readonly source?: string | undefined;
  /** Path of the mapping that it was imported with. */
  readonly sourceMapping?: string | undefined;
  /** Sends unknown rows again under their own keys first. */
  readonly replay: boolean;
}

/** Compares two files with each other, without a ledger. */
export interface SidesRequest {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly rules: GivenMatchOptions;
}

/** The failure (`usage`) of a call of `reconcile` that cannot be meant as it is. */
export function reconcileUsage(message: string): PaybatchError {
  return new PaybatchError('usage', message, { action: 'help', of: 'reconcile' });
}
