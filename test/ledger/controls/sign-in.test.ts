/* Passwords, links, sessions and tries as the ledger keeps them, and what it refuses whatever program writes it. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionLimits } from '../../../src/domain/controls/sign-in.ts';
import { sha256 } from '../../../src/domain/controls/statement.ts';
import { readAuditEvents } from '../../../src/ledger/audit/events.ts';
import { compareWithTrail } from '../../../src/ledger/audit/records.ts';
import {
  beginSession,
  beginSignIn,
  endSession,
  failSignIn,
  findSession,
} from '../../../src/ledger/controls/sessions.ts';
import {
  findPassword,
  findPasswordLink,
  listSignInFacts,
  lockUser,
  writePassword,
  writePasswordLink,
} from '../../../src/ledger/controls/users.ts';
import { addPerson } from '../../support/controls.ts';
import { emptyLedger, forEachLedger } from '../../support/ledger.ts';
import { givePassword } from '../../support/passwords.ts';

const by = { name: 'owner', channel: 'library' };
const look = { ...sessionLimits, isActivity: true };
const hash = {
  hash: Buffer.alloc(32, 1),
  salt: Buffer.alloc(16, 2),
  cost: 1024,
  blockSize: 8,
  parallelism: 1,
};

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });
  beforeEach(async () => {
    await emptyLedger(database);
    await database.raw('DELETE FROM sign_in_tries');
    await addPerson(database, 'ada', 'admin');
    await addPerson(database, 'mo', 'maker');
  });

  const linkFor = async (user: string, lifetimeInMs = 60_000): Promise<string> => {
    const tokenHash = sha256(randomUUID());
    await writePasswordLink(database, { user, tokenHash, lifetimeInMs, by });
    return tokenHash;
  };
  const signIn = async (user: string): Promise<string> => {
    const [tokenHash, passwordId] = [sha256(randomUUID()), (await findPassword(database, user))?.id ?? ''];
    const asked = { name: user, nameHash: sha256(user), address: '192.0.2.1' };
    const { id } = await beginSignIn(database, asked);
    const session = {
      user,
      tokenHash,
      passwordId,
      address: '192.0.2.1',
      tryId: id ?? '',
      channel: 'console',
    };
    expect(await beginSession(database, session)).toBe(true);
    // The reply to its COMMIT was lost.
    expect(await beginSession(database, session)).toBe(true);
    return tokenHash;
  };
  const isOpen = async (tokenHash: string): Promise<boolean> =>
    (await findSession(database, tokenHash, look))?.isOpen === true;
  const eventsAfter = async (work: () => Promise<unknown>): Promise<string[]> => {
    const told: string[][] = [];
    for (const act of [async () => {}, work]) {
      await act();
      const all: string[] = [];
      for await (const group of readAuditEvents(database, 'controls')) {
        all.push(
          ...group.map(({ actor, channel, event, details }) => {
            const { user = '-' } = JSON.parse(details);
            return `${actor === 'postgres' ? 'database user' : actor} (${channel}) ${event} ${user}`;
          }),
        );
      }
      told.push(all);
    }
    return told[1]?.slice(told[0]?.length) ?? [];
  };

  describe('a link', () => {
    it('sets one password, once', async () => {
      const tokenHash = await linkFor('mo');
      const link = await findPasswordLink(database, tokenHash);
      expect(link?.user).toBe('mo');
      if (link === undefined) return;
      const both = [writePassword(database, link, hash, by), writePassword(database, link, hash, by)];
      expect((await Promise.all(both)).sort()).toEqual([false, true]);
      expect(await findPasswordLink(database, tokenHash)).toBeUndefined();
      expect(await findPassword(database, 'mo')).toMatchObject(hash);
    });

    it('is of no use for another user, after its time, beside a newer one, or for a locked user', async () => {
      const first = await linkFor('mo');
      const link = await findPasswordLink(database, first);
      if (link === undefined) throw new Error('there is no link');
      expect(await writePassword(database, { ...link, user: 'ada' }, hash, by)).toBe(false);
      const second = await linkFor('mo');
      expect(await findPasswordLink(database, first)).toBeUndefined();
      expect(await writePassword(database, link, hash, by)).toBe(false);
      expect(await findPasswordLink(database, second)).toBeDefined();
      expect(await findPasswordLink(database, await linkFor('ada', -1))).toBeUndefined();
      await lockUser(database, 'mo', by);
      expect(await findPasswordLink(database, second)).toBeUndefined();
      expect(await findPassword(database, 'ada')).toBeUndefined();
    });

    it('is asked for by the database itself, and neither links nor passwords are rewritten', async () => {
      const insert = `INSERT INTO user_passwords (user_name, link_id, hash, salt, cost, block_size, parallelism)
        SELECT 'ada', id, ?, ?, 1024, 8, 1 FROM password_links WHERE token_hash = ?`;
      const refused = { code: '23001' };
      await expect(database.raw(insert, [hash.hash, hash.salt, await linkFor('mo')])).rejects.toMatchObject(
        refused,
      );
      await givePassword(database, 'mo');
      for (const sql of [
        `UPDATE user_passwords SET hash = salt || salt`,
        'DELETE FROM user_passwords',
        `UPDATE password_links SET valid_until = now() + interval '1 year'`,
        'UPDATE password_links SET used_at = NULL',
        'DELETE FROM password_links',
      ]) {
        await expect(database.raw(sql), sql).rejects.toMatchObject(refused);
      }
    });
  });

  describe('a session', () => {
    beforeEach(async () => {
      await givePassword(database, 'ada');
      await givePassword(database, 'mo');
    });

    it('is its user’s, with the role, until it is ended', async () => {
      const token = await signIn('mo');
      expect(await findSession(database, token, look)).toMatchObject({
        user: 'mo',
        role: 'maker',
        isOpen: true,
      });
      await endSession(database, token, by);
      expect(await findSession(database, token, look)).toMatchObject({ isOpen: false, isTimedOut: false });
      expect(await findSession(database, sha256('made up'), look)).toBeUndefined();
    });

    it('ends by time, which is reported for a day', async () => {
      const token = await signIn('mo');
      const age = (column: string, by: string): Promise<unknown> =>
        database.transaction(async (transaction) => {
          await transaction.raw('ALTER TABLE console_sessions DISABLE TRIGGER session_is_changed');
          await transaction.raw(`UPDATE console_sessions SET ${column} = now() - interval '${by}'`);
          await transaction.raw('ALTER TABLE console_sessions ENABLE TRIGGER session_is_changed');
        });
      await age('seen_at', '31 minutes');
      expect(await findSession(database, token, look)).toMatchObject({ isOpen: false, isTimedOut: true });
      await age('seen_at', '29 minutes');
      expect(await findSession(database, token, { ...look, isActivity: false })).toMatchObject({
        isOpen: true,
      });
      expect(await isOpen(token)).toBe(true);
      const { rows } = await database.raw(
        `SELECT seen_at > now() - interval '1 minute' AS kept FROM console_sessions`,
      );
      expect(rows).toEqual([{ kept: true }]);
      await age('began_at', '8 hours 1 minute');
      expect(await findSession(database, token, look)).toMatchObject({ isOpen: false, isTimedOut: true });
      await age('began_at', '25 hours');
      expect(await findSession(database, token, look)).toMatchObject({ isOpen: false, isTimedOut: false });
    });

    it('ends at once with the lock of its user, or a new password', async () => {
      const [ofAda, ofMo] = [await signIn('ada'), await signIn('mo')];
      await lockUser(database, 'mo', by);
      expect([await isOpen(ofAda), await isOpen(ofMo)]).toEqual([true, false]);
      await givePassword(database, 'ada', 'another one entirely');
      expect(await isOpen(ofAda)).toBe(false);
    });

    it('does not begin with an older password, or for a locked user, and is not taken over', async () => {
      const token = await signIn('mo');
      const old = (await findPassword(database, 'mo'))?.id ?? '';
      await givePassword(database, 'mo', 'another one entirely');
      const asked = { name: 'mo', nameHash: sha256('mo'), address: '192.0.2.1' };
      const { id } = await beginSignIn(database, asked);
      const session = { user: 'mo', address: '192.0.2.1', tryId: id ?? '', channel: 'console' };
      const begin = (passwordId: string): Promise<boolean> =>
        beginSession(database, { ...session, passwordId, tokenHash: sha256(randomUUID()) });
      expect(await begin(old)).toBe(false);
      const present = (await findPassword(database, 'mo'))?.id ?? '';
      await lockUser(database, 'mo', by);
      expect(await begin(present)).toBe(false);
      const insert = `INSERT INTO console_sessions (token_hash, user_name, password_id, address) VALUES (?, 'mo', ?, '')`;
      const refused = { code: '23001' };
      await expect(database.raw(insert, [sha256('x'), present])).rejects.toMatchObject(refused);
      for (const change of [`user_name = 'ada'`, 'ended_at = NULL', `began_at = now()`]) {
        const sql = `UPDATE console_sessions SET ${change} WHERE token_hash = '${token}'`;
        await expect(database.raw(sql), sql).rejects.toMatchObject(refused);
      }
    });

    it('is in the trail with its beginning and its end, and so are links, passwords and refused tries', async () => {
      const told = await eventsAfter(async () => {
        await linkFor('mo');
        await givePassword(database, 'mo', 'another one entirely');
        const token = await signIn('mo');
        await endSession(database, token, { name: 'mo', channel: 'console' });
        await endSession(database, token, { name: 'mo', channel: 'console' });
        await signIn('mo');
        await lockUser(database, 'mo', { name: 'ada', channel: 'console' });
        for (const name of ['ada', 'a password in the wrong field']) {
          const asked = { name, nameHash: sha256(name), address: '192.0.2.1' };
          const { id } = await beginSignIn(database, asked);
          await failSignIn(database, id ?? '', asked, { channel: 'console' });
        }
      });
      expect(told.map((line) => line.replace(/^paybatch\S* /, 'database user '))).toEqual([
        'owner (library) link.made mo',
        'owner (library) link.made mo',
        'mo (console) password.set mo',
        'mo (console) session.begun mo',
        'mo (console) session.ended mo',
        'mo (console) session.begun mo',
        'ada (console) user.locked mo',
        'ada (console) session.ended mo',
        'database user (console) sign_in.refused ada',
      ]);
      const facts = await listSignInFacts(database);
      expect(facts.map(({ user, linkUntil }) => [user, linkUntil])).toEqual([
        ['ada', null],
        ['mo', null],
      ]);
      expect(facts.every(({ passwordSince }) => passwordSince !== null)).toBe(true);
    });

    it('and a password that no event records are found in the comparison with the trail', async () => {
      await signIn('mo');
      const ofThese = async (): Promise<readonly string[]> =>
        (await compareWithTrail(database, ['controls']))
          .filter(({ code }) => code === 'record_unnoted')
          .map(({ what }) => what);
      expect(await ofThese()).toEqual([]);
      const { id: passwordId = '' } = (await findPassword(database, 'ada')) ?? {};
      await database.transaction(async (transaction) => {
        for (const table of ['user_passwords', 'console_sessions'])
          await transaction.raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
        await transaction.raw(
          `INSERT INTO console_sessions (token_hash, user_name, password_id, address) VALUES (?, 'ada', ?, '')`,
          [sha256('planted'), passwordId],
        );
        await transaction.raw(
          `INSERT INTO user_passwords (user_name, link_id, hash, salt, cost, block_size, parallelism)
           SELECT 'ada', id, ?, ?, 1024, 8, 1 FROM password_links WHERE token_hash = ?`,
          [hash.hash, hash.salt, await linkHashIn(transaction)],
        );
        for (const table of ['user_passwords', 'console_sessions'])
          await transaction.raw(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
      });
      expect([...(await ofThese())].sort()).toEqual(['password', 'session']);
    });
  });

  /** Of a link that was never used. */
  const linkHashIn = async (transaction: Knex): Promise<string> => {
    const tokenHash = sha256(randomUUID());
    await transaction.raw(
      `INSERT INTO password_links (token_hash, user_name, made_by, valid_until) VALUES (?, 'ada', 'eve', now())`,
      [tokenHash],
    );
    return tokenHash;
  };

  describe('tries to sign in', () => {
    const attempt = async (name: string, address: string, isRight = false): Promise<number> => {
      const asked = { name, nameHash: sha256(name), address };
      const { id, waitInMs } = await beginSignIn(database, asked);
      if (id === null) return waitInMs;
      if (isRight) await database.raw(`UPDATE sign_in_tries SET outcome = 'succeeded' WHERE id = ?`, [id]);
      return isRight ? 0 : failSignIn(database, id, asked, { channel: 'console' });
    };

    it.each(['mo', 'nobody'])('make the name %s wait after 5 at one address', async (name) => {
      for (let n = 1; n < 5; n += 1) expect(await attempt(name, '192.0.2.5')).toBe(0);
      expect(await attempt(name, '192.0.2.5')).toBeGreaterThan(20_000);
      expect(await attempt(name, '192.0.2.5', true)).toBeGreaterThan(20_000);
      expect(await attempt('ada', '192.0.2.5')).toBe(0);
      expect(await attempt(name, '192.0.2.6', true)).toBe(0);
    });

    it.each(['mo', 'nobody'])('make the name %s wait after 20, from wherever', async (name) => {
      for (let n = 1; n < 20; n += 1) expect(await attempt(name, `192.0.2.${n}`)).toBe(0);
      expect(await attempt(name, '192.0.2.20')).toBeGreaterThan(20_000);
      expect(await attempt(name, '192.0.2.21', true)).toBeGreaterThan(20_000);
    });

    it('of a stranger lock nobody out from where that person has signed in before', async () => {
      const link = await findPasswordLink(database, await linkFor('mo'));
      if (link === undefined) throw new Error('there is no link');
      await writePassword(database, link, hash, by);
      await signIn('mo');
      for (let n = 0; n < 60; n += 1) await attempt('mo', `203.0.113.${n}`);
      expect(await attempt('mo', '203.0.113.99', true)).toBeGreaterThan(20_000);
      expect(await attempt('ada', '192.0.2.1', true)).toBe(0);
      expect(await attempt('mo', '192.0.2.1', true)).toBe(0);
    });

    it('of a name count from its last success, and none that waited counts', async () => {
      for (let n = 1; n < 5; n += 1) await attempt('mo', '192.0.2.1');
      await attempt('mo', '192.0.2.1', true);
      for (let n = 1; n < 5; n += 1) expect(await attempt('mo', '192.0.2.1')).toBe(0);
      await attempt('mo', '192.0.2.1');
      for (let n = 0; n < 3; n += 1) await attempt('mo', '192.0.2.1');
      expect(await attempt('mo', '192.0.2.1')).toBeLessThanOrEqual(30_000);
    });

    it('make an address wait after 20, whatever the names, and although one of them signs in', async () => {
      for (let n = 1; n < 20; n += 1) expect(await attempt(`name${n}`, '192.0.2.9')).toBe(0);
      await attempt('mo', '192.0.2.9', true);
      expect(await attempt('name20', '192.0.2.9')).toBeGreaterThan(20_000);
      expect(await attempt('mo', '192.0.2.9', true)).toBeGreaterThan(20_000);
      expect(await attempt('mo', '192.0.2.10', true)).toBe(0);
    });

    it('count while their passwords are being checked, so that many at once are no way around', async () => {
      const asked = { name: 'mo', nameHash: sha256('mo'), address: '192.0.2.1' };
      const begun = await Promise.all(Array.from({ length: 30 }, () => beginSignIn(database, asked)));
      expect(begun.filter(({ id }) => id !== null)).toHaveLength(5);
    });

    it('keep no name that is not a user’s', async () => {
      await attempt('my secret password', '192.0.2.1');
      const { rows } = await database.raw('SELECT * FROM sign_in_tries');
      expect(JSON.stringify(rows)).not.toContain('secret');
    });
  });
});
