/* Which ledger this is, whether its policy was lost, and which API keys and addresses it knows. */

import type { Mode } from '../../domain/batches/batch.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import * as sql from '../query/sql.ts';

/** The name of this ledger among all ledgers; the first call gives it. */
export const nameLedger = sql.shortVerb(
  (database: sql.Database): Promise<string> =>
    sql.onlyValue(database, sql.uuid, 'SELECT name_of_ledger() AS id', []),
);

/** Whether live batches were recovered into this ledger, no policy is in force, and no person has waived it since. */
export const isPolicyLost = sql.shortVerb(
  (database: sql.Database): Promise<boolean> =>
    sql.onlyValue(database, sql.bool, 'SELECT is_policy_lost() AS "isLost"', []),
);

/** Records that a person lets live rows leave without the policy that may have been lost. */
export const waivePolicy = sql.shortVerbOnce(
  (
    database: sql.Database,
    { note, by }: { readonly note: string; readonly by: ActorOfEvent },
  ): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      await sql.execute(transaction, 'INSERT INTO policy_waivers (note, waived_by) VALUES (?, ?)', [
        note,
        by.name,
      ]);
    }),
);

/* What the ledger knows of API keys: in which mode and where each was accepted, and which addresses are live. */

/** Where and how an API key was used with this ledger. */
export const readKeyUses = sql.longVerb((database: sql.Database, fingerprint: string) =>
  sql.onlyRow(
    database,
    {
      /** The mode in which it was accepted first, or in which it belongs as a person found; null where it never was. */
      mode: sql.orNull(sql.word<Mode>()),
      /** The origins where it was accepted in that mode. */
      origins: sql.texts,
    },
    `SELECT (SELECT mode FROM credentials WHERE fingerprint = ?) AS mode,
         ARRAY(SELECT e.origin FROM credential_uses u JOIN environments e ON e.id = u.environment_id
           JOIN credentials c ON c.fingerprint = u.fingerprint AND c.mode = e.mode
           WHERE u.fingerprint = ? ORDER BY e.id) AS origins`,
    [fingerprint, fingerprint],
  ),
);

/**
 * The origins that the ledger knows as live: those where anything was sent, or may be since a plan of it is open. A closed
 * batch of which nothing was sent is no evidence.
 */
export const findLiveOrigins = sql.longVerb(
  (database: sql.Database): Promise<readonly string[]> =>
    sql.onlyValue(
      database,
      sql.texts,
      `SELECT ARRAY(SELECT origin FROM environments e WHERE mode = 'live' AND (
         EXISTS (SELECT FROM created_objects WHERE environment_id = e.id)
         OR EXISTS (SELECT FROM credential_uses WHERE environment_id = e.id)
         OR EXISTS (SELECT FROM batches b WHERE b.environment_id = e.id AND b.staged_at IS NOT NULL
           AND (b.closed_at IS NULL OR EXISTS (SELECT FROM claims WHERE batch_id = b.id)
             OR EXISTS (SELECT FROM logged_claims WHERE batch_id = b.id))))) AS origins`,
    ),
);

/**
 * Records that the API accepted a key for a batch: the first mode stays, and each environment is added. Without an answer to a
 * request under the key nothing is recorded.
 * @param batchId of a batch that was sent under it
 * @param isCompared whether a person has compared its fingerprint with the dashboard's
 */
export const noteCredential = sql.longVerb(
  (
    database: sql.Database,
    fingerprint: string,
    { batchId, isCompared }: { readonly batchId: string; readonly isCompared: boolean },
  ): Promise<void> =>
    sql.run(database, 'SELECT note_credential(?, ?, ?)', [batchId, fingerprint, isCompared]),
);
