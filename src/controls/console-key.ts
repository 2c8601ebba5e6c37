/* The key of a console: made at its first start, kept in a file that its owner alone reads, and known to the ledger. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CallResult } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { keyIdOf } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { ownTextOf } from './key-file.ts';
import { consoleDoor } from './session-actor.ts';
import { writeKeyFile } from './write-key-file.ts';

interface ConsoleKeyRequest {
  /** Path of the key file; it is made where there is none. */
  readonly file: string;
}

/**
 * Opens the key with which the console signs what people approve there, and makes the ledger know it.
 * @throws PaybatchError (`user_key_unusable`) for a file that others may read, or that is no key; (`console_key_missing`)
 *   for a key that was retired
 */
export async function openConsoleKey(app: CallContext, { file }: ConsoleKeyRequest): Promise<CallResult> {
  const path = resolve(file);
  const { verbs } = await app.connections.ledger();
  if (!existsSync(path)) await makeKey(path);
  const privateKey = keyIn(path);
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const keyId = keyIdOf(publicKey);
  if (!(await verbs.addServerKey({ keyId, publicKey, by: { ...app.actor, door: consoleDoor } }))) {
    throw new PaybatchError(
      'console_key_missing',
      `The key of the console in ${path} was retired.`,
      'move the file away: the next start makes another key',
    );
  }
  app.connections.consoleKey = { keyId, privateKey };
  return { outcome: 'done', batches: [], failure: null };
}

async function makeKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeKeyFile(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })));
}

function keyIn(path: string): KeyObject {
  const text = ownTextOf(path);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Told below: what a damaged file holds is not.
  }
  throw new PaybatchError(
    'user_key_unusable',
    `The file ${path} holds no key of a console.`,
    'restore it from your copy, or move it away: the next start makes another key',
  );
}
