/* Getting a link, setting a password, signing in and out, as the channels of the engine do it. */

import { readFileSync } from 'node:fs';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type scryptOf, usualCost } from '../../src/controls/key-file.ts';
import { isPassword } from '../../src/controls/session-actor.ts';
import type { Engine } from '../../src/index.ts';
import { grantRoles } from '../../src/ledger/connection/migrate.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { proposePolicy } from '../support/controls.ts';
import { openEngine } from '../support/engine.ts';
import { emptyLedger, onServer, type TestLedger } from '../support/ledger.ts';
import { givePassword, password } from '../support/passwords.ts';
import { addTestUser, passphrase, type TestUser } from '../support/user-key.ts';

onServer((openTestLedger) => {
  cheapScrypt();

  let ledger: TestLedger;
  let database: Knex;
  let people: Readonly<Record<'ada' | 'root' | 'mo', TestUser>>;
  beforeAll(async () => {
    ledger = await openTestLedger();
    ({ database } = ledger);
  });
  beforeEach(async () => {
    await emptyLedger(database);
    people = {
      ada: await addTestUser(database, 'ada'),
      root: await addTestUser(database, 'root', 'admin'),
      mo: await addTestUser(database, 'mo', 'maker'),
    };
  });
  const engineOf = (user?: TestUser, databaseUrl = ledger.databaseUrl ?? ''): Promise<Engine> =>
    openEngine({
      ledger: { databaseUrl },
      ...(user === undefined ? {} : { user: { keyFile: user.path, passphrase } }),
    });
  const signIn = async (engine: Engine, name: string, words = password): Promise<string | null> =>
    (await engine.signIn({ name, password: words, address: '192.0.2.1' }).result).token;

  it('a person sets a password with a link, signs in with it, and is known until the end of the session', async () => {
    const engine = await engineOf();
    const { token, until, user } = await engine.inviteUser({ name: 'mo' }).result;
    expect([user.name, Date.parse(until) > Date.now()]).toEqual(['mo', true]);
    expect((await engine.readPasswordLink({ token }).result).link.user).toBe('mo');
    await expect(engine.setPassword({ token, password: 'short' }).result).rejects.toMatchObject({
      code: 'password_weak',
    });
    await engine.setPassword({ token, password: 'caf\u00e9 au lait, bitte' }).result;
    const { rows } = await database.raw('SELECT cost, block_size, parallelism FROM user_passwords');
    expect(rows).toEqual([{ cost: 131_072, block_size: 8, parallelism: 1 }]);
    await expect(engine.setPassword({ token, password: 'a second password' }).result).rejects.toMatchObject({
      code: 'link_unusable',
    });
    // The same letter, as another keyboard writes it.
    const session = await signIn(engine, 'mo', 'cafe\u0301 au lait, bitte');
    if (session === null) throw new Error('nobody was signed in');
    const read = async (): Promise<unknown> =>
      (await engine.readSession({ token: session, isActivity: true }).result).session;
    expect(await read()).toMatchObject({ name: 'mo', role: 'maker' });
    await engine.signOut({ token: session }).result;
    expect(await read()).toBeNull();
  });

  it('a wrong password, an unknown name and a locked user get the same answer', async () => {
    await givePassword(database, 'mo');
    await givePassword(database, 'root');
    const engine = await engineOf();
    await engine.lockUser({ name: 'root' }).result;
    const answers = [
      await engine.signIn({ name: 'mo', password: 'wrong', address: 'a' }).result,
      await engine.signIn({ name: 'nobody', password, address: 'b' }).result,
      await engine.signIn({ name: 'root', password, address: 'c' }).result,
      await engine.signIn({ name: 'ada', password, address: 'd' }).result,
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ token: null, waitInMs: 0 });
  });

  it('does the work of a password for a person who has none', async () => {
    const costs: number[] = [];
    const derive: typeof scryptOf = async (_, { cost }, length) => {
      costs.push(cost);
      return Buffer.alloc(length ?? 32);
    };
    // Even if the derived bytes were those used in place of a missing hash.
    expect(await isPassword('whatever', null, derive)).toBe(false);
    expect(costs).toEqual([usualCost]);
  });

  describe('a link is made by', () => {
    it('an admin who has signed in, and by no other user who has', async () => {
      for (const name of ['ada', 'root', 'mo']) await givePassword(database, name);
      const engine = await engineOf();
      for (const name of ['ada', 'mo']) {
        const session = (await signIn(engine, name)) ?? '';
        const asked = engine.inviteUser(
          { name: 'root', session },
          { actor: { name: 'root', channel: 'console' } },
        );
        await expect(asked.result).rejects.toMatchObject({ code: 'role_refused' });
        await expect(engine.lockUser({ name: 'root', session }).result).rejects.toMatchObject({
          code: 'role_refused',
        });
      }
      const session = (await signIn(engine, 'root')) ?? '';
      await engine.inviteUser({ name: 'mo', session }).result;
      await engine.lockUser({ name: 'mo', session }).result;
      const { rows } = await database.raw('SELECT made_by FROM password_links ORDER BY number DESC LIMIT 1');
      expect(rows).toEqual([{ made_by: 'root' }]);
      await engine.signOut({ token: session }).result;
      await expect(engine.inviteUser({ name: 'ada', session }).result).rejects.toMatchObject({
        code: 'session_ended',
      });
      await expect(engine.inviteUser({ name: 'ada', session: '' }).result).rejects.toMatchObject({
        code: 'session_ended',
      });
    });

    it('an admin with a key, or the owner of the database, whether there is a policy or not', async () => {
      await grantRoles(ledger);
      const url = new URL(ledger.databaseUrl ?? '');
      const login = `console_${process.pid}`;
      await database.raw(
        `CREATE ROLE ${login} LOGIN PASSWORD 'secret' IN ROLE paybatch_worker, paybatch_console`,
      );
      [url.username, url.password] = [login, 'secret'];
      const invite = async (user?: TestUser): Promise<unknown> =>
        (await engineOf(user, url.href)).inviteUser({ name: 'mo' }).result;
      for (const round of ['without a policy', 'with one']) {
        if (round === 'with one') await proposePolicy(database, { approvers: ['ada'] });
        for (const user of [undefined, people.ada, people.mo]) {
          await expect(invite(user), round).rejects.toMatchObject({ code: 'role_refused' });
        }
        await invite(people.root);
        await (await engineOf()).inviteUser({ name: 'mo' }).result;
      }
    });
  });

  it('the database lets a console sign people in, and a worker or an approver read no hash and make no link', async () => {
    await grantRoles(ledger);
    await givePassword(database, 'mo');
    for (const role of ['paybatch_worker', 'paybatch_approver']) {
      for (const sql of [
        'SELECT hash FROM user_passwords',
        `INSERT INTO password_links (token_hash, user_name, made_by, valid_until) VALUES ('', 'mo', 'eve', now())`,
        `INSERT INTO console_sessions (token_hash, user_name, password_id, address) VALUES ('', 'mo', 1, '')`,
      ]) {
        const asked = database.transaction(async (transaction) => {
          await transaction.raw(`SET LOCAL ROLE ${role}`);
          await transaction.raw(sql);
        });
        await expect(asked, `${role}: ${sql}`).rejects.toMatchObject({ code: '42501' });
      }
    }
    const url = new URL(ledger.databaseUrl ?? '');
    const login = `channel_${process.pid}`;
    await database.raw(
      `CREATE ROLE ${login} LOGIN PASSWORD 'secret' IN ROLE paybatch_worker, paybatch_console`,
    );
    [url.username, url.password] = [login, 'secret'];
    const engine = await engineOf(undefined, url.href);
    const admin = await engineOf(people.root, url.href);
    const { token } = await admin.inviteUser({ name: 'ada' }).result;
    await engine.setPassword({ token, password }).result;
    const session = (await signIn(engine, 'ada')) ?? '';
    expect((await engine.readSession({ token: session, isActivity: true }).result).session?.name).toBe('ada');
    await engine.signIn({ name: 'mo', password: 'wrong', address: 'x' }).result;
    await engine.signOut({ token: session }).result;
    const { chains } = await engine.verifyAudit({}).result;
    const unnoted = chains.flatMap(({ problems }) =>
      problems.filter(({ code }) => code === 'record_unnoted'),
    );
    expect(unnoted).toEqual([]);
  });

  it('keeps no token and no password anywhere in the ledger', async () => {
    const engine = await engineOf();
    const { token } = await engine.inviteUser({ name: 'mo' }).result;
    await engine.setPassword({ token, password }).result;
    const session = (await signIn(engine, 'mo')) ?? '';
    for (const table of [
      'password_links',
      'user_passwords',
      'console_sessions',
      'sign_in_tries',
      'audit_events',
    ]) {
      const { rows } = await database.raw(`SELECT t::text AS line FROM ${table} t`);
      const all = JSON.stringify(rows);
      for (const secret of [token, session, password]) expect(all, table).not.toContain(secret);
    }
    expect(readFileSync(people.mo.path, 'utf8')).not.toContain(password);
  });
});
