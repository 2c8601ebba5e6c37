import type { Knex } from 'knex';

/**
 * What the ledger knows of the run logs of its batches.
 *
 * - `runs.log_paths`: where a run wrote its log, or which logs a recovery has read.
 * - `runs.is_logged`: whether its log has all that the ledger has of it. Of a run that was killed it lacks the answers
 *   that were in memory, until a later run writes them.
 * - `logged_claims`, `logged_keys`: claims, runs (claim 0) and keys that only a log told of, when it was recovered. A
 *   log that names others belongs to a ledger that knows more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE runs ADD COLUMN log_paths text[] NOT NULL DEFAULT '{}',
      ADD COLUMN is_logged boolean NOT NULL DEFAULT false;
    UPDATE runs SET is_logged = true WHERE exit_code IS NOT NULL;
    CREATE TABLE logged_claims (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      -- As the log has it.
      run text NOT NULL,
      claim integer NOT NULL,
      PRIMARY KEY (batch_id, run, claim)
    );
    CREATE TABLE logged_keys (
      batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
      idempotency_key uuid NOT NULL,
      PRIMARY KEY (batch_id, idempotency_key)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE logged_claims, logged_keys;
    ALTER TABLE runs DROP COLUMN log_paths, DROP COLUMN is_logged;
  `);
}
