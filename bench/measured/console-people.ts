import type { Knex } from 'knex';
import { createKey } from '../../src/controls/key-file.ts';
import { hashPassword } from '../../src/controls/session-actor.ts';
import { sha256 } from '../../src/domain/controls/statement.ts';
import { findPasswordLink, writePassword, writePasswordLink } from '../../src/ledger/controls/users.ts';

const words = 'seven green bottles';
/** Costs little: it is not the signing in that is measured. */
const cost = 2 ** 10;
const lifetimeInMs = 60_000;

/** Adds a user who prepares files, as the owner of the database can. @returns the user's password */
export async function addMaker(database: Knex, name: string): Promise<string> {
  const key = await createKey(name, words, cost);
  await database.raw("INSERT INTO users (name, role, added_by) VALUES (?, 'maker', 'owner')", [name]);
  await database.raw('INSERT INTO user_keys (id, user_name, public_key) VALUES (?, ?, ?)', [
    key.keyId,
    name,
    key.publicKey,
  ]);
  const tokenHash = sha256(name);
  await writePasswordLink(database, {
    user: name,
    tokenHash,
    lifetimeInMs,
    by: { name: 'owner', channel: 'library' },
  });
  const link = await findPasswordLink(database, tokenHash);
  if (link === undefined) throw new Error(`${name} has no link to set a password`);
  await writePassword(database, link, await hashPassword(words, cost), { name, channel: 'console' });
  return words;
}
