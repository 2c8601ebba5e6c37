/*
 * The work that needs a person, in all batches, read with a few statements. Finished batches are not read. In the other
 * batches, rows are read only if they have changed since a run last stored the totals.
 */

import type { Knex } from 'knex';
import type { Mode } from '../../domain/batches/batch.ts';
import type { EditedRows, RowCounts, RowTotals } from '../../domain/batches/batch-facts.ts';
import type { OpenOfPerson } from '../../domain/batches/difference-decisions.ts';
import {
  type CorrectedRows,
  type OpenRows,
  type OpenStatus,
  openStatuses,
  openWithoutCorrected,
  settledCodes,
} from '../../domain/batches/open-rows.ts';
import type { RunRecord } from '../../domain/batches/run.ts';
import type { RefusedAlike } from '../../domain/sending/stops.ts';
import {
  isOnlyPlanned,
  latestWasWhole,
  type NamedBatch,
  namedBatch,
  namedColumns,
} from '../batches/batches.ts';
import { type CountedDoubt, findFirstBatches, readCorrected, readDoubts } from '../batches/families.ts';
import { listRunsNotEnded } from '../batches/runs.ts';
import { countUnrecordedOf } from '../protocol/late-creations.ts';
import { asFence, byKeysOnly, hasMovable, inOrderOfIndex } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { areTotalsKept, findEdited } from './facts.ts';
import { countRowsOf } from './row-counts.ts';

/** A batch with open rows or other open matters. */
export interface OpenBatch extends NamedBatch {
  readonly isClosed: boolean;
  readonly refusedAlike: RefusedAlike | null;
  /** Whether a person has never requested to send it. */
  readonly isOnlyPlanned: boolean;
  /** Whether the latest run that sent rows ended without a stop: then the rows to be sent were added after it. */
  readonly latestWasWhole: boolean;
  /** The hash of its file's content. Other batches may be other readings of the same rows. */
  readonly content: string;
  /** The totals of its rows; null if rows have changed since a run last stored the totals. */
  readonly totals: RowTotals | null;
  /** The status counts of its rows; null if rows have changed and counting them would take too long. */
  readonly counted: RowCounts | null;
  /**
   * Rows that wait for a person or for time, without the rows that a later file corrects. Null if they are not counted
   * because too many batches have changed.
   */
  readonly open: readonly OpenRows[] | null;
  /** Whether a run has work to do: rows to send, to send again, or to check again. */
  readonly canMove: boolean;
  /** Created objects that no row records. */
  readonly unrecorded: number;
  /** Which kinds of rows have edits that are neither planned nor discarded. */
  readonly isEdited: Readonly<Record<keyof EditedRows, boolean>>;
}

/** Rows in doubt of one batch. */
interface DoubtOfBatch extends NamedBatch {
  readonly doubt: CountedDoubt;
}

/** The open differences of a batch's last reconciliation, without rows in doubt. */
export interface DifferencesOfBatch extends NamedBatch {
  /** The id of that reconciliation. */
  readonly reconciliation: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly byPerson: readonly OpenOfPerson[];
}

/** The open work for a person or a run. */
export interface OpenWork {
  /** The newest first. */
  readonly batches: readonly OpenBatch[];
  /** Whether there are more open batches than were read. */
  readonly isCutShort: boolean;
  /** The most urgent first. */
  readonly doubts: readonly DoubtOfBatch[];
  /** How many batches with rows in doubt are not listed here. */
  readonly moreDoubts: number;
  /** For the batches with the most recent reconciliations, the latest first. */
  readonly differences: readonly DifferencesOfBatch[];
  /** Runs that have not ended, by batch: they are in progress or were interrupted. */
  readonly runs: ReadonlyMap<string, readonly RunRecord[]>;
}

/** The limits of the query, and how long keys are valid. */
interface WorkAsked {
  /**
   * The maximum number of batches with open rows; also of batches that only wait for corrections, and of batches with
   * differences.
   */
  readonly batches: number;
  /** The maximum number of batches with rows in doubt. */
  readonly doubts: number;
  readonly keyLifetimeInMs: Readonly<Record<Mode, number>>;
}

/** The maximum number of changed batches whose rows are counted. */
const mostCounted = 50;

/**
 * The maximum number of rows in such batches, in total, that are counted by status. The list then appears at once, however
 * much is open.
 */
const mostRowsCounted = 5_000;

