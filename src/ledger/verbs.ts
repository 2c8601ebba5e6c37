import type { Knex } from 'knex';
import * as evidence from './after-sending/evidence.ts';
import * as restore from './after-sending/restore.ts';
import * as results from './after-sending/results.ts';
import * as rowHistory from './after-sending/row-history.ts';
import * as verdicts from './after-sending/verdicts.ts';
import * as batches from './batches/batches.ts';
import * as institutionLists from './batches/institution-lists.ts';
import * as orphans from './batches/orphans.ts';
import * as readings from './batches/readings.ts';
import * as reconciliations from './batches/reconciliations.ts';
import * as runLogs from './batches/run-logs.ts';
import * as runs from './batches/runs.ts';
import * as corrections from './before-sending/corrections.ts';
import * as lookups from './before-sending/look-ups.ts';
import * as plans from './before-sending/plans.ts';
import * as prepare from './before-sending/prepare.ts';
import * as recheck from './before-sending/recheck.ts';
import * as stage from './before-sending/stage.ts';
import { createTransientRetry, readWithRetry, whileItAnswers } from './connection/database-failure.ts';
import * as serverSettings from './connection/server-settings.ts';
import { readRevision } from './protocol/batch-lock.ts';
import { findCreators } from './protocol/created-objects.ts';
import { keepLoggedCreations, listUnrecordedCreations } from './protocol/unrecorded-creations.ts';
import { query } from './query/sql.ts';
import * as claim from './sending/claim.ts';
import * as lostFacts from './sending/lost-facts.ts';
import * as record from './sending/record.ts';
import * as refusedAlike from './sending/refused-alike.ts';

const verbs = {
  ...batches,
  ...claim,
  ...corrections,
  findCreators,
  ...evidence,
  ...institutionLists,
  ...lookups,
  ...lostFacts,
  ...orphans,
  ...plans,
  ...prepare,
  ...readings,
  ...recheck,
  ...reconciliations,
  ...record,
  ...refusedAlike,
  ...restore,
  ...results,
  ...rowHistory,
  ...runLogs,
  ...runs,
  ...serverSettings,
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
  'listAccountHandles',
  'findKeyOwners',
  'findRivals',
  'hasAnsweredBefore',
  'findCredentialMode',
  'noteCredential',
  'hasMovableRows',
  'hasRowsOfOtherRuns',
  'listMissingResponses',
  'countMissingResponses',
  'listUnrecordedCreations',
  'readRowsInDoubt',
  'readUnanswered',
  'readRevision',
  'countStatuses',
  'readInstitutionNames',
  'readKeptAnswers',
  'sumAmounts',
  'sumRead',
  'findOriginalBatch',
  'findContentReadings',
  'readPinnedInstitutionNames',
  'listRuns',
  'noteRunLog',
  'listRunLogs',
  'readLedgerId',
  'findUnknownBatches',
  'countUnknownClaims',
  'countUnknownAnswers',
  'listUnloggedRuns',
  'noteLogged',
  'readDurability',
  'listRelatives',
  'markOrigins',
  'supersedeCorrected',
  'releaseCorrections',
  'readSupersessions',
  'countSuperseded',
  'takeOverExpired',
  'holdExpiredKeys',
  'explainOtherCredentials',
  'writePreparations',
  'claimRows',
  'recordConclusions',
  'stopIfRefusedAlike',
  'findRefusedAlike',
  'continueRefused',
  'recordRepeatedAnswers',
  'reserveRate',
  'giveUpBatch',
  'endRun',
  'endRunWithFiles',
]);

/**
 * The verbs that are over in moments, since they are about one group of rows or one record at most. They run on
 * connections that lose patience soon; whatever is not named here may take long.
 */
const shortStatements: ReadonlySet<string> = new Set<keyof Verbs>([
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
  'findOriginalBatch',
  'readPinnedInstitutionNames',
  'claimRows',
  'recordConclusions',
  'stopIfRefusedAlike',
  'findRefusedAlike',
  'continueRefused',
  'recordRepeatedAnswers',
  'reserveRate',
  'prolongRun',
  'listRuns',
  'noteRunLog',
  'listRunLogs',
  'readLedgerId',
  'findUnknownBatches',
  'countUnknownClaims',
  'countUnknownAnswers',
  'listUnloggedRuns',
  'noteLogged',
  'endRun',
  'endRunWithFiles',
  'readDurability',
  'readServerVersion',
  'databaseTime',
]);

/**
 * @param patienceInMs how long a repeatable verb waits for a database that is away; 15 s unless stated
 * @param shortStatementDatabase the same database for the shortStatements verbs; without it every verb runs on `database`
 */
export function bindVerbs(
  database: Knex,
  patienceInMs?: number,
  shortStatementDatabase = database,
): LedgerVerbs {
  const patience = createTransientRetry(patienceInMs);
  const bound = Object.entries(verbs).map(([name, verb]) => {
    const chosen = shortStatements.has(name) ? shortStatementDatabase : database;
    const once = (...rest: unknown[]): unknown => (verb as (...all: unknown[]) => unknown)(chosen, ...rest);
    const call =
      chosen === shortStatementDatabase
        ? once
        : (...rest: unknown[]) => watched(once(...rest), shortStatementDatabase);
    return [name, repeatable.has(name) ? (...rest: unknown[]) => patience(async () => call(...rest)) : call];
  });
  return {
    ...(Object.fromEntries(bound) as LedgerVerbs),
    readResultRows: (batchId, referenceField, fromAfter) =>
      readWithRetry(
        patience,
        (afterRow) => results.readResultRows(shortStatementDatabase, batchId, referenceField, afterRow),
        fromAfter,
      ),
  };
}

/**
 * The silence of a statement that may take long says nothing. So the database is asked on another connection
 * whether it is there at all.
 */
function watched(work: unknown, shortStatementDatabase: Knex): unknown {
  return work instanceof Promise
    ? whileItAnswers(work, () => query(shortStatementDatabase, 'SELECT 1'))
    : work;
}
