/* The ledger's facts about batches at one moment: their rows and amounts by status, and everything else about them. */

import type { Knex } from 'knex';
import type { BatchClosing, BatchFamily } from '../../domain/batches/batch.ts';
import type { BatchFacts, BatchNeed, EditedRows, RowTotals } from '../../domain/batches/batch-facts.ts';
import { type CorrectedRows, openWithoutCorrected } from '../../domain/batches/open-rows.ts';
import type { ResultStatus, StatusCounts } from '../../domain/rows/row-state.ts';
import type { RefusedAlike } from '../../domain/sending/stops.ts';
import { readAuditHeads } from '../audit/events.ts';
import {
  type Corrections,
  countSupersededOf,
  findFirstBatches,
  readCorrected,
  readCorrections,
  readDoubts,
  readUnansweredOf,
  readWaitingOf,
} from '../batches/families.ts';
import { listRunsOf } from '../batches/runs.ts';
import { readApprovals } from '../before-sending/approvals.ts';
import { countUnrecordedOf } from '../protocol/late-creations.ts';
import { asFence, rowOf } from '../query/rows.ts';
import * as sql from '../query/sql.ts';
import { countChanged } from './row-counts.ts';

/** A batch whose facts are read. */
interface BatchToRead {
  readonly id: string;
  /** How long after its first request a row may be sent again under its key. */
  readonly keyLifetimeInMs: number;
  /** The totals of its rows, if the caller has just read all of them. Otherwise they are counted. */
  readonly totals?: RowTotals;
}

/**
 * The facts about batches, from one snapshot of the ledger. Rows are counted only for batches that have changed since their
 * totals were stored.
 * @returns by batch
 */
export const readFacts = sql.longVerb(
  (database: Knex, batches: readonly BatchToRead[]): Promise<ReadonlyMap<string, BatchFacts>> =>
    database.transaction((transaction) => factsIn(database, transaction, batches), {
      isolationLevel: 'repeatable read',
    }),
);

/** The totals of rows, if they are known. */
type KnownTotals = Pick<BatchFacts, keyof RowTotals>;

async function factsIn(
  ledger: Knex,
  transaction: sql.Database,
  batches: readonly BatchToRead[],
): Promise<ReadonlyMap<string, BatchFacts>> {
  const ids = batches.map(({ id }) => id);
  const stated = new Map(batches.flatMap(({ id, totals }) => (totals === undefined ? [] : [[id, totals]])));
  const firsts = await findFirstBatches(transaction, ids);
  const corrections =
    firsts.size === 0
      ? new Map<string, Corrections>()
      : await readCorrections(transaction, [...new Set(firsts.values())]);
  const kept = await readKept(transaction, [...new Set([...ids, ...corrections.keys()])]);
  const uncounted = new Map(
    [...kept].flatMap(([id, { totals, state }]) => (totals === null && !stated.has(id) ? [[id, state]] : [])),
  );
  const counted = await countChanged(ledger, transaction, uncounted);
  const totalsOf = (id: string): KnownTotals =>
    stated.get(id) ?? kept.get(id)?.totals ?? { ...notAddedUp, ...counted.get(id) };
  const inFamilies = new Map([...firsts].filter(([, firstId]) => corrections.has(firstId)));
  const isAlone = inFamilies.size === 0;
  const corrected = await readCorrected(transaction, [...inFamilies.keys()]);
  const edited = await readEdited(transaction, ids);
  const superseded = isAlone ? new Map() : await countSupersededOf(transaction, [...inFamilies.keys()]);
  const unrecorded = await countUnrecordedOf(transaction, ids);
  const doubts = await readDoubts(transaction, batches);
  const unanswered = await readUnansweredOf(transaction, ids);
  const waitingIds = ids.filter((id) => (totalsOf(id).counts.waiting ?? 0) > 0);
  const waiting = waitingIds.length === 0 ? new Map() : await readWaitingOf(transaction, waitingIds);
  const approvals = await readApprovals(transaction, ids);
  const runs = await listRunsOf(transaction, ids);
  const heads = await readAuditHeads(transaction, ids);
  return new Map(
    ids.map((id) => {
      const ofFirst = corrections.get(firsts.get(id) ?? id);
      return [
        id,
        {
          ...totalsOf(id),
          open: openWithoutCorrected(totalsOf(id).open, corrected.get(id) ?? []),
          unrecorded: unrecorded.get(id) ?? 0,
          corrected: rowsByStatus(corrected.get(id) ?? []),
          edited: edited.get(id) ?? noneEdited,
          superseded: superseded.get(id) ?? { all: {}, done: {} },
          doubt: doubts.get(id) ?? null,
          unanswered: unanswered.get(id) ?? null,
          refusedAlike: kept.get(id)?.refusedAlike ?? null,
          closing: closingOf(kept.get(id)),
          approval: approvals.get(id) ?? null,
          waiting: waiting.get(id) ?? [],
          family: ofFirst === undefined ? null : familyOf(ofFirst, totalsOf(ofFirst.firstId).counts),
          unprovenKey: kept.get(id)?.unprovenKey ?? null,
          auditHead: heads.get(id) ?? null,
          runs: runs.get(id) ?? [],
        },
      ];
    }),
  );
}

