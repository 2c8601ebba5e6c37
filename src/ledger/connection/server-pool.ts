/* Connection pools to a PostgreSQL server, and their timeouts. */

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import knex from 'knex';
import { sqlState } from './database-failure.ts';
import { connectToOne, type SessionState } from './server-choice.ts';
import { type ServerAddress, serverNameSetting } from './server-settings.ts';

/** Every error is returned by its query; Knex would print it to the terminal as well. */
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

/** A pool whose connections never wait for longer than its limits. */
interface ServerPool {
  readonly database: Knex;
  /** Closes within seconds, even if statements are still running. */
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
          // The pool forgets a connection whose setup failed.
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

/** Lets the pool connect to a server of the address, each time to the first suitable one. */
function chooseServers(client: PoolClient, address: ServerAddress): void {
  const connect = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = () =>
    connectToOne(address, {
      connect: ({ url }) => {
        // Read at once, before another connection can be requested.
        client.connectionSettings = { ...client.connectionSettings, connectionString: url };
        return connect();
      },
      stateOf,
      close: (connection) => connection.end(),
    });
}

/** The server's state, before anything is set in the session. */
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
 * Whether the driver gave up a query because no answer arrived in time: the statement is still running, and no other may
 * follow it on that connection.
 */
function isUnanswered(error: Error): boolean {
  return error.message.endsWith('Query read timeout');
}

/** Whether the server takes no writes: after a failover another connection may lead to the new primary. */
function isReadOnly(error: Error): boolean {
  return sqlState(error) === '25006';
}

/**
 * Limits for the server's side, and the settings that the protocol relies on in every database transaction, whatever
 * default the server, the database or the user has. A worker that stops in the middle
 * of a database transaction (a suspended machine, a network that is gone) would keep its locks until TCP gives up, and
 * its rows could not be taken over: half of a lease is long enough for anything that this program does between two
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
    // A look-up for each row of a group has a high cost estimate, and compiling such a plan takes longer than running it.
    jit: 'off',
    // A statement under the batch's lock sees the commits of the lock's previous holder.
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    // A claim that is committed is on disk: the run log names it next. Any setting but `off` is as strict, or stricter.
    synchronous_commit: 'on',
    // This program limits idle connections of the pool and long statements itself.
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
 * Whether an idle connection still has a live server at its other end. Checked where a statement would otherwise
 * wait for minutes for an answer that never arrives.
 */
function answers(connection: PoolConnection): Promise<boolean> {
  return new Promise((resolve) => {
    connection.query({ text: 'SELECT 1', query_timeout: askInMs }, (error) => resolve(error === null));
  });
}

/** The server notices it by a reset or not at all; its own limits end the statement there. */
function breakOff(connection: PoolConnection | undefined): void {
  connection?.connection.stream.destroy();
}

/** A silent server does not answer the closing message either, and its socket would keep the program alive. */
async function closePool(database: Knex, open: ReadonlyMap<string, PoolConnection>): Promise<void> {
  const closed = new AbortController();
  const patience = sleep(closeInMs, undefined, { signal: closed.signal }).catch(() => {});
  const closing = database.destroy().finally(() => closed.abort());
  await Promise.race([closing, patience]);
  for (const connection of [...open.values()]) breakOff(connection);
}

/** How long one pool's connections wait, each limit within the next; in milliseconds. */
export interface TimeLimits {
  /** For a lock that another session holds: the server then refuses the statement (55P03). */
  readonly lockInMs: number;
  /** For the server to execute one statement: it then cancels it (57014). */
  readonly statementInMs: number;
  /**
   * For any answer, including that of a COMMIT, which the server itself does not limit: a connection
   * that was silent this long is closed, since it is not known whether its statement was executed.
   */
  readonly answerInMs: number;
}

/**
 * For a run's frequent statements, with at most one group of rows: usually milliseconds. A statement that
 * fails here can still be tried a second time before the run's lease (30 s) is over.
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

/** For making a connection: name, handshake and password together, at all servers of an address. */
const connectInMs = 10_000;

/** For making a connection to one of many servers. */
const leastConnectInMs = 2_000;

/** For a free connection of the pool, including a new one. */
const acquireInMs = 15_000;

/** For an idle connection to show that its server still answers. */
const askInMs = 5_000;

/** For the pools to close: the callers have given up what is still running then. */
const closeInMs = 5_000;
