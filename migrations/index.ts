import type { Knex } from 'knex';
import * as batchesAndRows from './0001-batches-and-rows.ts';
import * as plansAndPins from './0002-plans-and-pins.ts';
import * as verdictsAndReconciliations from './0003-verdicts-and-reconciliations.ts';
import * as sharedRate from './0004-shared-rate.ts';
import * as portionsAndCreations from './0005-portions-and-creations.ts';
import * as batchLockAndChunks from './0006-batch-lock-and-chunks.ts';
import * as credentials from './0008-credentials.ts';
import * as batchReadings from './0009-batch-readings.ts';
import * as waitingForTime from './0010-waiting-for-time.ts';
import * as rowsFoundByIndex from './0011-rows-found-by-index.ts';
import * as rememberedMappings from './0014-remembered-mappings.ts';
import * as correctedRows from './0015-corrected-rows.ts';
import * as timesOfAttempts from './0016-times-of-attempts.ts';
import * as rowsWithoutLookUps from './0017-rows-without-look-ups.ts';
import * as kindsOfTheRegistry from './0019-kinds-of-the-registry.ts';
import * as rowsWithoutLookUpOfTheirBatch from './0020-rows-without-look-up-of-their-batch.ts';
import * as correctionsOwnTheirOrigin from './0021-corrections-own-their-origin.ts';
import * as runLogs from './0022-run-logs.ts';
import * as refusedAlike from './0023-refused-alike.ts';

/** Every migration, oldest first, under the name that a database remembers it by. Names never change. */
const migrations: readonly (Knex.Migration & { readonly name: string })[] = [
  { name: '0001-batches-and-rows', ...batchesAndRows },
  { name: '0002-plans-and-pins', ...plansAndPins },
  { name: '0003-verdicts-and-reconciliations', ...verdictsAndReconciliations },
  { name: '0004-shared-rate', ...sharedRate },
  { name: '0005-portions-and-creations', up: portionsAndCreations.up, down: portionsAndCreations.down },
  { name: '0006-batch-lock-and-chunks', ...batchLockAndChunks },
  { name: '0008-credentials', ...credentials },
  { name: '0009-batch-readings', ...batchReadings },
  { name: '0010-waiting-for-time', ...waitingForTime },
  { name: '0011-rows-found-by-index', ...rowsFoundByIndex },
  { name: '0014-remembered-mappings', ...rememberedMappings },
  { name: '0015-corrected-rows', ...correctedRows },
  { name: '0016-times-of-attempts', ...timesOfAttempts },
  { name: '0017-rows-without-look-ups', ...rowsWithoutLookUps },
  { name: '0019-kinds-of-the-registry', ...kindsOfTheRegistry },
  { name: '0020-rows-without-look-up-of-their-batch', ...rowsWithoutLookUpOfTheirBatch },
  { name: '0021-corrections-own-their-origin', ...correctionsOwnTheirOrigin },
  { name: '0022-run-logs', ...runLogs },
  { name: '0023-refused-alike', ...refusedAlike },
];

/**
 * Lists the migrations by static import, so that the built program, `knexfile.ts` and the tests run
 * the very same list under the same names (file names would end in `.ts` here and `.js` there).
 */
export const migrationSource: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => [...migrations],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};
