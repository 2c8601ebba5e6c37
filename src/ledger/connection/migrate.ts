/* Updates a ledger's schema, and grants the rights of its roles. */

import { readFileSync } from 'node:fs';
import { migrationSource } from '../../../migrations/index.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { LedgerRole } from '../../domain/machine/checks.ts';
import { say } from '../../domain/settings/message.ts';
import * as sql from '../query/sql.ts';
import { mayBeAlive } from './folder-lock.ts';
import type { Ledger } from './open.ts';

const migrationConfig = { migrationSource, tableName: 'paybatch_migrations' };

/** Any number is suitable if no other program on the same database uses it. */
const migrationLock = 7_092_318_114;

/**
 * Updates the schema. If several processes migrate at once, one of them does the work and the others wait. The lock belongs
 * to the database session, so a killed migration leaves no lock behind, unlike Knex's own lock table.
 * @returns the names of the migrations that were applied by this call
 */
export async function migrate(ledger: Ledger): Promise<string[]> {
  if (ledger.isEmbedded) return applyMigrations(ledger);
  return ledger.database.transaction(async (lock) => {
    // This session only waits while another process migrates.
    await sql.execute(lock, 'SET LOCAL idle_in_transaction_session_timeout = 0');
    await sql.execute(lock, 'SELECT pg_advisory_xact_lock(?)', [migrationLock]);
    return applyMigrations(ledger);
  });
}

async function applyMigrations(ledger: Ledger): Promise<string[]> {
  const migrations = ledger.database.migrate;
  const { done, pending } = await compareSchema(ledger);
  if (pending.length === 0) return [];
  if (done.length === 0) await requireEncoding(ledger.database);
  await requireNoRun(ledger.database);
  await migrations.forceFreeMigrationsLock(migrationConfig);
  const [, applied]: [number, string[]] = await migrations.latest(migrationConfig);
  return applied;
}

/**
 * In an encoding that lacks a character, a later row with that character would be refused. A database without an encoding
 * stores all bytes.
 */
const encodings = ['UTF8', 'SQL_ASCII'];

/** @throws PaybatchError (`database_encoding`) if the database could not store every name */
async function requireEncoding(database: sql.Database): Promise<void> {
  const encoding = await sql.onlyValue(database, sql.text, `SELECT current_setting('server_encoding')`);
  if (encodings.includes(encoding)) return;
  throw new PaybatchError(
    'database_encoding',
    say`The database of ${{ setting: 'databaseUrl' }} has the encoding ${encoding}, which has no place for some characters.`,
    say`make another one with CREATE DATABASE ... TEMPLATE template0 ENCODING 'UTF8', and name it in ${{ setting: 'databaseUrl' }}`,
  );
}

/**
 * A run of an earlier version would continue with the schema that it knows, and fail in the middle of its work.
 * @throws PaybatchError (`busy`) while a run sends heartbeats
 */
async function requireNoRun(database: sql.Database): Promise<void> {
  if (!(await isTableThere(database, 'runs'))) return;
  const open = await sql.query(
    database,
    { command: sql.text, host: sql.text, process: sql.text },
    `SELECT command, owner_host AS host, owner_process AS process FROM runs
     WHERE ended_at IS NULL AND lease_until > now()`,
  );
  const run = open.find(mayBeAlive);
  if (run === undefined) return;
  throw new PaybatchError(
    'run_under_way',
    `A run is under way (${run.command} on ${run.host}), and would fail when the schema changes under it.`,
    {
      action: 'advice',
      text: 'stop it, or wait for its end; one that was killed is over within a minute',
      next: { action: 'migrate' },
    },
  );
}

/**
 * The embedded ledger is migrated without confirmation. A shared database also belongs to other people, so a person decides
 * about changing its schema.
 * @throws PaybatchError (`usage`) if the server's schema is not up to date
 */
export async function requireSchema(ledger: Ledger): Promise<void> {
  if (ledger.isEmbedded) {
    await migrate(ledger);
    return;
  }
  const { done, pending } = await compareSchema(ledger);
  if (pending.length === 0) return;
  throw new PaybatchError(
    'database_not_migrated',
    done.length === 0
      ? say`The database of ${{ setting: 'databaseUrl' }} has no paybatch schema yet.`
      : say`The database of ${{ setting: 'databaseUrl' }} lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} of this version.`,
    { action: 'migrate' },
  );
}

