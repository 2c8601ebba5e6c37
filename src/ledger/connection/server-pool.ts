/* Connection pools for a PostgreSQL server, and their timeouts. */

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import knex from 'knex';
import { sqlState } from './database-failure.ts';
import { connectToOne, type SessionState } from './server-choice.ts';
import { type ServerAddress, serverNameSetting } from './server-settings.ts';

/** Every error is returned by its query. Knex would print it on the terminal as well. */
export const silent = { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} };

/** The parts of the driver's connection that the pool uses. */
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

/** The parts of Knex's client with which the pool makes a connection. */
interface PoolClient {
  connectionSettings: { connectionString: string };
  acquireRawConnection: () => Promise<PoolConnection>;
}

/** A pool whose connections never wait longer than its limits. */
interface ServerPool {
  readonly database: Knex;
  /** Closes within seconds, even if statements are still running. */
  readonly close: () => Promise<void>;
}

/** Creates a pool. It does not connect before the first query. */
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
          // The pool does not close a connection whose setup failed.
          if (error !== null) breakOff(connection);
          done(error);
        });
      },
      ...(limits.answerInMs > acquireInMs ? { validate: answers } : {}),
    },
    acquireConnectionTimeout: acquireInMs,
    // An error must not contain a value of a row.
    compileSqlOnError: false,
    log: silent,
  });
  chooseServers(database.client, address);
  database.on('query-error', (error: Error, { __knexUid }: { __knexUid?: string }) => {
    if (isUnanswered(error) || isReadOnly(error)) breakOff(open.get(__knexUid ?? ''));
  });
  return { database, close: () => closePool(database, open) };
}

/** Makes the pool connect to a server of the address, each time to the first suitable one. */
function chooseServers(client: PoolClient, address: ServerAddress): void {
  const connect = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = () =>
    connectToOne(address, {
      connect: ({ url }) => {
        // The driver reads this synchronously, before another connection can be requested.
        client.connectionSettings = { ...client.connectionSettings, connectionString: url };
        return connect();
      },
      stateOf,
      close: (connection) => connection.end(),
    });
}

/** The server's state, before the session changes any setting. */
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
 * Whether the driver gave up a query because no answer arrived in time. The statement is still running, so the connection
 * must not be used for another statement.
 */
function isUnanswered(error: Error): boolean {
  return error.message.endsWith('Query read timeout');
}

/** Whether the server accepts no writes. After a failover, a new connection may lead to the new primary. */
function isReadOnly(error: Error): boolean {
  return sqlState(error) === '25006';
}

/**
 * Sets the limits on the server's side, and the settings on which the protocol relies in every database transaction,
 * regardless of the defaults of the server, the database or the user. A worker that stops in the middle of a database
 * transaction (a suspended machine, a lost network) would keep its locks until TCP gives up, and its rows could not be taken
 * over. The limit for that is half of a lease, which is enough for anything that this program does between two statements.
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
    // These limit the time until the server notices that this machine is gone.
    tcp_user_timeout: '30s',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '5',
    tcp_keepalives_count: '3',
    // A look-up for each row of a group has a high cost estimate, but compiling its plan takes longer than running it.
    jit: 'off',
    // A statement under the batch's lock has to see the commits of the lock's previous holder.
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    // A committed claim has to be on disk, because the run log names it next. Any setting except `off` is at least as
    // strict.
    synchronous_commit: 'on',
    // This program itself limits idle connections and long statements.
    idle_session_timeout: '0',
    transaction_timeout: '0',
    // Array parameters may contain NULL.
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
 * Whether an idle connection still has a live server at its other end. Without this check, a statement could wait minutes
 * for an answer that never arrives.
 */
function answers(connection: PoolConnection): Promise<boolean> {
  return new Promise((resolve) => {
    connection.query({ text: 'SELECT 1', query_timeout: askInMs }, (error) => resolve(error === null));
  });
}

/** Destroys the socket. The server notices this by a reset or not at all; its own limits end the statement there. */
function breakOff(connection: PoolConnection | undefined): void {
  connection?.connection.stream.destroy();
}

/**
 * A server that does not respond does not answer the closing message either, and its socket would keep the program alive.
 */
async function closePool(database: Knex, open: ReadonlyMap<string, PoolConnection>): Promise<void> {
  const closed = new AbortController();
  const patience = sleep(closeInMs, undefined, { signal: closed.signal }).catch(() => {});
  const closing = database.destroy().finally(() => closed.abort());
  await Promise.race([closing, patience]);
  for (const connection of [...open.values()]) breakOff(connection);
}

/** How long the connections of a pool wait, in milliseconds. Each limit is shorter than the next one. */
export interface TimeLimits {
  /** The time to wait for a lock that another session holds. After that the server refuses the statement (55P03). */
  readonly lockInMs: number;
  /** The time for the server to execute one statement. After that it cancels the statement (57014). */
  readonly statementInMs: number;
  /**
   * The time to wait for any answer, including the answer to a COMMIT, which the server itself does not limit. After that
   * the connection is closed, since it is unknown whether its statement was executed.
   */
  readonly answerInMs: number;
}

/**
 * For a run's frequent statements, about one group of rows at most. They usually take milliseconds. A statement that fails
 * here can be tried a second time before the run's lease (30 s) expires.
 */
export const shortStatementLimits: TimeLimits = {
  lockInMs: 5_000,
  statementInMs: 10_000,
  answerInMs: 12_000,
};

/** For statements about a whole batch of a million rows, on a slow server: reports, joins, bulk updates. */
export const longLimits: TimeLimits = { lockInMs: 30_000, statementInMs: 600_000, answerInMs: 615_000 };

/** For migrations, which may build indexes over all data. */
export const migrationLimits: TimeLimits = {
  lockInMs: 300_000,
  statementInMs: 7_200_000,
  answerInMs: 7_215_000,
};

/** The time for connecting: name resolution, handshake and password together, for all servers of an address. */
const connectInMs = 10_000;

/** The minimum time for connecting to one of several servers. */
const leastConnectInMs = 2_000;

/** The time to wait for a free connection of the pool, including a new one. */
const acquireInMs = 15_000;

/** The time for an idle connection to show that its server still answers. */
const askInMs = 5_000;

/** The time for the pools to close. The callers have given up any statement that is still running then. */
const closeInMs = 5_000;
