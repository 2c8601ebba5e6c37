/* Connection pools to a PostgreSQL server, and how long each waits. */

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import knex from 'knex';
import { isDatabaseUnavailable, NoServerFound, sqlState, type TriedServer } from './database-failure.ts';
import type { AddressedServer, ServerAddress, SessionTarget } from './server-address.ts';

/** Under which host and port a session's server was reached, as a setting of the session. */
export const serverNameSetting = 'paybatch.server';

/** Every error comes back from the query that had it; Knex would print it to the terminal as well. */
export const silent = { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} };

/** A connection of the driver, as far as the pool has to know it. */
interface PoolConnection {
  readonly __knexUid: string;
  readonly host: string;
  readonly port: number;
  readonly connection: { readonly stream: Socket };
  readonly query: (
    query: { readonly text: string; readonly values?: unknown[]; readonly query_timeout?: number },
    then: (error: Error | null, result?: { readonly rows: readonly unknown[] }) => void,
  ) => void;
  readonly once: (event: 'end', then: () => void) => void;
  readonly end: () => void;
}

/** The parts of Knex's client by which a connection is made for the pool. */
interface PoolClient {
  connectionSettings: { connectionString: string };
  acquireRawConnection: () => Promise<PoolConnection>;
}

/** A pool whose connections never wait for longer than its limits. */
interface ServerPool {
  readonly database: Knex;
  /** Ends within seconds, whatever is still under way. */
  readonly close: () => Promise<void>;
}

/** Makes a pool; nothing connects before the first query. */
export function createServerPool(address: ServerAddress, limits: TimeLimits): ServerPool {
  const open = new Map<string, PoolConnection>();
  const database = knex({
    client: 'pg',
    connection: {
      connectionString: address.servers[0]?.url ?? '',
      application_name: 'paybatch',
      connectionTimeoutMillis: Math.max(leastConnectInMs, connectInMs / address.servers.length),
      query_timeout: limits.answerInMs,
      keepAlive: true,
      // The system's own default is two hours.
      keepAliveInitialDelayMillis: 10_000,
    },
    pool: {
      min: 0,
      max: 5,
      afterCreate: (connection: PoolConnection, done: (error: Error | null) => void) => {
        open.set(connection.__knexUid, connection);
        connection.once('end', () => open.delete(connection.__knexUid));
        boundSession(connection, limits, (error) => {
          // The pool forgets a connection that was not made ready.
          if (error !== null) breakOff(connection);
          done(error);
        });
      },
      ...(limits.answerInMs > acquireInMs ? { validate: answers } : {}),
    },
    acquireConnectionTimeout: acquireInMs,
    // No value of a row may get into an error.
    compileSqlOnError: false,
    log: silent,
  });
  chooseServers(database.client, address);
  database.on('query-error', (error: Error, { __knexUid }: { __knexUid?: string }) => {
    if (isUnanswered(error) || isReadOnly(error)) breakOff(open.get(__knexUid ?? ''));
  });
  return { database, close: () => closePool(database, open) };
}

/** Has the pool connect to a server of the address, each time to the first that will do. */
function chooseServers(client: PoolClient, address: ServerAddress): void {
  const connect = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = () =>
    connectToOne(address, {
      connect: ({ url }) => {
        // Read at once, before another connection can be asked for.
        client.connectionSettings = { ...client.connectionSettings, connectionString: url };
        return connect();
      },
      stateOf,
      close: (connection) => connection.end(),
    });
}

/** As the server has it, before anything is set in the session. */
function stateOf(connection: PoolConnection): Promise<SessionState> {
  const text = `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only')::boolean AS "isReadOnly"`;
  return new Promise((resolve, reject) => {
    connection.query({ text, query_timeout: askInMs }, (error, result) => {
      if (error === null) resolve(result?.rows[0] as SessionState);
      else reject(error);
    });
  });
}

