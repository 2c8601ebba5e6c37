/* Signing in at the console: attempts with their limits, and sessions. */

import { lockOfSignIn } from '../../../migrations/0001-schema/console.ts';
import type { UserRole } from '../../domain/controls/controls.ts';
import { type FailedTries, tryLimits, waitAfter } from '../../domain/controls/sign-in.ts';
import { type ActorOfEvent, asActor, nameActor } from '../audit/events.ts';
import * as sql from '../query/sql.ts';

/** The user who tries to sign in, and the origin of the attempt. */
interface SignInTry {
  /** As typed. It may not be the name of any user. */
  readonly name: string;
  /** SHA-256 of the name, in hex. */
  readonly nameHash: string;
  readonly address: string;
}

/**
 * Begins an attempt. It counts as a failure until its password was found right, so that concurrent attempts all count.
 * @returns how long sign-in is blocked; if it is not blocked (0), the id of the attempt
 */
export const beginSignIn = sql.shortVerbOnce(
  (
    database: sql.Database,
    { name, nameHash, address }: SignInTry,
  ): Promise<{ readonly waitInMs: number; readonly id: string | null }> =>
    database.transaction(async (transaction) => {
      await sql.execute(transaction, 'SELECT pg_advisory_xact_lock(?)', [lockOfSignIn]);
      await sql.execute(transaction, `DELETE FROM sign_in_tries WHERE tried_at < now() - interval '1 day'`);
      const waitInMs = await waitOf(transaction, { name, nameHash, address });
      if (waitInMs > 0) return { waitInMs, id: null };
      const begun = await sql.onlyRow(
        transaction,
        { id: sql.int8 },
        `INSERT INTO sign_in_tries (name_hash, user_name, address)
         VALUES (?, (SELECT name FROM users WHERE name = ?), ?) RETURNING id`,
        [nameHash, name, address],
      );
      return { waitInMs: 0, id: begun.id };
    }),
);

const sinceLastSuccess = `name_hash = ? AND id > coalesce((SELECT max(id) FROM sign_in_tries WHERE name_hash = ? AND outcome = 'succeeded'), 0)`;

async function waitOf(database: sql.Database, { name, nameHash, address }: SignInTry): Promise<number> {
  const { nameAtAddress, name: everywhere, address: ofAnyName } = tryLimits;
  const here = await failuresOf(database, `${sinceLastSuccess} AND address = ?`, [
    ...[nameHash, nameHash, address, nameAtAddress.windowInMs],
  ]);
  const ofName = (await hasSignedInFrom(database, name, address))
    ? { failures: 0, sinceLastInMs: 0 }
    : await failuresOf(database, sinceLastSuccess, [nameHash, nameHash, everywhere.windowInMs]);
  const ofAddress = await failuresOf(database, 'address = ?', [address, ofAnyName.windowInMs]);
  return Math.max(
    waitAfter(here, nameAtAddress),
    waitAfter(ofName, everywhere),
    waitAfter(ofAddress, ofAnyName),
  );
}

function hasSignedInFrom(database: sql.Database, name: string, address: string): Promise<boolean> {
  const sessions = 'SELECT FROM console_sessions WHERE user_name = ? AND address = ?';
  return sql.onlyValue(database, sql.bool, `SELECT EXISTS (${sessions})`, [name, address]);
}

function failuresOf(
  database: sql.Database,
  which: string,
  bindings: readonly unknown[],
): Promise<FailedTries> {
  return sql.onlyRow<FailedTries>(
    database,
    { failures: sql.int4, sinceLastInMs: sql.float8 },
    `SELECT count(*)::int AS failures,
       coalesce(extract(epoch FROM now() - max(tried_at)) * 1000, 0)::float8 AS "sinceLastInMs"
     FROM sign_in_tries WHERE outcome IS DISTINCT FROM 'succeeded' AND ${which}
       AND tried_at > now() - ? * interval '1 millisecond'`,
    bindings,
  );
}

/** Records that the password of an attempt was wrong. @returns how long the name or the address is now blocked */
export const failSignIn = sql.shortVerb(
  (
    database: sql.Database,
    id: string,
    asked: SignInTry,
    by: Pick<ActorOfEvent, 'channel'>,
  ): Promise<number> =>
    // The user is not known. So the event has the name of the database's user.
    asActor(database, { name: '', channel: by.channel }, async (transaction) => {
      await sql.execute(
        transaction,
        `UPDATE sign_in_tries SET outcome = 'failed' WHERE id = ? AND outcome IS NULL`,
        [id],
      );
      return waitOf(transaction, asked);
    }),
);

