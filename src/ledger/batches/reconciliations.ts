/* Comparisons with the other side, as they were made. */

import type { Knex } from 'knex';
import type { CallOutcome } from '../../domain/failures/paybatch-error.ts';
import { nameActor } from '../audit/events.ts';
import { json, text, word } from '../query/columns.ts';
import { type Database, execute, isoUtc, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** One comparison as it was made: what was compared, what came of it, by whom and when. */
export interface ReconciliationRecord {
  readonly compared: unknown;
  readonly result: unknown;
  readonly madeBy: string;
  readonly outcome: CallOutcome;
  readonly madeAt: string;
}

/** Notes a comparison for good; nothing of it is ever changed. @param made `door` is the way in by which it was asked for */
export const addReconciliation = verb(
  { pool: 'long', repeatable: false },
  (
    database: Knex,
    batchId: string,
    made: Pick<ReconciliationRecord, 'compared' | 'result' | 'madeBy' | 'outcome'> & {
      readonly door: string;
    },
  ): Promise<void> => {
    return database.transaction(async (transaction) => {
      await nameActor(transaction, { name: made.madeBy, door: made.door });
      await execute(
        transaction,
        `INSERT INTO reconciliations (batch_id, compared, result, made_by, outcome)
         VALUES (?, ?::jsonb, ?::jsonb, ?, ?)`,
        [batchId, JSON.stringify(made.compared), JSON.stringify(made.result), made.madeBy, made.outcome],
      );
    });
  },
);

/** The comparisons of a batch, oldest first. */
export const listReconciliations = verb(
  { pool: 'long', repeatable: false },
  (database: Database, batchId: string): Promise<ReconciliationRecord[]> => {
    return query<ReconciliationRecord>(
      database,
      { compared: json(), result: json(), madeBy: text, outcome: word(), madeAt: text },
      `SELECT compared, result, made_by AS "madeBy", outcome, ${isoUtc('made_at')} AS "madeAt"
       FROM reconciliations WHERE batch_id = ? ORDER BY id`,
      [batchId],
    );
  },
);
