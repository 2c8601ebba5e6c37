/* What the ledger knows of API keys: in which mode and where each was accepted, and which addresses are live. */

import type { Mode } from '../../domain/batches/batch.ts';
import { type Database, execute, orNull, query, texts, verb, word } from '../query/sql.ts';

/** What is known of an API key. */
export interface KeyUses {
  /** The mode in which it was accepted first; null where it never was. */
  readonly mode: Mode | null;
  /** The origins where it was accepted. */
  readonly origins: readonly string[];
}

/** Where and how an API key was used with this ledger. */
export const readKeyUses = verb(
  { pool: 'long', repeatable: true },
  async (database: Database, fingerprint: string): Promise<KeyUses> => {
    const [known] = await query<KeyUses>(
      database,
      { mode: orNull(word<Mode>()), origins: texts },
      `SELECT (SELECT mode FROM credentials WHERE fingerprint = ?) AS mode,
         ARRAY(SELECT e.origin FROM credential_uses u JOIN environments e ON e.id = u.environment_id
           WHERE u.fingerprint = ? ORDER BY e.id) AS origins`,
      [fingerprint, fingerprint],
    );
    if (known === undefined) throw new Error('the ledger did not tell what it knows of a key');
    return known;
  },
);

/**
 * The origins that the ledger knows as live: those where anything was sent, or may be since a plan of it is open. A closed
 * batch of which nothing was sent is no evidence.
 */
export const findLiveOrigins = verb(
  { pool: 'long', repeatable: true },
  async (database: Database): Promise<readonly string[]> => {
    const [found] = await query(
      database,
      { origins: texts },
      `SELECT ARRAY(SELECT origin FROM environments e WHERE mode = 'live' AND (
         EXISTS (SELECT FROM created_objects WHERE environment_id = e.id)
         OR EXISTS (SELECT FROM credential_uses WHERE environment_id = e.id)
         OR EXISTS (SELECT FROM batches b WHERE b.environment_id = e.id AND b.staged_at IS NOT NULL
           AND (b.closed_at IS NULL OR EXISTS (SELECT FROM claims WHERE batch_id = b.id)
             OR EXISTS (SELECT FROM logged_claims WHERE batch_id = b.id))))) AS origins`,
    );
    return found?.origins ?? [];
  },
);

/**
 * Records that the API accepted a key for a batch: the first mode stays, and each environment is added.
 * @param batchId of a batch that was sent under it
 * @param isCompared whether a person has compared its fingerprint with the dashboard's
 */
export const noteCredential = verb(
  { pool: 'long', repeatable: true },
  async (
    database: Database,
    fingerprint: string,
    { batchId, isCompared }: { readonly batchId: string; readonly isCompared: boolean },
  ): Promise<void> => {
    await execute(
      database,
      `WITH accepted AS (
         SELECT b.import_id, e.id, e.mode FROM batches b JOIN environments e ON e.id = b.environment_id WHERE b.id = ?),
       first AS (
         INSERT INTO credentials (fingerprint, mode, first_import) SELECT ?, mode, CASE WHEN NOT ?::boolean THEN import_id END FROM accepted
         ON CONFLICT DO NOTHING)
       INSERT INTO credential_uses (fingerprint, environment_id) SELECT ?, id FROM accepted ON CONFLICT DO NOTHING`,
      [batchId, fingerprint, isCompared, fingerprint],
    );
  },
);
