import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import * as ledger from './0001-ledger.ts';
import * as payees from './0002-payees.ts';
import * as close from './0003-close.ts';
import * as approvals from './0004-approvals.ts';
import * as audit from './0005-audit.ts';
import * as payeeOrder from './0006-payee-order.ts';
import * as payeeMarks from './0007-payee-marks.ts';
import * as series from './0008-series.ts';
import * as rowSearch from './0009-row-search.ts';
import * as console from './0010-console.ts';
import * as drafts from './0011-drafts.ts';
import * as consoleApprovals from './0012-console-approvals.ts';
import * as payeeLookUps from './0013-payee-look-ups.ts';
import * as worklist from './0014-worklist.ts';
import * as search from './0015-search.ts';
import * as logHeads from './0016-log-heads.ts';
import * as lineEnds from './0017-line-ends.ts';
import * as failedRuns from './0021-failed-runs.ts';
import * as exportMappings from './0022-export-mappings.ts';

/** Every migration, oldest first, under the name that a database remembers it by. */
const migrations: readonly (Knex.Migration & { readonly name: string })[] = [
  { ...ledger, name: nameOf('0001-ledger', ledger.sql) },
  { ...payees, name: nameOf('0002-payees', payees.sql) },
  { ...close, name: nameOf('0003-close', close.sql) },
  { ...approvals, name: nameOf('0004-approvals', approvals.sql) },
  { ...audit, name: nameOf('0005-audit', audit.sql) },
  { ...payeeOrder, name: nameOf('0006-payee-order', payeeOrder.sql) },
  { ...payeeMarks, name: nameOf('0007-payee-marks', payeeMarks.sql) },
  { ...series, name: nameOf('0008-series', series.sql) },
  { ...rowSearch, name: nameOf('0009-row-search', rowSearch.sql) },
  { ...console, name: nameOf('0010-console', console.sql) },
  { ...drafts, name: nameOf('0011-drafts', drafts.sql) },
  { ...consoleApprovals, name: nameOf('0012-console-approvals', consoleApprovals.sql) },
  { ...payeeLookUps, name: nameOf('0013-payee-look-ups', payeeLookUps.sql) },
  { ...worklist, name: nameOf('0014-worklist', worklist.sql) },
  { ...search, name: nameOf('0015-search', search.sql) },
  { ...logHeads, name: nameOf('0016-log-heads', logHeads.sql) },
  { ...lineEnds, name: nameOf('0017-line-ends', lineEnds.sql) },
  { ...failedRuns, name: nameOf('0021-failed-runs', failedRuns.sql) },
  { ...exportMappings, name: nameOf('0022-export-mappings', exportMappings.sql) },
];

/**
 * A name says what the migration does: a ledger that was made by an earlier form of it is not taken for one of this
 * version. After the first release no migration changes any more, and so no name does.
 */
function nameOf(title: string, sql: string): string {
  return `${title}-${createHash('sha256').update(sql).digest('hex').slice(0, 8)}`;
}

/**
 * Lists the migrations by static import, so that the built program, `knexfile.ts` and the tests run
 * the very same list under the same names (file names would end in `.ts` here and `.js` there).
 */
export const migrationSource: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => [...migrations],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};