/**
 * Whether the driver gave a query up because no answer came in time: the statement is still under way, and nothing may follow
 * it on that connection.
 */
function isUnanswered(error: Error): boolean {
  return error.message.endsWith('Query read timeout');
}

/** Whether the server takes no writes: after a failover another connection may lead to the one that does. */
function isReadOnly(error: Error): boolean {
  return sqlState(error) === '25006';
}

/**
 * Limits for the server's side, and what the protocol relies on in every database transaction, whatever an
 * administrator has chosen as the default of the server, the database or the user. A worker that stops in the middle
 * of a database transaction (a suspended machine, a network that is gone) would keep its locks until TCP gives up, and
 * nobody could take its rows over: half of a lease is long enough for anything that this program does in between two
 * statements.
 */
function boundSession(
  connection: PoolConnection,
  { lockInMs, statementInMs }: TimeLimits,
  done: (error: Error | null) => void,
): void {
  const { host, port } = connection;
  const settings = {
    idle_in_transaction_session_timeout: '15s',
    lock_timeout: `${lockInMs}ms`,
    statement_timeout: `${statementInMs}ms`,
    // How soon the server notices that this machine is gone.
    tcp_user_timeout: '30s',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '5',
    tcp_keepalives_count: '3',
    // A look-up for each row of a group has a high estimate, and compiling such a plan takes longer than running it.
    jit: 'off',
    // A statement under the batch's lock sees what the holder before has committed.
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    // A claim that is committed is on disk: the run log names it next. Any setting but `off` is as strict, or stricter.
    synchronous_commit: 'on',
    // An idle connection of the pool, and a long statement, are bounded on this side.
    idle_session_timeout: '0',
    transaction_timeout: '0',
    // NULL within a parameter that is an array.
    array_nulls: 'on',
    [serverNameSetting]: `${host}:${port}`,
  };
  connection.query(
    {
      text: `SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
             WHERE (current_setting(name, true) IS NOT NULL OR name = $3)
               AND (name <> 'synchronous_commit' OR current_setting('synchronous_commit') = 'off')`,
      values: [Object.keys(settings), Object.values(settings), serverNameSetting],
    },
    (error) => done(error),
  );
}

/**
 * Whether a connection that lay idle still has somebody at its other end. Asked where a statement would otherwise
 * wait for minutes for an answer that never comes.
 */
function answers(connection: PoolConnection): Promise<boolean> {
  return new Promise((resolve) => {
    connection.query({ text: 'SELECT 1', query_timeout: askInMs }, (error) => resolve(error === null));
  });
}

/** The server learns of it by a reset or not at all; its own limits end the statement there. */
function breakOff(connection: PoolConnection | undefined): void {
  connection?.connection.stream.destroy();
}

/** A silent peer does not answer the closing message either, and its socket would keep the program alive. */
async function closePool(database: Knex, open: ReadonlyMap<string, PoolConnection>): Promise<void> {
  const closed = new AbortController();
  const patience = sleep(closeInMs, undefined, { signal: closed.signal }).catch(() => {});
  const closing = database.destroy().finally(() => closed.abort());
  await Promise.race([closing, patience]);
  for (const connection of [...open.values()]) breakOff(connection);
}

/** How long one pool's connections wait, each limit within the next; in milliseconds. */
export interface TimeLimits {
  /** For a lock that somebody else holds: the server then refuses the statement (55P03). */
  readonly lockInMs: number;
  /** For the server to carry one statement out: it then cancels it (57014). */
  readonly statementInMs: number;
  /**
   * For any answer at all, that of a COMMIT included, which the server itself does not limit: a connection
   * that was silent for so long is broken off, since nobody knows whether its statement was done.
   */
  readonly answerInMs: number;
}

/**
 * For what a run does again and again, with at most a group of rows: milliseconds as a rule. One that
 * fails here can still be tried a second time before the run's lease (30 s) is over.
 */
