import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Core } from './core.ts';
import { Refusal } from './refusal.ts';

/** Who may come in: the host that the sandbox listens on, and the token of its control endpoints. */
export interface Door {
  readonly host: string;
  readonly controlToken: string;
}

/** What is wrong with a request, decided before its body is read; undefined when nothing is. */
export function refusalAtTheDoor(core: Core, door: Door, request: FastifyRequest): Refusal | undefined {
  return (
    hostRefusal(door, request) ??
    (isForControl(request) ? controlRefusal(door, request) : keyRefusal(core, request)) ??
    (request.is404 ? new Refusal(404, 'not_found', 'there is no such endpoint') : undefined)
  );
}

/**
 * A page in a browser can reach this machine under a name of its own that leads here (DNS rebinding), and then
 * read what it gets: such a request names that host.
 */
function hostRefusal({ host }: Door, request: FastifyRequest): Refusal | undefined {
  const asked = hostNameOf(request.headers.host);
  if (asked !== undefined && (isLoopbackName(asked) || asked === host.toLowerCase())) return undefined;
  return new Refusal(421, 'foreign_host', 'the header Host names another machine than this one');
}

/** By the route that was found, since a path can be written in several ways (`/%73andbox/...`). */
function isForControl(request: FastifyRequest): boolean {
  return `${request.routeOptions.url ?? request.url}/`.startsWith('/sandbox/');
}

function controlRefusal({ controlToken }: Door, request: FastifyRequest): Refusal | undefined {
  if (!isLoopbackAddress(request.socket.remoteAddress)) {
    return new Refusal(403, 'loopback_only', 'the control endpoints answer on this machine only');
  }
  if (isSame(request.headers.authorization, `Bearer ${controlToken}`)) return undefined;
  return new Refusal(
    401,
    'control_token_required',
    'the control endpoints need the header "Authorization: Bearer TOKEN", with the token that the sandbox ' +
      'printed at its start and keeps in its data folder as control-token',
  );
}

function keyRefusal(core: Core, request: FastifyRequest): Refusal | undefined {
  if (core.modeOf(request.headers['api-key']) !== undefined) return undefined;
  return new Refusal(401, 'unauthorized', 'the Api-Key is missing or not valid');
}

/** The header's host in small letters, without port and brackets; undefined where it is none. */
function hostNameOf(header: string | undefined): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase();
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

function isLoopbackAddress(address: string | undefined): boolean {
  return isLoopbackName((address ?? '').replace(/^::ffff:/i, ''));
}

/** In a time that does not tell how much of it was right. */
function isSame(given: string | undefined, right: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(right));
}
