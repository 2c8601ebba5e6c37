import { asDatabaseFailure } from '../ledger/connection/database-failure.ts';
import { migrate } from '../ledger/connection/migrate.ts';
import { migrationLimits } from '../ledger/connection/server-pool.ts';
import type { CallContext, EmptyRequest } from './running/context.ts';
import type { CallResult } from './running/result.ts';

/** A schema that is up to date. */
interface MigrateResult extends CallResult {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
}

/** Brings the ledger's schema up to date. */
export async function migrateLedger(app: CallContext, _: EmptyRequest): Promise<MigrateResult> {
  // The embedded ledger can be open only once, and every later call has to see the new schema.
  await app.connections.closeLedger();
  const ledger = await app.connections.openUnchecked(migrationLimits);
  try {
    const applied = await migrate(ledger);
    return { outcome: 'done', batches: [], failure: null, applied };
  } catch (error) {
    throw asDatabaseFailure(error);
  } finally {
    await ledger.close();
  }
}
