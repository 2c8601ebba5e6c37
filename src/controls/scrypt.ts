/* What scrypt derives from a secret that a person remembers: the key of a key file, or the hash of a password. */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import type { PasswordHash } from '../domain/controls/controls.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';

/** The work of scrypt (RFC 7914): 128 MiB of memory and some tenths of a second for each guess. */
export const usualCost = 2 ** 17;

interface Work {
  readonly salt: Buffer;
  /** N, a power of two. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

/** @returns 32 bytes */
export function scryptOf(
  secret: string,
  { salt, cost, blockSize, parallelism }: Work,
  length = 32,
): Promise<Buffer> {
  const options = { N: cost, r: blockSize, p: parallelism, maxmem: 2 * 128 * blockSize * cost };
  return new Promise((resolve, reject) => {
    // Keyboards and systems encode the same letter in different ways.
    scrypt(secret.normalize('NFC'), salt, length, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** Each takes 128 MiB: many sign-in attempts at once must not use up all memory. */
const turn = pLimit(2);
const mostWaiting = 40;

function inTurn(work: () => Promise<Buffer>): Promise<Buffer> {
  if (turn.pendingCount < mostWaiting) return turn(work);
  return Promise.reject(
    new PaybatchError(
      'console_busy',
      'Too many people sign in at this moment.',
      'wait a minute, and try again',
    ),
  );
}

/** A password as it is stored. @param cost of scrypt; a power of two */
export async function hashPassword(password: string, cost = usualCost): Promise<PasswordHash> {
  const work = { salt: randomBytes(16), cost, blockSize: 8, parallelism: 1 };
  return { ...work, hash: await inTurn(() => scryptOf(password, work)) };
}

/** Used for users without a password, so that the work is the same. */
const decoyHash: PasswordHash = {
  hash: Buffer.alloc(32),
  salt: Buffer.alloc(16),
  cost: usualCost,
  blockSize: 8,
  parallelism: 1,
};

/**
 * Whether a password is the stored one. Where none is stored it takes as long, and returns false.
 * @param derive does the work
 */
export async function isPassword(
  password: string,
  stored: PasswordHash | null,
  derive: typeof scryptOf = scryptOf,
): Promise<boolean> {
  const asked = stored ?? decoyHash;
  const derived = await inTurn(() => derive(password, asked, asked.hash.length));
  return timingSafeEqual(derived, asked.hash) && stored !== null;
}
