/*
 * The connections to the API, direct or through a proxy: one request at a time on each, and no informational (1xx) answer
 * is passed on.
 */

import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isLoopbackAddress } from '../domain/machine/addresses.ts';
import { ConnectFailure, connectReason, type Exchange } from './exchange.ts';

/** A proxy that connections to HTTPS addresses go through, by CONNECT (RFC 9110, section 9.3.6). */
export interface ProxySettings {
  /** `http:` or `https:`, without credentials. */
  readonly address: URL;
  /** The value of `Proxy-Authorization`; null where the proxy requires none. */
  readonly authorization: string | null;
  /** Hosts to connect to directly, separated by commas. */
  readonly noProxy: string;
}

export interface RouteOptions {
  readonly baseUrl: URL;
  /** Maximum of connections. */
  readonly connections: number;
  /** For one request as a whole; connecting must take less. */
  readonly timeoutInMs: number;
  readonly maxAnswerBytes: number;
  readonly proxy?: ProxySettings | undefined;
}

/** The connections to the API. */
export interface Route {
  readonly dispatcher: Dispatcher;
  /** Whether they go through the proxy; false before the first connection. */
  readonly isProxied: () => boolean;
}

const longestConnectInMs = 10_000;

/** Number of steps of a connection through a proxy: to the proxy, its answer, and TLS. */
const stepsThroughProxy = 3;

/** @param options plain `http` never goes through a proxy: it is for this machine only */
export function openRoute({ baseUrl, proxy, ...options }: RouteOptions): Route {
  // Shorter than the request's own deadline, so that a hanging connect is known to have sent nothing.
  const connectInMs = Math.min(longestConnectInMs, options.timeoutInMs / 2);
  const direct = buildConnector({ timeout: connectInMs });
  if (proxy === undefined || baseUrl.protocol !== 'https:') {
    return { dispatcher: openPool(baseUrl.origin, direct, options), isProxied: () => false };
  }
  let isProxied = false;
  const stepInMs = Math.ceil(connectInMs / stepsThroughProxy);
  const dispatcher = new EnvHttpProxyAgent({
    httpsProxy: proxy.address.href,
    httpProxy: '',
    noProxy: proxy.noProxy,
    ...(proxy.authorization === null ? {} : { token: proxy.authorization }),
    proxyTls: { timeout: stepInMs },
    requestTls: { timeout: stepInMs },
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: stepInMs }),
    factory: (origin, given) => {
      const tunnel = tunnelOf(given);
      isProxied = tunnel !== undefined;
      return openPool(new URL(origin).origin, tunnel ?? direct, options);
    },
  });
  return { dispatcher, isProxied: () => isProxied };
}

/** The connector that undici passes on for the proxy; undefined for a host that is connected to directly. */
function tunnelOf(given: object): buildConnector.connector | undefined {
  const connect: unknown = Reflect.get(given, 'connect');
  return isConnector(connect) ? connect : undefined;
}

function isConnector(connect: unknown): connect is buildConnector.connector {
  return typeof connect === 'function';
}

function openPool(
  origin: string,
  connector: buildConnector.connector,
  { connections, maxAnswerBytes }: Pick<RouteOptions, 'connections' | 'maxAnswerBytes'>,
): Pool {
  const connectionOptions = {
    connector,
    // The deadline of the whole request replaces the limits of its phases.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes,
  };
  return new Pool(origin, {
    connections,
    factory: (ofConnection) => new Connection(ofConnection, connectionOptions),
  });
}

/** A request that tells its exchange which connection it uses: the pool wraps handlers, and passes options on. */
export interface ExchangeRequest extends Dispatcher.DispatchOptions {
  readonly exchange?: Exchange;
}

/**
 * One connection of a pool: one request at a time, on a socket that is opened when it is first needed, and again after it
 * was closed. undici closes a socket that receives bytes while no request is under way, or before the next request after
 * them is written; `close` is for what it cannot notice.
 */
class Connection extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: Client.Options & { readonly connector: buildConnector.connector }) {
    const { connector, ...clientOptions } = options;
    const line = new Line(connector);
    super(origin, { ...clientOptions, pipelining: 1, connect: line.open });
    this.#line = line;
  }

  override dispatch(options: ExchangeRequest, handler: Dispatcher.DispatchHandler): boolean {
    this.#line.expectAnswer();
    options.exchange?.goesOver(this.#line.hangUp);
    return super.dispatch(options, handler);
  }
}

