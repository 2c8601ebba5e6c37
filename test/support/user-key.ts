import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { createKey, type NewKey } from '../../src/controls/key-file.ts';

/** A user of a test's ledger, with a key file. */
export interface TestUser extends NewKey {
  readonly name: string;
  readonly path: string;
}

export const passphrase = 'correct horse battery';

/** Makes a key pair whose file costs little to open, and writes it. */
export async function writeTestKey(name: string, words = passphrase): Promise<TestUser> {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-user-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const key = await createKey(name, words, 2 ** 10);
  const path = join(folder, `${name}.key`);
  writeFileSync(path, key.fileText, { mode: 0o600 });
  return { ...key, name, path };
}

/** Adds a user to a ledger, as the owner of its database can, and writes the key file. */
export async function addTestUser(
  database: Knex,
  name: string,
  role: 'maker' | 'approver' | 'admin' = 'approver',
): Promise<TestUser> {
  const user = await writeTestKey(name);
  await database.raw('INSERT INTO users (name, role, added_by) VALUES (?, ?, ?)', [name, role, 'owner']);
  await database.raw('INSERT INTO user_keys (id, user_name, public_key) VALUES (?, ?, ?)', [
    user.keyId,
    name,
    user.publicKey,
  ]);
  return user;
}
