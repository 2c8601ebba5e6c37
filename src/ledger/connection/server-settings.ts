/* The database server: its address, whether it accepts writes, its clock, and the settings that a run or `doctor` reads. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { say } from '../../domain/settings/message.ts';
import * as sql from '../query/sql.ts';
import { namePrimary } from './database-failure.ts';

/*
 * The address of the database. It names one PostgreSQL server, or several servers of which one is used. Several servers, and
 * the parameters `target_session_attrs` and `load_balance_hosts`, have the same meaning as in libpq, PostgreSQL's own
 * client.
 */

const sessionTargets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/** The required kind of server (`target_session_attrs`). */
export type SessionTarget = (typeof sessionTargets)[number];

/** One server of an address. */
export interface AddressedServer {
  /** The address of this server alone, in the driver's form. */
  readonly url: string;
  /** Its host and port, for people. */
  readonly name: string;
}

/** An address, split into its parts. */
export interface ServerAddress {
  /** In the order in which they are tried. */
  readonly servers: readonly AddressedServer[];
  readonly target: SessionTarget;
  /** Whether the order is random for each connection (`load_balance_hosts=random`). */
  readonly isRandom: boolean;
}

/** The parts: scheme, user and password, hosts, path, parameters. */
const parts = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/i;

/**
 * @throws PaybatchError (`database_url`) that states the mistake without repeating the address, because it contains a
 * password
 */
export function parseServerAddress(databaseUrl: string): ServerAddress {
  const [, scheme = '', user = '', authority = '', path = '/', query = ''] = parts.exec(databaseUrl) ?? [];
  if (scheme === '') throw notAnAddress();
  const parameters = new URLSearchParams(query);
  const places = placesIn(authority, parameters);
  const isAsItIs = places.length === 1 && !authority.startsWith('[');
  const servers = places.map(({ host, port }) => ({
    url: isAsItIs ? databaseUrl : `${scheme}${user}localhost${path}?${withPlace(parameters, host, port)}`,
    name: `${host || 'localhost'}:${port || usualPort}`,
  }));
  if (!servers.every(({ url }) => URL.canParse(url))) throw notAnAddress();
  return {
    servers,
    target: oneOf(parameters, 'target_session_attrs', sessionTargets),
    isRandom: oneOf(parameters, 'load_balance_hosts', ['disable', 'random'] as const) === 'random',
  };
}

const usualPort = '5432';

interface Place {
  readonly host: string;
  /** Empty for the default port. */
  readonly port: string;
}

/** Hosts and ports in the parameters override the ones before the path. A single port is for all hosts. */
function placesIn(authority: string, parameters: URLSearchParams): readonly Place[] {
  const stated = authority.split(',').map(statedPlace);
  const [ownHosts, ownPorts] = [lastOf(parameters, 'host'), lastOf(parameters, 'port')];
  const hosts = ownHosts?.split(',') ?? stated.map(({ host }) => host);
  const ports = ownPorts?.split(',') ?? stated.map(({ port }) => port);
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw unusable(
      `names ${hosts.length} hosts and ${ports.length} ports`,
      'name one port for all hosts, or one for each',
    );
  }
  const places = hosts.map((host, at) => ({ host, port: (ports.length === 1 ? ports[0] : ports[at]) ?? '' }));
  if (!places.every(({ port }) => isPort(port))) throw notAnAddress();
  return places;
}

/** Splits `host:port`. Either part may be missing; a host with colons is in brackets. */
function statedPlace(text: string): Place {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([^\]]+)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  try {
    return { host: bracketed ?? decodeURIComponent(plain), port };
  } catch {
    throw notAnAddress();
  }
}

function isPort(text: string): boolean {
  return text === '' || (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535);
}

/**
 * Puts host and port into the parameters, from which the driver reads them. There a host may also be a folder of sockets.
 */
function withPlace(parameters: URLSearchParams, host: string, port: string): string {
  const own = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries({ host: host || 'localhost', port: port || usualPort })) {
    own.delete(name);
    own.set(name, value);
  }
  return own.toString();
}

