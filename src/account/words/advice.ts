/* Advice about what this program is not told: keys of the provider, pages of a list, the size of the embedded ledger. */

import type { Remedy } from '../../domain/failures/remedy.ts';
import { groupedNumber } from '../../domain/money/figures.ts';
import { durationOption } from '../../domain/sending/retry-policy.ts';

/** Up to so many rows of one file the embedded ledger serves well; beyond, it takes over a gigabyte of memory. */
const mostRowsEmbedded = 100_000;

/** Said of the embedded ledger's size, whatever the size of a file. */
export const embeddedLedgerAdvice = `from ${groupedNumber(mostRowsEmbedded)} rows on a PostgreSQL server (the setting databaseUrl) is advised`;

/** What helps when a list could not be read in full because nobody knows how its pages are chosen. */
export const pagingAdvice =
  'If the API chooses pages in a way of its own, name the query parameter with the setting institutionsPageParameter and the number of the first page with the setting institutionsFirstPage.';

/** What a person should know while nobody has stated how long the provider keeps keys; without its full stop. */
export function assumedLifetimeText(durationInMs: number): string {
  return (
    'Nobody has stated how long the provider keeps idempotency keys, so that a row in doubt is sent again by itself ' +
    `only within ${durationOption(durationInMs)} of its first send; after that it is held for a person`
  );
}

export const assumedLifetimeRemedy: Remedy = {
  action: 'advice',
  text:
    'ask the provider: "For how long after its first use is a request with the same Idempotency-Key answered ' +
    'with the first result, and nothing created again?"',
  next: { action: 'set', purpose: 'state that', oneOf: [{ setting: 'keyLifetime', value: '24h' }] },
};