/**
 * Which migrations the database has, and which ones it lacks. It only reads, whereas Knex's own query would create its
 * tables.
 * @throws PaybatchError (`usage`) if the schema is of a newer version than this program, or of a version before the first
 * release
 */
async function compareSchema({
  database,
  isEmbedded,
}: Ledger): Promise<{ done: string[]; pending: string[] }> {
  const known = (await migrationSource.getMigrations([])).map((migration) => migration.name);
  const done = await appliedMigrations(database);
  if (done.every((name) => known.includes(name))) {
    return { done, pending: known.filter((name) => !done.includes(name)) };
  }
  if (done.some((name) => known.includes(name))) {
    throw new PaybatchError(
      'database_is_newer',
      'The ledger was migrated by a newer version of paybatch.',
      'update paybatch on this machine',
    );
  }
  throw new PaybatchError(
    'database_is_older',
    'The ledger was made by a version of paybatch before the first release, whose schema this version cannot read.',
    isEmbedded
      ? {
          action: 'advice',
          text: 'finish its batches with that version',
          next: { action: 'set', purpose: 'choose another folder', oneOf: [{ setting: 'ledgerDir' }] },
        }
      : say`finish its batches with that version, then name an empty database in ${{ setting: 'databaseUrl' }}`,
  );
}

function isTableThere(database: sql.Database, name: string): Promise<boolean> {
  return sql.onlyValue(database, sql.bool, 'SELECT to_regclass(?) IS NOT NULL', [name]);
}

async function appliedMigrations(database: sql.Database): Promise<string[]> {
  if (!(await isTableThere(database, migrationConfig.tableName))) return [];
  return sql.valuesOf(
    database,
    sql.text,
    `SELECT name::text AS name FROM ${migrationConfig.tableName} ORDER BY id`,
  );
}

/*
 * The roles of a ledger on a server: what a worker, an approver and a console may do in the database, with any program. The
 * owner of the tables may do everything.
 */

/** Group roles without a login. A login becomes a member of them. */
const roleNames: Readonly<Record<LedgerRole, string>> = {
  worker: 'paybatch_worker',
  approver: 'paybatch_approver',
  console: 'paybatch_console',
};

