import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { type Ledger, openEmbeddedLedger, openServerLedger } from '../../src/ledger/connection/open.ts';
import { embeddedTemplate } from './ledger-template.ts';
import { installPostgres } from './postgres-install.ts';
import {
  type PostgresServer,
  startPostgresServer,
  startStandbyServer,
  tidySettings,
} from './postgres-server.ts';

/** A migrated, empty ledger of a test's own, open. */
export interface TestLedger extends Ledger {
  /** Its `DATABASE_URL`; null on the embedded ledger. */
  readonly databaseUrl: string | null;
  /** Its `--ledger-dir`; null on a server. */
  readonly directory: string | null;
}

/** Opens a new ledger each time; it is closed and removed after the tests of the describe block. */
export type OpenTestLedger = () => Promise<TestLedger>;

/** Runs the same tests on both engines that a ledger can live on, or on those that the project of the run names. */
export function forEachLedger(defineTests: (openTestLedger: OpenTestLedger, engine: string) => void): void {
  const engines = {
    server: { name: 'PostgreSQL server', open: openOnServer },
    embedded: { name: 'embedded ledger', open: openEmbedded },
  };
  for (const ledger of inject('ledgers')) {
    const { name, open } = engines[ledger];
    describe(`on the ${name}`, () => defineTests(closedAtTheEnd(open), name));
  }
}

/** The same for tests that need a server: several connections, or several hosts. */
export function onServer(defineTests: (openTestLedger: OpenTestLedger) => void): void {
  if (!inject('ledgers').includes('server')) return;
  describe('on the PostgreSQL server', () => defineTests(closedAtTheEnd(openOnServer)));
}

type Opened = TestLedger & { readonly remove?: () => Promise<void> };

function closedAtTheEnd(open: () => Promise<Opened>): OpenTestLedger {
  const opened: Opened[] = [];
  afterAll(async () => {
    for (const ledger of opened.splice(0)) {
      await ledger.close();
      await ledger.remove?.();
    }
  });
  return async () => {
    const ledger = await open();
    opened.push(ledger);
    return ledger;
  };
}

async function openOnServer(): Promise<Opened> {
  const databaseUrl = await createDatabase();
  return {
    ...openServerLedger(databaseUrl),
    databaseUrl,
    directory: null,
    remove: () => dropDatabase(databaseUrl),
  };
}

async function openEmbedded(): Promise<Opened> {
  const directory = await copyEmbeddedLedger();
  return {
    ...(await openEmbeddedLedger(directory)),
    databaseUrl: null,
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Makes the folder of an embedded ledger, migrated, empty and not open; the test run's end removes it. */
export async function copyEmbeddedLedger(): Promise<string> {
  const testFolder = inject('testFolder');
  const directory = await mkdtemp(join(testFolder, 'embedded-'));
  // Three times as fast as the same one file at a time.
  cpSync(await embeddedTemplate(testFolder), directory, { recursive: true });
  return directory;
}

/**
 * Empties a ledger that no other program uses at this moment. DELETE takes a tenth of the time of TRUNCATE, which makes new
 * files for each table and index.
 */
export async function emptyLedger(database: Knex): Promise<void> {
  // As a replica: no trigger refuses that, or keeps it in the audit trail.
  await database.raw(`DO $$ DECLARE found text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'paybatch_migrations%' LOOP
      EXECUTE format('DELETE FROM %I', found);
    END LOOP; END $$`);
}

let databases = 0;

/**
 * Makes a database on the tests' server.
 * @param template `template0` for one without a schema
 * @returns its address
 */
export async function createDatabase(template = inject('templateDatabase')): Promise<string> {
  databases += 1;
  const name = `paybatch_test_${process.pid}_${databases}`;
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} ${inject('copyStrategy')}`);
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database, even while others are connected to it. */
export async function dropDatabase(databaseUrl: string): Promise<void> {
  await administer(`DROP DATABASE IF EXISTS ${new URL(databaseUrl).pathname.slice(1)} WITH (FORCE)`);
}

let administrator: pg.Pool | undefined;

/** On one connection for all databases of this process: to connect takes as long as to drop a database. */
async function administer(sql: string): Promise<void> {
  administrator ??= new pg.Pool({ connectionString: inject('adminUrl'), max: 1, allowExitOnIdle: true }).on(
    'error',
    // The server may be stopped before this process ends.
    () => {},
  );
  await administrator.query(sql);
}

/**
 * Starts a server that only the calling test file uses, so that it may stop it and start it again. It has no
 * schema; a test that ends calls `dispose`.
 * @param settings of postgresql.conf; `fsync` is off unless stated
 * @param initdb further options of the program that makes the cluster
 */
export async function startPrivateServer(
  settings: Readonly<Record<string, string>> = {},
  initdb: readonly string[] = [],
): Promise<PostgresServer> {
  const testFolder = inject('testFolder');
  const folder = await mkdtemp(join(testFolder, 'server-'));
  const installed = await installPostgres(testFolder);
  return startPostgresServer(installed, folder, { ...tidySettings, ...settings }, initdb);
}

/** Starts a standby of such a server, which follows it; a test that ends calls `dispose`. */
export async function startPrivateStandby(
  primary: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const testFolder = inject('testFolder');
  const folder = await mkdtemp(join(testFolder, 'standby-'));
  const installed = await installPostgres(testFolder);
  return startStandbyServer(installed, folder, primary, { ...tidySettings, ...settings });
}