/** All open work, from one snapshot of the ledger. */
export const readOpenWork = sql.longVerb(
  (database: Knex, asked: WorkAsked): Promise<OpenWork> =>
    database.transaction(
      async (transaction) => {
        await sql.execute(transaction, inOrderOfIndex);
        await sql.execute(transaction, `SELECT ${byKeysOnly}`);
        return openWorkIn(transaction, asked);
      },
      { isolationLevel: 'repeatable read' },
    ),
);

async function openWorkIn(transaction: sql.Database, asked: WorkAsked): Promise<OpenWork> {
  const found = await readNeedy(transaction, asked.batches);
  const changed = found.flatMap(({ id, totals }) => (totals === null ? [id] : [])).slice(0, mostCounted);
  const counted = changed.length === 0 ? new Map() : await countOpen(transaction, changed);
  const small = smallOnes(found);
  const rowCounts = small.length === 0 ? new Map() : await countRowsOf(transaction, small);
  const ids = found.map(({ id }) => id);
  const unrecorded = await countUnrecordedOf(transaction, ids);
  const edited = await findEdited(transaction, ids);
  const corrected = await readTakenOver(transaction, found);
  const runs = await listRunsNotEnded(transaction, asked.batches);
  const { doubts, moreDoubts } = await readUrgent(transaction, asked);
  const differences = await readDifferences(transaction, asked.batches);
  const isCounted = new Set(changed);
  return {
    batches: found.map(({ totals, canMove, need: _, rowCount: __, ...batch }) => ({
      ...batch,
      totals,
      counted: totals ?? rowCounts.get(batch.id) ?? null,
      canMove: totals === null ? canMove : hasRowsOfRuns(totals),
      open: openWithoutCorrected(
        totals?.open ?? (isCounted.has(batch.id) ? (counted.get(batch.id) ?? []) : null),
        corrected.get(batch.id) ?? [],
      ),
      unrecorded: unrecorded.get(batch.id) ?? 0,
      isEdited: edited.get(batch.id) ?? noneEdited,
    })),
    isCutShort:
      differences.length === asked.batches ||
      (['rows', 'corrections'] as const).some(
        (need) => found.filter((batch) => batch.need === need).length === asked.batches,
      ),
    differences,
    doubts,
    moreDoubts,
    runs,
  };
}

/**
 * The batches with changed rows that may be counted: from the newest on, each one that fits into what is left of the
 * maximum.
 */
function smallOnes(found: readonly BatchNeedingWork[]): readonly string[] {
  let left = mostRowsCounted;
  return found.flatMap(({ id, totals, rowCount }) => {
    if (totals !== null || rowCount > left) return [];
    left -= rowCount;
    return [id];
  });
}

/** The rows to correct that a later file of their family corrects already. Few batches belong to a family. */
async function readTakenOver(
  transaction: sql.Database,
  found: readonly BatchNeedingWork[],
): Promise<ReadonlyMap<string, readonly CorrectedRows[]>> {
  const ids = found.map(({ id }) => id);
  const inFamilies = ids.length === 0 ? [] : (await findFirstBatches(transaction, ids)).keys();
  return readCorrected(transaction, [...inFamilies]);
}

const noneEdited: OpenBatch['isEdited'] = { notSent: false, rejected: false, invalid: false };

/** Whether a run has work to do with rows of these totals. */
function hasRowsOfRuns({ counts: { not_sent = 0, unknown = 0, waiting = 0 } }: RowTotals): boolean {
  return not_sent + unknown + waiting > 0;
}

type BatchNeedingWork = Omit<OpenBatch, 'open' | 'unrecorded' | 'isEdited' | 'counted'> & {
  readonly rowCount: number;
  readonly need: 'rows' | 'corrections';
};

/** The newest batches of each need. */
function readNeedy(database: sql.Database, most: number): Promise<BatchNeedingWork[]> {
  const newest = (
    need: string,
  ): string => `(SELECT * FROM batches WHERE need = '${need}' AND staged_at IS NOT NULL
    ORDER BY need DESC, created_at DESC LIMIT ?)`;
  const isKept = areTotalsKept('b');
  return sql.query<BatchNeedingWork>(
    database,
    {
      ...namedBatch,
      need: sql.word(),
      rowCount: sql.int4,
      isClosed: sql.bool,
      refusedAlike: sql.orNull(sql.json()),
      isOnlyPlanned: sql.bool,
      latestWasWhole: sql.bool,
      content: sql.text,
      totals: sql.orNull(sql.json()),
      canMove: sql.bool,
    },
    `SELECT ${namedColumns}, b.need, b.row_count AS "rowCount", b.closed_at IS NOT NULL AS "isClosed", b.refused_alike AS "refusedAlike",
       b.need = 'rows' AND ${isOnlyPlanned} AS "isOnlyPlanned",
       b.need = 'rows' AND ${latestWasWhole} AS "latestWasWhole",
       b.content_hash AS content, CASE WHEN ${isKept} THEN b.totals END AS totals,
       coalesce(${isKept}, false) OR (${hasMovable('b.id')}) AS "canMove"
     FROM (${newest('rows')} UNION ALL ${newest('corrections')}) b JOIN environments e ON e.id = b.environment_id
     ORDER BY b.created_at DESC, b.id`,
    [most, most],
  );
}

