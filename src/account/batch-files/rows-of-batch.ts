/* The rows of a batch as its files and reports have them: with the columns and the answers that they are about. */

import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { CallContext } from '../../call/context.ts';
import { type BatchRecord, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { readAhead } from '../../domain/machine/map-in-turns.ts';
import type { CreatedObject, KeptAnswer, ResultRow } from '../../domain/rows/result-row.ts';
import { isFinal } from '../../domain/rows/row-state.ts';
import type { MappedColumn, TableMapping } from '../../domain/tables/mapping.ts';
import { factColumns, readFacts } from '../../kinds/answer.ts';
import type { AnswerSettings } from '../../kinds/definition.ts';
import { type OwnColumn, ownColumnsOf, refusedColumn } from '../../kinds/own-columns.ts';
import { definitionNamed, definitionsOf, ownReferenceOf } from '../../kinds/registry.ts';
import { parseRules } from '../../kinds/rule-changes.ts';
import { templateOf } from '../../kinds/template.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { parseMappingFile } from '../../read/mapping/mapping-file.ts';
import { mapTable } from '../../read/mapping/table-mapping.ts';
import type { ColumnChoices } from '../files/failed-workbook.ts';

/* Columns as the user named them: what can be chosen in them, and what the API refused in them. */

/** More names than these are no choice any more. */
const mostInstitutions = 300;

/** The values that columns of a batch's file may have, where they are few: what a person may choose from. */
export async function columnChoicesOf(
  verbs: Pick<LedgerVerbs, 'readPinnedInstitutionNames'>,
  batchId: string,
  mapping: TableMapping | null,
): Promise<readonly ColumnChoices[]> {
  if (mapping === null) return [];
  const institutions = await verbs.readPinnedInstitutionNames(batchId, mostInstitutions);
  return choicesIn(mapping, institutions);
}

/** How a batch's file was read; null where a later version reads it in another way. */
export async function mappingOfBatch(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch'>,
  batch: BatchRecord,
): Promise<TableMapping | null> {
  const round = await verbs.findOriginalBatch(batch.id);
  return mappingOf(batch, round?.reading ?? null);
}

/**
 * @param institutions names of the institutions that rows may name; empty where they are many, or none
 */
export function choicesIn(mapping: TableMapping, institutions: readonly string[]): readonly ColumnChoices[] {
  const { columns } = templateOf(mapping.kind, null);
  return mapping.columns.flatMap((column): ColumnChoices[] => {
    if (column.index === null) return [];
    const known = columns.find(({ name }) => name === column.field)?.choices ?? null;
    const values = column.field === 'institution_name' ? institutions : (known?.values ?? []);
    const written = inTheFile(column, values);
    // What a file calls things may be written in more ways than a list has.
    const isClosed = known?.isClosed === true && column.values === undefined;
    return written.length === 0 ? [] : [{ title: column.title, values: written, isClosed }];
  });
}

/** As the file writes them: what the mapping translates, then what needs no translation. */
function inTheFile({ values: translations }: MappedColumn, values: readonly string[]): string[] {
  if (translations === undefined) return [...values];
  const meant = new Set(translations.values());
  return [...translations.keys(), ...values.filter((value) => !meant.has(value) && !translations.has(value))];
}

/** A file that was read once is read again in the same way; null where a later version reads it in another one. */
function mappingOf(
  { kind, header, sheet, fileName }: BatchRecord,
  reading: { readonly mapping: string; readonly rules: string } | null,
): TableMapping | null {
  try {
    const mapping = reading === null ? {} : parseMappingFile(reading.mapping, 'of the batch');
    const rules = parseRules(JSON.parse(reading?.rules ?? '{}'));
    return mapTable({ sheet, header }, { kind, mapping, fileName, rules });
  } catch (error) {
    if (error instanceof PaybatchError) return null;
    throw error;
  }
}

/** Says of rows that the API refused which of the file's columns is meant, where the refusal names a field. */
export async function* withRefusedColumns(
  groups: AsyncIterable<readonly ResultRow[]>,
  mapping: TableMapping | null,
): AsyncGenerator<readonly ResultRow[]> {
  const known = new Map<string, string | null>();
  const columnOf = ({ code, message }: ResultRow): string | null => {
    if (mapping === null) return null;
    const key = `${code} ${message}`;
    const found = known.get(key) ?? refusedColumn({ code, message }, mapping);
    // Should every row have words of its own, they are not kept.
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

/* The rows of a batch while it is being sent: those that are final first, the others when they are. */

/** Reads a batch's rows in input order, in groups, from after a row number on. */
export type ReadRows = (fromAfter: number) => AsyncIterable<readonly ResultRow[]>;

/** How far the sending of a batch has come, for those who write its files meanwhile. */
export class SendingProgress {
  #recorded = 0;
  #asked = 0;
  #end: 'ended' | 'given up' | null = null;
  #tell = (): void => {};

  /** So many rows more are recorded. */
  advance(rows: number): void {
    this.#recorded += rows;
    this.#tell();
  }

  /** Nothing is sent any more: the rows stand where they will stand in the files. */
  end(): void {
    this.#end = 'ended';
    this.#tell();
  }

  /** The files are not wanted any more. */
  giveUp(): void {
    this.#end = 'given up';
    this.#tell();
  }

  /**
   * Resolves once so many rows are recorded since the last time: true; or at the end of the sending: false.
   * @throws Error when the files are not wanted any more
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

/** After so many recorded rows it is worth reading those that are final: as many as a page has. */
const rowsWorthReading = 2_000;

/**
 * All rows of a batch in input order: while others are being sent, those at the beginning that have come to an end
 * which nobody changes any more, and the rest once the sending has ended.
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
    // One that is not final, though so many behind it are recorded, will not be soon.
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

/* Adds the facts of created objects to the rows that go into the files. */

/** So many answers are held in memory at once: each may be 64 KiB long. And after so many rows the next page is asked for. */
const rowsAtOnce = 200;

/** A group of rows as they go into the result files, and those of their objects that are there. */
export interface RowsWithObjects {
  readonly rows: readonly ResultRow[];
  readonly objects: readonly CreatedObject[];
}

type ReadAnswers = (
  rows: readonly { readonly row: number; readonly objectId: string }[],
) => Promise<readonly KeptAnswer[]>;

/** How an object's answer is read, and what of its row people know it by. */
interface ObjectReading extends AnswerSettings {
  readonly own: readonly OwnColumn[];
}

/**
 * Adds to the rows of a batch what the API answered about their objects, on their one way into the files.
 * The notes about an object become notes of its row.
 * @param groups every row once, in input order
 */
export async function* withAnsweredObjects(
  groups: AsyncIterable<readonly ResultRow[]>,
  readAnswers: ReadAnswers,
  reading: ObjectReading,
): AsyncGenerator<RowsWithObjects> {
  for await (const rows of inSlices(readAhead(groups))) yield await addObjects(rows, readAnswers, reading);
}

/**
 * The same for a kind of which answers say nothing but the id: none is read.
 * @param groups with each row's own reference
 */
export async function* withNamedObjects(
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
      // Rows of the batch may still be sent: answers, and what the database said, come first.
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
  // The row that created the object says it itself.
  const ofCreator = contradiction === null || row.message === contradiction ? [] : [contradiction];
  const notes = [...row.notes, ...(facts?.notes ?? []), ...ofCreator];
  const noted = notes.length === row.notes.length ? row : { ...row, notes };
  const known = own.map(({ cellOf }) => cellOf(record, row.cells));
  return { row: noted, reference, own: known, facts, contradiction };
}

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
