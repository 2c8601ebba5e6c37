import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { hashPassword } from '../../src/controls/session-actor.ts';
import { sha256 } from '../../src/domain/controls/statement.ts';
import { findPasswordLink, writePassword, writePasswordLink } from '../../src/ledger/controls/users.ts';

/** The password of everybody in tests. */
export const password = 'seven green bottles';

/** Gives a user of a test's ledger a password whose hash costs little to check. */
export async function givePassword(database: Knex, user: string, words = password): Promise<void> {
  const tokenHash = sha256(randomUUID());
  const by = { name: 'owner', channel: 'library' };
  await writePasswordLink(database, { user, tokenHash, lifetimeInMs: 60_000, by });
  const link = await findPasswordLink(database, tokenHash);
  if (link === undefined) throw new Error('the link of a test cannot be used');
  await writePassword(database, link, await hashPassword(words, 2 ** 10), { name: user, channel: 'console' });
}