/** The open rows of batches by status and reason. It reads only the index of reasons. */
async function countOpen(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OpenRows[]>> {
  const found = await sql.query(
    database,
    { id: sql.uuid, status: sql.word<OpenStatus>(), code: sql.text, rows: sql.int4 },
    `SELECT p.id, s.state AS status, s.code, count(*)::int AS rows
     FROM unnest(?::uuid[]) AS p (id) CROSS JOIN unnest(?::text[]) AS o (state)
     CROSS JOIN LATERAL (SELECT state, code FROM row_states
       WHERE batch_id = p.id AND state = o.state AND code IS NOT NULL ${asFence}) s
     WHERE s.code <> ALL(?::text[]) GROUP BY p.id, s.state, s.code ORDER BY rows DESC, s.code`,
    [batchIds, openStatuses, settledCodes],
  );
  return sql.groupedById(found.map((group) => ({ ...group, since: null, sums: null })));
}

/** The batches with rows in doubt. Each batch is found by its oldest row in doubt, whose key expires first. */
async function readUrgent(
  database: sql.Database,
  { doubts: most, keyLifetimeInMs }: WorkAsked,
): Promise<Pick<OpenWork, 'doubts' | 'moreDoubts'>> {
  const first = (condition: string): string => `SELECT batch_id, first_sent_at FROM row_states
    WHERE state = 'unknown' ${condition} ORDER BY batch_id, first_sent_at LIMIT 1`;
  const found = await sql.query<NamedBatch & { readonly all: number }>(
    database,
    { ...namedBatch, all: sql.int4 },
    `WITH RECURSIVE doubtful AS (
       (${first('')})
       UNION ALL
       SELECT n.* FROM doubtful d CROSS JOIN LATERAL (${first('AND batch_id > d.batch_id')}) n),
     cut_off AS (
       SELECT batch_id, started_at AS first_sent_at FROM runs WHERE ended_at IS NULL AND lease_until <= now()),
     urgent AS (
       SELECT batch_id, min(first_sent_at) AS first_sent_at FROM (SELECT * FROM doubtful UNION ALL SELECT * FROM cut_off) a
       GROUP BY batch_id)
     SELECT ${namedColumns}, (count(*) OVER ())::int AS all FROM urgent u
     JOIN batches b ON b.id = u.batch_id JOIN environments e ON e.id = b.environment_id
     ORDER BY u.first_sent_at + CASE e.mode WHEN 'live' THEN ?::float8 ELSE ?::float8 END * interval '1 millisecond', b.id
     LIMIT ?`,
    [keyLifetimeInMs.live, keyLifetimeInMs.sandbox, most],
  );
  const batches = found.map(({ id, mode }) => ({ id, keyLifetimeInMs: keyLifetimeInMs[mode] }));
  const doubts = batches.length === 0 ? new Map() : await readDoubts(database, batches);
  return {
    doubts: found.flatMap(({ all: _, ...batch }) => {
      const doubt = doubts.get(batch.id);
      return doubt === undefined ? [] : [{ ...batch, doubt }];
    }),
    moreDoubts: (found[0]?.all ?? 0) - found.length,
  };
}

/** The batches whose last reconciliation left open differences. It does not read the differences themselves. */
function readDifferences(database: sql.Database, most: number): Promise<DifferencesOfBatch[]> {
  return sql.query<DifferencesOfBatch>(
    database,
    { ...namedBatch, reconciliation: sql.text, by: sql.text, at: sql.text, byPerson: sql.json() },
    `SELECT ${namedColumns}, r.id::text AS reconciliation, r.made_by AS by, ${sql.isoUtc('r.made_at')} AS at, f.open AS "byPerson"
     FROM (SELECT batch_id, reconciliation_id, open FROM found_differences WHERE open_count > 0
       ORDER BY reconciliation_id DESC LIMIT ?) f
     JOIN reconciliations r ON r.id = f.reconciliation_id
     JOIN batches b ON b.id = f.batch_id JOIN environments e ON e.id = b.environment_id
     ORDER BY r.id DESC`,
    [most],
  );
}
