/*
 * The key file of a user: a private key that is encrypted with a passphrase. Each guess of the passphrase costs much work.
 */

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  scrypt,
} from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import * as z from 'zod';
import { readSecretOf, UnusableFile } from '../call/settings.ts';
import { realFileSystem, syncDirectoryOf, writeFully } from '../disk/file-system.ts';
import { isUserName } from '../domain/controls/controls.ts';
import type { PasswordHash } from '../domain/controls/sign-in.ts';
import { canonicalJson, keyIdOf } from '../domain/controls/statement.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import { parsedJson } from '../domain/sending/answer.ts';

/** The cost of scrypt (RFC 7914): 128 MiB of memory and some tenths of a second for each guess. */
export const usualCost = 2 ** 17;

/**
 * Derives a key from a secret with scrypt.
 * @returns 32 bytes
 */
export function scryptOf(
  secret: string,
  { salt, cost, blockSize, parallelism }: Omit<PasswordHash, 'hash'>,
  length = 32,
): Promise<Buffer> {
  const options = { N: cost, r: blockSize, p: parallelism, maxmem: 2 * 128 * blockSize * cost };
  return new Promise((resolve, reject) => {
    // Keyboards and systems encode the same letter in different ways, so the text is normalised.
    scrypt(secret.normalize('NFC'), salt, length, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/**
 * Requires that no file exists at a path.
 * @throws PaybatchError (`file_exists`)
 */
export function requireFree(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw taken(path);
}

/**
 * Writes a new key file. The file is on disk (synced) when the function has returned.
 * @throws PaybatchError (`file_exists`), (`user_key_unusable`) if it cannot be written
 */
export async function writeKeyFile(path: string, text: string): Promise<void> {
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      // Only the owner can read and write the file, whatever the umask of the process is.
      await handle.chmod(0o600);
      await writeFully(handle, Buffer.from(text));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncDirectoryOf(realFileSystem, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'EEXIST') throw taken(path);
    throw new PaybatchError(
      'user_key_unusable',
      `The key file ${path} cannot be written (${code}).`,
      'choose another place for it',
      { cause: error },
    );
  }
}

export async function removeKeyFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

const replaced = '.old';

/** The path of the key that may have replaced the key of a file. */
export function newestKeyPath(path: string): string {
  return path.endsWith(replaced) ? path.slice(0, -replaced.length) : newKeyPath(path);
}

/** The path of the new key until the ledger knows it. */
function newKeyPath(path: string): string {
  return `${path}.new`;
}

/**
 * Replaces a key file after the ledger has stored the new key. The old file is kept, with `.old` added to its name.
 * @param commit stores the key in the ledger; a PaybatchError means that it was not stored
 */
export async function replaceKeyFile(path: string, text: string, commit: () => Promise<void>): Promise<void> {
  const beside = newKeyPath(path);
  // The current key is the old one, so a file at this path is from an earlier attempt that failed.
  if (existsSync(beside)) await removeKeyFile(beside);
  await writeKeyFile(beside, text);
  try {
    await commit();
  } catch (error) {
    // After a lost connection it is unknown which key is valid, so both files are kept.
    if (error instanceof PaybatchError) await removeKeyFile(beside);
    throw error;
  }
  await rename(path, `${path}${replaced}`);
  await rename(beside, path);
  await syncDirectoryOf(realFileSystem, path);
}

function taken(path: string): PaybatchError {
  return new PaybatchError('file_exists', `${path} is there already, and is not overwritten.`, [
    'name another file',
  ]);
}

/** A key file that was read. Its private key is still encrypted. */
export interface ClosedKey {
  readonly user: string;
  /** Ed25519, DER in the form SPKI. */
  readonly publicKey: Buffer;
  readonly keyId: string;
  /** The file's bytes as text. */
  readonly text: string;
  readonly sealed: SealedKey;
}

const form = 'paybatch:user-key:1';
const cipher = 'aes-256-gcm';

const base64 = z.base64().transform((text) => Buffer.from(text, 'base64'));

const fileSchema = z.strictObject({
  form: z.literal(form),
  user: z.string().refine(isUserName),
  publicKey: base64,
  privateKey: z.strictObject({
    cipher: z.literal(cipher),
    kdf: z.literal('scrypt'),
    // With this limit, a manipulated file cannot use up all memory.
    n: z.int().refine((n) => n >= 2 ** 10 && n <= 2 ** 20 && Number.isInteger(Math.log2(n))),
    r: z.literal(8),
    p: z.literal(1),
    salt: base64,
    iv: base64,
    tag: base64.refine((tag) => tag.length === 16),
    data: base64,
  }),
});

type SealedKey = z.output<typeof fileSchema>['privateKey'];

/** A new key pair, and the text of the file with its private key. */
export interface NewKey {
  readonly keyId: string;
  /** Ed25519, DER in the form SPKI. */
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
  readonly fileText: string;
}

/**
 * Makes an Ed25519 key pair. In the text of its file, the private key is encrypted with AES-256-GCM, with a key that scrypt
 * derives from the passphrase. The user's name and the public key are authenticated as well.
 * @param cost of scrypt; a power of two
 */
export async function createKey(user: string, passphrase: string, cost = usualCost): Promise<NewKey> {
  const { publicKey: pair, privateKey } = generateKeyPairSync('ed25519');
  const publicKey = pair.export({ format: 'der', type: 'spki' });
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const encryption = createCipheriv(cipher, await derivedKey(passphrase, { n: cost, salt }), iv);
  encryption.setAAD(boundText(user, publicKey));
  const data = Buffer.concat([
    encryption.update(privateKey.export({ format: 'der', type: 'pkcs8' })),
    encryption.final(),
  ]);
  const written = (bytes: Buffer): string => bytes.toString('base64');
  const fileText = JSON.stringify(
    {
      form,
      user,
      publicKey: written(publicKey),
      privateKey: {
        cipher,
        kdf: 'scrypt',
        n: cost,
        r: 8,
        p: 1,
        salt: written(salt),
        iv: written(iv),
        tag: written(encryption.getAuthTag()),
        data: written(data),
      },
    } satisfies z.input<typeof fileSchema>,
    null,
    2,
  );
  return { keyId: keyIdOf(publicKey), publicKey, privateKey, fileText: `${fileText}\n` };
}

function boundText(user: string, publicKey: Buffer): Buffer {
  return Buffer.from(canonicalJson({ form, user, publicKey: publicKey.toString('base64') }));
}

function derivedKey(passphrase: string, { n, salt }: { n: number; salt: Buffer }): Promise<Buffer> {
  return scryptOf(passphrase, { salt, cost: n, blockSize: 8, parallelism: 1 });
}

/**
 * Decrypts a private key.
 * @returns the private key, or null if the passphrase is wrong or the file was changed
 */
export async function openKey(closed: ClosedKey, passphrase: string): Promise<KeyObject | null> {
  const { n, salt, iv, tag, data } = closed.sealed;
  const key = await derivedKey(passphrase, { n, salt });
  try {
    const decryption = createDecipheriv(cipher, key, iv);
    decryption.setAAD(boundText(closed.user, closed.publicKey));
    decryption.setAuthTag(tag);
    const bytes = Buffer.concat([decryption.update(data), decryption.final()]);
    const privateKey = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
    return publicKey.equals(closed.publicKey) ? privateKey : null;
  } catch {
    return null;
  }
}

/**
 * Reads a key file. It must be a regular file that only its owner can read. A symbolic link is not followed.
 * @throws PaybatchError (`user_key_unusable`) with what is wrong with the file
 */
export function readKeyFile(path: string): ClosedKey {
  const text = ownTextOf(path);
  const parsed = fileSchema.safeParse(parsedJson(text));
  if (!parsed.success) throw unusable(path, 'is damaged, or no file that "user add" has written', restore);
  const { user, publicKey, privateKey } = parsed.data;
  return { user, publicKey, keyId: keyIdOf(publicKey), text, sealed: privateKey };
}

const restore: Remedies =
  'restore it from your copy, or ask an admin to lock the user and to add another one';

export function ownTextOf(path: string): string {
  try {
    // Without O_NONBLOCK, opening a pipe that has no writer would wait for ever.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    const descriptor = openSync(path, flags);
    try {
      if ((fstatSync(descriptor).mode & 0o077) !== 0 && process.platform !== 'win32') {
        throw unusable(
          path,
          'may be read or changed by other users: anyone who has copied it can guess its passphrase',
          {
            action: 'advice',
            text: `chmod 600 ${path}`,
            remark: 'and rotate the key if others may have copied it',
          },
        );
      }
      return readSecretOf(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof PaybatchError) throw error;
    throw unusable(path, problemOf(error), { action: 'check', settings: ['userKeyFile'] });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof UnusableFile) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ELOOP') return 'is a symbolic link, which is not followed';
  return code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
}

function unusable(path: string, problem: string, next: Remedies): PaybatchError {
  return new PaybatchError('user_key_unusable', `The key file ${path} ${problem}.`, next);
}
