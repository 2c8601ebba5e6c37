/* Chooses the server of an address that a connection uses, as libpq does. */

import { isDatabaseUnavailable, NoServerFound, sqlState, type TriedServer } from './database-failure.ts';
import type { AddressedServer, ServerAddress, SessionTarget } from './server-settings.ts';

/** The state of a session at a server, before anything was set in it. */
export interface SessionState {
  /** Whether the server is in recovery, as a standby is. */
  readonly isStandby: boolean;
  /** Whether transactions are read-only: on a standby, and if `default_transaction_read_only` is on. */
  readonly isReadOnly: boolean;
}

/** How connections are made, queried and closed. */
interface Connecting<Connection> {
  readonly connect: (server: AddressedServer) => Promise<Connection>;
  readonly stateOf: (connection: Connection) => Promise<SessionState>;
  readonly close: (connection: Connection) => void;
}

/**
 * Connects to the first server that can be reached and is of the required kind. The server is chosen for each connection
 * separately, so after a failover the next connection leads to the new primary.
 * @throws NoServerFound if there is no such server; the error of a server that refuses the connection, in which case no
 * other server is tried
 */
export async function connectToOne<Connection>(
  { servers, target, isRandom }: ServerAddress,
  { connect, stateOf, close }: Connecting<Connection>,
): Promise<Connection> {
  const tried: TriedServer[] = [];
  // If there is no standby, any server is suitable, and all of them are tried again.
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
 * Whether to try another server after a failed connection. If a server answers with an error, such as a wrong password, the
 * other servers would answer the same, unless the server is starting or stopping.
 */
function isElsewherePerhaps(error: unknown): boolean {
  const isAnswer = error instanceof Error && 'severity' in error;
  return isAnswer ? sqlState(error) === '57P03' : isDatabaseUnavailable(error);
}

/** The reason why a session is not of the required kind; null if it is. */
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