export const shortStatementLimits: TimeLimits = {
  lockInMs: 5_000,
  statementInMs: 10_000,
  answerInMs: 12_000,
};

/** For statements about a whole batch of a million rows, on a slow server: reports, joins, bulk updates. */
export const longLimits: TimeLimits = { lockInMs: 30_000, statementInMs: 600_000, answerInMs: 615_000 };

/** For migrations, which may build indexes over everything that there is. */
export const migrationLimits: TimeLimits = {
  lockInMs: 300_000,
  statementInMs: 7_200_000,
  answerInMs: 7_215_000,
};

/** For a connection to be made: name, handshake and password together, at all servers of an address. */
const connectInMs = 10_000;

/** For a connection to one of many servers to be made. */
const leastConnectInMs = 2_000;

/** For a free connection of the pool, a new one included. */
const acquireInMs = 15_000;

/** For an idle connection to show that it still leads somewhere. */
const askInMs = 5_000;

/** For the pools to close: whatever is still under way then has been given up by its caller. */
const closeInMs = 5_000;

/* Which server of an address a connection is made to, as libpq chooses it. */

/** What a session at a server is like, before anything was set in it. */
export interface SessionState {
  /** Whether the server is in recovery, as a standby is. */
  readonly isStandby: boolean;
  /** Whether transactions may only read: at a standby, and where `default_transaction_read_only` is on. */
  readonly isReadOnly: boolean;
}

/** How connections are made, asked and closed. */
interface Connecting<Connection> {
  readonly connect: (server: AddressedServer) => Promise<Connection>;
  readonly stateOf: (connection: Connection) => Promise<SessionState>;
  readonly close: (connection: Connection) => void;
}

/**
 * Connects to the first server that can be reached and is as the address asks. Each connection is chosen for itself, so that
 * after a failover the next one leads to the new primary.
 * @throws NoServerFound when none is; the error of a server that refuses the connection: the others are not tried then
 */
export async function connectToOne<Connection>(
  { servers, target, isRandom }: ServerAddress,
  { connect, stateOf, close }: Connecting<Connection>,
): Promise<Connection> {
  const tried: TriedServer[] = [];
  // Where there is no standby, any server will do, and all of them are asked again.
  for (const wanted of target === 'prefer-standby' ? (['standby', 'any'] as const) : [target]) {
    for (const server of isRandom ? shuffled(servers) : servers) {
      let connection: Connection | undefined;
      try {
        connection = await connect(server);
        const problem = wanted === 'any' ? null : problemOf(await stateOf(connection), wanted);
        if (problem === null) return connection;
        tried.push({ name: server.name, problem, isThere: true });
      } catch (error) {
        if (servers.length === 1 || !isElsewherePerhaps(error)) throw error;
        const problem = `does not answer (${sqlState(error) || 'connection lost'})`;
        tried.push({ name: server.name, problem, isThere: false });
      }
      if (connection !== undefined) close(connection);
    }
  }
  throw new NoServerFound(target, tried);
}

/**
 * Whether another server may do where this one could not be reached. What a server itself answers, such as that the password is
 * wrong, holds for the others too, unless it is about to start or to stop.
 */
function isElsewherePerhaps(error: unknown): boolean {
  const isAnswer = error instanceof Error && 'severity' in error;
  return isAnswer ? sqlState(error) === '57P03' : isDatabaseUnavailable(error);
}

/** What keeps a session from being as it is wanted; null for nothing. */
function problemOf(
  { isStandby, isReadOnly }: SessionState,
  target: Exclude<SessionTarget, 'any' | 'prefer-standby'>,
): string | null {
  switch (target) {
    case 'read-write':
      return isStandby ? 'is a standby' : isReadOnly ? 'is read-only' : null;
    case 'read-only':
      return isReadOnly ? null : 'is not read-only';
    case 'primary':
      return isStandby ? 'is a standby' : null;
    case 'standby':
      return isStandby ? null : 'is no standby';
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
