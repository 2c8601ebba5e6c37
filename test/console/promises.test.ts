/* What a button of a page that was just loaded promises is what the engine does, and what helps fits. */

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/core.ts';
import { controlHeaders } from '../sandbox/harness.ts';
import { account, csvOf, customer, customers } from '../support/cli-files.ts';
import {
  type ConsoleOfTest,
  openConsole,
  type Shown,
  uploadAndCheck,
  type Visitor,
} from '../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../support/console-users.ts';
import { proposePolicy, testRule } from '../support/controls.ts';
import { password } from '../support/passwords.ts';

const planHashIn = ({ text }: Shown): string =>
  /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';

const created = ({ desk }: ConsoleOfTest, kind: 'customers' | 'accounts' = 'customers'): number =>
  desk.sandbox.counts().sandbox.created[kind] ?? 0;

function ended(visitor: Visitor, path: string): Promise<Shown> {
  return visitor.until(path, ({ text }) => !text.includes('data-live'));
}

/** Presses the button under the plan of a page. */
async function send(visitor: Visitor, path: string, page: Shown): Promise<Shown> {
  await visitor.post(`${path}/send`, { plan_hash: planHashIn(page) });
  return ended(visitor, path);
}

/** Takes a row out of a plan: it is corrected in another batch. */
async function correct(
  visitor: Visitor,
  path: string,
  row: number,
  from: string,
  to: string,
): Promise<string> {
  const { text } = await visitor.get(`${path}/rows/${row}`);
  const [, place = ''] = new RegExp(`name="was-(\\d+)" value="${from}"`).exec(text) ?? [];
  await visitor.post(`${path}/rows/${row}/edit`, { [`was-${place}`]: from, [`cell-${place}`]: to });
  const { path: call } = await visitor.post(`${path}/draft/plan`);
  return (await ended(visitor, call)).path;
}

async function approve(ada: Visitor, path: string): Promise<Shown> {
  const page = await ada.get(`${path}/approval`);
  return ada.post(`${path}/approval`, { decision: 'approve', plan_hash: planHashIn(page), password });
}

function withPolicy(
  kind: 'customers' | 'accounts',
  onRequest?: SandboxOptions['onRequest'],
): Promise<ConsoleOfTest> {
  return openConsoleWithUsers(onRequest === undefined ? {} : { onRequest }, {}, async (database) => {
    const rules = [testRule({ mode: 'sandbox', kinds: [kind], console: true }), testRule()];
    await proposePolicy(database, { rules, approvers: ['ada'] });
  });
}

it('sends the plan that was approved after a row had left it by a correction', async () => {
  const world = await withPolicy('customers');
  const [mo, ada] = [await visitorAs(world, 'mo'), await visitorAs(world, 'ada')];
  const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(4)) }]);
  const correction = await correct(mo, path, 2, 'Amina1', 'Aminata');
  expect(correction).not.toBe(path);
  const approval = await ada.get(`${path}/approval`);
  expect(approval.text).toContain('3 rows would be sent');
  const given = await approve(ada, path);
  expect(given.text).toContain('You have approved this plan');
  const page = await mo.get(path);
  expect(page.text).toContain('>Send 3 rows<');
  expect(planHashIn(page)).toBe(planHashIn(approval));
  const sent = await send(mo, path, page);
  expect(sent.text).not.toContain('role="alert"');
  expect([created(world), sent.text.includes('3 of 4 rows created')]).toEqual([3, true]);
});

it('refuses a plan that changed since the page was loaded, and shows the one of now with its button', async () => {
  const world = await openConsole();
  const { visitor, desk } = world;
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(4)) }]);
  const page = await visitor.get(path);
  await correct(visitor, path, 2, 'Amina1', 'Aminata');
  const refused = await send(visitor, path, page);
  expect(refused.text).toContain('role="alert"');
  expect(refused.text).toContain('4 rows, now 3 rows');
  expect(refused.text).toContain('Look at the plan as it is now');
  expect(refused.text).not.toContain('upload the file again');
  expect(refused.text).toContain('>Send 3 rows<');
  expect(refused.text).not.toContain('>Go on<');
  expect(created(world)).toBe(0);
  // Nobody has agreed to another plan, so no run takes the batch up by itself.
  await desk.json(['resume']);
  expect(created(world)).toBe(0);
  expect((await visitor.get('/')).text).toContain('Checked, and not sent yet');
  const sent = await send(visitor, path, refused);
  expect([created(world), sent.text.includes('role="alert"')]).toEqual([3, false]);
});

