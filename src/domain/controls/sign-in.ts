/* Signing in at the console: session lifetimes, delays after wrong passwords, and rules for passwords. */

/** The maximum time of a session since its beginning, and since its last request. */
export const sessionLimits = { longestInMs: 8 * 3_600_000, idleInMs: 30 * 60_000 } as const;

/** How long a link to set a password can be used. */
export const linkLifetimeInMs = 24 * 3_600_000;

/** The number of failed tries, and the time since the last one. */
export interface FailedTries {
  readonly failures: number;
  readonly sinceLastInMs: number;
}

interface TryLimit {
  /** How long a failure counts. */
  readonly windowInMs: number;
  /** How many failures cause no delay. */
  readonly free: number;
}

/**
 * Failures for a name count until the user has signed in. Failures from an address count even after a sign-in from there. A
 * stranger who types wrong passwords must not lock a person out. So failures at other addresses count only if the person has
 * not signed in from this address before.
 */
export const tryLimits = {
  nameAtAddress: { windowInMs: 24 * 3_600_000, free: 5 },
  name: { windowInMs: 24 * 3_600_000, free: 20 },
  address: { windowInMs: 3_600_000, free: 20 },
} as const satisfies Readonly<Record<'nameAtAddress' | 'name' | 'address', TryLimit>>;

const firstWaitInMs = 30_000;
const longestWaitInMs = 15 * 60_000;

/** How long sign-in is blocked. The time doubles after each failure beyond the free ones, up to a quarter of an hour. */
export function waitAfter({ failures, sinceLastInMs }: FailedTries, { free }: TryLimit): number {
  if (failures < free) return 0;
  const whole = Math.min(firstWaitInMs * 2 ** Math.min(failures - free, 30), longestWaitInMs);
  return Math.max(0, whole - sinceLastInMs);
}

/** A person who has the hash of a shorter password soon finds the password by guessing. */
const fewestCharacters = 12;
const mostCharacters = 512;
const fewestDifferent = 5;

/** The fault of a new password, as a sentence; null if it is accepted. @param name the name of its owner */
export function passwordProblem(password: string, name: string): string | null {
  const characters = Array.from(password.normalize('NFC'));
  if (characters.length < fewestCharacters) return `A password has ${fewestCharacters} characters or more.`;
  if (characters.length > mostCharacters) return `A password has ${mostCharacters} characters at most.`;
  if (new Set(characters).size < fewestDifferent)
    return `A password has ${fewestDifferent} different characters or more.`;
  if (name.length > 3 && password.toLowerCase().includes(name))
    return 'The password has the name in it, which is guessed first.';
  return null;
}

/** A password hash made by scrypt (RFC 7914). */
export interface PasswordHash {
  readonly hash: Buffer;
  readonly salt: Buffer;
  /** N, a power of two. */
  readonly cost: number;
  /** r. */
  readonly blockSize: number;
  /** p. */
  readonly parallelism: number;
}
