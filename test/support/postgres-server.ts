import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { serverUser } from './postgres-install.ts';

/** A PostgreSQL server of the tests' own, on a loopback port that stays the same when it is started again. */
export interface PostgresServer {
  /** Its data folder. Files of it may be changed while it is stopped. */
  readonly data: string;
  /** The address of one of its databases, for the superuser. */
  readonly urlOf: (database: string) => string;
  readonly start: () => Promise<void>;
  /** Breaks all connections off; `immediate` leaves the data as a crash of the machine would. */
  readonly stop: (how?: 'fast' | 'immediate') => Promise<void>;
  /** Stops it and removes its folder. */
  readonly dispose: () => Promise<void>;
}

const password = 'a password for tests';
const startLimitInMs = 60_000;

/**
 * What server processes share is in files of the server's folder, which are removed with it: a server that is
 * stopped at once leaves memory of the system behind.
 */
export const tidySettings = { dynamic_shared_memory_type: 'mmap' };

/** Nothing has to outlive the tests; and times that are not in UTC show who forgets to convert them. */
const quickSettings = { fsync: 'off', full_page_writes: 'off', timezone: 'Pacific/Chatham' };

/**
 * Makes a database cluster in a folder and starts a server on it.
 * @param installed the folder of PostgreSQL's programs
 * @param folder has to be empty; removed when the server is disposed of, or when this process is gone
 * @param settings of postgresql.conf; `fsync` is off unless stated
 * @param initdb further options of the program that makes the cluster
 */
export async function startPostgresServer(
  installed: string,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  initdb: readonly string[] = [],
): Promise<PostgresServer> {
  chmodSync(folder, 0o755);
  await createCluster(installed, folder, initdb);
  return serve(installed, folder, settings);
}

/**
 * Starts a standby of a server, which follows it from now on. The primary is stopped while it is copied.
 * @param folder as of `startPostgresServer`
 */
export async function startStandbyServer(
  installed: string,
  folder: string,
  primary: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  await primary.stop();
  // With the owner of each file, as whom the server runs.
  execFileSync('cp', ['-a', primary.data, data]);
  await primary.start();
  writeFileSync(join(data, 'standby.signal'), '');
  const { hostname, port } = new URL(primary.urlOf('postgres'));
  const followed = `host=${hostname} port=${port} user=postgres password='${password}'`;
  return serve(installed, folder, { ...settings, primary_conninfo: followed });
}

/** Starts a server on the data in a folder. */
async function serve(
  installed: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const port = await freePort();
  const given = { ...quickSettings, ...settings, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const args = [
    ...[join(installed, 'bin', 'postgres'), '-D', join(folder, 'data'), '-p', String(port)],
    ...Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const urlOf = (database: string): string =>
    `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  let guard: ChildProcess | undefined;

  async function start(): Promise<void> {
    if (guard !== undefined) throw new Error('the server is running');
    guard = spawnGuard(folder, args);
    await untilItAnswers(guard, urlOf('postgres'), folder);
  }

  async function stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (guard === undefined) throw new Error('the server is not running');
    const stopping = guard;
    guard = undefined;
    stopping.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await untilGone(stopping);
  }

  async function dispose(): Promise<void> {
    if (guard === undefined) {
      rmSync(folder, { recursive: true, force: true });
      return;
    }
    guard.stdin?.end();
    await untilGone(guard);
    guard = undefined;
  }

  await start();
  return { data: join(folder, 'data'), urlOf, start, stop, dispose };
}

async function createCluster(installed: string, folder: string, options: readonly string[]): Promise<void> {
  const { uid, gid } = serverUser();
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  mkdirSync(data);
  writeFileSync(passwordFile, password);
  if (uid !== undefined && gid !== undefined) {
    chownSync(data, uid, gid);
    chownSync(passwordFile, uid, gid);
  }
  await promisify(execFile)(
    join(installed, 'bin', 'initdb'),
    [
      ...['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-sync'],
      // Each client hashes the password each time it connects, as often as this says.
      ...['-c', 'scram_iterations=1'],
      ...options,
    ],
    { ...serverUser(), cwd: folder },
  );
}

function spawnGuard(folder: string, args: readonly string[]): ChildProcess {
  const { uid, gid } = serverUser();
  const guard = fileURLToPath(new URL('postgres-guard.mjs', import.meta.url));
  const log = openSync(join(folder, 'server.log'), 'a');
  return spawn(process.execPath, [guard, folder, ...args], {
    // A session of its own, so that Ctrl-C reaches it through its standard input only.
    detached: true,
    stdio: ['pipe', log, log],
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      ...(uid === undefined ? {} : { SERVER_UID: String(uid), SERVER_GID: String(gid) }),
    },
  });
}

async function untilGone(guard: ChildProcess): Promise<void> {
  if (guard.exitCode === null && guard.signalCode === null) await once(guard, 'exit');
}

async function untilItAnswers(guard: ChildProcess, url: string, folder: string): Promise<void> {
  const giveUpAt = Date.now() + startLimitInMs;
  while (guard.exitCode === null && guard.signalCode === null && Date.now() < giveUpAt) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error(
    `PostgreSQL does not start:\n${readFileSync(join(folder, 'server.log'), 'utf8').slice(-2_000)}`,
  );
}
