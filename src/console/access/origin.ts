/* The console's own addresses; requests under another host name, or from another site's page, are refused. */

import { isLoopbackUrl } from '../../domain/batches/batch.ts';

/** The headers of a request that show its origin. */
interface RequestOrigin {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, which every current browser sends and no page can set. */
  readonly fetchSite: string | undefined;
}

/** Why a request is refused. */
export type OriginRefusal = 'unknown_host' | 'other_origin';

/** The addresses under which the console accepts requests. */
export class OwnOrigins {
  readonly #origins: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;

  /**
   * @param port on which the console listens
   * @param publicOrigin the address of the proxy before it, such as `https://paybatch.example.com`
   */
  constructor(port: number, publicOrigin?: string) {
    const loopback = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
    const origins = publicOrigin === undefined ? loopback : [...loopback, new URL(publicOrigin).origin];
    this.#origins = new Set(origins);
    this.#hosts = new Set(origins.map((origin) => new URL(origin).host));
  }

  /**
   * Refuses a foreign host name that points to this machine, as in DNS rebinding. A request that changes something
   * has to come from a page of the console.
   */
  refusalOf({ method, host, origin, fetchSite }: RequestOrigin): OriginRefusal | null {
    if (host === undefined || !this.#hosts.has(host.toLowerCase())) return 'unknown_host';
    if (method === 'GET' || method === 'HEAD') return null;
    if (fetchSite === 'cross-site' || fetchSite === 'same-site') return 'other_origin';
    if (origin !== undefined) return this.#origins.has(origin.toLowerCase()) ? null : 'other_origin';
    return fetchSite === 'same-origin' ? null : 'other_origin';
  }
}

/** Whether a listening address is reachable only from this machine. */
export function isLoopbackHost(host: string): boolean {
  const named = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return URL.canParse(`http://${named}`) && isLoopbackUrl(new URL(`http://${named}`));
}
