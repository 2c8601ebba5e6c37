import pg from 'pg';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { startPrivateServer } from '../support/ledger.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { clockFunctions } from './fast-time.ts';

/** A PostgreSQL server whose databases live in the tests' fast time, and whose commits can be stalled. */
export interface WorldServer {
  readonly server: PostgresServer;
  /** Makes a migrated, empty database. @returns its address */
  readonly createDatabase: () => Promise<string>;
  readonly dispose: () => Promise<void>;
}

const template = 'world_template';

export async function startWorldServer(): Promise<WorldServer> {
  const server = await startPrivateServer({
    max_connections: '300',
    // Only a commit that asks for it waits for the missing replica (see fault-proxy.ts).
    synchronous_standby_names: 'absent',
    synchronous_commit: 'local',
    deadlock_timeout: '50ms',
  });
  const admin = server.urlOf('postgres');
  await runOnce(admin, `CREATE DATABASE ${template}`);
  await runOnce(server.urlOf(template), clockFunctions);
  await useWorldClock(admin, template);
  const ledger = openServerLedger(server.urlOf(template));
  await migrate(ledger);
  await ledger.close();
  let databases = 0;
  return {
    server,
    createDatabase: async () => {
      databases += 1;
      const name = `world_${databases}`;
      await runOnce(admin, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
      await useWorldClock(admin, name);
      return server.urlOf(name);
    },
    dispose: server.dispose,
  };
}

/** `public` before `pg_catalog`, which would come first by itself. Defaults of columns use what is found so, too. */
function useWorldClock(admin: string, database: string): Promise<void> {
  return runOnce(admin, `ALTER DATABASE ${database} SET search_path = public, pg_catalog`);
}

/** Runs SQL over a connection of its own. */
export async function runOnce(databaseUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
