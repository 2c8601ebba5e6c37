/* Rows of a failed file: the rows that they correct, and the earlier values of their cells. */

import { type EarlierRow, type Environment, shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { mapInTurns } from '../../domain/machine/map-in-turns.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import type { RowOfBatch } from '../../domain/rows/ledger-row.ts';
import { plainText, say } from '../../domain/settings/message.ts';
import { type EarlierValue, heldByMark, type SourceRow, type Table } from '../../domain/tables/table.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { isSameTitle } from '../mapping/mapping-file.ts';

/** Ledger queries about the rows that a failed file names, in one environment. */
export interface CorrectionPort {
  /** Undefined for a batch that the ledger does not have. */
  readonly findOriginalBatch: (
    batchId: string,
  ) => Promise<{ readonly fileName: string; readonly header: readonly string[] } | undefined>;
  readonly findEarlierRows: (
    batchId: string,
    rows: readonly number[],
  ) => Promise<ReadonlyMap<number, EarlierRow>>;
}

/** The indexes of the columns in which a row of a failed file names its batch and row. */
interface OriginColumns {
  readonly batch: number;
  readonly row: number;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const rowNumber = /^\d{1,9}$/;

/** The most rounds that are traced. The limit also ends a circular chain. */
const mostRounds = 50;

/** @returns null for a header that is not one of a failed file */
export function originColumnsOf(header: readonly string[]): OriginColumns | null {
  const at = (name: string): number => header.findIndex((title) => title.trim().toLowerCase() === name);
  const [batch, row] = [at('result_batch'), at('result_row')];
  return batch === -1 || row === -1 ? null : { batch, row };
}

/**
 * The earlier row that a row names; null for a row that a person has added, which names none.
 * @returns undefined when the name is incomplete or invalid
 */
function originOfCorrection(cells: readonly string[], columns: OriginColumns): RowOfBatch | null | undefined {
  const [batch = '', row = ''] = [cells[columns.batch]?.trim(), cells[columns.row]?.trim()];
  if (batch === '' && row === '') return null;
  return uuid.test(batch) && rowNumber.test(row)
    ? { batch: batch.toLowerCase(), row: Number(row) }
    : undefined;
}

/** A row of a group, with the results from its earlier rounds. */
interface Tracing {
  readonly row: SourceRow;
  /** The row that this row names. */
  readonly named: RowOfBatch | null;
  readonly values: Map<number, EarlierValue[]>;
  /** Why a person has said that it is held, in any round. */
  heldFor: string | undefined;
  /** The next row to look up. */
  next: RowOfBatch | null;
  first: (RowOfBatch & { readonly fileName: string }) | null;
}

/**
 * Adds the cell values of every earlier round to the rows of a failed file, so that a value that was refused as
 * damaged, or was damaged since, is not taken for a correction.
 *
 * @param place the table, as messages name it
 * @throws PaybatchError (`file_refused`) for a row that names a missing row or batch
 */
export async function attachEarlierValues(
  rows: readonly SourceRow[],
  header: readonly string[],
  corrections: CorrectionPort,
  place: string,
): Promise<readonly SourceRow[]> {
  const columns = originColumnsOf(header);
  if (columns === null) return rows;
  const tracings = rows.map((row): Tracing => {
    const next = originOfCorrection(row.cells, columns);
    if (next === undefined) throw noSuchRow(place, row.number);
    return { row, named: next, values: new Map(), heldFor: undefined, next, first: null };
  });
  for (let round = 0; round < mostRounds; round += 1) {
    const open = tracings.filter(({ next }) => next !== null);
    if (open.length === 0) break;
    const isOwn = round === 0;
    for (const batch of new Set(open.map(({ next }) => next?.batch ?? ''))) {
      const ofBatch = open.filter(({ next }) => next?.batch === batch);
      await traceInto(batch, ofBatch, header, corrections, isOwn ? place : null);
    }
  }
  return mapInTurns(tracings, withEarlierValues);
}

/** @param place null for rounds before the last one: a missing batch there ends the tracing */
async function traceInto(
  batch: string,
  tracings: readonly Tracing[],
  header: readonly string[],
  corrections: CorrectionPort,
  place: string | null,
): Promise<void> {
  const round = await corrections.findOriginalBatch(batch);
  if (round === undefined && place !== null) throw unknownBatch(batch, place);
  const wanted = tracings.map(({ next }) => next?.row ?? 0);
  const found = round === undefined ? new Map() : await corrections.findEarlierRows(batch, wanted);
  const before = round?.header ?? [];
  const places = header.map((title) => placeIn(before, title));
  const columns = originColumnsOf(before);
  await mapInTurns(tracings, (tracing) => {
    const number = tracing.next?.row ?? 0;
    const earlier: EarlierRow | undefined = found.get(number);
    tracing.next = null;
    if (earlier === undefined) {
      if (place !== null) throw noSuchRow(place, tracing.row.number);
      return;
    }
    tracing.first = { batch, row: number, fileName: round?.fileName ?? '' };
    // A failed file has no colours: the row is held until a person decides about it.
    const mark = earlier.findings.find(({ code }) => code === heldByMark);
    if (mark !== undefined) tracing.heldFor ??= plainText(mark.message);
    places.forEach((at, index) => {
      if (at === -1) return;
      const values = tracing.values.get(index) ?? [];
      const finding = findingOn(earlier.findings, before[at] ?? '');
      const confirmed = earlier.confirmed.get(at);
      values.push({
        text: earlier.cells[at]?.trim() ?? '',
        code: finding?.code ?? null,
        ...(finding?.shown === undefined ? {} : { shown: finding.shown.text }),
        ...(confirmed === undefined ? {} : { confirmed }),
      });
      tracing.values.set(index, values);
    });
    tracing.next = columns === null ? null : (originOfCorrection(earlier.cells, columns) ?? null);
  });
}

function placeIn(header: readonly string[], title: string): number {
  if (title === '') return -1;
  const exact = header.indexOf(title);
  return exact === -1 ? header.findIndex((other) => isSameTitle(other, title)) : exact;
}

function findingOn(findings: readonly Finding[], title: string): Finding | undefined {
  return findings.find(({ column }) => column === title);
}

function withEarlierValues({ row, named, values, heldFor, first }: Tracing): SourceRow {
  if (first === null || named === null) return row;
  const correctedPlace = `row ${first.row} of ${first.fileName}`;
  const notes = [...(row.notes ?? []), { text: `corrects ${correctedPlace}`, counted: null }];
  const held = heldFor === undefined ? {} : { heldFor };
  return { ...row, ...held, earlier: values, corrects: named, correctedPlace, notes };
}

/** A row with only those earlier values that equal its cells. */
export function withoutDoubts(row: SourceRow): SourceRow {
  if (row.earlier === undefined) return row;
  const earlier = [...row.earlier].map(([place, values]): [number, readonly EarlierValue[]] => [
    place,
    values.filter(({ text, code }) => code === null && text === row.cells[place]?.trim()),
  ]);
  return { ...row, earlier: new Map(earlier) };
}

/** The refusal of a file whose rows name a batch that is not in the ledger, or only in another environment. */
export function unknownBatch(batch: string, place: string): PaybatchError {
  return new PaybatchError(
    'unknown_batch',
    `${place}: its rows are those of batch ${shortBatchId(batch)}, which this environment does not have, so nothing tells what was wrong with them.`,
    [
      'empty the columns result_batch and result_row: the rows then count as new ones',
      say`use the ledger, ${{ setting: 'mode' }} and ${{ setting: 'baseUrl' }} of that batch`,
    ],
  );
}

function noSuchRow(place: string, row: number): PaybatchError {
  return new PaybatchError(
    'row_unknown',
    `${place}: row ${row} says that it corrects a row which is not in this ledger.`,
    'give it the result_batch and result_row of the failed file again, or empty both: it then counts as a new row',
  );
}

/**
 * The earlier rounds of one environment: a failed file of the sandbox does not apply to live rows.
 * @param environment its origin is undefined while no API is stated
 */
export function correctionsIn(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch' | 'findEarlierRows'>,
  { mode, origin }: Pick<Environment, 'mode'> & { readonly origin: string | undefined },
): CorrectionPort {
  return {
    findEarlierRows: verbs.findEarlierRows,
    findOriginalBatch: async (batchId) => {
      const first = await verbs.findOriginalBatch(batchId);
      const isThere = first?.mode === mode && (origin === undefined || first.origin === origin);
      return isThere ? first : undefined;
    },
  };
}

/**
 * The batch that the rows name; null when no row names one.
 * @throws PaybatchError (`several_batches`) for rows of several
 */
export async function batchNamedIn(
  table: Table,
  columns: OriginColumns,
  place: string,
): Promise<string | null> {
  let named: string | null = null;
  for await (const group of table.rows()) {
    for (const { cells, number } of group) {
      const batch = originOfCorrection(cells, columns)?.batch ?? null;
      if (batch === null || batch === named) continue;
      if (named !== null) throw severalBatches(place, number);
      named = batch;
    }
  }
  return named;
}

function severalBatches(place: string, row: number): PaybatchError {
  return new PaybatchError(
    'several_batches',
    `${place}: row ${row} is of another batch than the rows before it.`,
    'import the rows of each batch as a file of its own',
  );
}
