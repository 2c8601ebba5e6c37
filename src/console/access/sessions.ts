/* Who is signed in: sessions by the hash of their cookie, with an end. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sessionLimits } from '../../domain/controls/sign-in.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Actor } from '../../engine/running/context.ts';
import type { ViewerRole } from './rights.ts';

/** Who looks at a page. */
export interface Viewer {
  /** The name that stands beside everything this person does. */
  readonly name: string;
  readonly role: ViewerRole;
}

/** What the ledger calls this way in. */
export const door = 'console';

/** The person as the engine records them. */
export function actorOf({ name }: Viewer): Actor {
  return { name, door };
}

/** Whose request it is. */
export interface SessionFound {
  /** Null where no session is open. */
  readonly viewer: Viewer | null;
  /** Whether a session was open not long ago, and nothing but time has ended it. */
  readonly isTimedOut: boolean;
}

/** Sessions of a console. A token is known to its browser alone; here is its hash. */
export interface Sessions {
  /** Whose session it is. @param isActivity whether a person asks: that keeps it alive */
  find(token: string, isActivity: boolean): Promise<SessionFound>;
  /** Ends it; nothing where there is none. */
  end(token: string): Promise<void>;
}

/** Sessions of users: they are in the ledger, and outlive this process. */
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

interface Session {
  readonly viewer: Viewer;
  readonly beganAtInMs: number;
  seenAtInMs: number;
}

/** Sessions of this process alone: a console without users has one person, who opens it again from the terminal. */
export class SessionsOfProcess implements Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #nowInMs: () => number;

  /** @param nowInMs the monotonic clock */
  constructor(nowInMs: () => number = () => performance.now()) {
    this.#nowInMs = nowInMs;
  }

  /** Begins a session. @returns the token, which goes into a cookie */
  async begin(viewer: Viewer): Promise<string> {
    const token = newToken();
    const now = this.#nowInMs();
    this.#sessions.set(hashOf(token), { viewer, beganAtInMs: now, seenAtInMs: now });
    return token;
  }

  async find(token: string, isActivity: boolean): Promise<SessionFound> {
    const session = this.#sessions.get(hashOf(token));
    if (session === undefined) return { viewer: null, isTimedOut: false };
    const now = this.#nowInMs();
    const { longestInMs, idleInMs } = sessionLimits;
    if (now - session.beganAtInMs > longestInMs || now - session.seenAtInMs > idleInMs) {
      return { viewer: null, isTimedOut: true };
    }
    if (isActivity) session.seenAtInMs = now;
    return { viewer: session.viewer, isTimedOut: false };
  }

  async end(token: string): Promise<void> {
    this.#sessions.delete(hashOf(token));
  }
}

/** A token that opens the console once: it stands in the address that is printed where the console was started. */
export class EntryToken {
  readonly text = newToken();
  #isUsed = false;

  /** Whether it is the token, and was not used before. */
  use(given: string): boolean {
    if (this.#isUsed || !isSame(given, this.text)) return false;
    this.#isUsed = true;
    return true;
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));
}
