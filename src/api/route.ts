import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { Connection } from './connection.ts';

/** A proxy that connections to HTTPS addresses go through, by CONNECT (RFC 9110, section 9.3.6). */
export interface ProxySettings {
  /** `http:` or `https:`, without credentials. */
  readonly address: URL;
  /** The value of `Proxy-Authorization`; null where the proxy wants none. */
  readonly authorization: string | null;
  /** Hosts that are connected to directly, with commas between them. */
  readonly noProxy: string;
}

interface RouteOptions {
  readonly baseUrl: URL;
  /** Connections at most. */
  readonly connections: number;
  /** For one request as a whole; connecting has to be over before. */
  readonly timeoutInMs: number;
  readonly maxAnswerBytes: number;
  readonly proxy?: ProxySettings | undefined;
}

/** The connections to the API. */
interface Route {
  readonly dispatcher: Dispatcher;
  /** Whether they go through the proxy; false as long as there was none. */
  readonly isProxied: () => boolean;
}

const longestConnectInMs = 10_000;

/** A connection through a proxy is made in so many steps: to the proxy, its answer, and TLS. */
const stepsThroughProxy = 3;

/** @param options plain `http` never goes through a proxy: it is for this machine only */
export function openRoute({ baseUrl, proxy, ...options }: RouteOptions): Route {
  // Below the request's own deadline, so that a hanging connect is known to have sent nothing.
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

/** What undici hands on to connect through the proxy; undefined for a host that is connected to directly. */
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
