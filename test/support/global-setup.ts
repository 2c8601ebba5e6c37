import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { installPostgres, quickTemporaryFolder } from './postgres-install.ts';
import { type PostgresServer, startPostgresServer, tidySettings } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for this test run; removed at its end, however it ends. */
    testFolder: string;
    /** A database on the tests' server from which others can be made and dropped. */
    adminUrl: string;
    /** The database, migrated and empty, that each test file's own is a copy of. */
    templateDatabase: string;
    /** What `CREATE DATABASE` is given to be quick, if the server knows it. */
    copyStrategy: string;
    /** The ledgers on which this project runs the tests that are the same on both; vitest.config.ts says which. */
    ledgers: ('server' | 'embedded')[];
  }
}

/**
 * Starts the PostgreSQL server that all test files share, each in databases of its own, and makes the
 * template of those. `PAYBATCH_TEST_DATABASE_URL` names a server to use instead; its user has to be
 * allowed to create databases. `PAYBATCH_TEST_TEMPLATE_DATABASE` names the template on it, where another run has made one.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const testFolder = await mkdtemp(join(quickTemporaryFolder(), 'paybatch-test-'));
  await chmod(testFolder, 0o755);
  // Whatever a test leaves behind goes with that folder.
  process.env['TMPDIR'] = testFolder;
  const given = process.env['PAYBATCH_TEST_DATABASE_URL'];
  const server = given === undefined ? await startServer(testFolder) : undefined;
  const adminUrl = given ?? server?.urlOf('postgres') ?? '';
  const madeBefore = process.env['PAYBATCH_TEST_TEMPLATE_DATABASE'];
  const templateDatabase = madeBefore ?? `paybatch_template_${process.pid}`;
  if (madeBefore === undefined) await createTemplate(adminUrl, templateDatabase);
  project.provide('testFolder', testFolder);
  project.provide('adminUrl', adminUrl);
  project.provide('templateDatabase', templateDatabase);
  // Servers before PostgreSQL 15 do not know it. The files of a small database are copied sooner than logged.
  project.provide('copyStrategy', server === undefined ? '' : 'STRATEGY file_copy');
  return async () => {
    if (server === undefined && madeBefore === undefined)
      await administer(adminUrl, `DROP DATABASE ${templateDatabase} WITH (FORCE)`);
    await server?.dispose();
    // Servers of single processes are removing theirs at this moment.
    await rm(testFolder, { recursive: true, force: true, maxRetries: 10 });
  };
}

async function startServer(testFolder: string): Promise<PostgresServer> {
  return startPostgresServer(await installPostgres(testFolder), testFolder, {
    ...tidySettings,
    max_connections: '200',
  });
}

async function createTemplate(adminUrl: string, name: string): Promise<void> {
  await administer(adminUrl, `CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const ledger = openServerLedger(url.href);
  await migrate(ledger);
  await ledger.close();
}

async function administer(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}