function oneOf<Value extends string>(
  parameters: URLSearchParams,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  const stated = lastOf(parameters, name) ?? values[0];
  const found = values.find((value) => value === stated);
  if (found !== undefined) return found;
  throw unusable(`has ${name}=${stated}`, `choose one of ${values.join(', ')}`);
}

/** The value of a parameter as the driver reads it: the last one of repeated parameters. */
function lastOf(parameters: URLSearchParams, name: string): string | undefined {
  return parameters.getAll(name).at(-1);
}

function notAnAddress(): PaybatchError {
  return new PaybatchError(
    'database_url',
    say`${{ setting: 'databaseUrl' }} is not the address of a PostgreSQL database.`,
    'write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters of the password percent-encoded',
  );
}

function unusable(what: string, advice: string): PaybatchError {
  return new PaybatchError('database_url', say`${{ setting: 'databaseUrl' }} ${what}.`, {
    action: 'advice',
    text: advice,
    next: { action: 'doctor' },
  });
}

/** A server that accepts no writes. */
export interface ReadOnlyServer {
  /** Its host and port, as in the address. */
  readonly server: string;
  /** Whether the server is in recovery. Otherwise `default_transaction_read_only` is on. */
  readonly isStandby: boolean;
  /** For a standby: the time of its latest replayed transaction; null if there was none since its start. */
  readonly knownUntil: string | null;
}

/** Null if the server accepts writes. */
export const readWhetherReadOnly = sql.shortVerb(
  async (database: sql.Database): Promise<ReadOnlyServer | null> => {
    const found = await sql.onlyRow(
      database,
      { isReadOnly: sql.bool, server: sql.text, isStandby: sql.bool, knownUntil: sql.orNull(sql.text) },
      `SELECT current_setting('transaction_read_only')::boolean AS "isReadOnly",
         coalesce(current_setting('${serverNameSetting}', true), '') AS server, pg_is_in_recovery() AS "isStandby",
         ${sql.isoUtc('pg_last_xact_replay_timestamp()')} AS "knownUntil"`,
    );
    const { isReadOnly, ...server } = found;
    return isReadOnly ? server : null;
  },
);

/** @throws PaybatchError (`database_read_only`) if the server accepts no writes */
export function requireWrites(found: ReadOnlyServer | null): void {
  if (found === null) return;
  const { server, isStandby } = found;
  throw isStandby
    ? new PaybatchError(
        'database_read_only',
        say`The server ${server} of ${{ setting: 'databaseUrl' }} is a standby: it takes no writes.`,
        namePrimary,
      )
    : new PaybatchError(
        'database_read_only',
        say`The server ${server} of ${{ setting: 'databaseUrl' }} is read-only: default_transaction_read_only is on.`,
        {
          action: 'advice',
          text: 'name a server that takes writes, or set it to off for the user of paybatch where it is meant for other programs (docs/operations.md)',
          next: { action: 'doctor' },
        },
      );
}

/** The values for this connection. A user or a database may have its own settings. */
export const readDurability = sql.shortVerb((database: sql.Database) =>
  sql.onlyRow(
    database,
    { fsync: sql.bool, synchronousCommit: sql.bool },
    `SELECT current_setting('fsync')::boolean AS fsync,
         current_setting('synchronous_commit') <> 'off' AS "synchronousCommit"`,
  ),
);

/** The server's version as it reports it, for example `16.4`. */
export const readServerVersion = sql.shortVerbOnce(async (database: sql.Database): Promise<string> => {
  return sql.onlyValue(database, sql.text, `SELECT current_setting('server_version') AS version`);
});

/** The ledger's clock. With a shared database it is the same for every host. */
export const databaseTime = sql.shortVerbOnce(
  (database: sql.Database): Promise<Date> => sql.onlyValue(database, sql.timestamp, 'SELECT now() AS now'),
);

/** The name of the session setting with the host and port through which the session's server was reached. */
export const serverNameSetting = 'paybatch.server';
