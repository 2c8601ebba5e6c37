/* Rows for people to look at: the rows of a batch, one page at a time, and the rows that a search of the ledger finds. */

import { mappingOfBatch } from '../account/batch-files/rows-of-batch.ts';
import { type CallResult, noBatches } from '../account/result.ts';
import type { Connections } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { BatchRecord } from '../domain/batches/batch.ts';
import type { KeyOwner } from '../domain/rows/ledger-row.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import {
  placesOf,
  type RowFilter,
  type RowGroup,
  type RowPlace,
  searchesFor,
} from '../domain/rows/search-terms.ts';
import { nameColumn } from '../kinds/own-columns.ts';
import { type DifferingValue, differingValues } from '../kinds/owned-key.ts';
import { definitionNamed, kinds } from '../kinds/registry.ts';
import { fillInIds, naturalKeyOf, referencesIn, writeBody } from '../kinds/request.ts';
import { countDraft } from '../ledger/after-sending/drafts.ts';
import { readRowGroups } from '../ledger/after-sending/row-counts.ts';
import type { FoundRow } from '../ledger/after-sending/row-history.ts';
import * as rowHistory from '../ledger/after-sending/row-history.ts';
import * as rowSearch from '../ledger/after-sending/row-search.ts';
import type { BoundVerbs, VerbsWith } from '../ledger/verbs.ts';
import { KeptCounts } from './kept-counts.ts';

/** A batch with its whole id, and the name by which people know its file. */
export type ShownBatch = Pick<BatchRecord, 'id' | 'sheet'> & { readonly file: string };

export function shownBatch({ id, fileName: file, sheet }: BatchRecord): ShownBatch {
  return { id, file, sheet };
}

/** A search for rows of a batch. */
interface RowsRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly filter?: RowFilter;
  /** The row after or before which the page begins; the first page when absent. */
  readonly from?: RowPlace | undefined;
  /** Maximum of rows, 1 to 1,000; 50 when absent. */
  readonly limit?: number;
}

/** A page of rows. */
export interface RowsResult extends CallResult {
  readonly batch: ShownBatch;
  /** The titles of the file's columns; the cells of each row are in the same order. */
  readonly columns: readonly string[];
  /** Index of the column with the name of the person or company that a row is about; null if it is not known. */
  readonly naming: number | null;
  /** In the order of the file. */
  readonly rows: readonly ResultRow[];
  /** Where the search continues in its direction; null at the end of the batch. */
  readonly next: number | null;
  /** Whether the page is not full because the search stopped after very many rows. The next page continues it. */
  readonly isCutShort: boolean;
  /** All messages about rows of the batch, whatever the filter, the most frequent first. */
  readonly groups: readonly RowGroup[];
  /** Size of the draft of the batch's corrections. */
  readonly draft: { readonly rows: number; readonly edits: number };
}

/**
 * Maximum of rows that are searched for one page, so that the page is fast. The next page continues a search for something
 * rare.
 */
const mostLookedThrough = 10_000;
const defaultLimit = 50;
const mostRows = 1_000;

/**
 * Finds rows of a batch. Read only: nothing is sent or written.
 * @throws PaybatchError (`batch_not_found`)
 */
export async function rowsOf(app: CallContext, request: RowsRequest): Promise<RowsResult> {
  const { filter = {}, from = { row: 0, direction: 'after' }, limit = defaultLimit } = request;
  const verbs = (await app.connections.ledgerToRead()).verbsWith({ ...rowSearch, countDraft, readRowGroups });
  const batch = await findNamedBatch(verbs, request.batch);
  const size = { limit: Math.min(Math.max(1, limit), mostRows), most: mostLookedThrough };
  const { rows: numbers, next, isCutShort } = await verbs.findRows(batch.id, filter, from, size);
  return {
    ...noBatches,
    batch: shownBatch(batch),
    columns: batch.header,
    rows: numbers.length === 0 ? [] : await verbs.findResultRows(batch.id, numbers),
    next,
    isCutShort,
    ...(await aboutAllRows(app.connections, verbs, batch)),
    draft: await verbs.countDraft(batch.id),
  };
}

/** Read again only after rows of the batch have changed. */
const keptOfRows = new KeptCounts<Pick<RowsResult, 'groups' | 'naming'>>();

