/* Who is signed in: sessions by the hash of their cookie, with an end. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Actor } from '../../engine/running/context.ts';

/** Who looks at a page. */
export interface Viewer {
  /** The name that stands beside everything this person does. */
  readonly name: string;
}

/** What the ledger calls this way in. */
export const door = 'console';

/** The person as the engine records them. */
export function actorOf({ name }: Viewer): Actor {
  return { name, door };
}

/** A session ends so long after it began, and so long after its last request. */
export const sessionLimits = { longestInMs: 8 * 3_600_000, idleInMs: 30 * 60_000 } as const;

/** Sessions of a console. A token is known to its browser alone; here is its hash. */
export interface Sessions {
  /** Begins a session. @returns the token, which goes into a cookie */
  begin(viewer: Viewer): Promise<string>;
  /** Whose session it is; null where there is none, or it has ended. Each look keeps it alive. */
  find(token: string): Promise<Viewer | null>;
  /** Ends it; nothing where there is none. */
  end(token: string): Promise<void>;
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

  async begin(viewer: Viewer): Promise<string> {
    const token = newToken();
    const now = this.#nowInMs();
    this.#sessions.set(hashOf(token), { viewer, beganAtInMs: now, seenAtInMs: now });
    return token;
  }

  async find(token: string): Promise<Viewer | null> {
    const hash = hashOf(token);
    const session = this.#sessions.get(hash);
    if (session === undefined) return null;
    const now = this.#nowInMs();
    const { longestInMs, idleInMs } = sessionLimits;
    if (now - session.beganAtInMs > longestInMs || now - session.seenAtInMs > idleInMs) {
      this.#sessions.delete(hash);
      return null;
    }
    session.seenAtInMs = now;
    return session.viewer;
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
