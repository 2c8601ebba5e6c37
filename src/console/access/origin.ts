/*
 * The console's own addresses: which addresses are safe, and at which ones people sign in. Requests under another host
 * name, or from a page of another site, are refused.
 */

import type { Mode } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { isLoopbackUrl } from '../../domain/machine/addresses.ts';

/** The headers of a request that show its origin. */
interface RequestOrigin {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. Every current browser sends it, and no page can set it. */
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
   * @param publicOrigin the address of the proxy in front of it, such as `https://paybatch.example.com`
   */
  constructor(port: number, publicOrigin?: string) {
    const loopback = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
    const origins = publicOrigin === undefined ? loopback : [...loopback, new URL(publicOrigin).origin];
    this.#origins = new Set(origins);
    this.#hosts = new Set(origins.map((origin) => new URL(origin).host));
  }

  /**
   * Refuses a foreign host name that points to this machine, as in DNS rebinding. A request that changes something must
   * come from a page of the console.
   */
  refusalOf({ method, host, origin, fetchSite }: RequestOrigin): OriginRefusal | null {
    if (host === undefined || !this.#hosts.has(host.toLowerCase())) return 'unknown_host';
    if (method === 'GET' || method === 'HEAD') return null;
    if (fetchSite === 'cross-site' || fetchSite === 'same-site') return 'other_origin';
    if (origin !== undefined) return this.#origins.has(origin.toLowerCase()) ? null : 'other_origin';
    return fetchSite === 'same-origin' ? null : 'other_origin';
  }
}

/** The addresses at which a console is reached, and whether people sign in. */
export interface Reach {
  readonly host: string;
  /** The address of a proxy that ends TLS, such as `https://paybatch.example.com`. */
  readonly publicOrigin?: string | undefined;
  /** Whether people have to sign in even if it is not required: on this machine, in sandbox mode. */
  readonly users?: boolean;
}

/**
 * Whether people have to sign in. Without users, everyone who reaches the address may send money. This is allowed only
 * on this machine and with the sandbox.
 */
export function needsUsers({ host, publicOrigin, users = false }: Reach, mode: Mode): boolean {
  const isLocal = isLoopbackHost(host) && publicOrigin === undefined;
  return users || !isLocal || mode === 'live';
}

/**
 * Requires an address with which passwords and sessions never cross a network in clear text.
 * @throws PaybatchError (`console_refused`)
 */
export function requireSafeAddress({ host, publicOrigin }: Reach): void {
  if (publicOrigin !== undefined && !/^https:\/\/[^/]+\/?$/.test(publicOrigin)) {
    throw new PaybatchError(
      'console_refused',
      `"${publicOrigin}" is no public origin.`,
      'give an address such as https://paybatch.example.com, without a path',
    );
  }
  if (!isLoopbackHost(host) && publicOrigin === undefined) {
    throw new PaybatchError(
      'console_refused',
      'On an address that other machines reach, the console has to be behind a proxy that ends TLS.',
      'name the public origin of that proxy, such as https://paybatch.example.com; or leave out the host',
    );
  }
}

/** Whether a listening address is reachable only from this machine. */
export function isLoopbackHost(host: string): boolean {
  const named = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return URL.canParse(`http://${named}`) && isLoopbackUrl(new URL(`http://${named}`));
}
