/* People and their keys. */

import type { UserRecord, UserRole } from '../../domain/controls/user.ts';
import type { StoredKey } from '../../domain/controls/verification.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import { bool, bytes, orNull, text, word } from '../query/columns.ts';
import { type Database, execute, query } from '../query/sql.ts';
import { verb } from '../query/verb.ts';

/** A user with the present key; undefined where there is none of that name. */
export const findUser = verb(
  { pool: 'short', repeatable: true },
  async (database: Database, name: string): Promise<UserRecord | undefined> => {
    const [user] = await query<UserRecord>(
      database,
      { name: text, role: word(), isActive: bool, isLocked: bool, keyId: text, publicKey: bytes },
      `SELECT u.name, u.role, u.active_at IS NOT NULL AS "isActive", u.locked_at IS NOT NULL AS "isLocked",
         k.id AS "keyId", k.public_key AS "publicKey"
       FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL WHERE u.name = ?`,
      [name],
    );
    return user;
  },
);

/** Every key that a user has or had, and those of consoles. */
export const listUserKeys = verb(
  { pool: 'short', repeatable: true },
  (database: Database): Promise<StoredKey[]> => {
    return query<StoredKey>(
      database,
      {
        id: text,
        user: orNull(text),
        publicKey: bytes,
        previousKey: orNull(text),
        endorsement: orNull(bytes),
      },
      `SELECT id, user_name AS "user", public_key AS "publicKey", previous_key AS "previousKey", endorsement
       FROM user_keys`,
    );
  },
);

/** Adds a user with a first key. @returns false where there is another user of that name */
export const addUser = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    added: {
      readonly name: string;
      readonly role: UserRole;
      readonly by: ActorOfEvent;
      readonly keyId: string;
      readonly publicKey: Buffer;
    },
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, added.by);
      const inserted = await execute(
        transaction,
        'INSERT INTO users (name, role, added_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        [added.name, added.role, added.by.name],
      );
      if (inserted === 0) return (await keyOf(transaction, added.name)) === added.keyId;
      await execute(transaction, 'INSERT INTO user_keys (id, user_name, public_key) VALUES (?, ?, ?)', [
        added.keyId,
        added.name,
        added.publicKey,
      ]);
      return true;
    }),
);

/** Locks a user for good; one who is locked stays as it is. */
export const lockUser = verb(
  { pool: 'short', repeatable: true },
  (database: Database, name: string, by: ActorOfEvent): Promise<void> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      await execute(
        transaction,
        'UPDATE users SET locked_at = now(), locked_by = ? WHERE name = ? AND locked_at IS NULL',
        [by.name, name],
      );
    }),
);

/** Replaces a user's key by one that it has endorsed. @returns false where the user has a third one by now */
export const rotateKey = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    rotated: {
      readonly name: string;
      readonly previousKey: string;
      readonly keyId: string;
      readonly publicKey: Buffer;
      /** The signature of the previous key, see `endorsementText`. */
      readonly endorsement: Buffer;
      readonly by: ActorOfEvent;
    },
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, rotated.by);
      const replaced = await execute(
        transaction,
        'UPDATE user_keys SET replaced_at = now() WHERE id = ? AND user_name = ? AND replaced_at IS NULL',
        [rotated.previousKey, rotated.name],
      );
      if (replaced === 0) return (await keyOf(transaction, rotated.name)) === rotated.keyId;
      await execute(
        transaction,
        'INSERT INTO user_keys (id, user_name, public_key, previous_key, endorsement) VALUES (?, ?, ?, ?, ?)',
        [rotated.keyId, rotated.name, rotated.publicKey, rotated.previousKey, rotated.endorsement],
      );
      return true;
    }),
);

async function keyOf(database: Database, name: string): Promise<string | undefined> {
  const [key] = await query(
    database,
    { id: text },
    'SELECT id FROM user_keys WHERE user_name = ? AND replaced_at IS NULL',
    [name],
  );
  return key?.id;
}

/** Adds the key of a console, once. @returns false where it was retired */
export const addServerKey = verb(
  { pool: 'short', repeatable: true },
  (
    database: Database,
    {
      keyId,
      publicKey,
      by,
    }: { readonly keyId: string; readonly publicKey: Buffer; readonly by: ActorOfEvent },
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      const [known] = await query(
        transaction,
        { isPresent: bool },
        `SELECT replaced_at IS NULL AS "isPresent" FROM user_keys WHERE id = ? AND kind = 'server'`,
        [keyId],
      );
      if (known !== undefined) return known.isPresent;
      const added = await execute(
        transaction,
        `INSERT INTO user_keys (id, kind, public_key) VALUES (?, 'server', ?) ON CONFLICT (id) DO NOTHING`,
        [keyId, publicKey],
      );
      return added > 0;
    }),
);
