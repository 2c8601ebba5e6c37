/* What reconciliations find, for tests of their records. */

import type { FoundInParts } from '../../src/ledger/after-sending/reconciliations.ts';

/** Nothing, beside an export as well. */
export const nothingFound: FoundInParts = {
  own: { found: [], beyond: 0 },
  compared: { found: [], beyond: 0 },
};
