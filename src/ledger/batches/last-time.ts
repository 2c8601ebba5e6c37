/* The data with which a new file is compared: the last file of its series, and the last files of its layout. */

import type { Kind } from '../../domain/batches/batch.ts';
import type {
  Drift,
  EarlierProfile,
  LayoutProfile,
  PayeesOfRows,
  SeriesBatch,
  SeriesComparison,
  SeriesKeys,
} from '../../domain/batches/last-time.ts';
import type { CurrencySum } from '../../domain/money/sums.ts';
import * as arrays from '../query/arrays.ts';
import { asFence, inputOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { isOnlyPlanned } from './batches.ts';

/** A file whose predecessor in its series is wanted. */
interface FileOfSeries {
  readonly environmentId: number;
  readonly kind: Kind;
  readonly contentHash: string;
  readonly keys: SeriesKeys;
}

/**
 * The batch with which a file is compared: the newest batch of its series that is completely staged and has payees. A batch
 * that was only planned counts only if no batch of the series was imported. Not included are batches that correct another
 * one, that have the same content, or that were closed before they had created anything.
 */
export const findSeriesBatch = sql.shortVerb(
  (
    database: sql.Database,
    { environmentId, kind, contentHash, keys }: FileOfSeries,
  ): Promise<SeriesBatch | undefined> =>
    sql.findRow<SeriesBatch>(
      database,
      { batch: sql.uuid, file: sql.text, createdAt: sql.text },
      `SELECT b.id AS batch, b.file_name AS file, ${sql.isoUtc('b.created_at')} AS "createdAt"
       FROM batch_series s JOIN batches b ON b.id = s.batch_id
       WHERE s.environment_id = ? AND s.kind = ? AND (s.name_key = ? OR s.mapping_key = ?)
         AND b.staged_at IS NOT NULL AND b.content_hash <> ?
         AND EXISTS (SELECT FROM batch_payees WHERE batch_id = b.id ${asFence})
         AND NOT EXISTS (SELECT FROM corrected_rows WHERE batch_id = b.id AND NOT is_reading ${asFence})
         AND (b.closed_at IS NULL OR EXISTS (SELECT FROM created_objects WHERE batch_id = b.id ${asFence}))
       ORDER BY ${isOnlyPlanned}, b.created_at DESC, b.id LIMIT 1`,
      [environmentId, kind, keys.name, keys.mapping, contentHash],
    ),
);

const payeeBytes = 8;
/** A group has as many rows as were staged at once, about a thousand. This many groups are read with each statement. */
const groupsPerPage = 10;

/**
 * The payees of a batch's rows and of the rows that correct them, in groups. Rows that were corrected later do not count.
 */
export const readSeriesPayees = sql.longVerbOnce(async function* (
  database: sql.Database,
  batchId: string,
): AsyncGenerator<PayeesOfRows> {
  const corrections = await sql.query(
    database,
    { id: sql.uuid },
    `SELECT DISTINCT c.batch_id AS id FROM corrected_rows c JOIN batches b ON b.id = c.batch_id
       WHERE c.first_batch_id = ? AND NOT c.is_reading AND b.staged_at IS NOT NULL ORDER BY 1`,
    [batchId],
  );
  for (const id of [batchId, ...corrections.map((each) => each.id)]) yield* payeesOfBatch(database, id);
});

async function* payeesOfBatch(database: sql.Database, batch: string): AsyncGenerator<PayeesOfRows> {
  const superseded = await sql.query(
    database,
    { row: sql.int4 },
    `SELECT row_number AS row FROM row_states WHERE batch_id = ? AND code = 'superseded'`,
    [batch],
  );
  const corrected = new Set(superseded.map(({ row }) => row));
  for (let lastGroup = 0; ; ) {
    const groups = await sql.query(
      database,
      { firstRow: sql.int4, rows: sql.text, payees: sql.bytes },
      `SELECT first_row AS "firstRow", array_to_string(rows, ',') AS rows, payees FROM batch_payees
       WHERE batch_id = ? AND first_row > ? ORDER BY first_row LIMIT ${groupsPerPage}`,
      [batch, lastGroup],
    );
    for (const { firstRow, rows, payees } of groups) {
      lastGroup = firstRow;
      yield without(corrected, {
        batch,
        rows: rows.split(',').map(Number),
        payees: payees.toString('latin1'),
      });
    }
    if (groups.length < groupsPerPage) return;
  }
}

function without(corrected: ReadonlySet<number>, all: PayeesOfRows): PayeesOfRows {
  if (corrected.size === 0) return all;
  const places = all.rows.flatMap((row, at) => (corrected.has(row) ? [] : [at]));
  return {
    ...all,
    rows: places.map((at) => all.rows[at] ?? 0),
    payees: places.map((at) => all.payees.slice(at * payeeBytes, (at + 1) * payeeBytes)).join(''),
  };
}

/** The amounts of some rows of a batch, by currency. */
export const sumRows = sql.shortVerb(
  (database: sql.Database, batchId: string, rows: readonly number[]): Promise<CurrencySum[]> =>
    sql.query<CurrencySum>(
      database,
      { currency: sql.text, rows: sql.int4, amount: sql.text },
      `SELECT i.record->>'currency' AS currency, count(*)::int AS rows, sum((i.record->>'amount')::numeric)::text AS amount
       FROM (SELECT ?::uuid AS batch_id, unnest(?::int[]) AS row_number) g ${inputOf('g')}
       WHERE i.record->>'amount' IS NOT NULL AND i.record->>'currency' IS NOT NULL
       GROUP BY 1 ORDER BY 1`,
      [batchId, arrays.numbersLiteral(rows)],
    ),
);

/** Stores the series of a batch, and its comparison with the last file; null if there was no last file. */
export const noteSeries = sql.shortVerb(
  (
    database: sql.Database,
    batchId: string,
    keys: SeriesKeys,
    comparison: SeriesComparison | null,
  ): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO batch_series (batch_id, environment_id, kind, name_key, mapping_key, comparison)
       SELECT id, environment_id, kind, ?, ?, ?::jsonb FROM batches WHERE id = ?
       ON CONFLICT (batch_id) DO UPDATE SET name_key = excluded.name_key, mapping_key = excluded.mapping_key,
         comparison = excluded.comparison`,
      [keys.name, keys.mapping, comparison === null ? null : JSON.stringify(comparison), batchId],
    ),
);

/** The stored comparison of a batch with the last file of its series, from its staging; null if there was none. */
export const readSeries = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<SeriesComparison | null> =>
    sql.valueOr(
      null,
      database,
      sql.orNull(sql.json<SeriesComparison>()),
      'SELECT comparison FROM batch_series WHERE batch_id = ?',
      [batchId],
    ),
);

/* Profiles of files: what their columns contained, and how that differed from the last files of their layout. */

/** A file whose predecessors with the same layout are wanted. */
interface FileOfLayout {
  readonly environmentId: number;
  readonly contentHash: string;
  readonly layoutKey: string;
}

/**
 * Two partners may use one layout, and an ordinary month may follow an unusual one. So a file is compared with several
 * earlier files.
 */
const profilesCompared = 3;

/**
 * The profiles of the last imported files of a layout, the newest first. Not included are files of which nothing was
 * created, because they do not show how files are read correctly. Also not included are files of corrected rows, and files
 * with the same content.
 */
export const findEarlierProfiles = sql.shortVerb(
  (
    database: sql.Database,
    { environmentId, contentHash, layoutKey }: FileOfLayout,
  ): Promise<EarlierProfile[]> =>
    sql.query(
      database,
      { batch: sql.uuid, profile: sql.jsonText<LayoutProfile>() },
      `SELECT p.batch_id AS batch, p.profile
       FROM batch_profiles p JOIN batches b ON b.id = p.batch_id
       WHERE p.environment_id = ? AND p.layout_key = ? AND b.staged_at IS NOT NULL AND b.content_hash <> ?
         AND NOT ${isOnlyPlanned}
         AND (EXISTS (SELECT FROM created_objects WHERE batch_id = b.id ${asFence})
           OR EXISTS (SELECT FROM row_states WHERE batch_id = b.id AND state = 'existing' ${asFence}))
       ORDER BY b.created_at DESC, b.id LIMIT ${profilesCompared}`,
      [environmentId, layoutKey, contentHash],
    ),
);

/** Stores what the columns of a batch's file contained, and how that differs from the earlier files. */
export const noteProfile = sql.shortVerb(
  (
    database: sql.Database,
    batchId: string,
    layoutKey: string,
    { profile, drift }: { readonly profile: LayoutProfile; readonly drift: readonly Drift[] },
  ): Promise<void> =>
    sql.run(
      database,
      `INSERT INTO batch_profiles (batch_id, environment_id, layout_key, profile, drift)
       SELECT id, environment_id, ?, ?, ?::jsonb FROM batches WHERE id = ?
       ON CONFLICT (batch_id) DO UPDATE SET layout_key = excluded.layout_key, profile = excluded.profile,
         drift = excluded.drift`,
      [layoutKey, JSON.stringify(profile), JSON.stringify(drift), batchId],
    ),
);

/** How the columns of a batch's file differed from the earlier files at its staging; null if they were not compared. */
export const readDrift = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<readonly Drift[] | null> =>
    sql.valueOr(
      null,
      database,
      sql.json<readonly Drift[]>(),
      'SELECT drift FROM batch_profiles WHERE batch_id = ?',
      [batchId],
    ),
);
