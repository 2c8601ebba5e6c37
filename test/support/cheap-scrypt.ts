import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach } from 'vitest';

const realScrypt = crypto.scrypt;

/**
 * Has scrypt work little in the tests of the describe block or file, whatever cost is passed to it: the usual one takes a
 * processor half a second for each new key file and each password. What is made so opens only so.
 */
export function cheapScrypt(): void {
  beforeEach(() => use(cheaply));
  afterEach(() => use(realScrypt));
}

/** The same function for all who have imported it. */
function use(scrypt: unknown): void {
  Object.assign(crypto, { scrypt });
  syncBuiltinESMExports();
}

function cheaply(
  secret: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
  then: (error: Error | null, key: Buffer) => void,
): void {
  realScrypt(secret, salt, length, { ...options, N: 2 ** 10 }, then);
}
