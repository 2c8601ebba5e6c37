/* How files were read: the reading of each batch, its sums, and the mappings that are stored for a header. */

import type {
  BatchReading,
  ContentReading,
  EarlierRow,
  Kind,
  OriginalBatch,
} from '../../domain/batches/batch.ts';
import type { CurrencySum, ReadSums } from '../../domain/money/sums.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import type {
  ListedExport,
  ListedMapping,
  RememberedExport,
  RememberedMapping,
} from '../../domain/tables/mapping.ts';
import * as arrays from '../query/arrays.ts';
import * as sql from '../query/sql.ts';
import { isOnlyPlanned } from './batches.ts';

/** Stores how a batch's file was read. It never deletes a stored choice about hidden rows. */
export const saveReading = sql.longVerbOnce(
  (database: sql.Database, batchId: string, reading: BatchReading): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO batch_readings (batch_id, mapping, rules, hidden_rows, hidden_choice) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (batch_id) DO UPDATE SET mapping = excluded.mapping, rules = excluded.rules,
         hidden_rows = excluded.hidden_rows,
         hidden_choice = coalesce(excluded.hidden_choice, batch_readings.hidden_choice)`,
      [batchId, reading.mapping, reading.rules, reading.hiddenRows, reading.hiddenChoice],
    ),
);

/** Stores a person's decision about a batch's hidden rows. */
export const chooseHidden = sql.longVerbOnce(
  (database: sql.Database, batchId: string, choice: 'include'): Promise<void> =>
    sql.run(database, 'UPDATE batch_readings SET hidden_choice = ? WHERE batch_id = ?', [choice, batchId]),
);

/** A batch and how its file was read; undefined if the ledger does not have the batch or has only a part of it. */
export const findOriginalBatch = sql.shortVerb(
  async (database: sql.Database, batchId: string): Promise<OriginalBatch | undefined> => {
    const [found] = await sql.query<Omit<OriginalBatch, 'reading'> & BatchReading>(
      database,
      {
        id: sql.uuid,
        mode: sql.word(),
        origin: sql.text,
        kind: sql.word(),
        fileName: sql.text,
        sheet: sql.orNull(sql.text),
        header: sql.texts,
        readingHash: sql.text,
        mapping: sql.text,
        rules: sql.text,
        hiddenRows: sql.int4,
        hiddenChoice: sql.orNull(sql.word()),
      },
      `SELECT b.id, e.mode, e.origin, b.kind, b.file_name AS "fileName", b.sheet, b.header, b.reading_hash AS "readingHash",
         g.mapping, g.rules, g.hidden_rows AS "hiddenRows", g.hidden_choice AS "hiddenChoice"
       FROM batches b JOIN environments e ON e.id = b.environment_id JOIN batch_readings g ON g.batch_id = b.id
       WHERE b.id = ? AND b.staged_at IS NOT NULL`,
      [batchId],
    );
    if (found === undefined) return undefined;
    const { mapping, rules, hiddenRows, hiddenChoice, ...batch } = found;
    return { ...batch, reading: { mapping, rules, hiddenRows, hiddenChoice } };
  },
);

/** The batches with a content that are completely staged and whose reading is known, the newest first. */
export const findContentReadings = sql.longVerb(
  (database: sql.Database, contentHash: string): Promise<ContentReading[]> =>
    sql.query<ContentReading>(
      database,
      {
        id: sql.uuid,
        mode: sql.word(),
        origin: sql.text,
        kind: sql.word(),
        sheet: sql.orNull(sql.text),
        fileName: sql.text,
        header: sql.texts,
        readingHash: sql.text,
        mapping: sql.text,
        createdAt: sql.text,
        isOnlyPlanned: sql.bool,
      },
      `SELECT b.id, e.mode, e.origin, b.kind, b.sheet, b.file_name AS "fileName", b.header, b.reading_hash AS "readingHash",
         g.mapping, ${sql.isoUtc('b.created_at')} AS "createdAt",
         ${isOnlyPlanned} AS "isOnlyPlanned"
       FROM batches b JOIN environments e ON e.id = b.environment_id JOIN batch_readings g ON g.batch_id = b.id
       WHERE b.content_hash = ? AND b.staged_at IS NOT NULL ORDER BY b.created_at DESC, b.id`,
      [contentHash],
    ),
);

/** Rows as they were read, by number. Numbers without a row are missing. */
export const findEarlierRows = sql.longVerbOnce(
  async (
    database: sql.Database,
    batchId: string,
    rows: readonly number[],
  ): Promise<Map<number, EarlierRow>> => {
    const found = await sql.query(
      database,
      { row: sql.int4, cells: sql.jsonText<string[]>(), findings: sql.jsonText<Finding[]>() },
      `SELECT row_number AS row, cells, findings FROM row_inputs
       WHERE batch_id = ? AND row_number = ANY(?::int[])`,
      [batchId, rows],
    );
    const confirmed = await findConfirmedValues(database, batchId, rows);
    return new Map(
      found.map((each) => [each.row, { ...each, confirmed: confirmed.get(each.row) ?? new Map() }]),
    );
  },
);

/**
 * The values that people have typed in place of cells or confirmed as right, by row and place. They come from the valid
 * edits and from the edits that a correction includes.
 */
async function findConfirmedValues(
  database: sql.Database,
  batchId: string,
  rows: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, readonly string[]>>> {
  const found = await sql.query(
    database,
    { row: sql.int4, place: sql.int4, after: sql.jsonText<string>() },
    `SELECT row_number AS row, place, after FROM draft_edits
     WHERE batch_id = ? AND row_number = ANY(?::int[]) AND (ended_as IS NULL OR ended_as = 'planned')`,
    [batchId, arrays.numbersLiteral(rows)],
  );
  const values = new Map<number, Map<number, string[]>>();
  for (const { row, place, after } of found) {
    const ofRow = values.get(row) ?? new Map<number, string[]>();
    values.set(row, ofRow.set(place, [...(ofRow.get(place) ?? []), after.trim()]));
  }
  return values;
}

/**
 * The amounts of a batch's valid rows by currency, summed exactly by the database. A row that repeats an earlier one has the
 * same object, so it does not count again.
 */
export const sumAmounts = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<CurrencySum[]> =>
    sql.query<CurrencySum>(
      database,
      { currency: sql.text, rows: sql.int4, amount: sql.text },
      `SELECT record->>'currency' AS currency, count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount
       FROM row_inputs JOIN row_states USING (batch_id, row_number)
       WHERE batch_id = ? AND state NOT IN ('duplicate', 'invalid') AND record->>'amount' IS NOT NULL AND record->>'currency' IS NOT NULL
       GROUP BY 1 ORDER BY 1`,
      [batchId],
    ),
);

/** The sums over all rows that were read from a batch's file, including invalid and repeated rows. */
export const sumRead = sql.longVerb(async (database: sql.Database, batchId: string): Promise<ReadSums> => {
  const sums = await sql.query(
    database,
    { currency: sql.orNull(sql.text), rows: sql.int4, amount: sql.orNull(sql.text) },
    `SELECT CASE WHEN record->>'amount' IS NULL THEN NULL ELSE record->>'currency' END AS currency,
         count(*)::int AS rows, sum((record->>'amount')::numeric)::text AS amount
       FROM row_inputs WHERE batch_id = ? GROUP BY 1 ORDER BY 1`,
    [batchId],
  );
  return {
    rows: sums.reduce((sum, { rows }) => sum + rows, 0),
    amounts: sums.flatMap(({ currency, rows, amount }) =>
      currency === null || amount === null ? [] : [{ currency, rows, amount }],
    ),
  };
});

/** The maximum number of mappings to read. There are few partners, and their newest mappings are the ones in use. */
const mostRead = 1_000;

/** SQL: stores a mapping for its header and replaces an earlier one for the same header. */
const remembering = `INSERT INTO remembered_mappings (header_key, header, name, kind, mapping, content_hash, purpose)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (header_key) DO UPDATE SET header = excluded.header, name = excluded.name, kind = excluded.kind,
    mapping = excluded.mapping, content_hash = excluded.content_hash, remembered_at = now()`;

/** Stores a mapping for its header and replaces an earlier one for the same header. */
export const rememberMapping = sql.longVerbOnce(
  async (database: sql.Database, remembered: RememberedMapping): Promise<void> => {
    const { headerKey, header, name, kind, mapping, contentHash = null } = remembered;
    const values = [headerKey, JSON.stringify(header), name, kind, mapping, contentHash, 'import'];
    await sql.execute(database, remembering, values);
  },
);

/** Stores how exports with one header are read. */
export const rememberExportMapping = sql.longVerbOnce(
  async (database: sql.Database, { headerKey, header, name, mapping }: RememberedExport): Promise<void> => {
    const values = [headerKey, JSON.stringify(header), name, null, mapping, null, 'export'];
    await sql.execute(database, remembering, values);
  },
);

const listedColumns = {
  headerKey: sql.text,
  header: sql.json<readonly string[]>(),
  name: sql.text,
  mapping: sql.text,
  rememberedAt: sql.text,
};

/** SQL: the stored mappings for one purpose, the newest first. */
const listed = (
  further: string,
): string => `SELECT header_key AS "headerKey", header::json AS header, name, mapping,
    ${sql.isoUtc('remembered_at')} AS "rememberedAt"${further}
  FROM remembered_mappings WHERE purpose = ? ORDER BY remembered_at DESC, header_key LIMIT ?`;

/** The stored mappings for files to import, the newest first. */
export const listRememberedMappings = sql.longVerbOnce((database: sql.Database): Promise<ListedMapping[]> => {
  const columns = { ...listedColumns, kind: sql.word<Kind>(), contentHash: sql.orNull(sql.text) };
  const further = ', kind, content_hash AS "contentHash"';
  return sql.query<ListedMapping>(database, columns, listed(further), ['import', mostRead]);
});

/** The stored mappings for exports, the newest first. */
export const listRememberedExports = sql.longVerbOnce(
  (database: sql.Database): Promise<ListedExport[]> =>
    sql.query<ListedExport>(database, listedColumns, listed(''), ['export', mostRead]),
);

/** Deletes the mapping of a header. Batches that were read with it keep their copy. */
export const forgetMapping = sql.longVerbOnce(
  (database: sql.Database, headerKey: string): Promise<void> =>
    sql.run(database, 'DELETE FROM remembered_mappings WHERE header_key = ?', [headerKey]),
);
