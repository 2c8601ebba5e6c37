import type { Knex } from 'knex';
import * as amounts from './amounts.ts';
import { readRevision } from './batch-lock.ts';
import * as batches from './batches.ts';
import * as claim from './claim.ts';
import { findCreators } from './created-objects.ts';
import * as credentials from './credentials.ts';
import * as evidence from './evidence.ts';
import * as institutionLists from './institution-lists.ts';
import { readKeptAnswers } from './kept-answers.ts';
import * as lookups from './lookups.ts';
import { createPatience, readPatiently, whileItAnswers } from './patience.ts';
import * as plans from './plans.ts';
import * as prepare from './prepare.ts';
import * as readings from './readings.ts';
import * as recheck from './recheck.ts';
import * as reconciliations from './reconciliations.ts';
import * as record from './record.ts';
import * as restore from './restore.ts';
import * as results from './results.ts';
import * as retry from './retry.ts';
import * as runs from './runs.ts';
import * as serverSettings from './server-settings.ts';
import * as sharedRate from './shared-rate.ts';
import { query } from './sql.ts';
import * as stage from './stage.ts';
import { keepLoggedCreations, listUnrecordedCreations } from './unrecorded-creations.ts';
import * as verdicts from './verdicts.ts';

const verbs = {
  ...amounts,
  ...batches,
  ...claim,
  findCreators,
  ...credentials,
  ...evidence,
  ...institutionLists,
  readKeptAnswers,
  ...lookups,
  ...plans,
  ...prepare,
  ...readings,
  ...recheck,
  ...reconciliations,
  ...record,
  ...restore,
  ...results,
  ...retry,
  ...runs,
  ...serverSettings,
  ...sharedRate,
  ...stage,
  keepLoggedCreations,
  listUnrecordedCreations,
  readRevision,
  ...verdicts,
};

type Verbs = typeof verbs;

/** A verb without its first argument, the database. */
type Bound<Verb> = Verb extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Every verb of the ledger, bound to one database: what the pipeline works with through its port. */
export type LedgerVerbs = { readonly [Name in keyof Verbs]: Bound<Verbs[Name]> };

/**
 * The verbs that a run cannot do without and that may be repeated when the database was away, even if only
 * the reply to their COMMIT was lost: those that read, and changes whose guards find that they were made.
 * A sign of life is not among them, since the next one comes by itself.
 */
const repeatable: ReadonlySet<string> = new Set<keyof Verbs>([
  'findBatch',
  'listRowsToPrepare',
  'listRowsToRecheck',
  'findByHandles',
  'findCustomersById',
  'findKeyOwners',
  'hasAnsweredBefore',
  'findCredentialMode',
  'noteCredential',
  'hasMovableRows',
  'hasRowsOfOtherRuns',
  'listUnrecordedCreations',
  'readRevision',
  'countStatuses',
  'readKeptAnswers',
  'sumAmounts',
  'listRuns',
  'readDurability',
  'takeOverExpired',
  'holdExpiredKeys',
  'explainOtherCredentials',
  'writePreparations',
  'claimRows',
  'recordConclusions',
  'reserveRate',
  'giveUpBatch',
  'endRun',
  'endRunWithFiles',
]);

/**
 * The verbs that are over in moments, since they are about one group of rows or one record at most. They run on
 * connections that lose patience soon; whatever is not named here may take long.
 */
const brisk: ReadonlySet<string> = new Set<keyof Verbs>([
  'environmentIdOf',
  'findBatch',
  'findBatchesByPrefix',
  'stageRows',
  'listRowsToPrepare',
  'writePreparations',
  'findByHandles',
  'findCustomersById',
  'findKeyOwners',
  'hasAnsweredBefore',
  'hasRowsOfOtherRuns',
  'readKeptAnswers',
  'readRevision',
  'claimRows',
  'recordConclusions',
  'reserveRate',
  'prolongRun',
  'listRuns',
  'endRun',
  'endRunWithFiles',
  'readDurability',
  'readServerVersion',
  'databaseTime',
]);

/**
 * @param patienceInMs how long a repeatable verb waits for a database that is away; 15 s unless stated
 * @param briskDatabase the same database for the brisk verbs; without it every verb runs on `database`
 */
export function bindVerbs(database: Knex, patienceInMs?: number, briskDatabase = database): LedgerVerbs {
  const patience = createPatience(patienceInMs);
  const bound = Object.entries(verbs).map(([name, verb]) => {
    const chosen = brisk.has(name) ? briskDatabase : database;
    const once = (...rest: unknown[]): unknown => (verb as (...all: unknown[]) => unknown)(chosen, ...rest);
    const call =
      chosen === briskDatabase ? once : (...rest: unknown[]) => watched(once(...rest), briskDatabase);
    return [name, repeatable.has(name) ? (...rest: unknown[]) => patience(async () => call(...rest)) : call];
  });
  return {
    ...(Object.fromEntries(bound) as LedgerVerbs),
    readResultRows: (batchId) =>
      readPatiently(patience, (afterRow) => results.readResultRows(briskDatabase, batchId, afterRow)),
  };
}

/**
 * The silence of a statement that may take long says nothing. So the database is asked on another connection
 * whether it is there at all.
 */
function watched(work: unknown, briskDatabase: Knex): unknown {
  return work instanceof Promise ? whileItAnswers(work, () => query(briskDatabase, 'SELECT 1')) : work;
}
