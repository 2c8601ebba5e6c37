/* Which ledger this is, whether its policy was lost, and which API keys and addresses it knows. */

import type { Mode } from '../../domain/batches/batch.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import {
  bool,
  type Database,
  execute,
  longVerb,
  onlyRow,
  onlyValue,
  orNull,
  shortVerb,
  shortVerbOnce,
  texts,
  uuid,
  word,
} from '../query/sql.ts';

/** The name of this ledger among all ledgers; the first call gives it. */
export const nameLedger = shortVerb(
  (database: Database): Promise<string> => onlyValue(database, uuid, 'SELECT name_of_ledger() AS id', []),
);

/** Whether live batches were recovered into this ledger, no policy is in force, and no person has waived it since. */
export const isPolicyLost = shortVerb(
  (database: Database): Promise<boolean> =>
    onlyValue(database, bool, 'SELECT is_policy_lost() AS "isLost"', []),
);

/** Records that a person lets live rows leave without the policy that may have been lost. */
export const waivePolicy = shortVerbOnce(
  (database: Database, { note, by }: { readonly note: string; readonly by: ActorOfEvent }): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      await execute(transaction, 'INSERT INTO policy_waivers (note, waived_by) VALUES (?, ?)', [
        note,
        by.name,
      ]);
    }),
);

/* What the ledger knows of API keys: in which mode and where each was accepted, and which addresses are live. */

/** Where and how an API key was used with this ledger. */
export const readKeyUses = longVerb((database: Database, fingerprint: string) =>
  onlyRow(
    database,
    {
      /** The mode in which it was accepted first, or in which it belongs as a person found; null where it never was. */
      mode: orNull(word<Mode>()),
      /** The origins where it was accepted in that mode. */
      origins: texts,
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
export const findLiveOrigins = longVerb(
  (database: Database): Promise<readonly string[]> =>
    onlyValue(
      database,
      texts,
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
export const noteCredential = longVerb(
  async (
    database: Database,
    fingerprint: string,
    { batchId, isCompared }: { readonly batchId: string; readonly isCompared: boolean },
  ): Promise<void> => {
    await execute(database, 'SELECT note_credential(?, ?, ?)', [batchId, fingerprint, isCompared]);
  },
);
