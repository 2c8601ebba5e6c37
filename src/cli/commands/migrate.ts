import { exitCodes } from '../../domain/exit-code.ts';
import { asDatabaseFailure } from '../../ledger/database-failure.ts';
import { migrate } from '../../ledger/migrate.ts';
import { migrationLimits } from '../../ledger/time-limits.ts';
import type { App } from '../app.ts';
import type { Command } from '../command.ts';
import { openUnchecked } from '../ledger-access.ts';
import type { CommandEnd } from '../outcome.ts';

export const migrateCommand: Command = {
  build: (program) => program,
  work: (app) => migrateLedger(app),
};

async function migrateLedger(app: App): Promise<CommandEnd> {
  const ledger = await openUnchecked(app.settings, app.environment, migrationLimits);
  try {
    const applied = await migrate(ledger);
    app.terminal.print(
      applied.length === 0
        ? 'The schema is up to date.'
        : `Applied: ${applied.join(', ')}. The schema is up to date.`,
    );
    return { exitCode: exitCodes.done, batches: [], failure: null };
  } catch (error) {
    throw asDatabaseFailure(error);
  } finally {
    await ledger.close();
  }
}
