import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asDatabaseFailure,
  asOpeningFailure,
  noteEmbeddedError,
} from '../../../src/ledger/connection/database-failure.ts';
import { migrate } from '../../../src/ledger/connection/migrate.ts';
import { openServerLedger } from '../../../src/ledger/connection/open.ts';
import { uncheckedRows as query } from '../../../src/ledger/query/sql.ts';
import { startPrivateServer } from '../../support/ledger.ts';
import { stagedBatch, statesOf } from '../../support/ledger-rows.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPrivateServer({ fsync: 'on' });
});
afterAll(() => server.dispose());

/** The failure of the first query on an address. */
async function failureAt(databaseUrl: string): Promise<unknown> {
  const ledger = openServerLedger(databaseUrl);
  try {
    return await query(ledger.database, 'SELECT 1');
  } catch (error) {
    return asDatabaseFailure(error);
  } finally {
    await ledger.close();
  }
}

const elsewhere = (change: (url: URL) => void): string => {
  const url = new URL(server.urlOf('postgres'));
  change(url);
  return url.href;
};

describe('an address that leads nowhere', () => {
  it.each([
    ['a wrong password', { password: 'wrong' }, 'usage', 'database_refused'],
    ['no password', { password: '' }, 'usage', 'database_refused'],
    ['an unknown user', { username: 'nobody' }, 'usage', 'database_refused'],
    ['a missing database', { pathname: '/missing' }, 'usage', 'database_refused'],
    ['a closed port', { port: '1' }, 'stopped', 'database_unavailable'],
    ['an unknown host', { hostname: 'nowhere.invalid' }, 'stopped', 'database_unavailable'],
  ])('%s ends with a code and a sentence', async (_what, change, kind, code) => {
    const failure = await failureAt(elsewhere((url) => Object.assign(url, change)));
    expect(failure).toMatchObject({ name: 'PaybatchError', kind, code });
    expect(String(failure)).not.toContain('wrong');
  });
});

