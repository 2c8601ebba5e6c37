import { asDatabaseFailure } from '../ledger/connection/database-failure.ts';
import { migrate } from '../ledger/connection/migrate.ts';
import { migrationLimits } from '../ledger/connection/server-pool.ts';
import { openUnchecked } from './access/ledger-access.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';

/** A schema that is up to date. */
interface MigrateResult extends CallResult {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
}

/** Brings the ledger's schema up to date. */
export async function migrateLedger(app: CallContext): Promise<MigrateResult> {
  const ledger = await openUnchecked(app.settings, app.environment, migrationLimits);
  try {
    const applied = await migrate(ledger);
    return { outcome: 'done', batches: [], failure: null, applied };
  } catch (error) {
    throw asDatabaseFailure(error);
  } finally {
    await ledger.close();
  }
}
