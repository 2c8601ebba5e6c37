/* Approving on a page: what is shown, who may, and that the server's signature counts where the policy says so. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import { csvOf, customers } from '../support/cli-files.ts';
import { type ConsoleOfTest, uploadAndCheck, type Visitor } from '../support/console.ts';
import { onLedgerOf, openConsoleWithUsers, signIn, visitorAs } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { password } from '../support/passwords.ts';

const policy =
  (rule: object) =>
  async (database: Knex): Promise<void> => {
    await proposePolicy(database, {
      rules: [testRule({ mode: 'sandbox', ...rule }), testRule()],
      approvers: ['ada'],
    });
  };

interface Waiting {
  readonly world: ConsoleOfTest;
  readonly mo: Visitor;
  readonly ada: Visitor;
  readonly path: string;
  readonly planHash: string;
}

/** A batch that waits for an approval: mo had it staged, ada is the approver. */
async function waiting(rule: object, ledger: 'server' | 'embedded' = 'server'): Promise<Waiting> {
  const world = await openConsoleWithUsers({ ledger }, {}, policy(rule));
  const mo = await visitorAs(world, 'mo');
  const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  const ada = await visitorAs(world, 'ada');
  const planHash = /<code>([0-9a-f]{64})</.exec((await ada.get(`${path}/approval`)).text)?.[1] ?? '';
  return { world, mo, ada, path, planHash };
}

const created = ({ desk }: ConsoleOfTest): number => desk.sandbox.counts().sandbox.created.customers ?? 0;

describe.each(['server', 'embedded'] as const)('if the policy allows it, on the %s ledger', (ledger) => {
  it('an approver sees exactly what is approved, gives the password again, and the batch can be sent', async () => {
    const { world, mo, ada, path, planHash } = await waiting({ console: true }, ledger);
    const page = await ada.get(`${path}/approval`);
    for (const shown of [
      planHash,
      'What would be sent',
      '3 rows would be sent',
      'Approve this plan',
      'ada',
    ]) {
      expect(page.text).toContain(shown);
    }
    const wrong = { decision: 'approve', plan_hash: planHash, password: 'not the password' };
    const refused = await ada.post(`${path}/approval`, wrong);
    expect([refused.status, refused.text.includes('The password is wrong')]).toEqual([422, true]);
    const given = await ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHash, password });
    expect(given.text).toContain('You have approved this plan');
    expect(created(world)).toBe(0);
    await mo.get(path);
    await mo.post(`${path}/send`, { plan_hash: planHash });
    await mo.until(path, ({ text }) => text.includes('All 3 rows created'));
    expect(created(world)).toBe(3);
    const { chains } = await world.engine.verifyAudit({}).result;
    expect(chains.flatMap(({ problems }) => problems)).toEqual([]);
    expect(statSync(join(world.desk.folder, 'console.key')).mode & 0o777).toBe(0o600);
  });
});

it('a signed statement names the user, the session and the key of the server', async () => {
  const { world, ada, path, planHash } = await waiting({ console: true });
  await ada.get(path);
  await ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHash, password, note: 'seen' });
  await onLedgerOf(world.desk, async (database) => {
    const { rows } = await database.raw(
      `SELECT a.statement::jsonb AS said, s.user_name AS person, k.kind FROM approvals a
       JOIN console_sessions s ON s.id::text = a.statement::jsonb->>'session' JOIN user_keys k ON k.id = a.key_id`,
    );
    expect(rows).toMatchObject([
      { person: 'ada', kind: 'server', said: { by: 'ada', note: 'seen', planHash } },
    ]);
  });
});

