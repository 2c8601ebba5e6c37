/* The cookie of a session: what it says to browsers, and how it is read. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionLimits } from '../../domain/controls/sign-in.ts';

const name = 'paybatch_session';

/** Gives a browser its session. No script reads it, and no other site's form sends it. @param isSecure for HTTPS alone */
export function giveSession(reply: FastifyReply, token: string, isSecure: boolean): void {
  reply.setCookie(name, token, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure,
    maxAge: sessionLimits.longestInMs / 1000,
  });
}

export function forgetSession(reply: FastifyReply): void {
  reply.clearCookie(name, { path: '/' });
}

/** The token of a request; null where it has none. */
export function sessionTokenOf({ headers }: FastifyRequest): string | null {
  const found = /(?:^|;\s*)paybatch_session=([A-Za-z0-9_-]{43})(?:;|$)/.exec(headers.cookie ?? '');
  return found?.[1] ?? null;
}
