/* The rows of a batch as its files and reports have them: with the columns and the answers that they are about. */

import type { CallContext } from '../../call/context.ts';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { readAhead } from '../../domain/machine/map-in-turns.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import { factColumns } from '../../kinds/answer.ts';
import { type OwnColumn, ownColumnsOf } from '../../kinds/own-columns.ts';
import { definitionsOf, ownReferenceOf } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { mappingOfBatch, withRefusedColumns } from './column-choices.ts';
import type { ReadRows } from './final-rows-first.ts';
import { type RowsWithObjects, withAnsweredObjects, withNamedObjects } from './rows-with-objects.ts';

/** Reads every row of a batch once, in input order. */
export type ReadAllRows = (read: ReadRows) => AsyncIterable<readonly ResultRow[]>;

/** How the rows of a batch are read. */
export interface RowsOfBatch {
  /** Null where a later version reads the file in another way. */
  readonly mapping: TableMapping | null;
  /** By what people know the objects of the rows, beside the reference. */
  readonly own: readonly OwnColumn[];
  readonly groups: AsyncIterable<RowsWithObjects>;
}

/** @param readAll when which rows are read; all at once when absent */
export async function rowsOfBatch(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  readAll: ReadAllRows = (read) => read(0),
): Promise<RowsOfBatch> {
  const hasFacts = factColumns(definitionsOf(batch.kind)).length > 0;
  const mapping = await mappingOfBatch(verbs, batch);
  const own = hasFacts ? ownColumnsOf(batch.kind, batch.header, mapping) : [];
  const reference = hasFacts ? null : ownReferenceOf(batch.kind);
  const rows = withRefusedColumns(
    readAll((fromAfter) => verbs.readResultRows(batch.id, reference, fromAfter)),
    mapping,
  );
  const reading = { customerIdPaths: app.settings.api.customerIdPath, own };
  const groups = hasFacts
    ? withAnsweredObjects(rows, (named) => verbs.readKeptAnswers(batch.id, named), reading)
    : withNamedObjects(rows);
  return { mapping, own, groups: readAhead(groups) };
}

/**
 * What is worth knowing about the answers of a batch: a ledger that was rebuilt knows the ids alone, and what was created on a
 * person's word has no answer.
 * @param objects how many of its objects have no answer
 */
export function lostFactsNotes(app: CallContext, batch: BatchRecord, objects: number): readonly string[] {
  if (objects === 0 || factColumns(definitionsOf(batch.kind)).length === 0) return [];
  const of = { batch: shortBatchId(batch.id), environment: batch };
  const replay = app.words.remedy({ action: 'reconcile', ...of, replay: true });
  const [subject, their] = objects === 1 ? ['1 object', 'its'] : [`${objects} objects`, 'their'];
  return [
    `what the API answered about ${subject} is not in this ledger: ${their} cells in the objects file are empty (${replay} asks for the answers that a rebuilt ledger lacks)`,
  ];
}
