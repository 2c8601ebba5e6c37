import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asDatabaseFailure,
  createTransientRetry,
  noteEmbeddedError,
  readWithRetry,
  whileItAnswers,
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

/** What becomes of the first query on an address. */
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

it('tells a missing permission', async () => {
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

it('fails clearly while the server is down, and goes on with the same ledger when it is back', async () => {
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
  ['a certificate that nobody trusts', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'usage', 'database_refused'],
  ['a certificate of another host', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'usage', 'database_refused'],
])('gives %s its sentence', (_what, properties, kind, code) => {
  expect(asDatabaseFailure(Object.assign(new Error('x'), properties))).toMatchObject({ kind, code });
});

it('takes a file that is not there for nothing of the database', () => {
  const error = Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' });
  expect(asDatabaseFailure(error)).toBe(error);
});

it('leaves our own mistakes as they are', async () => {
  const ledger = openServerLedger(server.urlOf('postgres'));
  const error = await query(ledger.database, 'SELECT nonsense').catch(asDatabaseFailure);
  await ledger.close();
  expect(error).toMatchObject({ code: '42703' });
  expect(asDatabaseFailure(new TypeError('x'))).toBeInstanceOf(TypeError);
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

  it('of a server is said to be the server’s', () => {
    expect(String(asDatabaseFailure(diskFull()))).toContain(
      'the database server that the setting databaseUrl names',
    );
  });
});

const away = (): Error => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** A verb that fails so often before it succeeds. */
function failing(times: number, error: () => Error = away): { calls: number; verb: () => Promise<string> } {
  const tried = {
    calls: 0,
    verb: async (): Promise<string> => {
      tried.calls += 1;
      if (tried.calls <= times) throw error();
      return 'done';
    },
  };
  return tried;
}

describe('the wait for a statement that may take long', () => {
  it('ends with it, however often the database is asked meanwhile', async () => {
    let asked = 0;
    const work = new Promise((resolve) => setTimeout(() => resolve('done'), 30));
    const ask = async (): Promise<void> => {
      asked += 1;
    };
    expect(await whileItAnswers(work, ask, 5)).toBe('done');
    expect(asked).toBeGreaterThan(0);
    await expect(whileItAnswers(Promise.reject(new Error('broken')), ask, 5)).rejects.toThrow('broken');
  });

  it('is over when the database does not answer another question', async () => {
    const ask = () => Promise.reject(away());
    await expect(whileItAnswers(new Promise(() => {}), ask, 5)).rejects.toThrow('away');
  });
});

describe('the patience with a database that is away', () => {
  it('repeats a verb until the database is back', async () => {
    const tried = failing(2);
    expect(await createTransientRetry(5_000)(tried.verb)).toBe('done');
    expect(tried.calls).toBe(3);
  });

  it('repeats nothing that failed for another reason', async () => {
    const tried = failing(1, () => Object.assign(new Error('no such column'), { code: '42703' }));
    await expect(createTransientRetry(5_000)(tried.verb)).rejects.toThrow('no such column');
    expect(tried.calls).toBe(1);
  });

  it('comes to its end, and is not spent on every verb anew until the database is back', async () => {
    const patience = createTransientRetry(150);
    await expect(patience(failing(Number.POSITIVE_INFINITY).verb)).rejects.toThrow('away');
    const next = failing(1);
    await expect(patience(next.verb)).rejects.toThrow('away');
    expect(next.calls).toBe(1);
    expect(await patience(next.verb)).toBe('done');
    expect(await patience(failing(1).verb)).toBe('done');
  });

  it('goes on reading after the last row that came', async () => {
    const asked: number[] = [];
    let failures = 2;
    async function* pagesAfter(afterRow: number): AsyncGenerator<{ row: number }[]> {
      asked.push(afterRow);
      for (let row = afterRow + 1; row <= 6; row += 2) {
        if (row === 3 && failures > 0) {
          failures -= 1;
          throw away();
        }
        yield [{ row }, { row: row + 1 }];
      }
    }
    const rows: number[] = [];
    for await (const page of readWithRetry(createTransientRetry(5_000), pagesAfter)) {
      rows.push(...page.map(({ row }) => row));
    }
    expect(rows).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked).toEqual([0, 2, 2]);
  });

  it('begins after the row that it is told to', async () => {
    const asked: number[] = [];
    const pagesAfter = async function* (afterRow: number): AsyncGenerator<{ row: number }[]> {
      asked.push(afterRow);
      yield [{ row: afterRow + 1 }];
    };
    const pages = [];
    for await (const page of readWithRetry(createTransientRetry(5_000), pagesAfter, 7)) pages.push(page);
    expect({ asked, pages }).toEqual({ asked: [7], pages: [[{ row: 8 }]] });
  });
});