function rowsByStatus(groups: readonly CorrectedRows[]): StatusCounts {
  const counts: Partial<Record<ResultStatus, number>> = {};
  for (const { status, rows } of groups) counts[status] = (counts[status] ?? 0) + rows;
  return counts;
}

const notAddedUp = {
  counts: {},
  repeats: {},
  contradicted: 0,
  sums: null,
  open: null,
  valuesRefusedIn: null,
};

/** @param counts the status counts of the first batch */
function familyOf({ firstId, batches, doneOnlyHere }: Corrections, counts: StatusCounts): BatchFamily {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { created = 0, existing = 0 } = counts;
  return { first: { id: firstId, rows }, doneRows: created + existing + doneOnlyHere, corrections: batches };
}

const noneEdited: EditedRows = { notSent: 0, rejected: 0, invalid: 0 };

/** SQL: a run may still send row `r`, so a correction of the row prevents its batch from being sent. */
const mayBeSent = "r.state IN ('staged', 'waiting', 'ready')";

/** SQL: the refused row `row` is not corrected by another batch. */
function isLeftToCorrect(row: string): string {
  return `${row}.code IS DISTINCT FROM 'superseded'`;
}

/** Rows with corrections that are neither planned nor discarded. @returns by batch; a batch without such rows has no entry */
async function readEdited(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, EditedRows>> {
  const found = await sql.query(
    database,
    { id: sql.uuid, notSent: sql.int4, rejected: sql.int4, invalid: sql.int4 },
    `SELECT e.batch_id AS id, (count(*) FILTER (WHERE ${mayBeSent}))::int AS "notSent",
       (count(*) FILTER (WHERE r.state = 'rejected' AND ${isLeftToCorrect('r')}))::int AS rejected,
       (count(*) FILTER (WHERE r.state = 'invalid' AND ${isLeftToCorrect('r')}))::int AS invalid
     FROM (SELECT DISTINCT batch_id, row_number FROM draft_edits
       WHERE batch_id = ANY(?::uuid[]) AND ended_at IS NULL ${asFence}) e
     ${rowOf('e')} GROUP BY 1`,
    [batchIds],
  );
  return new Map(found.map(({ id, ...rows }) => [id, rows]));
}

/** Rows of a batch with corrections that are neither planned nor discarded. */
export const countEdited = sql.shortVerb(
  async (database: sql.Database, batchId: string): Promise<EditedRows> =>
    (await readEdited(database, [batchId])).get(batchId) ?? noneEdited,
);

/**
 * Whether a batch has edited rows of each status, with edits that are neither planned nor discarded. The result is by batch;
 * a batch without such edits has no entry. A draft may have tens of thousands of edits. So refused rows are examined one by
 * one, and the search among the other rows stops at the first match.
 */
export async function findEdited(
  database: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<keyof EditedRows, boolean>>>> {
  const edits = (condition: string): string =>
    `SELECT batch_id, row_number FROM draft_edits WHERE ended_at IS NULL AND batch_id = p.id ${condition}`;
  const isEdited = (state: string): string => `EXISTS (SELECT FROM (SELECT row_number, code FROM row_states
    WHERE batch_id = p.id AND state = '${state}' ${asFence}) s
    WHERE ${isLeftToCorrect('s')} AND EXISTS (${edits(`AND row_number = s.row_number ${asFence}`)}))`;
  const found = await sql.query(
    database,
    { id: sql.uuid, notSent: sql.bool, rejected: sql.bool, invalid: sql.bool },
    `SELECT p.id, ${isEdited('rejected')} AS rejected, ${isEdited('invalid')} AS invalid,
       EXISTS (SELECT FROM (${edits(asFence)}) e ${rowOf('e')}
         WHERE ${mayBeSent}) AS "notSent"
     FROM unnest(?::uuid[]) AS p (id) WHERE EXISTS (${edits('')})`,
    [batchIds],
  );
  return new Map(found.map(({ id, ...edited }) => [id, edited]));
}

const keptColumns = {
  id: sql.uuid,
  refusedAlike: sql.orNull(sql.json<RefusedAlike>()),
  closedAt: sql.orNull(sql.text),
  closedBy: sql.orNull(sql.text),
  closedNote: sql.orNull(sql.text),
  /** Null if rows have changed since the totals were stored. */
  totals: sql.orNull(sql.json<RowTotals>()),
  unprovenKey: sql.orNull(sql.text),
  /**
   * If two values are equal, no row has changed between them. A batch that is staged again starts with its first revision.
   */
  state: sql.text,
};

/** The values in the batch's own row of the table `batches`. */
type KeptOfBatch = sql.RowOf<typeof keptColumns>;

async function readKept(
  transaction: sql.Database,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, KeptOfBatch>> {
  const found = await sql.query(
    transaction,
    keptColumns,
    `SELECT id, refused_alike AS "refusedAlike", CASE WHEN ${areTotalsKept('batches')} THEN totals END AS totals,
       ${sql.isoUtc('closed_at')} AS "closedAt", closed_by AS "closedBy", closed_note AS "closedNote",
       ${unprovenKeyOf('batches')} AS "unprovenKey", concat_ws(' ', revision, created_at, staged_at) AS state
     FROM batches WHERE id = ANY(?::uuid[])`,
    [batchIds],
  );
  return new Map(found.map((kept) => [kept.id, kept]));
}

function closingOf(kept: KeptOfBatch | undefined): BatchClosing | null {
  if (kept === undefined || kept.closedAt === null) return null;
  return { at: kept.closedAt, by: kept.closedBy, note: kept.closedNote };
}

/**
 * SQL: the fingerprint of the live key that batch `b` was the first to use and that no person had compared; null if there is
 * no such key.
 */
function unprovenKeyOf(b: string): string {
  return `(SELECT min(fingerprint) FROM credentials c JOIN environments e ON e.id = ${b}.environment_id
    WHERE c.mode = 'live' AND e.mode = 'live' AND c.first_import = ${b}.import_id)`;
}

/** The fingerprint of such a key for any one of these batches; null if no batch has one. */
export const findUnprovenKey = sql.longVerb(
  (database: sql.Database, batchIds: readonly string[]): Promise<string | null> =>
    sql.valueOr(
      null,
      database,
      sql.text,
      `SELECT fingerprint FROM (SELECT ${unprovenKeyOf('b')} AS fingerprint FROM batches b
         WHERE id = ANY(?::uuid[])) found WHERE fingerprint IS NOT NULL LIMIT 1`,
      [batchIds],
    ),
);

/** SQL: the totals of batch `batch` are stored, and its rows have not changed since then. */
export function areTotalsKept(batch: string): string {
  return `${batch}.totals_revision = ${batch}.revision`;
}

/**
 * Stores the totals of a batch's rows, so that they are not counted again until the rows change.
 * @param revision the batch's revision from before the rows were read; if a row has changed since then, nothing is stored
 * @param need why the batch needs a person; for a closed batch only `rows` is stored, because its rows need no correction
 */
export const keepRowTotals = sql.verb(
  { pool: 'long', repeatable: true, savesWorkOnly: true },
  (
    database: sql.Database,
    batchId: string,
    revision: string,
    totals: RowTotals,
    need: BatchNeed,
  ): Promise<void> =>
    sql.run(
      database,
      `UPDATE batches SET totals = ?::jsonb, totals_revision = revision,
         need = CASE WHEN ?::text = 'rows' OR closed_at IS NULL THEN ?::text END WHERE id = ? AND revision = ?`,
      [JSON.stringify(totals), need, need, batchId, revision],
    ),
);
