/* The sessions of signed-in people, identified by the hash of their cookie. They expire. */

import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { replaceFile } from '../../account/files/replacement-file.ts';
import type { Actor } from '../../call/context.ts';
import { consoleChannel, hashOfToken, newToken } from '../../controls/session-actor.ts';
import { sessionLimits } from '../../domain/controls/sign-in.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ViewerRole } from './rights.ts';

/* The cookie of a session: its attributes, and how to read it. */

const name = 'paybatch_session';

/**
 * Sets a browser's session cookie. Scripts cannot read it, and forms of other sites do not send it.
 * @param isSecure for HTTPS only
 */
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

/** The token of a request; null if the request has none. */
export function sessionTokenOf({ headers }: FastifyRequest): string | null {
  const found = /(?:^|;\s*)paybatch_session=([A-Za-z0-9_-]{43})(?:;|$)/.exec(headers.cookie ?? '');
  return found?.[1] ?? null;
}

/** The person who views a page. */
export interface Viewer {
  /** The name recorded with every action of this person. */
  readonly name: string;
  readonly role: ViewerRole;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The viewer; null before the session was found. */
    viewer: Viewer | null;
    /** The fingerprint of the live key in force if nothing proves that the key is live; else null. */
    unprovenKey: string | null;
    /** Whether a recent session has ended only by timeout. */
    isTimedOut: boolean;
  }
  interface FastifyContextConfig {
    /** Whether a page polls this route. Polling does not keep a session alive. */
    isPolling?: boolean;
  }
}

/** The person as the engine records them. */
export function actorOf({ name }: Viewer): Actor {
  return { name, channel: consoleChannel };
}

/** The person who made a request. */
interface SessionFound {
  /** Null if no session is open. */
  readonly viewer: Viewer | null;
  /** Whether a recent session has ended only by timeout. */
  readonly isTimedOut: boolean;
}

/** Sessions of a console. Only the browser knows a token; the console keeps only its hash. */
export interface Sessions {
  /** The viewer of a session. @param isActivity whether a person made the request, which keeps the session alive */
  find(token: string, isActivity: boolean): Promise<SessionFound>;
  /** Ends the session, if there is one. */
  end(token: string): Promise<void>;
}

/** Sessions of users. They are in the ledger and outlive this process. */
export class SessionsInLedger implements Sessions {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async find(token: string, isActivity: boolean): Promise<SessionFound> {
    const { session, isTimedOut } = await this.#engine.readSession({ token, isActivity }).result;
    return { viewer: session === null ? null : { name: session.name, role: session.role }, isTimedOut };
  }

  async end(token: string): Promise<void> {
    await this.#engine.signOut({ token }).result;
  }
}

/** A session of the owner, in the form of the file. */
interface Session {
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly beganAtInMs: number;
  seenAtInMs: number;
}

/** The maximum age of the last request recorded in the file. It limits how much a console forgets when it is killed. */
const mostUnkeptInMs = 60_000;

/** How long an ended session is kept, so that the page can say that it timed out. */
const knownAfterEndInMs = 24 * 3_600_000;

/**
 * Sessions of a console without users. All of them belong to the person who started it. They are kept in a private
 * file, so that the same browser can continue after the console was killed or updated.
 */
export class SessionsInFile implements Sessions {
  readonly #path: string;
  readonly #owner: Viewer;
  readonly #nowInMs: () => number;
  readonly #sessions: Session[];
  #keptAtInMs = 0;

  /** @param nowInMs milliseconds since 1970 */
  private constructor(path: string, owner: Viewer, nowInMs: () => number, sessions: Session[]) {
    this.#path = path;
    this.#owner = owner;
    this.#nowInMs = nowInMs;
    this.#sessions = sessions;
  }

  /** Reads the file. A missing or foreign file contains no sessions. */
  static async open(path: string, owner: Viewer, nowInMs: () => number = Date.now): Promise<SessionsInFile> {
    const text = await readFile(path, 'utf8').catch(() => '[]');
    return new SessionsInFile(path, owner, nowInMs, sessionsIn(text));
  }

  /** Begins a session. @returns the token for the cookie */
  async begin(): Promise<string> {
    const token = newToken();
    const now = this.#nowInMs();
    this.#sessions.push({ hash: hashOfToken(token), beganAtInMs: now, seenAtInMs: now });
    await this.#keep();
    return token;
  }

  async find(token: string, isActivity: boolean): Promise<SessionFound> {
    const hash = hashOfToken(token);
    const session = this.#sessions.find((each) => each.hash === hash);
    if (session === undefined) return { viewer: null, isTimedOut: false };
    const now = this.#nowInMs();
    if (now > endOf(session)) return { viewer: null, isTimedOut: true };
    if (isActivity) {
      session.seenAtInMs = now;
      if (now - this.#keptAtInMs > mostUnkeptInMs) await this.#keep();
    }
    return { viewer: this.#owner, isTimedOut: false };
  }

  async end(token: string): Promise<void> {
    const hash = hashOfToken(token);
    const at = this.#sessions.findIndex((each) => each.hash === hash);
    if (at === -1) return;
    this.#sessions.splice(at, 1);
    await this.#keep();
  }

  async #keep(): Promise<void> {
    const now = this.#nowInMs();
    this.#keptAtInMs = now;
    const known = this.#sessions.filter((session) => now - endOf(session) < knownAfterEndInMs);
    this.#sessions.splice(0, this.#sessions.length, ...known);
    // A full disk does not end the sessions of a running console.
    await replaceFile(this.#path, (file) => file.write(JSON.stringify(known))).catch(() => {});
  }
}

function endOf({ beganAtInMs, seenAtInMs }: Session): number {
  const { longestInMs, idleInMs } = sessionLimits;
  return Math.min(beganAtInMs + longestInMs, seenAtInMs + idleInMs);
}

const storedSessions = z.array(
  z.strictObject({
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    beganAtInMs: z.number(),
    seenAtInMs: z.number(),
  }),
);

function sessionsIn(text: string): Session[] {
  try {
    return storedSessions.parse(JSON.parse(text));
  } catch {
    return [];
  }
}

/** A token that opens the console once. It is part of the address that the console prints when it starts. */
export class EntryToken {
  readonly text = newToken();
  #isUsed = false;

  /** Whether the text is the token, and the token was not used before. */
  use(token: string): boolean {
    if (this.#isUsed || !isSame(token, this.text)) return false;
    this.#isUsed = true;
    return true;
  }
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOfToken(one)), Buffer.from(hashOfToken(other)));
}
