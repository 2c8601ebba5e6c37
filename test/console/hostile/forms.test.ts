/* Forms that no page of the console has sent: every route that changes something refuses them, and nothing is done. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rights } from '../../../src/console/access/rights.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, uploadAndCheck, Visitor } from '../../support/console.ts';

const posted = Object.keys(rights).flatMap((route) => (route.startsWith('POST ') ? [route.slice(5)] : []));
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

/** The addresses of all routes that take a form, about a batch and an upload that are there. */
async function addresses({ visitor, desk }: ConsoleOfTest): Promise<readonly string[]> {
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
  const [upload = ''] = await readdir(join(desk.folder, 'uploads'));
  const batch = path.split('/')[2] ?? '';
  const names: Readonly<Record<string, string>> = { upload, batch, row: '2', file: '1', name: 'mo' };
  return posted
    .filter((route) => route !== '/leave')
    .map((route) => route.replace(/:(\w+)/g, (_, name) => names[name] ?? 'x'));
}

async function expectNothingDone({ desk, engine }: ConsoleOfTest): Promise<void> {
  expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
  expect(await readdir(join(desk.folder, 'uploads'))).toHaveLength(1);
  const { shown } = await engine.status({}).result;
  const states = shown.kind === 'list' ? shown.batches.map(({ state }) => state) : [];
  expect(states).toEqual(['planned']);
}

describe('a form', () => {
  it('without the token of its session, or with that of another one, does nothing on any route', async () => {
    const world = await openConsole();
    const other = await openConsole();
    const { text } = await other.visitor.get('/');
    const foreign = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(foreign).not.toBe('');
    for (const address of await addresses(world)) {
      for (const token of ['', foreign, 'made up']) {
        const body = new URLSearchParams({ _csrf: token, note: 'x' }).toString();
        const answer = await world.visitor.ask(address, { method: 'POST', headers, body });
        expect(answer.status, `${address} ${token}`).toBe(403);
        expect(answer.text, address).toContain('role="alert"');
        // Files come in a form of another type, whose token is read with its first part.
        if (address !== '/uploads' && !address.endsWith('/reconcile')) continue;
        const file = { name: 'a.csv', content: csvOf(customers(1, 50)) };
        const uploaded = await world.visitor.upload(address, [file], { _csrf: token });
        expect([uploaded.status, uploaded.text.includes('nothing was')], address).toEqual([403, true]);
        // Without a file and without a token, too.
        const bare =
          '--b\r\nContent-Disposition: form-data; name="covers_from"\r\n\r\n2026-01-01\r\n--b--\r\n';
        const type = { 'content-type': 'multipart/form-data; boundary=b' };
        const empty = await world.visitor.ask(address, { method: 'POST', headers: type, body: bare });
        expect([empty.status, empty.text.includes('nothing was')], address).toEqual([403, true]);
      }
    }
    await expectNothingDone(world);
  });

  it('of another origin, or under another name of this machine, does nothing on any route', async () => {
    const world = await openConsole();
    const { port } = new URL(world.console.url);
    const body = 'note=x';
    for (const address of await addresses(world)) {
      for (const origin of ['https://evil.example', 'null', `http://127.0.0.1.nip.io:${port}`, 'file://']) {
        const answer = await world.visitor.ask(address, {
          method: 'POST',
          headers: { ...headers, origin },
          body,
        });
        expect(answer.status, `${address} ${origin}`).toBe(403);
      }
      for (const host of ['evil.example', `rebound.example:${port}`, `127.0.0.1:${Number(port) + 1}`]) {
        const answer = await world.visitor.ask(address, {
          method: 'POST',
          headers: { ...headers, host },
          body,
        });
        expect(answer.status, `${address} ${host}`).toBe(421);
      }
    }
    await expectNothingDone(world);
  });

  it('of somebody who has not entered does nothing on any route', async () => {
    const world = await openConsole();
    const stranger = new Visitor(world.console.url);
    for (const address of await addresses(world)) {
      const answer = await stranger.ask(address, { method: 'POST', headers, body: 'note=x' });
      expect(answer.status, address).toBe(401);
    }
    await expectNothingDone(world);
  });
});

it('answers what no browser would ask for with a sentence', async () => {
  const { visitor } = await openConsole();
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  const strange = [
    '/batches/%00',
    '/batches/..%2f..%2fetc',
    `/batches/${'9'.repeat(3_000)}`,
    "/batches/'; DROP TABLE rows; --",
    `${path}/rows?after=99999999999999`,
    `${path}/rows?status[]=x&status=y`,
    `${path}/rows?text=%00`,
    `${path}/rows?text=${'%25'.repeat(300)}`,
    `${path}/rows/0`,
    `${path}/rows/-1`,
    `${path}/rows/1e9`,
    `${path}/files/..%2f..%2fpasswd`,
    `${path}/files/constructor`,
    `${path}/reconcile/..%2f..`,
    `${path}/decide?where=%22`,
    `${path}/edit?column=__proto__`,
    '/uploads/..%2f..%2fetc',
    '/uploads/x/mapping/1',
    '/calls/__proto__',
    '/mappings/x',
    '/search?q=%00',
    `/search?q=${'x'.repeat(5_000)}`,
    '/%',
    '/%E0%A4%A',
  ];
  for (const address of strange) {
    const shown = await visitor.get(address);
    expect(shown.status, address).toBeLessThan(500);
    expect(shown.text, address).not.toContain('internal error');
  }
});
