/* Reconciliations, what people decide about their differences, and how many of these are open. */

import type { Knex } from 'knex';
import {
  type DecidedDifference,
  type DecisionRecord,
  type FoundFingerprints,
  type GivenDecision,
  openByPerson,
} from '../../domain/batches/difference-decisions.ts';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { type ActorOfEvent, asActor } from '../audit/events.ts';
import * as sql from '../query/sql.ts';

/* Stored reconciliations: comparisons of a batch with the other side. */

/**
 * Stores a comparison permanently; it never changes afterwards.
 * @param made `channel` is the interface through which it was requested
 * @param found its open differences are listed until the next comparison of the batch
 * @returns its id
 */
export const addReconciliation = sql.longVerbOnce(
  (
    database: Knex,
    batchId: string,
    made: {
      readonly compared: unknown;
      readonly result: unknown;
      readonly madeBy: string;
      readonly channel: string;
      readonly outcome: CallOutcome;
    },
    found: FoundInParts,
  ): Promise<string> =>
    asActor(database, { name: made.madeBy, channel: made.channel }, async (transaction) => {
      const added = await sql.onlyRow(
        transaction,
        { id: sql.text },
        `INSERT INTO reconciliations (batch_id, compared, result, made_by, outcome)
         VALUES (?, ?::jsonb, ?::jsonb, ?, ?) RETURNING id::text AS id`,
        [batchId, JSON.stringify(made.compared), JSON.stringify(made.result), made.madeBy, made.outcome],
      );
      for (const part of ['own', 'compared'] as const)
        await replaceFound(transaction, batchId, added.id, part, found[part]);
      await countOpenDifferences(transaction, batchId);
      return added.id;
    }),
);

/**
 * The differences that a reconciliation found in the ledger and the uploaded file (`own`), and in a comparison with an
 * export (`compared`). Null if there was no export.
 */
export interface FoundInParts {
  readonly own: FoundFingerprints;
  readonly compared: FoundFingerprints | null;
}

async function replaceFound(
  transaction: sql.Database,
  batchId: string,
  reconciliation: string,
  part: keyof FoundInParts,
  found: FoundFingerprints | null,
): Promise<void> {
  if (found === null) return;
  await sql.execute(
    transaction,
    `INSERT INTO found_differences (batch_id, part, reconciliation_id, found, beyond, open, open_count)
     VALUES (?, ?, ?, ?::jsonb, ?, '[]', 0)
     ON CONFLICT (batch_id, part) DO UPDATE SET reconciliation_id = excluded.reconciliation_id, found = excluded.found,
       beyond = excluded.beyond`,
    [batchId, part, reconciliation, JSON.stringify(found.found), found.beyond],
  );
}

/**
 * Counts the open differences of a batch again. It locks the batch's lines in `found_differences` first, so that it reads
 * decisions that were made meanwhile.
 */
async function countOpenDifferences(transaction: sql.Database, batchId: string): Promise<void> {
  const lines = await sql.query<FoundFingerprints & { readonly part: string }>(
    transaction,
    { part: sql.text, found: sql.json(), beyond: sql.int4 },
    'SELECT part, found, beyond FROM found_differences WHERE batch_id = ? ORDER BY part FOR UPDATE',
    [batchId],
  );
  if (lines.length === 0) return;
  const decisions = await listDifferenceDecisions(transaction, batchId);
  for (const line of lines) {
    const open = openByPerson(line, decisions);
    const count = open.reduce((sum, each) => sum + each.count, 0);
    await sql.execute(
      transaction,
      'UPDATE found_differences SET open = ?::jsonb, open_count = ? WHERE batch_id = ? AND part = ?',
      [JSON.stringify(open), count, batchId, line.part],
    );
  }
}

/* Stored decisions of people about differences of reconciliations. */

/** Differences with the same decision, and the data that the person saw of them, as JSON. */
export interface DecidedGroup {
  readonly differences: readonly DecidedDifference[];
  readonly shown: string;
}

/** Stores one decision about differences permanently, with one table row for each group. */
export const addDifferenceDecisions = sql.longVerbOnce(
  (
    database: Knex,
    batchId: string,
    { decision, assignedTo, note }: GivenDecision,
    by: ActorOfEvent,
    groups: readonly DecidedGroup[],
  ): Promise<void> => {
    return asActor(database, by, async (transaction) => {
      for (const { differences, shown } of groups) {
        await sql.execute(
          transaction,
          `INSERT INTO difference_decisions (batch_id, decision, assigned_to, note, differences, shown, decided_by)
           VALUES (?, ?, ?, ?, ?::jsonb, ?, ?)`,
          [batchId, decision, assignedTo, note, JSON.stringify(differences), shown, by.name],
        );
      }
      await countOpenDifferences(transaction, batchId);
    });
  },
);

/** The decisions about a batch's differences, oldest first. */
export const listDifferenceDecisions = sql.longVerb(
  (database: sql.Database, batchId: string): Promise<DecisionRecord[]> =>
    sql.query<DecisionRecord>(
      database,
      {
        decision: sql.word(),
        assignedTo: sql.orNull(sql.text),
        note: sql.text,
        by: sql.text,
        at: sql.text,
        differences: sql.json(),
      },
      `SELECT decision, assigned_to AS "assignedTo", note, decided_by AS by, ${sql.isoUtc('decided_at')} AS at, differences
       FROM difference_decisions WHERE batch_id = ? ORDER BY id`,
      [batchId],
    ),
);
