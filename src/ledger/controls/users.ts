/* People and their keys. */

import type { UserRecord, UserRole } from '../../domain/controls/controls.ts';
import type { PasswordHash } from '../../domain/controls/sign-in.ts';
import { type ActorOfEvent, asActor, nameActor } from '../audit/events.ts';
import * as sql from '../query/sql.ts';

/* Passwords of users, and the one-time links with which they are set. */

/** A link, in the form to be stored. */
interface LinkToWrite {
  readonly user: string;
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  readonly lifetimeInMs: number;
  readonly by: ActorOfEvent;
}

/** Stores a link. The user's earlier links become invalid. @returns until when the link can be used, ISO 8601 in UTC */
export const writePasswordLink = sql.shortVerbOnce(
  (database: sql.Database, { user, tokenHash, lifetimeInMs, by }: LinkToWrite): Promise<string> =>
    asActor(database, by, (transaction) =>
      sql.onlyValue(
        transaction,
        sql.text,
        `INSERT INTO password_links (token_hash, user_name, made_by, valid_until)
         VALUES (?, ?, ?, now() + ? * interval '1 millisecond') RETURNING ${sql.isoUtc('valid_until')} AS until`,
        [tokenHash, user, by.name, lifetimeInMs],
      ),
    ),
);

/** A link that can still be used. */
export interface UsableLink {
  readonly id: string;
  readonly user: string;
  /** ISO 8601 in UTC. */
  readonly until: string;
}

/** The link of a token's hash; undefined if there is none, or if it can no longer be used. */
export const findPasswordLink = sql.shortVerb(
  (database: sql.Database, tokenHash: string): Promise<UsableLink | undefined> =>
    sql.findRow<UsableLink>(
      database,
      { id: sql.text, user: sql.text, until: sql.text },
      `SELECT id::text AS id, user_name AS "user", ${sql.isoUtc('valid_until')} AS until FROM usable_link(?)`,
      [tokenHash],
    ),
);

/**
 * Stores a password. This uses up the link and ends the user's sessions.
 * @returns false if the link can no longer be used; then nothing was stored
 */
export const writePassword = sql.shortVerbOnce(
  (
    database: sql.Database,
    { id, user }: UsableLink,
    { hash, salt, cost, blockSize, parallelism }: PasswordHash,
    by: ActorOfEvent,
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      // A concurrent second use of the same link waits here, and then finds that the link is used.
      await sql.execute(transaction, 'SELECT FROM password_links WHERE id = ? FOR UPDATE', [id]);
      const [link] = await sql.query(
        transaction,
        { id: sql.text },
        `SELECT l.id::text AS id FROM password_links l CROSS JOIN LATERAL usable_link(l.token_hash) u
         WHERE l.id = ? AND l.user_name = ?`,
        [id, user],
      );
      if (link === undefined) return false;
      await nameActor(transaction, by);
      return sql.changesAny(
        transaction,
        `INSERT INTO user_passwords (user_name, link_id, hash, salt, cost, block_size, parallelism)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (link_id) DO NOTHING`,
        [user, id, hash, salt, cost, blockSize, parallelism],
      );
    }),
);

/** The present password of a user who is not locked; undefined if there is none. */
export const findPassword = sql.shortVerb((database: sql.Database, user: string) =>
  sql.findRow(
    database,
    {
      /** A whole number as text. */
      id: sql.int8,
      hash: sql.bytes,
      salt: sql.bytes,
      cost: sql.int4,
      blockSize: sql.int4,
      parallelism: sql.int4,
    },
    `SELECT p.id, p.hash, p.salt, p.cost, p.block_size AS "blockSize", p.parallelism
       FROM user_passwords p JOIN users u ON u.name = p.user_name AND u.locked_at IS NULL
       WHERE p.user_name = ? ORDER BY p.id DESC LIMIT 1`,
    [user],
  ),
);

/** How each user can sign in, with times in ISO 8601 and UTC. */
export const listSignInFacts = sql.shortVerb((database: sql.Database) => {
  return sql.query(
    database,
    {
      user: sql.text,
      /** When the present password was set; null if there is none. */
      passwordSince: sql.orNull(sql.text),
      /** Until when an unused link can be used; null if there is none. */
      linkUntil: sql.orNull(sql.text),
      /** When the newest session began; null if there was none. */
      signedInAt: sql.orNull(sql.text),
    },
    `SELECT u.name AS "user",
         (SELECT ${sql.isoUtc('max(set_at)')} FROM user_passwords WHERE user_name = u.name) AS "passwordSince",
         (SELECT ${sql.isoUtc('valid_until')} FROM password_links l WHERE user_name = u.name
            AND id IN (SELECT id FROM usable_link(l.token_hash)) LIMIT 1) AS "linkUntil",
         (SELECT ${sql.isoUtc('max(began_at)')} FROM console_sessions WHERE user_name = u.name) AS "signedInAt"
       FROM users u ORDER BY u.name`,
  );
});

