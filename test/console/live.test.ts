/* The console in live mode: rows leave only after a page that says how many, and only while that is true. */

import { expect, it } from 'vitest';
import { credentialFingerprint } from '../../src/call/settings.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, uploadAndCheck } from '../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../support/console-users.ts';

const openLiveConsole = (): Promise<ConsoleOfTest> =>
  openConsoleWithUsers({ ledger: 'durable' }, {}, undefined, ({ sandbox }) => ({
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.live, mode: 'live' },
  }));

const hashIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([0-9a-f]{64})"`).exec(text)?.[1] ?? '';

it('sends the plan that was shown', async () => {
  const world = await openLiveConsole();
  const mo = await visitorAs(world, 'mo');
  const planned = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  expect(planned.text).toContain('This is live');
  await mo.post(`${planned.path}/send`, { plan_hash: hashIn(planned.text, 'plan_hash') });
  await mo.until(planned.path, ({ text }) => text.includes('All 3 rows created'));
  expect(world.desk.sandbox.counts().live.created.customers).toBe(3);
});

it('goes on only with what somebody has agreed to on a page of its own', async () => {
  const world = await openLiveConsole();
  const created = (): number => world.desk.sandbox.counts().live.created.customers ?? 0;
  const mo = await visitorAs(world, 'mo');
  const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  const asked = await mo.post(`${path}/resume`);
  expect([asked.path, created()]).toEqual([`${path}/agree/resume`, 0]);
  expect(asked.text).toContain('3 rows not sent yet');
  const agreed = hashIn(asked.text, 'agreed');
  const refused = await mo.post(`${path}/resume`, { agreed: 'yes' });
  expect([refused.status, created()]).toEqual([409, 0]);

  await mo.post(`${path}/resume`, { agreed });
  await mo.until(path, () => created() === 3);
});

it('sends nothing from a page that is outdated, and shows the present state', async () => {
  const world = await openLiveConsole();
  const created = (): number => world.desk.sandbox.counts().live.created.customers ?? 0;
  const mo = await visitorAs(world, 'mo');
  const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  const asked = await mo.get(`${path}/agree/resume`);

  const batch = path.split('/').at(-1) ?? '';
  await world.engine.submit({ batch, sending: { yes: true } }).result;
  const outdated = await mo.post(`${path}/resume`, { agreed: hashIn(asked.text, 'agreed') });
  expect([outdated.status, created()]).toEqual([409, 3]);
  expect(outdated.text).toContain('The batch has changed since this page was loaded: nothing was sent.');
  expect(outdated.text).not.toContain('not sent yet');
});

it('says on every page and beside every button that nothing proves that the key is a live one', async () => {
  const world = await openConsoleWithUsers({ ledger: 'durable' }, {}, undefined, ({ sandbox }) => ({
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.sandbox, mode: 'live' },
  }));
  const fingerprint = credentialFingerprint(world.desk.sandbox.apiKeys.sandbox);
  const mo = await visitorAs(world, 'mo');
  expect((await mo.get('/')).text).toContain(`<b>LIVE if its key is</b> Compare ${fingerprint}.`);
  const planned = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  expect(planned.text).toContain(`<b>This is live only if the API key with the fingerprint ${fingerprint}`);
  const asked = await mo.get(`${planned.path}/agree/resume`);
  expect(asked.text).toContain(`<b>This is live only if the API key with the fingerprint ${fingerprint}`);
  await mo.post(`${planned.path}/send`, { plan_hash: hashIn(planned.text, 'plan_hash') });
  const sent = await mo.until(planned.path, ({ text }) => text.includes('All 3 rows created'));
  expect(sent.text).toContain('<b>LIVE if its key is</b>');
  expect(sent.text).not.toContain('Money moves.');
});

it('cannot ask a person about a key, so that a button sends nothing with it', async () => {
  const world = await openConsole({ ledger: 'durable' });
  const { desk, visitor } = world;
  const env = { PAYBATCH_MODE: 'live', PAYBATCH_API_KEY: desk.sandbox.apiKeys.live };
  const file = await desk.write('live.csv', csvOf(customers(2)));
  expect((await desk.json(['plan', file], { env })).exitCode).toBe(0);
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  await visitor.post(`${path}/resume`);
  const refused = await visitor.until(path, ({ text }) => text.includes('known as live'));
  expect(refused.text).toContain('on a terminal');
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
});
