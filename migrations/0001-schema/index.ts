import type { Knex } from 'knex';
import { approvals } from './approvals.ts';
import { audit } from './audit.ts';
import { batches } from './batches.ts';
import { consoleAccess } from './console.ts';
import { controls } from './controls.ts';
import { decisions } from './decisions.ts';
import { disowned } from './disowned.ts';
import { guards } from './guards.ts';
import { halts } from './halts.ts';
import { identity } from './identity.ts';
import { payees } from './payees.ts';
import { rows } from './rows.ts';
import { sending } from './sending.ts';
import { thresholds } from './thresholds.ts';
import { writtenOnce } from './written-once.ts';

/*
 * The ledger, in the order in which one explains it, which is also that of dependence. Until the first release this schema is
 * edited; from then on it is frozen, and what changes it is another migration.
 */

const parts = [
  guards,
  batches,
  rows,
  controls,
  sending,
  decisions,
  payees,
  writtenOnce,
  consoleAccess,
  thresholds,
  approvals,
  halts,
  disowned,
  identity,
  audit,
].join('\n');

/** The functions of some SQL, by name. */
function functionsOf(sql: string): string[] {
  return [...sql.matchAll(/CREATE FUNCTION (\w+)\(/g)].map(([, name = '']) => name);
}

/**
 * What says whether something is allowed, or writes the trail. Functions of other parts, which are called for each row or have
 * to be a part of the query that calls them, go by the search path of the session.
 */
const decidingFunctions = [
  controls,
  writtenOnce,
  consoleAccess,
  thresholds,
  approvals,
  halts,
  disowned,
  identity,
  decisions,
  audit,
].flatMap(functionsOf);

const pinned = `
  -- These functions find the ledger's own tables, whatever temporary tables or search path a session has.
  DO $$
  DECLARE own regprocedure;
  BEGIN
    FOR own IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f' AND p.proname = ANY('{${decidingFunctions.join(',')}}') LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
    END LOOP;
  END $$;
`;

/** All that this migration does; a change of it makes it another migration, see `migrations/index.ts`. */
export const sql = [parts, pinned].join('\n');

export async function up(knex: Knex): Promise<void> {
  await knex.raw(sql);
}

/** Removes the ledger, with all that it knows. */
export async function down(knex: Knex): Promise<void> {
  const tables = [...sql.matchAll(/CREATE TABLE (\w+) \(/g)].map(([, name]) => name);
  await knex.raw(`
    DROP TABLE ${tables.join(', ')} CASCADE;
    DROP FUNCTION IF EXISTS ${functionsOf(sql).join(', ')} CASCADE;
  `);
}
