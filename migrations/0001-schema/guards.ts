/* What tables of every part are guarded with: tables that only grow, and the lock of a batch. */

export const guards = `
  -- For triggers of tables that only grow: what has happened, or was decided, is never changed afterwards.
  CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;

  -- Takes the lock of a batch until the end of the transaction, and gives its revision; null when there is no such batch.
  -- Of changes of one batch each sees what those before it have committed.
  CREATE FUNCTION lock_batch(batch uuid) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE found bigint;
  BEGIN
    SELECT revision INTO found FROM batches WHERE id = batch FOR NO KEY UPDATE;
    PERFORM set_config('paybatch.locked_batch', coalesce(batch::text, ''), true);
    RETURN found;
  END $$;

  -- Called for a row whose batch is not the one that this transaction has locked; the WHEN of its triggers finds these rows
  -- without a call.
  CREATE FUNCTION refuse_without_lock() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is changed only under the lock of its batch', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
`;

/**
 * SQL of triggers that refuse to change a row of `table` in a transaction that does not hold the lock of that row's
 * batch. They come after the change: before it, PostgreSQL would lock each row once more.
 */
export function changedUnderLock(table: string): string {
  const isOfAnother = (row: string): string =>
    `${row}.batch_id::text IS DISTINCT FROM current_setting('paybatch.locked_batch', true)`;
  return `
  -- Two programs that work on one batch at the same moment never decide about its rows side by side.
  CREATE TRIGGER under_the_lock AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW
    WHEN (${isOfAnother('NEW')}) EXECUTE FUNCTION refuse_without_lock();
  CREATE TRIGGER removed_under_the_lock AFTER DELETE ON ${table} FOR EACH ROW
    WHEN (${isOfAnother('OLD')}) EXECUTE FUNCTION refuse_without_lock();
`;
}
