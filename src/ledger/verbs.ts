/* All verbs of the ledger, and how they are called: on which connections, and how often while the database is away. */

import type { Knex } from 'knex';
import * as drafts from './after-sending/drafts.ts';
import * as evidence from './after-sending/evidence.ts';
import { countStatuses, keepRowTotals, readFacts } from './after-sending/facts.ts';
import * as restore from './after-sending/restore.ts';
import * as results from './after-sending/results.ts';
import * as rowHistory from './after-sending/row-history.ts';
import * as rowSearch from './after-sending/row-search.ts';
import * as search from './after-sending/search.ts';
import * as verdicts from './after-sending/verdicts.ts';
import { readOpenWork } from './after-sending/worklist.ts';
import * as events from './audit/events.ts';
import { compareWithTrail } from './audit/records.ts';
import * as signatures from './audit/signatures.ts';
import * as batches from './batches/batches.ts';
import * as closing from './batches/closing.ts';

import * as failedRuns from './batches/failed-runs.ts';
import * as institutionLists from './batches/institution-lists.ts';
import * as orphans from './batches/orphans.ts';
import * as readings from './batches/readings.ts';
import * as reconciliations from './batches/reconciliations.ts';
import * as runLogs from './batches/run-logs.ts';
import * as runs from './batches/runs.ts';
import * as series from './batches/series.ts';
import * as approvals from './before-sending/approvals.ts';
import * as corrections from './before-sending/corrections.ts';
import * as lookups from './before-sending/look-ups.ts';
import * as payeeChanges from './before-sending/payee-changes.ts';
import * as payees from './before-sending/payees.ts';
import * as plans from './before-sending/plans.ts';
import * as prepare from './before-sending/prepare.ts';
import * as recheck from './before-sending/recheck.ts';
import * as stage from './before-sending/stage.ts';
import * as roles from './connection/roles.ts';
import * as serverSettings from './connection/server-settings.ts';
import { createTransientRetry, readWithRetry, whileItAnswers } from './connection/transient-retry.ts';
import * as controls from './controls/controls.ts';
import * as passwords from './controls/passwords.ts';
import * as sessions from './controls/sessions.ts';
import * as users from './controls/users.ts';
import { readRevision } from './protocol/batch-lock.ts';
import { findCreators } from './protocol/created-objects.ts';
import { keepLoggedCreations, listLateCreations } from './protocol/late-creations.ts';
import { execute } from './query/sql.ts';
import type { Verb } from './query/verb.ts';
import * as claim from './sending/claim.ts';
import * as lostFacts from './sending/lost-facts.ts';
import * as record from './sending/record.ts';
import * as refusedAlike from './sending/refused-alike.ts';

const exported = {
  ...approvals,
  ...batches,
  compareWithTrail,
  ...events,
  ...signatures,
  ...claim,
  ...controls,
  ...closing,
  countStatuses,
  ...drafts,
  ...corrections,
  findCreators,
  ...evidence,
  ...failedRuns,
  ...institutionLists,
  ...lookups,
  ...lostFacts,
  ...orphans,
  ...payeeChanges,
  ...passwords,
  ...payees,
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
  ...rowSearch,
  ...runLogs,
  ...roles,
  ...runs,
  ...search,
  ...series,
  ...serverSettings,
  ...sessions,
  ...stage,
  ...users,
  keepLoggedCreations,
  listLateCreations,
  keepRowTotals,
  readOpenWork,
  readRevision,
  readFacts,
  ...verdicts,
};

type Exported = typeof exported;
type VerbName = { [Name in keyof Exported]: Exported[Name] extends Verb ? Name : never }[keyof Exported];

/** What these files export besides verbs is for the ledger's own use. */
function isVerb(value: unknown): value is Verb {
  return typeof value === 'function' && 'policy' in value;
}

/** Every verb of the ledger by its name. */
export const verbs: Readonly<Record<string, Verb>> = Object.fromEntries(
  Object.entries(exported).flatMap(([name, value]) => (isVerb(value) ? [[name, value]] : [])),
);

/** A verb without its first argument, the database. */
type Bound<Declared> = Declared extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Every verb of the ledger, bound to one database: what the pipeline works with through its port. */
export type LedgerVerbs = { readonly [Name in VerbName]: Bound<Exported[Name]> };

/**
 * @param patienceInMs how long a repeatable verb waits for a database that is away; 15 s unless stated
 * @param shortStatements the same database for verbs of the pool `short`; without it every verb runs on `database`
 * @param isReadOnly whether the database takes no writes: what only saves work is left out then
 */
export function bindVerbs(
  database: Knex,
  patienceInMs?: number,
  shortStatements = database,
  isReadOnly = false,
): LedgerVerbs {
  return bindEach(verbs, database, patienceInMs, shortStatements, isReadOnly) as LedgerVerbs;
}

/** Binds each of these verbs as its policy says. */
export function bindEach(
  declared: Readonly<Record<string, Verb>>,
  database: Knex,
  patienceInMs?: number,
  shortStatements = database,
  isReadOnly = false,
): Readonly<Record<string, Call>> {
  const patience = createTransientRetry(patienceInMs);
  const bind = (act: Verb): Call => {
    const { pool, repeatable, savesWorkOnly = false } = act.policy;
    if (isReadOnly && savesWorkOnly) return async () => {};
    const chosen = pool === 'short' ? shortStatements : database;
    const once: Call = (...rest) => (act as (...all: never[]) => unknown as Call)(chosen, ...rest);
    if (typeof repeatable === 'object') {
      const at = repeatable.fromRow - 1;
      return (...rest) => {
        const pagesAfter = (row: number) => once(...Object.assign([...rest], { [at]: row })) as PagesOfRows;
        return readWithRetry(patience, pagesAfter, rest[at] as number | undefined);
      };
    }
    const call: Call =
      chosen === shortStatements ? once : (...rest) => watched(once(...rest), shortStatements);
    return repeatable ? (...rest) => patience(async () => call(...rest)) : call;
  };
  return Object.fromEntries(Object.entries(declared).map(([name, act]) => [name, bind(act)]));
}

type Call = (...all: unknown[]) => unknown;
type PagesOfRows = AsyncGenerator<readonly { readonly row: number }[]>;

/**
 * The silence of a statement that may take long says nothing. So the database is asked on another connection
 * whether it is there at all.
 */
function watched(work: unknown, shortStatements: Knex): unknown {
  return work instanceof Promise ? whileItAnswers(work, () => execute(shortStatements, 'SELECT 1')) : work;
}
