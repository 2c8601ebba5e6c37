import { EventEmitter } from 'node:events';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Answer, AnswerBody } from '../domain/answer.ts';
import type { StoredRequest } from '../domain/outcome.ts';
import {
  ConnectFailure,
  codeOf,
  connectReason,
  type TransportFailure,
  transportFailure,
} from './transport-failure.ts';

const defaultMaxAnswerBytes = 1024 * 1024;
const longestConnectInMs = 10_000;

/** What one HTTP request came to: an answer with a status at least, or none. */
export type Reply = ({ readonly kind: 'answer' } & Answer) | TransportFailure;

export interface ApiClientOptions {
  /** `http:` or `https:`; may have a path prefix, before which the request paths are not repeated. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** For one request as a whole: connecting, sending, and the answer's last byte. */
  readonly timeoutInMs: number;
  /** Connections at most; make it no smaller than the concurrency, or requests queue within their timeout. */
  readonly connections: number;
  readonly userAgent: string;
  /** Answers are not read beyond this; 1 MiB when absent. */
  readonly maxAnswerBytes?: number;
}

/**
 * The one way to the API. It makes one HTTP request for each call: no redirect is followed and nothing is
 * tried again. Failures of the network are values, never exceptions.
 */
export interface ApiClient {
  /** Sends exactly the stored bytes, under the stored key. */
  readonly post: (request: StoredRequest) => Promise<Reply>;
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<Reply>;
  /** Waits for what is in flight and closes all connections. */
  readonly close: () => Promise<void>;
}

/** @throws TypeError when an option cannot work; the message does not quote the API key */
export function createApiClient(options: ApiClientOptions): ApiClient {
  checkOptions(options);
  const { baseUrl, apiKey, timeoutInMs, userAgent } = options;
  const pool = openPool(options);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const commonHeaders = ['Api-Key', apiKey, 'accept', 'application/json', 'user-agent', userAgent];

  const exchange = async (request: Dispatcher.RequestOptions): Promise<Reply> => {
    // The transport takes an emitter for a signal; an AbortController for each request costs a quarter of
    // the throughput.
    const signal = new EventEmitter();
    let isPastDeadline = false;
    const timer = setTimeout(() => {
      isPastDeadline = true;
      signal.emit('abort');
    }, timeoutInMs);
    try {
      return await readAnswer(await pool.request({ ...request, signal }));
    } catch (error) {
      if (codeOf(error) === 'UND_ERR_INVALID_ARG') throw new TypeError('a request that HTTP cannot carry');
      return transportFailure(error, isPastDeadline);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    post: ({ path, idempotencyKey, body }) =>
      exchange({
        method: 'POST',
        path: joinPath(prefix, path),
        body,
        headers: [...commonHeaders, 'content-type', 'application/json', 'Idempotency-Key', idempotencyKey],
      }),
    get: (path, query = {}) => {
      const search = new URLSearchParams(query).toString();
      const target = joinPath(prefix, path) + (search === '' ? '' : `?${search}`);
      return exchange({ method: 'GET', path: target, headers: commonHeaders });
    },
    close: () => pool.close(),
  };
}

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

/**
 * The connector is wrapped because only there it is certain that nothing was sent: an error that it reports
 * comes before the connection is handed over, and the same error code can mean less later on.
 */
function openPool({ baseUrl, connections, timeoutInMs, maxAnswerBytes }: ApiClientOptions): Pool {
  // Below the request's own deadline, so that a hanging connect is known to have sent nothing.
  const connect = buildConnector({ timeout: Math.min(longestConnectInMs, timeoutInMs / 2) });
  return new Pool(baseUrl.origin, {
    connections,
    pipelining: 1,
    // The deadline of the whole request replaces the limits of its phases.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes ?? defaultMaxAnswerBytes,
    connect: (target, callback) =>
      connect(target, (...result) => {
        if (result[0] === null) callback(...result);
        else callback(new ConnectFailure(connectReason(result[0])), null);
      }),
  });
}

function joinPath(prefix: string, path: string): string {
  if (!path.startsWith('/')) throw new TypeError('a request path has to begin with a slash');
  return prefix + path;
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Reply> {
  let read: AnswerBody;
  try {
    const text = await body.text();
    // An empty body that ends with its connection, even with a reset one, may have been cut before it began.
    read = text === '' && !isEndAnnounced(headers) ? { state: 'cut' } : { state: 'whole', text };
  } catch (error) {
    // Once a status is there, a body that fails is a fact about the answer.
    read = { state: codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'too_large' : 'cut' };
  }
  return {
    kind: 'answer',
    status: statusCode,
    headers: {
      contentType: firstValue(headers['content-type']),
      retryAfter: firstValue(headers['retry-after']),
      location: firstValue(headers['location']),
      date: firstValue(headers['date']),
    },
    body: read,
  };
}

function isEndAnnounced(headers: Dispatcher.ResponseData['headers']): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function firstValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
