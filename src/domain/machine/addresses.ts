/* Which addresses and URLs are this machine's own, and which URLs name the same API. */

import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an IP address is one of this machine's own: no other machine can listen on it or connect to it. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  // An IPv4 address within an IPv6 one (`::ffff:127.0.0.1`) is looked up as the IPv4 address that it is.
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Whether a URL names this machine: `localhost`, or an address of it in any form that URLs know (`127.1`,
 * `0x7f.1`, `2130706433`), since parsing has brought those into one. A name that merely begins with an address
 * may be another host's, and so may `localhost.` or a name below it: name servers decide about those.
 */
export function isLoopbackUrl(url: URL): boolean {
  const { hostname } = url;
  if (hostname === 'localhost') return true;
  return isLoopbackAddress(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
}

/**
 * An API's address in one form for all of its spellings, for comparison only: `localhost`, `127.0.0.1` and `[::1]` are one,
 * and so are a name with and without its last point, in capitals, and with its default port. What is no URL is returned
 * unchanged.
 */
export function canonicalOrigin(origin: string): string {
  if (!/^https?:/i.test(origin) || !URL.canParse(origin)) return origin;
  // Parsing has brought capitals, default ports and the forms of IP addresses into one.
  const url = new URL(origin);
  url.hostname = url.hostname.replace(/\.+$/, '');
  if (isLoopbackUrl(url)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
