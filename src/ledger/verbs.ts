import type { Knex } from 'knex';
import * as amounts from './amounts.ts';
import * as batches from './batches.ts';
import * as claim from './claim.ts';
import * as evidence from './evidence.ts';
import * as institutionLists from './institution-lists.ts';
import * as lookups from './lookups.ts';
import * as plans from './plans.ts';
import * as prepare from './prepare.ts';
import * as recheck from './recheck.ts';
import * as reconciliations from './reconciliations.ts';
import * as record from './record.ts';
import * as restore from './restore.ts';
import * as results from './results.ts';
import * as retry from './retry.ts';
import * as runs from './runs.ts';
import * as serverSettings from './server-settings.ts';
import * as sharedRate from './shared-rate.ts';
import * as stage from './stage.ts';
import * as verdicts from './verdicts.ts';

const verbs = {
  ...amounts,
  ...batches,
  ...claim,
  ...evidence,
  ...institutionLists,
  ...lookups,
  ...plans,
  ...prepare,
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
  ...verdicts,
};

type Verbs = typeof verbs;

/** A verb without its first argument, the database. */
type Bound<Verb> = Verb extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Every verb of the ledger, bound to one database: what the pipeline works with through its port. */
export type LedgerVerbs = { readonly [Name in keyof Verbs]: Bound<Verbs[Name]> };

export function bindVerbs(database: Knex): LedgerVerbs {
  const bound = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...rest: unknown[]) => (verb as (...all: unknown[]) => unknown)(database, ...rest),
  ]);
  return Object.fromEntries(bound) as LedgerVerbs;
}
