/*
 * A file that a partner delivers again as a whole, with its faulty rows corrected. The corrected rows settle the faulty rows
 * of the first file.
 */

import type { Finding } from '../../domain/rows/finding.ts';
import { linkOtherReading, type SameRow } from '../protocol/origins.ts';
import * as sql from '../query/sql.ts';

/** SQL: row state `s` needs a person, and its correction may come with the whole file. */
const isFaulty = `(s.state IN ('invalid', 'rejected') OR (s.state = 'held' AND s.code = 'file_may_be_cut'))`;

/** SQL: row state `s` is not corrected, and its batch is not closed. */
const isOpen = `coalesce(s.code, '') NOT IN ('superseded', 'closed')`;

/** How many batches with the same header are examined, the newest first. */
const mostCandidates = 20;

/** With more faulty rows, a file does not count as the same file with a few corrections. */
const mostFaulty = 1_000;

/**
 * Links rows of a batch, before it is completely staged, to the faulty rows of the newest earlier batch of the same kind and
 * header that has any. Links are made only if it is the same file: every row that was not faulty is in the same place with
 * the same cells, and there is at least one such row. `isPutRight` compares a faulty row with the row in its place. A file
 * that is only similar is not linked: a person decides about it.
 */
export async function linkDeliveredAgain(transaction: sql.Database, batchId: string): Promise<void> {
  const earlier = await sql.findRow(
    transaction,
    { id: sql.uuid, header: sql.texts },
    `WITH candidates AS MATERIALIZED (
       SELECT b.id, b.header, b.created_at FROM batches own
       JOIN batches b ON b.need IS NOT NULL AND b.staged_at IS NOT NULL AND b.closed_at IS NULL
         AND b.environment_id = own.environment_id AND b.kind = own.kind AND b.header = own.header
         AND b.content_hash <> own.content_hash AND b.created_at < own.created_at
       WHERE own.id = ? ORDER BY b.created_at DESC, b.id LIMIT ${mostCandidates})
     SELECT c.id, c.header FROM candidates c CROSS JOIN LATERAL (
       SELECT FROM row_states s WHERE s.batch_id = c.id AND ${isFaulty} AND ${isOpen} LIMIT 1) s
     ORDER BY c.created_at DESC, c.id LIMIT 1`,
    [batchId],
  );
  if (earlier === undefined) return;
  const faulty = await sql.query(
    transaction,
    {
      row: sql.int4,
      cells: sql.jsonText<readonly string[]>(),
      findings: sql.jsonText<readonly Finding[]>(),
      isCut: sql.bool,
      later: sql.jsonText<readonly string[]>(),
    },
    `SELECT s.row_number AS row, e.cells, e.findings, s.state = 'held' AS "isCut", l.cells AS later
     FROM row_states s JOIN row_inputs e USING (batch_id, row_number)
     JOIN row_inputs l ON l.batch_id = ? AND l.row_number = s.row_number
     JOIN row_states o ON o.batch_id = l.batch_id AND o.row_number = l.row_number AND o.origin_batch IS NULL
     WHERE s.batch_id = ? AND ${isFaulty} AND ${isOpen} ORDER BY s.row_number LIMIT ${mostFaulty + 1}`,
    [batchId, earlier.id],
  );
  const rows = faulty.flatMap(({ row, findings, later, ...cells }): SameRow[] => {
    const columns = findings.map(({ column }) => earlier.header.indexOf(column));
    const faultyColumns = columns.filter((column) => column >= 0);
    if (!isPutRight({ ...cells, faultyColumns }, later)) return [];
    return [{ row, earlierBatch: earlier.id, earlierRow: row }];
  });
  if (rows.length === 0 || faulty.length > mostFaulty) return;
  if (await isSameFile(transaction, batchId, earlier.id)) await linkOtherReading(transaction, batchId, rows);
}

/** Whether the later batch has all rows of the earlier batch that are not faulty, and there is at least one such row. */
async function isSameFile(transaction: sql.Database, batchId: string, earlierId: string): Promise<boolean> {
  const { rows, others } = await sql.onlyRow(
    transaction,
    { rows: sql.int4, others: sql.int4 },
    `SELECT count(*)::int AS rows, (count(*) FILTER (WHERE l.cells IS DISTINCT FROM e.cells))::int AS others
     FROM row_states s JOIN row_inputs e USING (batch_id, row_number)
     LEFT JOIN row_inputs l ON l.batch_id = ? AND l.row_number = s.row_number
     WHERE s.batch_id = ? AND NOT ${isFaulty}`,
    [batchId, earlierId],
  );
  return rows > 0 && others === 0;
}

/* Decides whether a row of a file that was delivered again is the corrected form of an earlier row. */

/** A row of the earlier file that needs a person. */
interface FaultyCells {
  readonly cells: readonly string[];
  /** The columns with findings; empty for a row that the API refused. */
  readonly faultyColumns: readonly number[];
  /** Whether the earlier file was cut off in this row. */
  readonly isCut: boolean;
}

/**
 * Whether a row in the same place of the later file is the same row after correction. It may differ only in the columns with
 * findings. If the API refused the row, it may differ in one cell at most. If the file was cut off in the row, it may differ
 * only after the existing part. The two rows always have a value in common.
 */
export function isPutRight({ cells, faultyColumns, isCut }: FaultyCells, later: readonly string[]): boolean {
  const width = Math.max(cells.length, later.length);
  const at = (row: readonly string[], column: number): string => row[column] ?? '';
  const columns = Array.from({ length: width }, (_, column) => column);
  const differing = columns.filter((column) => at(cells, column) !== at(later, column));
  if (!columns.some((column) => at(cells, column) !== '' && !differing.includes(column))) return false;
  if (isCut) {
    const last = cells.findLastIndex((cell) => cell !== '');
    return differing.every(
      (column) => column > last || (column === last && at(later, column).startsWith(at(cells, column))),
    );
  }
  return faultyColumns.length === 0
    ? differing.length <= 1
    : differing.every((column) => faultyColumns.includes(column));
}
