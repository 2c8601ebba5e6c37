/* Finds batches and rows by what a person has in hand: an id, a key, a reference, an IBAN, a phone number, a file's name. */

import type { BatchRecord } from '../domain/batches/batch.ts';
import type { FoundRow } from '../ledger/after-sending/search.ts';
import { accountKeys } from '../pipeline/requests/payee.ts';
import { kinds } from '../resources/registry.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';

/** What was found. */
export interface Found extends CallResult {
  /** Batches whose id begins so, or whose file's name contains it; the newest first. */
  readonly named: readonly Pick<BatchRecord, 'id' | 'fileName' | 'kind' | 'createdAt'>[];
  readonly rows: readonly FoundRow[];
}

const mostFound = 50;

/**
 * Looks in the whole ledger, by its indexes alone. Names and account numbers of banks are looked for within a batch.
 * @param request what a person has typed in
 */
export async function find(app: CallContext, request: { readonly text: string }): Promise<Found> {
  const text = request.text.trim();
  const end = { outcome: 'done', batches: [], failure: null } as const;
  if (text === '' || !app.connections.isLedgerThere()) return { ...end, named: [], rows: [] };
  const { verbs } = await app.connections.ledger();
  const isKey = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const prefix = /^[0-9a-f-]{4,36}$/i.test(text) ? await verbs.findBatchesByPrefix(text.toLowerCase()) : [];
  const byName = await verbs.findBatchesByFile(text, mostFound);
  const searched = { text, key: isKey ? text.toLowerCase() : null, accounts: accountKeys(text), kinds };
  const rows = await verbs.findRowsAnywhere(searched, mostFound);
  const named = [...prefix, ...byName.filter(({ id }) => prefix.every((batch) => batch.id !== id))];
  return { ...end, named, rows };
}