/** A user with the present key; undefined if no user has that name. */
export const findUser = sql.shortVerb(
  (database: sql.Database, name: string): Promise<UserRecord | undefined> =>
    sql.findRow<UserRecord>(
      database,
      {
        name: sql.text,
        role: sql.word(),
        isActive: sql.bool,
        isLocked: sql.bool,
        keyId: sql.text,
        publicKey: sql.bytes,
      },
      `SELECT u.name, u.role, u.active_at IS NOT NULL AS "isActive", u.locked_at IS NOT NULL AS "isLocked",
         k.id AS "keyId", k.public_key AS "publicKey"
       FROM users u JOIN user_keys k ON k.user_name = u.name AND k.replaced_at IS NULL WHERE u.name = ?`,
      [name],
    ),
);

/** Adds a user with a first key. @returns false if another user has that name */
export const addUser = sql.shortVerb(
  (
    database: sql.Database,
    added: {
      readonly name: string;
      readonly role: UserRole;
      readonly by: ActorOfEvent;
      readonly keyId: string;
      readonly publicKey: Buffer;
    },
  ): Promise<boolean> =>
    asActor(database, added.by, async (transaction) => {
      const inserted = await sql.execute(
        transaction,
        'INSERT INTO users (name, role, added_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        [added.name, added.role, added.by.name],
      );
      if (inserted === 0) return (await keyOf(transaction, added.name)) === added.keyId;
      await sql.execute(transaction, 'INSERT INTO user_keys (id, user_name, public_key) VALUES (?, ?, ?)', [
        added.keyId,
        added.name,
        added.publicKey,
      ]);
      return true;
    }),
);

/** Locks a user permanently; a locked user stays unchanged. */
export const lockUser = sql.shortVerb(
  (database: sql.Database, name: string, by: ActorOfEvent): Promise<void> =>
    asActor(database, by, (transaction) =>
      sql.run(
        transaction,
        'UPDATE users SET locked_at = now(), locked_by = ? WHERE name = ? AND locked_at IS NULL',
        [by.name, name],
      ),
    ),
);

/** Replaces a user's key by a key that the old one has endorsed. @returns false if the key was replaced meanwhile */
export const rotateKey = sql.shortVerb(
  (
    database: sql.Database,
    rotated: {
      readonly name: string;
      readonly previousKey: string;
      readonly keyId: string;
      readonly publicKey: Buffer;
      /** The signature of the previous key; see `endorsementText`. */
      readonly endorsement: Buffer;
      readonly by: ActorOfEvent;
    },
  ): Promise<boolean> =>
    asActor(database, rotated.by, async (transaction) => {
      const replaced = await sql.execute(
        transaction,
        'UPDATE user_keys SET replaced_at = now() WHERE id = ? AND user_name = ? AND replaced_at IS NULL',
        [rotated.previousKey, rotated.name],
      );
      if (replaced === 0) return (await keyOf(transaction, rotated.name)) === rotated.keyId;
      await sql.execute(
        transaction,
        'INSERT INTO user_keys (id, user_name, public_key, previous_key, endorsement) VALUES (?, ?, ?, ?, ?)',
        [rotated.keyId, rotated.name, rotated.publicKey, rotated.previousKey, rotated.endorsement],
      );
      return true;
    }),
);

function keyOf(database: sql.Database, name: string): Promise<string | undefined> {
  return sql.findValue(
    database,
    sql.text,
    'SELECT id FROM user_keys WHERE user_name = ? AND replaced_at IS NULL',
    [name],
  );
}

/** Adds the key of a console, once. @returns false if the key was retired */
export const addServerKey = sql.shortVerb(
  (
    database: sql.Database,
    {
      keyId,
      publicKey,
      by,
    }: { readonly keyId: string; readonly publicKey: Buffer; readonly by: ActorOfEvent },
  ): Promise<boolean> =>
    asActor(database, by, async (transaction) => {
      const [known] = await sql.query(
        transaction,
        { isPresent: sql.bool },
        `SELECT replaced_at IS NULL AS "isPresent" FROM user_keys WHERE id = ? AND kind = 'server'`,
        [keyId],
      );
      if (known !== undefined) return known.isPresent;
      return sql.changesAny(
        transaction,
        `INSERT INTO user_keys (id, kind, public_key) VALUES (?, 'server', ?) ON CONFLICT (id) DO NOTHING`,
        [keyId, publicKey],
      );
    }),
);
