import { describe, expect, it } from 'vitest';
import { parseServerAddress } from '../../../src/ledger/connection/server-settings.ts';

/** The names of the servers of an address, and where the driver would look for them. */
function serversOf(url: string): string[] {
  return parseServerAddress(url).servers.map(({ name, url: own }) => {
    const { username, password, pathname, searchParams } = new URL(own);
    const [host, port] = [searchParams.get('host'), searchParams.get('port')];
    return `${name} ${username}:${password} ${pathname} ${host}:${port}`;
  });
}

describe('an address of one server', () => {
  it.each([
    ['postgres://u:p@db:5433/ledger', 'db:5433'],
    ['postgresql://db', 'db:5432'],
    ['POSTGRES://db/ledger?sslmode=require', 'db:5432'],
    ['postgres:///ledger?host=/run/postgresql', '/run/postgresql:5432'],
    ['postgres://%2Frun%2Fpostgresql/ledger', '/run/postgresql:5432'],
    ['postgres://u:p@db/ledger?target_session_attrs=read-write', 'db:5432'],
  ])('is left to the driver as it is: %s', (url, name) => {
    expect(parseServerAddress(url).servers).toEqual([{ url, name }]);
  });

  it('in brackets is given to the driver without them', () => {
    expect(serversOf('postgres://u:p@[::1]:5433/ledger')).toEqual(['::1:5433 u:p /ledger ::1:5433']);
  });
});

describe('an address of several servers', () => {
  it.each([
    ['postgres://u:p@one,two:5433/ledger', ['one:5432', 'two:5433']],
    ['postgres://one:5433,two/ledger', ['one:5433', 'two:5432']],
    ['postgres://[::1]:5433,[fd00::2]/ledger', ['::1:5433', 'fd00::2:5432']],
    ['postgres://one,two/ledger?port=5433', ['one:5433', 'two:5433']],
    ['postgres:///ledger?host=one,two&port=5433,5434', ['one:5433', 'two:5434']],
    ['postgres://:5433/ledger?host=/run/one,two', ['/run/one:5433', 'two:5433']],
    ['postgres://one,two?target_session_attrs=any', ['one:5432', 'two:5432']],
  ])('has a host and a port for each: %s', (url, names) => {
    expect(parseServerAddress(url).servers.map(({ name }) => name)).toEqual(names);
  });

  it('has user, password, database and parameters for each', () => {
    const url = 'postgres://us%40er:p%2Fw@one:5433,two/le%20dger?sslmode=require&options=-c%20jit%3Doff';
    expect(serversOf(url)).toEqual([
      'one:5433 us%40er:p%2Fw /le%20dger one:5433',
      'two:5432 us%40er:p%2Fw /le%20dger two:5432',
    ]);
    for (const server of parseServerAddress(url).servers) {
      const { searchParams } = new URL(server.url);
      expect([searchParams.get('sslmode'), searchParams.get('options')]).toEqual(['require', '-c jit=off']);
    }
  });
});

it('says what a server has to be like, and in which order they are tried', () => {
  expect(parseServerAddress('postgres://one,two/ledger')).toMatchObject({ target: 'any', isRandom: false });
  for (const target of ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby']) {
    const url = `postgres://one,two/ledger?target_session_attrs=${target}&load_balance_hosts=random`;
    expect(parseServerAddress(url)).toMatchObject({ target, isRandom: true });
  }
});

it.each([
  ['mysql://one,two/ledger', 'is not the address'],
  ['host=one,two dbname=ledger', 'is not the address'],
  ['postgres://u:p#w@one,two/ledger', 'is not the address'],
  ['postgres://one:x,two/ledger', 'is not the address'],
  ['postgres://one:0,two/ledger', 'is not the address'],
  ['postgres://one,two:70000/ledger', 'is not the address'],
  ['postgres://one,two,three/ledger?port=1,2', 'names 3 hosts and 2 ports'],
  ['postgres://db/ledger?target_session_attrs=writable', 'has target_session_attrs=writable'],
  ['postgres://db/ledger?load_balance_hosts=yes', 'has load_balance_hosts=yes'],
])('refuses %s', (url, said) => {
  expect(() => parseServerAddress(url)).toThrow(
    expect.objectContaining({ kind: 'usage', code: 'database_url', message: expect.stringContaining(said) }),
  );
});
