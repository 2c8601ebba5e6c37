/* The rows of a batch for its files and reports: with the file's columns and the API's answers. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { CallContext } from '../../call/context.ts';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { readAhead } from '../../domain/machine/map-in-turns.ts';
import type { CreatedObject, KeptAnswer, ResultRow } from '../../domain/rows/result-row.ts';
import { isFinal } from '../../domain/rows/row-state.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import { factColumns, readFacts } from '../../kinds/answer.ts';
import type { AnswerSettings } from '../../kinds/definition.ts';
import { type OwnColumn, ownColumnsOf, refusedColumn } from '../../kinds/own-columns.ts';
import { definitionNamed, definitionsOf, ownReferenceOf } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { mapTable } from '../../read/mapping/table-mapping.ts';
import { keptMapping, keptRules } from '../../read/sources/stated-reading.ts';

/** The mapping with which a batch's file was read; null if this version of paybatch reads the file differently. */
export async function mappingOfBatch(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch'>,
  batch: BatchRecord,
): Promise<TableMapping | null> {
  const found = await verbs.findOriginalBatch(batch.id);
  if (found === undefined) return null;
  const { kind, header, sheet, fileName } = batch;
  try {
    return mapTable(
      { sheet, header },
      { kind, mapping: keptMapping(found), fileName, rules: keptRules(found) },
    );
  } catch (error) {
    if (error instanceof PaybatchError) return null;
    throw error;
  }
}

/** Adds the column of the file to rows that the API refused, if the refusal names a field. */
async function* withRefusedColumns(
  groups: AsyncIterable<readonly ResultRow[]>,
  mapping: TableMapping | null,
): AsyncGenerator<readonly ResultRow[]> {
  const known = new Map<string, string | null>();
  const columnOf = ({ code, message }: ResultRow): string | null => {
    if (mapping === null) return null;
    const key = `${code} ${message}`;
    const found = known.get(key) ?? refusedColumn({ code, message }, mapping);
    // If every row has its own message, further messages are not cached.
    if (known.size < 1_000) known.set(key, found);
    return found;
  };
  for await (const rows of groups) {
    yield rows.map((row) => {
      const isRefused = (row.status === 'rejected' || row.status === 'waiting') && row.field === null;
      const field = isRefused ? columnOf(row) : null;
      return field === null ? row : { ...row, field };
    });
  }
}

/* The rows of a batch while it is being sent: first the final rows, then the others once they are final. */

/** Reads a batch's rows in input order, in groups, starting after row number `fromAfter`. */
export type ReadRows = (fromAfter: number) => AsyncIterable<readonly ResultRow[]>;

/** The progress of a batch's sending, for the code that writes the batch's files at the same time. */
export class SendingProgress {
  #recorded = 0;
  #asked = 0;
  #end: 'ended' | 'given up' | null = null;
  #tell = (): void => {};

  /** Adds rows that were recorded. */
  advance(rows: number): void {
    this.#recorded += rows;
    this.#tell();
  }

  /** Ends the sending: the rows have the states that the files will show. */
  end(): void {
    this.#end = 'ended';
    this.#tell();
  }

  /** Stops the code that waits for rows: the files are no longer needed. */
  giveUp(): void {
    this.#end = 'given up';
    this.#tell();
  }

