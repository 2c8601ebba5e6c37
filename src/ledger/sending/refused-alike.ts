/* Stops a batch whose rows are all refused for one reason, until a person decides that it continues. */

import type { Knex } from 'knex';
import { reasonOfRefusal } from '../../domain/sending/answer.ts';
import type { RefusedAlike } from '../../domain/sending/stops.ts';
import { changeBatch, changeRows } from '../protocol/batch-lock.ts';
import * as sql from '../query/sql.ts';

/**
 * The result of checking a batch's refusals: the reason why no fresh row is sent any more; or `some_created`, since no stop
 * can occur once a row was created.
 */
type RefusalVerdict = RefusedAlike | 'some_created' | null;

/** The maximum number of reasons to read. If every row has its own reason, only the most frequent reasons matter. */
const mostReasons = 1_000;

/**
 * Stops a batch of which no row was created, once this many rows were refused for one reason. Then claims return no fresh
 * rows of the batch, in any run. The rows are counted by their present states, so the result is the same for all runs
 * together, and repeating the call changes nothing.
 * @param limit null only queries whether the batch was stopped
 */
export const stopIfRefusedAlike = sql.shortVerb(
  async (database: Knex, batchId: string, limit: number | null): Promise<RefusalVerdict> => {
    const known = await findRefusedAlike(database, batchId);
    if (limit === null || known !== null) return known;
    const { verdict } = await changeBatch(
      database,
      batchId,
      (transaction) => judge(transaction, batchId, limit),
      ({ isNew }) => isNew,
    );
    return verdict;
  },
);

/** The reason why no fresh row of a batch is sent any more; null if fresh rows may be sent. */
export const findRefusedAlike = sql.shortVerb(
  (database: sql.Database, batchId: string): Promise<RefusedAlike | null> =>
    sql.valueOr(
      null,
      database,
      sql.orNull(sql.json<RefusedAlike>()),
      'SELECT refused_alike AS refused FROM batches WHERE id = ?',
      [batchId],
    ),
);

/** Records a person's decision that a batch continues, whatever is refused later. @returns 1 if it is new, else 0 */
export const continueRefused = sql.shortVerb(
  (database: Knex, batchId: string): Promise<number> =>
    changeRows(
      database,
      batchId,
      'UPDATE batches SET refused_alike = NULL, goes_on_refused = true WHERE id = ? AND NOT goes_on_refused',
      [batchId],
    ),
);

async function judge(
  transaction: sql.Database,
  batchId: string,
  limit: number,
): Promise<{ readonly verdict: RefusalVerdict; readonly isNew: boolean }> {
  const [batch] = await sql.query(
    transaction,
    { refused: sql.orNull(sql.json<RefusedAlike>()), goesOn: sql.bool, hasCreated: sql.bool },
    `SELECT refused_alike AS refused, goes_on_refused AS "goesOn",
       EXISTS (SELECT FROM created_objects WHERE batch_id = b.id) AS "hasCreated"
     FROM batches b WHERE id = ?`,
    [batchId],
  );
  if (batch === undefined || batch.goesOn) return { verdict: null, isNew: false };
  if (batch.refused !== null) return { verdict: batch.refused, isNew: false };
  if (batch.hasCreated) return { verdict: 'some_created', isNew: false };
  const most = await mostFrequentReason(transaction, batchId);
  if (most === null || most.rows < limit) return { verdict: null, isNew: false };
  await sql.execute(transaction, 'UPDATE batches SET refused_alike = ? WHERE id = ?', [
    JSON.stringify(most),
    batchId,
  ]);
  return { verdict: most, isNew: true };
}

async function mostFrequentReason(transaction: sql.Database, batchId: string): Promise<RefusedAlike | null> {
  const groups = await sql.query(
    transaction,
    { code: sql.orNull(sql.text), message: sql.orNull(sql.text), rows: sql.int4 },
    `SELECT code, message, count(*)::int AS rows FROM row_states
     WHERE batch_id = ? AND state = 'rejected' AND code IS DISTINCT FROM 'superseded'
     GROUP BY code, message ORDER BY rows DESC, code, message LIMIT ?`,
    [batchId, mostReasons],
  );
  const reasons = new Map<string, RefusedAlike>();
  for (const { code, message, rows } of groups) {
    const reason = reasonOfRefusal(code, message);
    const known = reasons.get(reason) ?? { code: code ?? 'refused', message, rows: 0 };
    reasons.set(reason, { ...known, rows: known.rows + rows });
  }
  return [...reasons.values()].reduce<RefusedAlike | null>(
    (most, one) => (most === null || one.rows > most.rows ? one : most),
    null,
  );
}
