import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { restorePolicy } from '../controls/policy-file.ts';
import { asOpeningFailure } from '../ledger/connection/database-failure.ts';
import { grantRoles, migrate } from '../ledger/connection/migrate.ts';
import { migrationLimits } from '../ledger/connection/server-pool.ts';
import { readWhetherReadOnly, requireWrites } from '../ledger/connection/server-settings.ts';
import { bindVerbs } from '../ledger/verbs.ts';

/** What else is done besides bringing the schema up to date. */
interface MigrateRequest {
  /** Whether the roles of workers and approvers are created or brought up to date. */
  readonly roles?: boolean;
  /** Path of a policy that is put into force because no approver is left. */
  readonly restorePolicy?: string | undefined;
}

/** A schema that is up to date. */
interface MigrateResult extends CallResult {
  /** Names of the migrations that were applied by this call. */
  readonly applied: readonly string[];
  readonly areRolesMade: boolean;
  /** Version of the restored policy; null where none was restored. */
  readonly restoredPolicy: number | null;
}

/**
 * Brings the ledger's schema up to date.
 * @throws PaybatchError (`database_missing`) where roles are requested for the embedded ledger; (`restore_refused`) where
 *   a policy is restored although there are approvers; (`policy_invalid`)
 */
export async function migrateLedger(app: CallContext, request: MigrateRequest): Promise<MigrateResult> {
  // The embedded ledger can be open only once, and every later call has to see the new schema.
  await app.connections.closeLedger();
  const ledger = await app.connections.openUnchecked(migrationLimits);
  const { roles: areRolesMade = false, restorePolicy: path } = request;
  try {
    if (!ledger.isEmbedded) requireWrites(await readWhetherReadOnly(ledger.database));
    const applied = await migrate(ledger);
    if (areRolesMade) await grantRoles(ledger);
    const restoredPolicy =
      path === undefined ? null : await restorePolicy(bindVerbs(ledger.database), path, app.actor);
    return { outcome: 'done', batches: [], failure: null, applied, areRolesMade, restoredPolicy };
  } catch (error) {
    throw asOpeningFailure(error);
  } finally {
    await ledger.close();
  }
}
