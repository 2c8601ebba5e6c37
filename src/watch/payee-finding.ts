/* What is said of a row whose payee differs from those that are known. */

import { shortBatchId } from '../domain/batches/batch.ts';
import type { Reason } from '../domain/rows/ledger-row.ts';
import type { PayeeChange } from '../domain/rows/payee-change.ts';
import { definitionNamed } from '../kinds/registry.ts';

type Finding = Pick<PayeeChange, 'code' | 'earlier'>;

/** Without a value: notes and reasons stand in places where nothing personal may. */
export function sentenceOf({ code, earlier: { batch, row } }: Finding): string {
  const place =
    batch === null ? `row ${row} of the file that it came in` : `row ${row} of batch ${shortBatchId(batch)}`;
  return code === 'payee_details_changed'
    ? `the payee had other account details before: ${place}`
    : `the account belongs to another payee too: ${place}`;
}

/**
 * Why a row with such findings waits for a person.
 * @param findings at least one; the first gives the code
 */
export function heldReason(findings: readonly Finding[], resource: string | null): Reason {
  const [first] = findings;
  if (first === undefined) throw new Error('a row is held for nothing');
  const field = resource === null ? null : (definitionNamed(resource).payee?.account ?? null);
  const sentences = findings
    .map(sentenceOf)
    .map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  return { code: first.code, field, message: sentences.join(' ') };
}