it('a rejection needs a note, and takes approvals away', async () => {
  const { world, mo, ada, path, planHash } = await waiting({ console: true });
  await ada.get(path);
  await ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHash, password });
  const refused = await ada.post(`${path}/approval`, { decision: 'reject', plan_hash: planHash, password });
  expect([refused.status, refused.text.includes('with a note that says why')]).toEqual([422, true]);
  const given = await ada.post(`${path}/approval`, { decision: 'reject', password, note: 'ask Acme' });
  expect(given.text).toContain('ask Acme');
  await mo.get(path);
  await mo.post(`${path}/send`, { plan_hash: planHash });
  await mo.until(path, ({ text }) => text.includes('role="alert"'));
  expect(created(world)).toBe(0);
});

it('shows the command for the own key where the policy does not take it, and refuses a form all the same', async () => {
  const { world, ada, path, planHash } = await waiting({});
  const page = await ada.get(`${path}/approval`);
  expect(page.text).toContain(`--plan-hash ${planHash}`);
  expect(page.text).not.toContain('Approve this plan');
  for (const decision of ['approve', 'reject']) {
    const fields = { decision, plan_hash: planHash, password, note: 'no' };
    const refused = await ada.post(`${path}/approval`, fields);
    expect([refused.status, refused.text.includes('takes no approval or rejection')]).toEqual([422, true]);
  }
  await onLedgerOf(world.desk, async (database) => {
    expect((await database.raw('SELECT FROM approvals')).rowCount).toBe(0);
  });
});

it('refuses a plan that is not the one of today, an unknown decision, and a person who is no approver', async () => {
  const { world, mo, ada, path, planHash } = await waiting({ console: true });
  await ada.get(path);
  const old = await ada.post(`${path}/approval`, {
    decision: 'approve',
    plan_hash: '0'.repeat(64),
    password,
  });
  expect([old.status, old.text.includes('is not the one of the plan hash')]).toEqual([409, true]);
  expect(old.text).toContain(planHash);
  expect((await ada.post(`${path}/approval`, { decision: 'maybe', password })).status).toBe(422);
  const fields = { decision: 'approve', plan_hash: planHash, password };
  await mo.get(path);
  expect((await mo.post(`${path}/approval`, fields)).status).toBe(403);
  expect((await mo.get(`${path}/approval`)).text).not.toContain('Approve this plan');
  await onLedgerOf(world.desk, async (database) => {
    expect((await database.raw('SELECT FROM approvals')).rowCount).toBe(0);
  });
});

it('refuses the maker, who decided that a row is sent, with a sentence', async () => {
  const { world, ada, path, planHash } = await waiting({ console: true });
  await onLedgerOf(world.desk, async (database) => {
    await database.raw('ALTER TABLE batches DISABLE TRIGGER maker_stays');
    await database.raw(`UPDATE batches SET made_by = 'ada'`);
    await database.raw('ALTER TABLE batches ENABLE TRIGGER maker_stays');
  });
  const page = await ada.get(`${path}/approval`);
  expect([page.text.includes('You may not approve it'), page.text.includes('Approve this plan')]).toEqual([
    true,
    false,
  ]);
  const refused = await ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHash, password });
  expect([refused.status, refused.text.includes('had the batch staged')]).toEqual([422, true]);
});

it('comes back to the approval after a session that ended, without keeping the password', async () => {
  const { world, ada, path, planHash } = await waiting({ console: true });
  await ada.get(path);
  await onLedgerOf(world.desk, async (database) => {
    await database.raw(
      `UPDATE console_sessions SET seen_at = now() - interval '31 minutes' WHERE user_name = 'ada'`,
    );
  });
  const late = await ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHash, password });
  expect([late.status, late.text.includes(password)]).toEqual([401, false]);
  const kept = /name="kept" value="([^"]+)"/.exec(late.text)?.[1]?.replaceAll('&quot;', '"') ?? '';
  const shown = await signIn(ada, 'ada', { kept });
  expect([shown.path.split('?', 1)[0], shown.text.includes(password)]).toEqual([`${path}/approval`, false]);
  expect(shown.text).toContain('Approve this plan');
  expect(readFileSync(join(world.desk.folder, 'console.key'), 'utf8')).toContain('PRIVATE KEY');
});