  /**
   * Resolves with true once `rows` more rows are recorded since the last call, or with false at the end of the sending.
   * @throws Error when the files are not needed any more
   */
  async areMoreRecorded(rows: number): Promise<boolean> {
    const enough = this.#asked + rows;
    while (this.#end === null && this.#recorded < enough) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
    if (this.#end === 'given up') throw new Error('the files are not wanted any more');
    this.#asked = this.#recorded;
    return this.#end === null;
  }
}

/** The number of newly recorded rows after which the final rows are read. It is one page. */
const rowsWorthReading = 2_000;

/**
 * All rows of a batch in input order. During the sending it yields the final rows at the beginning of the batch. It
 * yields the rest once the sending has ended.
 */
export async function* finalRowsFirst(
  read: ReadRows,
  progress: Pick<SendingProgress, 'areMoreRecorded'>,
): AsyncGenerator<readonly ResultRow[]> {
  let last = 0;
  let isWorthReading = true;
  while (await progress.areMoreRecorded(isWorthReading ? rowsWorthReading : Number.POSITIVE_INFINITY)) {
    const final = await finalAfter(read, last);
    if (final.length > 0) yield final;
    last = final.at(-1)?.row ?? last;
    // A row that is not final after this many later rows were recorded will not be final soon.
    isWorthReading = final.length > 0;
  }
  yield* read(last);
}

async function finalAfter(read: ReadRows, last: number): Promise<readonly ResultRow[]> {
  for await (const rows of read(last)) {
    const open = rows.findIndex(({ status }) => !isFinal(status));
    return open < 0 ? rows : rows.slice(0, open);
  }
  return [];
}

/* Adds the facts of created objects to the rows for the files. */

/** Number of answers in memory at once, each up to 64 KiB long. The next page is requested after this many rows. */
const rowsAtOnce = 200;

/** A group of rows for the result files, with the objects that were created for them. */
interface RowsWithObjects {
  readonly rows: readonly ResultRow[];
  readonly objects: readonly CreatedObject[];
}

type ReadAnswers = (
  rows: readonly { readonly row: number; readonly objectId: string }[],
) => Promise<readonly KeptAnswer[]>;

/** How to read an object's answer, and the columns by which people recognise its row. */
interface ObjectReading extends AnswerSettings {
  readonly own: readonly OwnColumn[];
}

/**
 * Adds to each row of a batch the API's answer about its object, while the rows are written to the files. The notes
 * about an object become notes of its row.
 * @param groups every row once, in input order
 */
async function* withAnsweredObjects(
  groups: AsyncIterable<readonly ResultRow[]>,
  readAnswers: ReadAnswers,
  reading: ObjectReading,
): AsyncGenerator<RowsWithObjects> {
  for await (const rows of inSlices(readAhead(groups))) yield await addObjects(rows, readAnswers, reading);
}

/**
 * Does the same for a kind whose answers contain only the id. It reads no answer.
 * @param groups with each row's own reference
 */
async function* withNamedObjects(
  groups: AsyncIterable<readonly ResultRow[]>,
): AsyncGenerator<RowsWithObjects> {
  for await (const rows of inSlices(readAhead(groups))) {
    const objects = rows
      .filter(hasObject)
      .map((row) => ({ row, reference: row.reference ?? '', own: [], facts: null, contradiction: null }));
    yield { rows, objects };
  }
}

async function* inSlices<Row>(groups: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for await (const group of groups) {
    for (let start = 0; start < group.length; start += rowsAtOnce) {
      // Rows of the batch may still be sent: answers of the API and results of the database are handled first.
      await turnOfEventLoop();
      yield group.slice(start, start + rowsAtOnce);
    }
  }
}

function hasObject(row: ResultRow): row is ResultRow & { readonly objectId: string } {
  return row.objectId !== null && (row.status === 'created' || row.status === 'existing');
}

async function addObjects(
  rows: readonly ResultRow[],
  readAnswers: ReadAnswers,
  reading: ObjectReading,
): Promise<RowsWithObjects> {
  const named = rows.filter(hasObject);
  if (named.length === 0) return { rows, objects: [] };
  const kept = new Map((await readAnswers(named)).map((answer) => [answer.row, answer]));
  const objects: CreatedObject[] = [];
  const noted = rows.map((row) => {
    const answer = kept.get(row.row);
    if (answer === undefined) return row;
    const object = objectOf(row, answer, reading);
    objects.push(object);
    return object.row;
  });
  return { rows: noted, objects };
}

function objectOf(
  row: ResultRow,
  { record, resource, answer, contradiction }: KeptAnswer,
  { own, ...settings }: ObjectReading,
): CreatedObject {
  const definition = definitionNamed(resource);
  const reference = record[definition.ownReference] ?? '';
  const facts = answer === null ? null : readFacts(definition, record, answer, settings);
  // The row that created the object already has this message.
  const ofCreator = contradiction === null || row.message === contradiction ? [] : [contradiction];
  const notes = [...row.notes, ...(facts?.notes ?? []), ...ofCreator];
  const noted = notes.length === row.notes.length ? row : { ...row, notes };
  const known = own.map(({ cellOf }) => cellOf(record, row.cells));
  return { row: noted, reference, own: known, facts, contradiction };
}

/** Reads every row of a batch once, in input order. */
export type ReadAllRows = (read: ReadRows) => AsyncIterable<readonly ResultRow[]>;

/** How to read the rows of a batch. */
interface RowsOfBatch {
  /** Null if this version of paybatch reads the file differently. */
  readonly mapping: TableMapping | null;
  /** The columns, besides the reference, by which people recognise the rows' objects. */
  readonly own: readonly OwnColumn[];
  readonly groups: AsyncIterable<RowsWithObjects>;
}

/** @param readAll decides when rows are read; if absent, all rows are read at once */
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
 * Notes about missing answers of a batch. A rebuilt ledger has only the ids, and rows that a person declared created
 * have no answer.
 * @param objects number of the batch's objects without an answer
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
