import { expect, it } from 'vitest';
import { asDatabaseFailure, asOpeningFailure } from '../../../src/ledger/connection/database-failure.ts';
import { connectToOne } from '../../../src/ledger/connection/server-choice.ts';
import { parseServerAddress, type SessionTarget } from '../../../src/ledger/connection/server-settings.ts';

/** The outcome of a connection to a server. */
type Server = 'primary' | 'standby' | 'read_only' | 'away' | 'starting' | 'refusing' | 'full';

const errors: Readonly<Record<string, object>> = {
  away: { code: 'ECONNREFUSED' },
  starting: { code: '57P03', severity: 'FATAL' },
  refusing: { code: '28P01', severity: 'FATAL' },
  full: { code: '53300', severity: 'FATAL' },
};

/** Connects to one of these servers. @returns which were tried, and which was taken or with which failure it ended */
async function choose(
  servers: readonly Server[],
  target: SessionTarget,
): Promise<{ tried: string; end: string; open: number }> {
  const hosts = servers.map((_, at) => `h${at}`).join(',');
  const tried: string[] = [];
  let open = 0;
  const serverAt = (name: string): Server => servers[Number(name.slice(1, 2))] ?? 'away';
  const end = await connectToOne(parseServerAddress(`postgres://${hosts}/d?target_session_attrs=${target}`), {
    connect: async ({ name }) => {
      tried.push(name.slice(0, 2));
      const error = errors[serverAt(name)];
      if (error !== undefined) throw Object.assign(new Error('no'), error);
      open += 1;
      return name;
    },
    stateOf: async (name) => ({
      isStandby: serverAt(name) === 'standby',
      isReadOnly: serverAt(name) !== 'primary',
    }),
    close: () => {
      open -= 1;
    },
  }).then(
    (name) => name.slice(0, 2),
    (error: unknown) => {
      const failure = asOpeningFailure(error);
      return failure instanceof Error && 'code' in failure ? String(failure.code) : String(failure);
    },
  );
  return { tried: tried.join(' '), end, open };
}

it.each<[SessionTarget, Server[], string, string]>([
  ['any', ['standby', 'primary'], 'h0', 'h0'],
  ['any', ['away', 'standby'], 'h0 h1', 'h1'],
  ['any', ['starting', 'primary'], 'h0 h1', 'h1'],
  ['any', ['refusing', 'primary'], 'h0', 'database_refused'],
  ['any', ['full', 'primary'], 'h0', 'database_unavailable'],
  ['any', ['away', 'away'], 'h0 h1', 'database_unavailable'],
  ['any', ['away'], 'h0', 'database_unavailable'],
  ['read-write', ['standby', 'read_only', 'primary'], 'h0 h1 h2', 'h2'],
  ['read-write', ['standby', 'read_only'], 'h0 h1', 'database_read_only'],
  ['read-write', ['standby', 'away'], 'h0 h1', 'database_unavailable'],
  ['read-write', ['standby'], 'h0', 'database_read_only'],
  ['primary', ['standby', 'read_only'], 'h0 h1', 'h1'],
  ['standby', ['primary', 'standby'], 'h0 h1', 'h1'],
  ['standby', ['primary', 'read_only'], 'h0 h1', 'database_url'],
  ['read-only', ['primary', 'read_only'], 'h0 h1', 'h1'],
  ['prefer-standby', ['primary', 'standby'], 'h0 h1', 'h1'],
  ['prefer-standby', ['away', 'primary'], 'h0 h1 h0 h1', 'h1'],
  ['prefer-standby', ['away', 'away'], 'h0 h1 h0 h1', 'database_unavailable'],
])('with target_session_attrs=%s, of %j it tries %s', async (target, servers, tried, end) => {
  const open = end.startsWith('h') ? 1 : 0;
  expect(await choose(servers, target)).toEqual({ tried, end, open });
});

it('treats a server that no longer accepts writes during a run as a failover, and says what each server is', async () => {
  const address = parseServerAddress('postgres://one,two:5433/d?target_session_attrs=read-write');
  const failure = await connectToOne(address, {
    connect: async ({ name }) => name,
    stateOf: async (name) => ({ isStandby: name === 'one:5432', isReadOnly: true }),
    close: () => {},
  }).catch(asDatabaseFailure);
  expect(failure).toMatchObject({
    code: 'database_read_only',
    kind: 'stopped',
    message:
      'No server of the setting databaseUrl can be used with target_session_attrs=read-write: one:5432 is a standby, two:5433 is read-only.',
  });
});

it('chooses a new random order for each connection where that is asked for', async () => {
  const address = parseServerAddress('postgres://h0,h1,h2/d?load_balance_hosts=random');
  const taken = new Set<string>();
  for (let connections = 0; connections < 200; connections += 1) {
    taken.add(
      await connectToOne(address, {
        connect: async ({ name }) => name,
        stateOf: async () => ({ isStandby: false, isReadOnly: false }),
        close: () => {},
      }),
    );
  }
  expect([...taken].sort()).toEqual(['h0:5432', 'h1:5432', 'h2:5432']);
});