async function aboutAllRows(
  connections: Connections,
  verbs: VerbsWith<{ readRowGroups: typeof readRowGroups }>,
  batch: BatchRecord,
): Promise<Pick<RowsResult, 'groups' | 'naming'>> {
  const revision = await verbs.readRevision(batch.id);
  return keptOfRows.of(connections, batch.id, revision, async () => {
    const mapping = await mappingOfBatch(verbs, batch);
    const naming = mapping === null ? null : nameColumn(mapping);
    return { groups: await verbs.readRowGroups(batch.id), naming };
  });
}

/* Finds batches and rows by a name, an account or phone number, an id, a key, a reference or a file. */

/** What was found. */
export interface Found extends CallResult {
  /** Batches whose id begins with the text, or whose file's name contains it; the newest first. */
  readonly named: readonly Pick<BatchRecord, 'id' | 'fileName' | 'kind' | 'createdAt'>[];
  readonly rows: readonly FoundRow[];
}

const mostFound = 50;
/**
 * Maximum of groups of rows that are searched. Nearly every group contains a match, so this limit is reached only by names
 * that many people share.
 */
const mostGroups = 500;

/**
 * Searches the whole ledger. Names are found by whole words, in any order and spelling; numbers as a whole, however they
 * are spaced. Invalid rows are searched only within their batch.
 * @param request what a person has typed in
 */
export async function find(app: CallContext, request: { readonly text: string }): Promise<Found> {
  const text = request.text.trim();
  if (text === '' || !app.connections.isLedgerThere()) return { ...noBatches, named: [], rows: [] };
  const verbs = (await app.connections.ledgerToRead()).verbsWith(rowHistory);
  const isKey = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const prefix = /^[0-9a-f-]{4,36}$/i.test(text) ? await verbs.findBatchesByPrefix(text.toLowerCase()) : [];
  const byName = await verbs.findBatchesByFile(text, mostFound);
  const searched = { text, key: isKey ? text.toLowerCase() : null, kinds };
  const found = [...(await verbs.findRowsAnywhere(searched, mostFound)), ...(await findByTerms(verbs, text))];
  const rows = [...new Map(found.toReversed().map((row) => [`${row.batch} ${row.row}`, row])).values()];
  const named = [...prefix, ...byName.filter(({ id }) => prefix.every((batch) => batch.id !== id))];
  return { ...noBatches, named, rows: rows.toReversed().slice(0, mostFound) };
}

/** Rows by their account or phone number, then by a name. */
async function findByTerms(verbs: BoundVerbs<typeof rowHistory>, text: string): Promise<FoundRow[]> {
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

/* The values in which a held row differs from the object that another row has created. Messages name only the fields. */

/** A row of a batch. */
interface CreatedValuesRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly row: number;
}

/** The values of a row, next to those of the object that another row has created. */
export interface CreatedValues extends CallResult {
  /** Null if no other row has created the row's object, or if that is not known yet. */
  readonly created: {
    readonly by: Pick<KeyOwner, 'batch' | 'row'>;
    /** In the order of the request. */
    readonly values: readonly DifferingValue[];
  } | null;
}

/**
 * Compares the request of a row with the request of the row that has created the same object. Read only.
 * @throws PaybatchError (`batch_not_found`)
 */
export async function createdValues(
  app: CallContext,
  { batch: named, row }: CreatedValuesRequest,
): Promise<CreatedValues> {
  const { verbs } = await app.connections.ledgerToRead();
  const batch = await findNamedBatch(verbs, named);
  const nothing = { outcome: 'done', batches: [], failure: null, created: null } as const;
  const [own] = await verbs.findRowsToResolve(batch.id, [row]);
  if (own === undefined || own.resource === null) return nothing;
  const definition = definitionNamed(own.resource);
  const references = referencesIn(verbs, batch.environmentId, []);
  const [resolved] = await fillInIds([{ definition, record: own.record }], references);
  if (resolved === undefined || resolved.missing !== undefined) return nothing;
  const owners = await references.findKeyOwners(batch.kind, [naturalKeyOf(definition, resolved.record)]);
  const [owner] = owners.values();
  if (owner?.state !== 'created' || (owner.batch === batch.id && owner.row === row)) return nothing;
  const values = differingValues(owner.body, writeBody(definition, resolved.record));
  return { ...nothing, created: { by: { batch: owner.batch, row: owner.row }, values } };
}
