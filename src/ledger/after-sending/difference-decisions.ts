/* What people decided about differences of reconciliations, as it was decided. */

import type { Knex } from 'knex';
import type {
  DecidedDifference,
  DecisionRecord,
  GivenDecision,
} from '../../domain/batches/difference-decisions.ts';
import { nameActor } from '../audit/events.ts';
import {
  type Database,
  execute,
  isoUtc,
  json,
  longVerb,
  longVerbOnce,
  orNull,
  query,
  text,
  word,
} from '../query/sql.ts';

/** Differences of one decision, with what was seen of them as JSON. */
export interface DecidedGroup {
  readonly differences: readonly DecidedDifference[];
  readonly shown: string;
}

/** Stores one decision about differences permanently, a line for each group of them. */
export const addDifferenceDecisions = longVerbOnce(
  (
    database: Knex,
    batchId: string,
    { decision, assignedTo, note }: GivenDecision,
    by: { readonly name: string; readonly door: string },
    groups: readonly DecidedGroup[],
  ): Promise<void> => {
    return database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      for (const { differences, shown } of groups) {
        await execute(
          transaction,
          `INSERT INTO difference_decisions (batch_id, decision, assigned_to, note, differences, shown, decided_by)
           VALUES (?, ?, ?, ?, ?::jsonb, ?, ?)`,
          [batchId, decision, assignedTo, note, JSON.stringify(differences), shown, by.name],
        );
      }
    });
  },
);

/** The decisions about a batch's differences, oldest first. */
export const listDifferenceDecisions = longVerb(
  (database: Database, batchId: string): Promise<DecisionRecord[]> => {
    return query<DecisionRecord>(
      database,
      { decision: word(), assignedTo: orNull(text), note: text, by: text, at: text, differences: json() },
      `SELECT decision, assigned_to AS "assignedTo", note, decided_by AS by, ${isoUtc('decided_at')} AS at, differences
       FROM difference_decisions WHERE batch_id = ? ORDER BY id`,
      [batchId],
    );
  },
);
