/* Tests which addresses and URLs belong to this machine, and which URLs name the same API. */

import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an IP address is a loopback address. No other machine can listen on it or connect to it. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  // An IPv4 address within an IPv6 address (`::ffff:127.0.0.1`) is tested as an IPv4 address.
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Whether a URL names this machine: `localhost`, or a loopback address in any form that URLs allow (`127.1`, `0x7f.1`,
 * `2130706433`), since URL parsing normalises these forms. A name that only begins with an address may belong to another
 * host. So may `localhost.` or a name below it, because name servers resolve these.
 */
export function isLoopbackUrl(url: URL): boolean {
  const { hostname } = url;
  if (hostname === 'localhost') return true;
  return isLoopbackAddress(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
}

/**
 * An API's address in one form for all of its spellings, for comparison only. `localhost`, `127.0.0.1` and `[::1]` become
 * equal, and so does a name with and without its final dot, in capitals, and with its default port. A text that is no URL is
 * returned unchanged.
 */
export function canonicalOrigin(origin: string): string {
  if (!/^https?:/i.test(origin) || !URL.canParse(origin)) return origin;
  // URL parsing has normalised capitals, default ports and the forms of IP addresses.
  const url = new URL(origin);
  url.hostname = url.hostname.replace(/\.+$/, '');
  if (isLoopbackUrl(url)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