/** The rights of a role. */
export interface RoleRights {
  /** By table. Without named columns, the right is for all columns. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly functions: readonly string[];
}

/**
 * - Worker: what the program changes while it imports, sends and reconciles. Of a batch its identity and its maker are not
 *   among that. Users, keys, policies, approvals, measures and the trail are excluded; these are for approvers, or for triggers
 *   alone. Claims are made and never changed, and so is what was staged. Functions do what a worker may not do by itself: for
 *   rows of which nothing was sent, change and remove what was staged (`migrations/0001-schema/written-once.ts`); for a key that
 *   the API has answered, note that it was accepted (`migrations/0001-schema/identity.ts`).
 * - Approver: what approving, adding people and proposing a policy needs. Triggers decide which of it counts. The right on
 *   `batches` is for the lock of the batch that is approved; it does not allow changing a batch. Its functions take back rows
 *   that were created with a key of another mode (`migrations/0001-schema/disowned.ts`).
 * - Console: what signing in needs. Senders and approvers do not have it: with it one could sign in as any user.
 */
const rightsOf: Readonly<Record<LedgerRole, RoleRights>> = JSON.parse(
  readFileSync(new URL('./role-rights.json', import.meta.url), 'utf8'),
);

/** The columns about passwords that other users may read. */
const openOfPasswords = 'id, user_name, link_id, set_at';

/**
 * Creates the three roles, or updates their rights. This requires the owner of the tables, with the right to create roles.
 * @throws PaybatchError (`database_missing`) for the embedded ledger, which has only one user
 */
export async function grantRoles({ database, isEmbedded }: Ledger): Promise<void> {
  if (isEmbedded) {
    throw new PaybatchError(
      'database_missing',
      'The embedded ledger has no roles: a user who may write its folder may do everything.',
      { action: 'set', purpose: 'name a PostgreSQL server', oneOf: [{ setting: 'databaseUrl' }] },
    );
  }
  await database.transaction(async (transaction) => {
    const schema = await schemaOf(transaction);
    for (const [name, role] of Object.entries(roleNames)) {
      const { tables, functions } = rightsOf[name as LedgerRole];
      await makeRole(transaction, role);
      await sql.execute(transaction, `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role}`);
      await sql.execute(transaction, `REVOKE CREATE ON SCHEMA ${schema} FROM ${role}`);
      await sql.execute(transaction, `GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
      await sql.execute(transaction, `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      if (role !== roleNames.console) {
        await sql.execute(transaction, `REVOKE SELECT ON ${schema}.user_passwords FROM ${role}`);
        await sql.execute(
          transaction,
          `GRANT SELECT (${openOfPasswords}) ON ${schema}.user_passwords TO ${role}`,
        );
      }
      for (const [table, each] of Object.entries(tables)) {
        await sql.execute(transaction, `GRANT ${each.join(', ')} ON ${schema}.${table} TO ${role}`);
      }
      for (const each of functions) {
        await sql.execute(transaction, `REVOKE EXECUTE ON FUNCTION ${schema}.${each} FROM PUBLIC`);
        await sql.execute(transaction, `GRANT EXECUTE ON FUNCTION ${schema}.${each} TO ${role}`);
      }
    }
    await grantDatabase(transaction);
    // A function or operator that another user creates in this schema could replace one of PostgreSQL's own.
    await sql.execute(transaction, `REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC`);
  });
}

function schemaOf(database: sql.Database): Promise<string> {
  return sql.onlyValue(database, sql.text, 'SELECT quote_ident(current_schema()) AS schema');
}

/**
 * Lets the roles connect, and lets workers create temporary tables for comparing files. PUBLIC may do both unless this was
 * revoked. The owner of the tables may not own the database; then the database's owner has to grant this.
 */
async function grantDatabase(database: sql.Database): Promise<void> {
  const grants = Object.values(roleNames).map(
    (role) =>
      `EXECUTE format('GRANT CONNECT${role === roleNames.worker ? ', TEMPORARY' : ''} ON DATABASE %I TO ${role}', current_database());`,
  );
  await sql.execute(
    database,
    `DO $$ BEGIN ${grants.join(' ')} EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
  );
}

/** Roles belong to the whole server, so another database may have created the role at the same moment. */
async function makeRole(database: sql.Database, role: string): Promise<void> {
  await sql.execute(
    database,
    `DO $$ BEGIN
       IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} NOLOGIN; END IF;
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  );
}

/** The database user of this connection, and its rights. */
export interface DatabaseRole {
  readonly user: string;
  /** Whether it has the rights of the tables' owner, and may change everything. */
  readonly isOwner: boolean;
  /** The roles whose rights it has. */
  readonly roles: readonly LedgerRole[];
  readonly hasPolicy: boolean;
  /** Whether there are fewer active approvers than the policy in force requires. */
  readonly lacksApprovers: boolean;
}

export const readDatabaseRole = sql.shortVerb(async (database: sql.Database): Promise<DatabaseRole> => {
  const roles = Object.entries(roleNames);
  const found = await sql.onlyRow(
    database,
    {
      user: sql.text,
      isOwner: sql.bool,
      members: sql.texts,
      hasPolicy: sql.bool,
      lacksApprovers: sql.bool,
    },
    `SELECT current_user::text AS "user",
         pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'batches'::regclass), 'USAGE') AS "isOwner",
         ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname = ANY(?::text[]) AND pg_has_role(oid, 'USAGE')) AS members,
         policy_in_force() IS NOT NULL AS "hasPolicy", able_approvers() < approvers_of_controls() AS "lacksApprovers"`,
    [roles.map(([, name]) => name)],
  );
  const { members, ...known } = found;
  return {
    ...known,
    roles: roles.flatMap(([role, name]) => (members.includes(name) ? [role as LedgerRole] : [])),
  };
});
