/* Signing in at the console: how long a session lasts, who waits after wrong passwords, and what a password has to be. */

/** A session ends so long after it began, and so long after its last request. */
export const sessionLimits = { longestInMs: 8 * 3_600_000, idleInMs: 30 * 60_000 } as const;

/** A link to set a password can be used for so long. */
export const linkLifetimeInMs = 24 * 3_600_000;

/** Tries that failed, and how long ago the last of them was. */
export interface FailedTries {
  readonly failures: number;
  readonly sinceLastInMs: number;
}

interface TryLimit {
  /** Failures of so long count. */
  readonly windowInMs: number;
  /** So many are free. */
  readonly free: number;
}

/** Failures of a name count until it has signed in; those of an address count whoever has signed in from there. */
export const tryLimits = {
  name: { windowInMs: 24 * 3_600_000, free: 5 },
  address: { windowInMs: 3_600_000, free: 20 },
} as const satisfies Readonly<Record<'name' | 'address', TryLimit>>;

const firstWaitInMs = 30_000;
const longestWaitInMs = 15 * 60_000;

/** How long nobody may try again: twice as long after each failure that is not free, and no longer than a quarter of an hour. */
export function waitAfter({ failures, sinceLastInMs }: FailedTries, { free }: TryLimit): number {
  if (failures < free) return 0;
  const whole = Math.min(firstWaitInMs * 2 ** Math.min(failures - free, 30), longestWaitInMs);
  return Math.max(0, whole - sinceLastInMs);
}

/** A shorter one is soon guessed by whoever has its hash. */
const fewestCharacters = 12;
const mostCharacters = 512;
const fewestDifferent = 5;

/** What is wrong with a new password, as a sentence; null where it will do. @param name of its owner */
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

/** A password as scrypt (RFC 7914) has made it. */
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
