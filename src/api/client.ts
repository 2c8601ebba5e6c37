/* The HTTP client of the API. It defines which requests may be sent, and how each of them is made. */

import type { StoredRequest } from '../domain/sending/outcome.ts';
import { type ExchangeRequest, openRoute, type ProxySettings } from './connections.ts';
import { Exchange, type Reply, redactorOf } from './exchange.ts';

const defaultMaxAnswerBytes = 1024 * 1024;

export interface ApiClientOptions {
  /** `http:` or `https:`. May contain a path prefix, which the request paths do not repeat. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Time limit of a whole request: connecting, sending, and reading the answer to its last byte. */
  readonly timeoutInMs: number;
  /**
   * Maximum of connections. It must not be smaller than the concurrency; otherwise requests would wait for a connection
   * during their timeout.
   */
  readonly connections: number;
  readonly userAgent: string;
  /** Maximum number of bytes that are read of an answer; 1 MiB when absent. */
  readonly maxAnswerBytes?: number;
  /** When absent, connections to the API are direct. */
  readonly proxy?: ProxySettings | undefined;
}

/**
 * The only way to send requests to the API. It makes one HTTP request for each call: redirects are not followed, and
 * nothing is retried. Network failures are returned as values, never thrown.
 */
export interface ApiClient {
  /**
   * Sends exactly the stored bytes, under the stored key.
   * @param mayLeave called again when the connection is open, right before the first byte, since another run may have taken
   *   over the row meanwhile. It is a required parameter, so that a client that wraps another one cannot omit it
   */
  readonly post: (request: StoredRequest, mayLeave: () => boolean) => Promise<Reply>;
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<Reply>;
  /** Whether connections go through the proxy; false before the first connection. */
  readonly isProxied: () => boolean;
  /** Waits for requests in flight, and closes all connections. */
  readonly close: () => Promise<void>;
}

/** A request without the origin, which is the same for all requests. */
interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: Buffer | null;
  readonly headers: string[];
}

/**
 * Creates the client.
 * @throws TypeError for an option that cannot work; the message does not quote the API key
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  checkOptions(options);
  const { baseUrl, apiKey, timeoutInMs, userAgent } = options;
  const maxAnswerBytes = options.maxAnswerBytes ?? defaultMaxAnswerBytes;
  const { dispatcher, isProxied } = openRoute({ ...options, maxAnswerBytes });
  const redact = redactorOf(apiKey);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const commonHeaders = ['Api-Key', apiKey, 'accept', 'application/json', 'user-agent', userAgent];

  // Read only once, since a URL builds its origin at each access.
  const { origin } = baseUrl;

  const exchange = (request: Sent, mayLeave: () => boolean): Promise<Reply> =>
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
      return exchange({ method: 'GET', path: target, body: null, headers: commonHeaders }, always);
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