/** The current socket of a connection. */
class Line {
  readonly #connector: buildConnector.connector;
  #socket: Socket | undefined;
  #interim: InterimAnswers | undefined;

  constructor(connector: buildConnector.connector) {
    this.#connector = connector;
  }

  /**
   * Connects when undici asks for it. The connector is wrapped because only here it is certain that nothing was sent: an
   * error that it reports comes before the connection is handed over, and the same error code may prove less later on.
   */
  readonly open: buildConnector.connector = (target, callback) => {
    this.#connector(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) {
        callback(new ConnectFailure(connectReason(error)), null);
        return;
      }
      // `localhost` is a name, and a name may resolve to any address: without TLS nothing else would notice.
      if (target.protocol === 'http:' && !isLoopbackAddress(socket.remoteAddress ?? '')) {
        socket.destroy();
        callback(new ConnectFailure('not_encrypted'), null);
        return;
      }
      this.#socket = socket;
      this.#interim = new InterimAnswers(socket);
      callback(null, socket);
    });
  };

  expectAnswer(): void {
    this.#interim?.expectAnswer();
  }

  /** Closes the socket that is open now; the next request gets a new one. */
  readonly hangUp = (): void => {
    this.#socket?.destroy();
  };
}

/** `HTTP/1.1 1`, up to the first digit of the status. */
const statusClassAt = 9;
const digitOne = 0x31;
const switchingProtocols = '101';
const headEnd = Buffer.from('\r\n\r\n');

/** A longer head is left to the parser, which refuses it. */
const longestHeadInBytes = 16 * 1024;

/**
 * Removes interim answers (`100 Continue` and the other 1xx) from a socket, before undici reads them. A client has to
 * accept them, even those that it did not ask for (RFC 9110, section 15.2), but undici closes the connection on a 100,
 * and every request would end without an answer. It reads sockets with `read`, which is replaced for this one socket. 101
 * is passed on: the protocol must not change.
 */
class InterimAnswers {
  readonly #read: (size?: number) => Buffer | null;
  /** Whether the next bytes are the head of an answer. */
  #isHeadNext = true;
  /** The beginning of an interim head that is not complete yet. */
  #pending: Buffer | null = null;

  constructor(socket: Socket) {
    this.#read = socket.read.bind(socket);
    socket.read = (size?: number) => this.#readFinal(size);
  }

  /** Called before a request is written: the next bytes are its answer. */
  expectAnswer(): void {
    this.#isHeadNext = true;
    this.#pending = null;
  }

  #readFinal(size: number | undefined): Buffer | null {
    for (;;) {
      const chunk = this.#read(size);
      // The socket reports further data only after everything was read.
      if (chunk === null || !this.#isHeadNext) return chunk;
      const final = this.#withoutInterim(chunk);
      if (final !== null) return final;
    }
  }

  /** Null while there are only interim answers, or the beginning of one. */
  #withoutInterim(chunk: Buffer): Buffer | null {
    let bytes = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = null;
    while (bytes.length > 0) {
      const length = interimLength(bytes);
      if (length === 'not_known_yet') {
        this.#pending = bytes;
        return null;
      }
      if (length === 0) {
        this.#isHeadNext = false;
        return bytes;
      }
      bytes = bytes.subarray(length);
    }
    return null;
  }
}

/** Number of bytes of interim head at the beginning; 0 when there is something else. */
function interimLength(bytes: Buffer): number | 'not_known_yet' {
  // Nearly no answer is an interim one: the first digit shows it.
  if (bytes.length > statusClassAt && bytes[statusClassAt] !== digitOne) return 0;
  const version = bytes.subarray(0, statusClassAt).toString('latin1');
  if (!/^HTTP\/1\.\d $/.test(version)) {
    return 'HTTP/1.1 '.startsWith(version) && bytes.length < statusClassAt ? 'not_known_yet' : 0;
  }
  const status = bytes.subarray(statusClassAt, statusClassAt + 3).toString('latin1');
  if (status.length === 0) return 'not_known_yet';
  if (status === switchingProtocols) return 0;
  const end = bytes.indexOf(headEnd);
  if (end >= 0) return end + headEnd.length;
  return bytes.length < longestHeadInBytes ? 'not_known_yet' : 0;
}
