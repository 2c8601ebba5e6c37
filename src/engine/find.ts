/* Finds batches and rows by a name, an account or phone number, an id, a key, a reference or a file. */

import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import { placesOf, searchesFor } from '../domain/rows/search-terms.ts';
import { kinds } from '../kinds/registry.ts';
import type { FoundRow } from '../ledger/after-sending/row-history.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** What was found. */
export interface Found extends CallResult {
  /** Batches whose id begins with the text, or whose file's name contains it; the newest first. */
  readonly named: readonly Pick<BatchRecord, 'id' | 'fileName' | 'kind' | 'createdAt'>[];
  readonly rows: readonly FoundRow[];
}

const mostFound = 50;
/**
 * Maximum of groups that are searched. Nearly every group has a match, so only names that many people share need this
 * many.
 */
const mostGroups = 500;

/**
 * Searches the whole ledger. Names are found by whole words, in any order and spelling; numbers as a whole, however they
 * are spaced. Invalid rows are searched only within their batch.
 * @param request what a person has typed in
 */
export async function find(app: CallContext, request: { readonly text: string }): Promise<Found> {
  const text = request.text.trim();
  const end = { outcome: 'done', batches: [], failure: null } as const;
  if (text === '' || !app.connections.isLedgerThere()) return { ...end, named: [], rows: [] };
  const { verbs } = await app.connections.ledgerToRead();
  const isKey = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const prefix = /^[0-9a-f-]{4,36}$/i.test(text) ? await verbs.findBatchesByPrefix(text.toLowerCase()) : [];
  const byName = await verbs.findBatchesByFile(text, mostFound);
  const searched = { text, key: isKey ? text.toLowerCase() : null, kinds };
  const found = [...(await verbs.findRowsAnywhere(searched, mostFound)), ...(await findByTerms(verbs, text))];
  const rows = [...new Map(found.toReversed().map((row) => [`${row.batch} ${row.row}`, row])).values()];
  const named = [...prefix, ...byName.filter(({ id }) => prefix.every((batch) => batch.id !== id))];
  return { ...end, named, rows: rows.toReversed().slice(0, mostFound) };
}

/** Rows by their account or phone number, then by a name. */
async function findByTerms(verbs: LedgerVerbs, text: string): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  for (const searched of searchesFor(text)) {
    const { by, fields, terms, isMeant } = searched;
    for (const group of await verbs.findGroupsByTerms(placesOf(terms), mostGroups)) {
      if (found.length >= mostFound) return found;
      const { batch, file } = group;
      for (const { row, values } of await verbs.readFieldsOfGroup(group, fields)) {
        if (isMeant(values)) found.push({ batch, file, row, by });
      }
    }
  }
  return found;
}
