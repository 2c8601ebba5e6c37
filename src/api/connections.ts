/*
 * The connections to the API, direct or through a proxy. Each carries one request at a time. Informational answers (1xx)
 * are removed.
 */

import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isLoopbackAddress } from '../domain/machine/addresses.ts';
import { ConnectFailure, connectReason, type Exchange } from './exchange.ts';

/** A proxy for connections to HTTPS addresses, which use its CONNECT method (RFC 9110, section 9.3.6). */
export interface ProxySettings {
  /** `http:` or `https:`, without credentials. */
  readonly address: URL;
  /** The value of `Proxy-Authorization`; null if the proxy requires no authorization. */
  readonly authorization: string | null;
  /** Hosts that are connected to directly, separated by commas. */
  readonly noProxy: string;
}

interface RouteOptions {
  readonly baseUrl: URL;
  /** Maximum of connections. */
  readonly connections: number;
  /** Time limit of a whole request; connecting must take less. */
  readonly timeoutInMs: number;
  readonly maxAnswerBytes: number;
  readonly proxy?: ProxySettings | undefined;
}

/** The connections to the API. */
interface Route {
  readonly dispatcher: Dispatcher;
  /** Whether they go through the proxy; false before the first connection. */
  readonly isProxied: () => boolean;
}

const longestConnectInMs = 10_000;

/** Number of steps of a connection through a proxy: to the proxy, its answer, and TLS. */
const stepsThroughProxy = 3;

/**
 * Opens the connections of the client.
 * @param options plain `http` never goes through a proxy, since it is only used to reach this machine
 */
export function openRoute({ baseUrl, proxy, ...options }: RouteOptions): Route {
  // Shorter than the time limit of the request, so that a connect that hangs is known to have sent nothing.
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
    clientFactory: (origin, ofUndici) => new Pool(origin, { ...ofUndici, headersTimeout: stepInMs }),
    factory: (origin, ofUndici) => {
      const tunnel = tunnelOf(ofUndici);
      isProxied = tunnel !== undefined;
      return openPool(new URL(origin).origin, tunnel ?? direct, options);
    },
  });
  return { dispatcher, isProxied: () => isProxied };
}

/** The connector that undici passes for the proxy; undefined for a host with direct connections. */
function tunnelOf(ofUndici: object): buildConnector.connector | undefined {
  const connect: unknown = Reflect.get(ofUndici, 'connect');
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
    // The time limit of the whole request replaces undici's limits for its phases.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes,
  };
  return new Pool(origin, {
    connections,
    factory: (ofConnection) => new Connection(ofConnection, connectionOptions),
  });
}

/**
 * A request with its exchange, so that the connection that sends it can register with the exchange. The pool wraps
 * handlers, but passes options on unchanged.
 */
export interface ExchangeRequest extends Dispatcher.DispatchOptions {
  readonly exchange?: Exchange;
}

/**
 * One connection of a pool, with one request at a time. Its socket is opened when it is first needed, and again after it
 * was closed. undici closes a socket that receives bytes while no request is in flight, or before the next request is
 * written. `hangUp` covers the cases that undici cannot detect.
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
   * Connects when undici requests it. The connector is wrapped because this is the only place where it is certain that
   * nothing was sent: an error of the connector comes before the connection is handed over. Later, the same error code may
   * prove less.
   */
  readonly open: buildConnector.connector = (target, callback) => {
    this.#connector(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) {
        callback(new ConnectFailure(connectReason(error)), null);
        return;
      }
      // `localhost` is a name that may resolve to any address. Without TLS, no other check would detect that.
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

  /** Closes the current socket; the next request gets a new one. */
  readonly hangUp = (): void => {
    this.#socket?.destroy();
  };
}

/** Position of the first status digit, as in `HTTP/1.1 1`. */
const statusClassAt = 9;
const digitOne = 0x31;
const switchingProtocols = '101';
const headEnd = Buffer.from('\r\n\r\n');

/** A longer head is left to undici's parser, which refuses it. */
const longestHeadInBytes = 16 * 1024;

/**
 * Removes interim answers (`100 Continue` and the other 1xx) from a socket before undici reads them. A client has to accept
 * interim answers, even unexpected ones (RFC 9110, section 15.2). But undici closes the connection on a 100, so every
 * request would end without an answer. undici reads sockets with `read`, which is replaced for this one socket. 101 is
 * passed on, since the protocol must not change.
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
      // The socket reports new data only after all bytes were read, so read until it is empty.
      if (chunk === null || !this.#isHeadNext) return chunk;
      const final = this.#withoutInterim(chunk);
      if (final !== null) return final;
    }
  }

  /** Removes interim answers. Null while the bytes contain only interim answers, or an incomplete one. */
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

/** Length in bytes of the interim head at the beginning; 0 if something else is there. */
function interimLength(bytes: Buffer): number | 'not_known_yet' {
  // Nearly all answers are final, and the first digit of the status shows it.
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