it('makes no schema in a database whose encoding lacks characters', async () => {
  const admin = openServerLedger(server.urlOf('postgres'));
  await admin.database.raw(
    `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  await admin.close();
  const ledger = openServerLedger(server.urlOf('latin'));
  const failure = await migrate(ledger).catch(asDatabaseFailure);
  const unknown = await query(ledger.database, "SELECT 'Ł'").catch(asDatabaseFailure);
  await ledger.close();
  expect(failure).toMatchObject({
    kind: 'usage',
    code: 'database_encoding',
    message: expect.stringContaining('LATIN1'),
  });
  expect(unknown).toMatchObject({ kind: 'stopped', code: 'database_encoding' });
});

it('reports a missing permission', async () => {
  const admin = openServerLedger(server.urlOf('postgres'));
  await admin.database.raw(
    `CREATE ROLE reader LOGIN PASSWORD 'reader'; REVOKE ALL ON SCHEMA public FROM PUBLIC`,
  );
  await admin.close();
  const reader = openServerLedger(
    elsewhere((url) => {
      url.username = 'reader';
      url.password = 'reader';
    }),
  );
  const failure = await migrate(reader).catch(asDatabaseFailure);
  await reader.close();
  expect(failure).toMatchObject({ kind: 'usage', code: 'database_refused' });
});

it('fails clearly while the server is down, and continues with the same ledger when it is back', async () => {
  const ledger = openServerLedger(server.urlOf('postgres'));
  await migrate(ledger);
  const batch = await stagedBatch(ledger.database, 1);
  const waiting = query(ledger.database, 'SELECT pg_sleep(60)').catch(asDatabaseFailure);
  await server.stop('immediate');
  const unavailable = { kind: 'stopped', code: 'database_unavailable' };
  expect(await waiting).toMatchObject(unavailable);
  expect(await statesOf(ledger.database, batch).catch(asDatabaseFailure)).toMatchObject(unavailable);
  await server.start();
  expect(await statesOf(ledger.database, batch)).toEqual({ 2: 'staged' });
  await ledger.close();
});

it.each([
  ['a socket file that is gone', { code: 'ENOENT', syscall: 'connect' }, 'stopped', 'database_unavailable'],
  ['a lock that somebody else holds', { code: '55P03' }, 'stopped', 'database_locked'],
  ['a statement that took too long', { code: '57014' }, 'stopped', 'database_unavailable'],
  ['a full disk', { code: '53100' }, 'stopped', 'disk_full'],
  ['no memory', { code: '53200' }, 'stopped', 'database_unavailable'],
  ['no connection that is left', { code: '53300' }, 'stopped', 'database_unavailable'],
  ['a server that is shut down', { code: '57P01' }, 'stopped', 'database_unavailable'],
  ['a snapshot that is too old', { code: '72000' }, 'stopped', 'database_unavailable'],
  ['a disk that fails', { code: '58030' }, 'stopped', 'database_failed'],
  ['an error of PostgreSQL’s own', { code: 'XX000', routine: 'elog' }, 'stopped', 'database_failed'],
  [
    'numbers of transactions that are used up',
    { code: '54000', routine: 'GetNewTransactionId' },
    'stopped',
    'database_failed',
  ],
  ['a character that its encoding lacks', { code: '22P05' }, 'stopped', 'database_encoding'],
  ['damaged data', { code: 'XX001' }, 'stopped', 'database_damaged'],
  ['a damaged index', { code: 'XX002' }, 'stopped', 'database_damaged'],
  ['a file of a table that is gone', { code: '58P01' }, 'stopped', 'database_damaged'],
  ['a certificate that nobody trusts', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'usage', 'database_refused'],
  ['a certificate of another host', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'usage', 'database_refused'],
])('gives %s its sentence', (_what, properties, kind, code) => {
  expect(asDatabaseFailure(Object.assign(new Error('x'), properties))).toMatchObject({ kind, code });
});

it('does not treat a missing file as a failure of the database', () => {
  const error = Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' });
  expect(asDatabaseFailure(error)).toBe(error);
});

it('leaves our own mistakes as they are', async () => {
  const ledger = openServerLedger(server.urlOf('postgres'));
  const error = await query(ledger.database, 'SELECT nonsense').catch(asDatabaseFailure);
  await ledger.close();
  expect(error).toMatchObject({ code: '42703' });
  expect(asDatabaseFailure(new TypeError('x'))).toBeInstanceOf(TypeError);
  const tooComplex = Object.assign(new Error('x'), { code: '54000', routine: 'parse' });
  expect(asDatabaseFailure(tooComplex)).toBe(tooComplex);
});

it('names a standby that accepts no connections, and treats a starting server as one that is not available', () => {
  const failureWith = (detail: string): unknown =>
    asOpeningFailure(Object.assign(new Error('x'), { code: '57P03', severity: 'FATAL', detail }));
  expect(failureWith('Hot standby mode is disabled.')).toMatchObject({
    kind: 'usage',
    code: 'database_read_only',
  });
  expect(failureWith('Consistent recovery state has not been yet reached.')).toMatchObject({
    kind: 'stopped',
    code: 'database_unavailable',
  });
});

describe('a full disk', () => {
  const diskFull = () => Object.assign(new Error('could not extend file'), { code: '53100' });

  it('of the embedded ledger names its folder, and not DATABASE_URL', () => {
    const error = diskFull();
    noteEmbeddedError(error, '/data/ledger');
    const failure = asDatabaseFailure(error);
    expect(failure).toMatchObject({ kind: 'stopped', code: 'disk_full' });
    expect(String(failure)).toContain('/data/ledger');
    expect(String(failure)).not.toContain('DATABASE_URL');
  });

  it('of a server is reported as that of the server', () => {
    expect(String(asDatabaseFailure(diskFull()))).toContain(
      'the database server that the setting databaseUrl names',
    );
  });
});