/** Records that the password of an attempt was right, if no session begins with the attempt. */
export const passSignIn = sql.shortVerb(
  (database: sql.Database, id: string): Promise<void> =>
    sql.run(database, `UPDATE sign_in_tries SET outcome = 'succeeded' WHERE id = ?`, [id]),
);

/** A session, in the form to be stored. */
interface SessionToWrite {
  readonly user: string;
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string;
  /** The password with which the user signed in. */
  readonly passwordId: string;
  readonly address: string;
  /** The attempt that succeeded. */
  readonly tryId: string;
  readonly channel: string;
}

/** Begins a session. @returns false if the user was locked, or got another password, since the attempt began */
export const beginSession = sql.shortVerb(
  (database: sql.Database, session: SessionToWrite): Promise<boolean> =>
    database.transaction(async (transaction) => {
      const { user, tokenHash, passwordId, address, tryId, channel } = session;
      await nameActor(transaction, { name: user, channel });
      await sql.execute(transaction, `UPDATE sign_in_tries SET outcome = 'succeeded' WHERE id = ?`, [tryId]);
      const begun = await sql.execute(
        transaction,
        `INSERT INTO console_sessions (token_hash, user_name, password_id, address)
         SELECT ?, u.name, ?::bigint, ? FROM users u WHERE u.name = ? AND u.locked_at IS NULL
           AND ?::bigint = (SELECT max(id) FROM user_passwords WHERE user_name = u.name)
         ON CONFLICT (token_hash) DO NOTHING`,
        [tokenHash, passwordId, address, user, passwordId],
      );
      return begun > 0 || (await isSessionThere(transaction, tokenHash));
    }),
);

function isSessionThere(database: sql.Database, tokenHash: string): Promise<boolean> {
  const sessions = 'SELECT FROM console_sessions WHERE token_hash = ?';
  return sql.onlyValue(database, sql.bool, `SELECT EXISTS (${sessions})`, [tokenHash]);
}

const foundSessionColumns = {
  id: sql.text,
  user: sql.text,
  role: sql.word<UserRole>(),
  /** Whether the user is an active approver, or has another role. */
  isActive: sql.bool,
  isOpen: sql.bool,
  /** Whether the session ended only because of its time limit, at most a day ago. */
  isTimedOut: sql.bool,
};

/** A session, open or ended. */
export type FoundSession = sql.RowOf<typeof foundSessionColumns>;

/** How long sessions last, and whether this read keeps one alive. */
interface SessionLook {
  readonly longestInMs: number;
  readonly idleInMs: number;
  readonly isActivity: boolean;
}

/** The session of a token's hash; undefined if there never was one. The user's activity is stored at most twice a minute. */
export const findSession = sql.shortVerb(
  (
    database: sql.Database,
    tokenHash: string,
    { longestInMs, idleInMs, isActivity }: SessionLook,
  ): Promise<FoundSession | undefined> =>
    sql.findRow(
      database,
      foundSessionColumns,
      `WITH found AS (
         SELECT s.id, s.user_name, u.role, u.active_at, s.seen_at, s.began_at,
           s.ended_at IS NULL AND u.locked_at IS NULL
             AND s.password_id = (SELECT max(id) FROM user_passwords WHERE user_name = u.name) AS is_valid,
           s.began_at > now() - ? * interval '1 millisecond'
             AND s.seen_at > now() - ? * interval '1 millisecond' AS is_in_time
         FROM console_sessions s JOIN users u ON u.name = s.user_name WHERE s.token_hash = ?),
       kept AS (
         UPDATE console_sessions s SET seen_at = now() FROM found f
         WHERE s.id = f.id AND f.is_valid AND f.is_in_time AND ?::boolean AND f.seen_at < now() - interval '30 seconds')
       SELECT id::text AS id, user_name AS "user", role, active_at IS NOT NULL AS "isActive",
         is_valid AND is_in_time AS "isOpen",
         is_valid AND NOT is_in_time AND began_at > now() - interval '1 day' AS "isTimedOut"
       FROM found`,
      [longestInMs, idleInMs, tokenHash, isActivity],
    ),
);

/** Ends a session; an ended session stays unchanged. */
export const endSession = sql.shortVerb(
  (database: sql.Database, tokenHash: string, by: ActorOfEvent): Promise<void> =>
    asActor(database, by, (transaction) =>
      sql.run(
        transaction,
        'UPDATE console_sessions SET ended_at = now() WHERE token_hash = ? AND ended_at IS NULL',
        [tokenHash],
      ),
    ),
);
