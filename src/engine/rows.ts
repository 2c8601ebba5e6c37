/* The rows of a batch as a person looks through them: a page at a time, with what is said of all of them. */

import type { CallResult } from '../account/result.ts';
import type { Connections } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { RowFilter, RowGroup, RowPlace } from '../domain/rows/search-terms.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** What is looked for. */
interface RowsRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly filter?: RowFilter;
  /** The row after or before which the page stands; the first page when absent. */
  readonly from?: RowPlace | undefined;
  /** So many rows at most, 1 to 1,000; 50 when absent. */
  readonly limit?: number;
}

/** A page of rows. */
export interface RowsResult extends CallResult {
  /** The batch by its whole id, and its file as people named it. */
  readonly batch: Pick<BatchRecord, 'id' | 'sheet'> & { readonly file: string };
  /** The titles of the file's columns, under which the cells of each row stand in the same order. */
  readonly columns: readonly string[];
  /** In the order of the file. */
  readonly rows: readonly ResultRow[];
  /** Where the search goes on in its direction; null where it has come to the end of the batch. */
  readonly next: number | null;
  /** Whether the page is not full since very many rows were looked through: the search may go on. */
  readonly isCutShort: boolean;
  /** Everything that is said of rows of the batch, whatever the filter, the most frequent first. */
  readonly groups: readonly RowGroup[];
  /** How much of the batch is edited in the draft of its corrections. */
  readonly draft: { readonly rows: number; readonly edits: number };
}

/** A page that is found in moments: whoever looks for something rare goes on from where it stopped. */
const mostLookedThrough = 10_000;
const defaultLimit = 50;
const mostRows = 1_000;

/**
 * Finds rows of a batch. Looks only: nothing is sent, written or made.
 * @throws PaybatchError (`batch_not_found`)
 */
export async function rowsOf(app: CallContext, request: RowsRequest): Promise<RowsResult> {
  const { filter = {}, from = { row: 0, direction: 'after' }, limit = defaultLimit } = request;
  const { verbs } = await app.connections.ledgerToRead();
  const batch = await findNamedBatch(verbs, request.batch);
  const size = { limit: Math.min(Math.max(1, limit), mostRows), most: mostLookedThrough };
  const { rows: numbers, next, isCutShort } = await verbs.findRows(batch.id, filter, from, size);
  return {
    outcome: 'done',
    batches: [],
    failure: null,
    batch: { id: batch.id, file: batch.fileName, sheet: batch.sheet },
    columns: batch.header,
    rows: numbers.length === 0 ? [] : await verbs.findResultRows(batch.id, numbers),
    next,
    isCutShort,
    groups: await groupsOf(app.connections, verbs, batch),
    draft: await verbs.countDraft(batch.id),
  };
}

/** Groups that were counted, by batch, of each engine. */
const counted = new WeakMap<Connections, Map<string, CountedGroups>>();
const batchesKept = 100;

interface CountedGroups {
  readonly revision: string;
  readonly groups: readonly RowGroup[];
}

/** Counted again only once rows of the batch have changed. */
async function groupsOf(
  connections: Connections,
  verbs: Pick<LedgerVerbs, 'readRevision' | 'readRowGroups'>,
  { id }: Pick<BatchRecord, 'id'>,
): Promise<readonly RowGroup[]> {
  const kept = counted.get(connections) ?? new Map<string, CountedGroups>();
  counted.set(connections, kept);
  // Read first: what changes while they are counted is counted with the next page.
  const revision = await verbs.readRevision(id);
  const known = kept.get(id);
  if (known?.revision === revision) return known.groups;
  const groups = await verbs.readRowGroups(id);
  kept.delete(id);
  kept.set(id, { revision, groups });
  const [oldest] = kept.keys();
  if (kept.size > batchesKept && oldest !== undefined) kept.delete(oldest);
  return groups;
}