it('counts no row that another batch has created since it was planned', async () => {
  const world = await openConsole();
  const { visitor } = world;
  const upload = (name: string, rows: readonly object[]): Promise<Shown> =>
    uploadAndCheck(visitor, [{ name, content: csvOf(rows.map((row) => ({ ...customer(1), ...row }))) }]);
  const first = await upload('first.csv', customers(3));
  const second = await upload('second.csv', customers(4));
  const same = await upload('same.csv', customers(3).reverse());
  expect(second.text).toContain('>Send 4 rows<');
  await send(visitor, first.path, first);
  const page = await visitor.get(second.path);
  expect(page.text).toContain('>Send 1 row<');
  expect(page.text).toMatch(/existing[\s\S]*?data-title="Rows">3</);
  const sent = await send(visitor, second.path, page);
  expect([created(world), sent.text.includes('role="alert"')]).toEqual([4, false]);
  const nothing = await visitor.get(same.path);
  expect(nothing.text).toContain('Finish it: nothing is left to be sent');
  const finished = await send(visitor, same.path, nothing);
  expect([created(world), finished.text.includes('3 existing')]).toEqual([4, true]);
});

it('promises only the rows that were approved, and asks for the others to be approved', async () => {
  let isRefused = true;
  const isSecond = (body: unknown): boolean => JSON.stringify(body).includes('C-2');
  const world = await withPolicy('accounts', ({ body }) => (isRefused && isSecond(body) ? '422' : undefined));
  const [mo, ada] = [await visitorAs(world, 'mo'), await visitorAs(world, 'ada')];
  const { text } = await uploadAndCheck(mo, [
    { name: 'people.csv', content: csvOf(customers(2)) },
    { name: 'wallets.csv', content: csvOf([account(1), account(2)]) },
  ]);
  const [people = '', wallets = ''] = [...text.matchAll(/href="(\/batches\/[0-9a-f-]{36})"/g)].map(
    ([, path = '']) => path,
  );
  await send(mo, people, await mo.get(people));
  expect(created(world)).toBe(1);
  await approve(ada, wallets);
  isRefused = false;
  await mo.get(people);
  await mo.post(`${people}/retry`);
  await ended(mo, people);
  expect(created(world)).toBe(2);
  const page = await mo.get(wallets);
  expect(page.text).toContain('1 row joined after the approval');
  expect(page.text).toContain('>Send 1 row<');
  const sent = await send(mo, wallets, page);
  expect(created(world, 'accounts')).toBe(1);
  expect(sent.text).toContain('1 row joined after the approval');
  expect(sent.text).not.toContain('>Go on<');
  await approve(ada, wallets);
  expect((await mo.get(wallets)).text).toContain('>Go on<');
  await mo.post(`${wallets}/resume`);
  await ended(mo, wallets);
  expect(created(world, 'accounts')).toBe(2);
});

it('tries waiting rows again when somebody says so, and sends nothing else by that', async () => {
  const world = await openConsole({ kyc: 'required' });
  const { visitor, desk } = world;
  await desk.json(['import', await desk.write('people.csv', csvOf(customers(2)))]);
  await desk.json(['import', await desk.write('wallets.csv', csvOf([account(1)]))]);
  const path = '/sandbox/kyc';
  await fetch(desk.sandbox.url + path, {
    method: 'POST',
    headers: { ...controlHeaders(desk.sandbox, path), 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'passed' }),
  });
  const list = await visitor.get('/');
  const address = /action="(\/batches\/[^"]+\/resume[^"]*)"[^>]*>(?:<[^>]+>)*Try them again/.exec(
    list.text,
  )?.[1];
  expect(address).toContain('waiting=now');
  // The delay is up in a second.
  await delay(1_100);
  const { path: batch } = await visitor.post(address ?? '');
  await ended(visitor, batch);
  expect(created(world, 'accounts')).toBe(1);
});

it('offers no button for waiting or rejected rows that would also send rows without a review', async () => {
  const isSecond = (body: unknown): boolean => JSON.stringify(body).includes('C-2');
  const world = await openConsole({ onRequest: ({ body }) => (isSecond(body) ? '422' : undefined) });
  const { visitor, desk } = world;
  const people = await desk.write('people.csv', csvOf(customers(2)));
  const wallets = await desk.write('wallets.csv', csvOf([account(1), account(2)]));
  const planned = await desk.json(['plan', people, wallets]);
  await desk.json(['submit', planned.summary.batches[0]?.batch ?? '']);
  await desk.json(['plan', wallets]);
  const { text } = await visitor.get('/');
  const [, waiting = ''] = text.split('<section id="waiting">');
  expect(waiting).toContain('wallets.csv');
  expect(waiting).toContain('Look at the batch');
  expect(waiting).not.toContain('/resume');
  expect(created(world, 'accounts')).toBe(0);
});
