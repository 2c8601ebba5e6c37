/* The HTTP client of the API: where it connects to, and which requests it may send. */

import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { StoredRequest } from '../domain/sending/outcome.ts';
import { Connection, type ExchangeRequest } from './connection.ts';
import { Exchange, type Reply, redactorOf } from './exchange.ts';

/** A proxy that connections to HTTPS addresses go through, by CONNECT (RFC 9110, section 9.3.6). */
export interface ProxySettings {
  /** `http:` or `https:`, without credentials. */
  readonly address: URL;
  /** The value of `Proxy-Authorization`; null where the proxy requires none. */
  readonly authorization: string | null;
  /** Hosts to connect to directly, separated by commas. */
  readonly noProxy: string;
}

interface RouteOptions {
  readonly baseUrl: URL;
  /** Maximum of connections. */
  readonly connections: number;
  /** For one request as a whole; connecting must take less. */
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

const defaultMaxAnswerBytes = 1024 * 1024;

export interface ApiClientOptions {
  /** `http:` or `https:`; may have a path prefix, which the request paths do not repeat. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** For one request as a whole: connecting, sending, and the answer's last byte. */
  readonly timeoutInMs: number;
  /** Maximum of connections. It must not be smaller than the concurrency, or requests queue within their timeout. */
  readonly connections: number;
  readonly userAgent: string;
  /** Maximum of bytes that are read of an answer; 1 MiB when absent. */
  readonly maxAnswerBytes?: number;
  /** When absent, the API is connected to directly. */
  readonly proxy?: ProxySettings | undefined;
}

/**
 * The only way to the API. It makes one HTTP request for each call: no redirect is followed and nothing is retried.
 * Network failures are values, never exceptions.
 */
export interface ApiClient {
  /**
   * Sends exactly the stored bytes, under the stored key.
   * @param mayLeave called again once the connection is open, right before the first byte; always true when absent
   */
  readonly post: (request: StoredRequest, mayLeave?: () => boolean) => Promise<Reply>;
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<Reply>;
  /** Whether connections go through the proxy; false before the first connection. */
  readonly isProxied: () => boolean;
  /** Waits for what is in flight and closes all connections. */
  readonly close: () => Promise<void>;
}

/** A request without the origin, which is the same for all. */
interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: Buffer | null;
  readonly headers: string[];
}

/** @throws TypeError for an option that cannot work; the message does not quote the API key */
export function createApiClient(options: ApiClientOptions): ApiClient {
  checkOptions(options);
  const { baseUrl, apiKey, timeoutInMs, userAgent } = options;
  const maxAnswerBytes = options.maxAnswerBytes ?? defaultMaxAnswerBytes;
  const { dispatcher, isProxied } = openRoute({ ...options, maxAnswerBytes });
  const redact = redactorOf(apiKey);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const commonHeaders = ['Api-Key', apiKey, 'accept', 'application/json', 'user-agent', userAgent];

  // Read once: a URL builds its origin at each access.
  const { origin } = baseUrl;

  const exchange = (request: Sent, mayLeave = always): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const onItsWay = new Exchange({ timeoutInMs, mayLeave, redact, resolve, reject });
      const { method, path, body, headers } = request;
      const addressed: ExchangeRequest = { origin, method, path, body, headers, exchange: onItsWay };
      dispatcher.dispatch(addressed, onItsWay);
    });

  return {
    post: ({ path, idempotencyKey, body }, mayLeave) =>
      exchange(
        {
          method: 'POST',
          path: joinPath(prefix, path),
          body,
          headers: [...commonHeaders, 'content-type', 'application/json', 'Idempotency-Key', idempotencyKey],
        },
        mayLeave,
      ),
    get: (path, query = {}) => {
      const search = new URLSearchParams(query).toString();
      const target = joinPath(prefix, path) + (search === '' ? '' : `?${search}`);
      return exchange({ method: 'GET', path: target, body: null, headers: commonHeaders });
    },
    isProxied,
    close: () => dispatcher.close(),
  };
}

const always = (): boolean => true;

function checkOptions({ baseUrl, apiKey, timeoutInMs }: ApiClientOptions): void {
  if (baseUrl.protocol !== 'https:' && baseUrl.protocol !== 'http:') {
    throw new TypeError('the base URL has to begin with https: or http:');
  }
  if (baseUrl.username !== '' || baseUrl.password !== '' || baseUrl.search !== '' || baseUrl.hash !== '') {
    throw new TypeError('the base URL holds more than an origin and a path');
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('the API key is empty or holds characters that a header cannot carry');
  }
  if (!(timeoutInMs > 0)) throw new TypeError('the timeout has to be above zero');
}

function joinPath(prefix: string, path: string): string {
  if (!path.startsWith('/')) throw new TypeError('a request path has to begin with a slash');
  return prefix + path;
}
