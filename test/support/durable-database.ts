import pg from 'pg';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { startPrivateServer } from './ledger.ts';
import type { PostgresServer } from './postgres-server.ts';

const template = 'durable_template';

let server: Promise<PostgresServer> | undefined;
let databases = 0;

/**
 * Makes a migrated, empty database on a server that survives a power cut, as live runs demand; the tests'
 * common server does not, which makes it faster. The server ends with the process that it was started by.
 * @returns its address
 */
export async function createDurableDatabase(): Promise<string> {
  server ??= startDurableServer();
  const { urlOf } = await server;
  databases += 1;
  const name = `durable_${databases}`;
  await administer(urlOf('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return urlOf(name);
}

async function startDurableServer(): Promise<PostgresServer> {
  const started = await startPrivateServer({ fsync: 'on', full_page_writes: 'on' });
  await administer(started.urlOf('postgres'), `CREATE DATABASE ${template}`);
  const ledger = openServerLedger(started.urlOf(template));
  await migrate(ledger);
  await ledger.close();
  return started;
}

/** Runs one statement on a database, as its superuser. */
export async function administer(databaseUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
