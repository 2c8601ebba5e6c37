/* People and their keys. */

import type { PasswordHash, UserRecord, UserRole } from '../../domain/controls/controls.ts';
import { type ActorOfEvent, nameActor } from '../audit/events.ts';
import {
  bool,
  bytes,
  type Database,
  execute,
  findRow,
  findValue,
  int4,
  int8,
  isoUtc,
  onlyValue,
  orNull,
  query,
  shortVerb,
  shortVerbOnce,
  text,
  word,
} from '../query/sql.ts';

/* Passwords of users, and the one-time links with which they are set. */

/** A link, in the form to be stored. */
export interface LinkToWrite {
  readonly user: string;
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  readonly lifetimeInMs: number;
  readonly by: ActorOfEvent;
}

/** Stores a link. The user's earlier links become invalid. @returns until when it can be used, ISO 8601 in UTC */
export const writePasswordLink = shortVerbOnce(
  (database: Database, { user, tokenHash, lifetimeInMs, by }: LinkToWrite): Promise<string> =>
    database.transaction(async (transaction) => {
      await nameActor(transaction, by);
      return onlyValue(
        transaction,
        text,
        `INSERT INTO password_links (token_hash, user_name, made_by, valid_until)
         VALUES (?, ?, ?, now() + ? * interval '1 millisecond') RETURNING ${isoUtc('valid_until')} AS until`,
        [tokenHash, user, by.name, lifetimeInMs],
      );
    }),
);

/** A link that can be used. */
export interface UsableLink {
  readonly id: string;
  readonly user: string;
  /** ISO 8601 in UTC. */
  readonly until: string;
}

/** The link of a hashed token; undefined where there is none, or it can no longer be used. */
export const findPasswordLink = shortVerb(
  (database: Database, tokenHash: string): Promise<UsableLink | undefined> =>
    findRow<UsableLink>(
      database,
      { id: text, user: text, until: text },
      `SELECT id::text AS id, user_name AS "user", ${isoUtc('valid_until')} AS until FROM usable_link(?)`,
      [tokenHash],
    ),
);

/**
 * Stores a password, which uses up the link and ends the sessions of the user.
 * @returns false where the link can no longer be used, and nothing was stored
 */
export const writePassword = shortVerbOnce(
  (
    database: Database,
    { id, user }: UsableLink,
    { hash, salt, cost, blockSize, parallelism }: PasswordHash,
    by: ActorOfEvent,
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      // A second use of the same link at this moment waits here, and then finds it used.
      await execute(transaction, 'SELECT FROM password_links WHERE id = ? FOR UPDATE', [id]);
      const [link] = await query(
        transaction,
        { id: text },
        `SELECT l.id::text AS id FROM password_links l CROSS JOIN LATERAL usable_link(l.token_hash) u
         WHERE l.id = ? AND l.user_name = ?`,
        [id, user],
      );
      if (link === undefined) return false;
      await nameActor(transaction, by);
      const written = await execute(
        transaction,
        `INSERT INTO user_passwords (user_name, link_id, hash, salt, cost, block_size, parallelism)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (link_id) DO NOTHING`,
        [user, id, hash, salt, cost, blockSize, parallelism],
      );
      return written > 0;
    }),
);

/** The present password of a user who is not locked; undefined where there is none. */
export const findPassword = shortVerb((database: Database, user: string) =>
  findRow(
    database,
    {
      /** A whole number as text. */
      id: int8,
      hash: bytes,
      salt: bytes,
      cost: int4,
      blockSize: int4,
      parallelism: int4,
    },
    `SELECT p.id, p.hash, p.salt, p.cost, p.block_size AS "blockSize", p.parallelism
       FROM user_passwords p JOIN users u ON u.name = p.user_name AND u.locked_at IS NULL
       WHERE p.user_name = ? ORDER BY p.id DESC LIMIT 1`,
    [user],
  ),
);

/** How each user can sign in, with times in ISO 8601 and UTC. */
export const listSignInFacts = shortVerb((database: Database) => {
  return query(
    database,
    {
      user: text,
      /** When the present password was set; null without one. */
      passwordSince: orNull(text),
      /** Until when an unused link can be used; null without one. */
      linkUntil: orNull(text),
      /** When the newest session began; null without one. */
      signedInAt: orNull(text),
    },
    `SELECT u.name AS "user",
         (SELECT ${isoUtc('max(set_at)')} FROM user_passwords WHERE user_name = u.name) AS "passwordSince",
         (SELECT ${isoUtc('valid_until')} FROM password_links l WHERE user_name = u.name
            AND id IN (SELECT id FROM usable_link(l.token_hash)) LIMIT 1) AS "linkUntil",
         (SELECT ${isoUtc('max(began_at)')} FROM console_sessions WHERE user_name = u.name) AS "signedInAt"
       FROM users u ORDER BY u.name`,
  );
});

/** A user with the present key; undefined where no user has that name. */
export const findUser = shortVerb(
  (database: Database, name: string): Promise<UserRecord | undefined> =>
    findRow<UserRecord>(
      database,
      { name: text, role: word(), isActive: bool, isLocked: bool, keyId: text, publicKey: bytes },
      `SELECT u.name, u.role, u.active_at IS NOT NULL AS "isActive", u.locked_at IS NOT NULL AS "isLocked",
         k.id AS "keyId", k.public_key AS "publicKey"
       FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL WHERE u.name = ?`,
      [name],
    ),
);

/** Adds a user with a first key. @returns false where another user has that name */
export const addUser = shortVerb(
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

/** Locks a user permanently; a locked user stays unchanged. */
export const lockUser = shortVerb(
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

/** Replaces a user's key by one that it has endorsed. @returns false where the key was replaced by another one since */
export const rotateKey = shortVerb(
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

function keyOf(database: Database, name: string): Promise<string | undefined> {
  return findValue(database, text, 'SELECT id FROM user_keys WHERE user_name = ? AND replaced_at IS NULL', [
    name,
  ]);
}

/** Adds the key of a console, once. @returns false where it was retired */
export const addServerKey = shortVerb(
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
