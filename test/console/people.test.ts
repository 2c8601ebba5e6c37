/* People at the console: signing in, who may what, and what becomes of a form whose session has ended. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { mayUse, mayUseAddress, requireRights, rights } from '../../src/console/access/rights.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { type Shown, uploadAndCheck, Visitor } from '../support/console.ts';
import { letTimePass, openConsoleWithUsers, people, signIn, visitorAs } from '../support/console-users.ts';
import { dropDatabase } from '../support/ledger.ts';
import { password } from '../support/passwords.ts';

cheapScrypt();

describe.each(inject('ledgers'))('with users, on the %s ledger', (ledger) => {
  it('a person signs in, works under the own name, and signs out', async () => {
    const world = await openConsoleWithUsers({ ledger });
    const visitor = new Visitor(world.console.url);
    const asked = await visitor.get('/batches?x=1');
    expect([asked.path, asked.status]).toEqual(['/sign-in?next=%2Fbatches%3Fx%3D1', 200]);
    expect(asked.text).not.toContain(world.desk.sandbox.url);
    const shown = await signIn(visitor, 'mo', { next: '/batches?x=1' });
    expect([shown.path, shown.status]).toEqual(['/batches?x=1', 200]);
    const checked = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    expect(checked.text).toContain('mo (console)');
    await visitor.post('/leave');
    expect((await visitor.ask('/')).status).toBe(303);
  });
});

describe('signing in', () => {
  it('gives a cookie that no script reads, and that leaves HTTPS nowhere', async () => {
    const world = await openConsoleWithUsers({}, { publicOrigin: 'https://pay.example' });
    const visitor = new Visitor(world.console.listening);
    const headers = { host: 'pay.example', origin: 'https://pay.example' };
    const page = await visitor.ask('/sign-in', { headers });
    const csrf = /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const shown = await visitor.ask('/sign-in', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ _csrf: csrf, name: 'mo', password }).toString(),
    });
    const cookies = [shown.headers['set-cookie'] ?? []].flat();
    const session = cookies.find((line) => line.startsWith('paybatch_session=')) ?? '';
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Max-Age=28800', 'Path=/']) {
      expect(session).toContain(part);
    }
    expect(shown.headers['strict-transport-security']).toContain('max-age');
    const other = await visitor.ask('/sign-in', { headers: { host: 'evil.example' } });
    expect(other.status).toBe(421);
    const cross = await visitor.ask('/sign-in', {
      method: 'POST',
      headers: { ...headers, origin: 'https://evil.example' },
      body: '',
    });
    expect(cross.status).toBe(403);
  });

  it('says the same of a wrong password and of a wrong name, and has both wait after five', async () => {
    const { console } = await openConsoleWithUsers();
    const visitor = new Visitor(console.url);
    const texts: string[] = [];
    for (const name of ['mo', 'nobody']) {
      for (let n = 1; n <= 6; n += 1) {
        const shown = await signIn(visitor, name, { password: 'wrong' });
        const told = /<p class="headline">([^<]*)</.exec(shown.text)?.[1] ?? '';
        texts.push(`${shown.status} ${told.replace(/\d+ (?:second|minute)s?/, 'a while')}`);
      }
    }
    expect(texts.slice(0, 6)).toEqual(texts.slice(6));
    expect(texts.slice(3, 6)).toEqual([
      '401 The name or the password is wrong.',
      '429 Too many tries failed: wait a while, then try again.',
      '429 Too many tries failed: wait a while, then try again.',
    ]);
    expect((await signIn(visitor, 'mo')).status).toBe(429);
    expect((await signIn(visitor, 'ada')).status).toBe(200);
  });

  it('leads to no other site, and wants a form of this console', async () => {
    const { console } = await openConsoleWithUsers();
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/a b']) {
      const visitor = new Visitor(console.url);
      const shown = await signIn(visitor, 'mo', { next });
      expect([shown.path, shown.status], next).toEqual(['/', 200]);
    }
    const visitor = new Visitor(console.url);
    const shown = await signIn(visitor, 'mo', { _csrf: 'made up' });
    expect(shown.status).toBe(403);
    expect((await visitor.ask('/')).status).toBe(303);
  });

  it('has no printed address that opens it', async () => {
    const { console } = await openConsoleWithUsers();
    expect(console.entry).toBe(`${console.url}/sign-in`);
    expect((await new Visitor(console.url).ask('/enter?token=')).status).toBe(404);
  });
});

it('an admin makes a link, with which a person sets the password once', async () => {
  const world = await openConsoleWithUsers();
  const root = await visitorAs(world, 'root');
  expect((await root.get('/users')).text).toContain('Make a link');
  const made = await root.post('/users/mo/link');
  const link = /(\/welcome\?token=[\w-]{43})/.exec(made.text)?.[1] ?? '';
  expect(made.text).toContain(`${world.console.url}${link}`);
  const visitor = new Visitor(world.console.url);
  const token = link.split('=')[1] ?? '';
  for (let looks = 0; looks < 2; looks += 1) expect((await visitor.get(link)).text).toContain('Welcome, mo');
  const words = 'a new and better one';
  const refused = await visitor.post('/welcome', { token, password: words, again: 'another one, truly' });
  expect([refused.status, refused.text.includes('differ')]).toEqual([422, true]);
  const weak = await visitor.post('/welcome', { token, password: 'short', again: 'short' });
  expect([weak.status, weak.text.includes('12 characters')]).toEqual([422, true]);
  expect((await visitor.post('/welcome', { token, password: words, again: words })).text).toContain('is set');
  expect((await visitor.get(link)).text).toContain('cannot be used');
  expect((await signIn(visitor, 'mo')).status).toBe(401);
  expect((await signIn(visitor, 'mo', { password: words })).status).toBe(200);
});

it('ends the sessions of a user who is locked at once', async () => {
  const world = await openConsoleWithUsers();
  const [root, mo] = [await visitorAs(world, 'root'), await visitorAs(world, 'mo')];
  expect((await mo.ask('/')).status).toBe(200);
  expect((await root.get('/users/mo/lock')).text).toContain('A locked user stays locked');
  await root.post('/users/mo/lock');
  expect((await mo.ask('/')).status).toBe(303);
  expect((await signIn(mo, 'mo')).status).toBe(401);
  expect((await root.get('/users')).text).toContain('locked');
  expect((await root.get('/users/nobody/lock')).status).toBe(404);
});

describe('who may what', () => {
  it('is said for every route, and each of them asks for a session', async () => {
    expect(() => requireRights('GET', '/made/up')).toThrow('do not say who may use');
    const { console } = await openConsoleWithUsers();
    const stranger = new Visitor(console.url);
    for (const route of Object.keys(rights)) {
      const [method = '', path = ''] = route.split(' ');
      const body = method === 'POST' ? ({ method: 'POST', body: '' } as const) : {};
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status } = await stranger.ask(path.replaceAll(':', ''), {
        ...body,
        ...(method === 'POST' ? { headers } : {}),
      });
      // A page that asks by itself loads itself anew then, which leads to signing in.
      const isPage = method === 'GET' && !path.endsWith('/progress');
      expect(status, route).toBe(isPage ? 303 : 401);
    }
    expect((await stranger.ask('/made/up')).status).toBe(404);
  });

  it('holds for makers, approvers and admins', () => {
    const may = (method: string, path: string): string =>
      (['maker', 'approver', 'admin'] as const).filter((role) => mayUse(role, method, path)).join();
    expect(may('GET', '/batches/:batch')).toBe('maker,approver,admin');
    expect(may('HEAD', '/batches/:batch')).toBe('maker,approver,admin');
    expect(may('POST', '/batches/:batch/send')).toBe('maker');
    expect(may('GET', '/users')).toBe('admin');
    expect(may('POST', '/made/up')).toBe('');
    expect(mayUseAddress('maker', 'POST', '/batches/961a/resume?refused_alike=off')).toBe(true);
    expect(mayUseAddress('approver', 'POST', '/batches/961a/resume')).toBe(false);
  });

  it('is asked at each request, and shown by leaving buttons out', async () => {
    const world = await openConsoleWithUsers();
    const mo = await visitorAs(world, 'mo');
    const { path, text } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    expect(text).toContain('Send 2 rows');
    expect(text).toContain(`${path}/close`);
    const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
    for (const name of ['ada', 'root'] as const) {
      const visitor = await visitorAs(world, name);
      const page = await visitor.get(path);
      expect([page.status, page.text.includes('Send 2 rows')], name).toEqual([200, false]);
      expect(page.text, name).not.toContain(`${path}/close`);
      expect((await visitor.get('/')).text, name).not.toContain('type="file"');
      const sent = await visitor.post(`${path}/send`, { plan_hash: planHash });
      expect([sent.status, sent.text.includes(`The role ${people[name]} may not`)], name).toEqual([
        403,
        true,
      ]);
      const file = { name: 'a.csv', content: csvOf(customers(1)) };
      expect((await visitor.upload('/uploads', [file])).status, name).toBe(403);
    }
    expect((await mo.get('/users')).status).toBe(403);
    expect((await mo.post('/users/ada/lock')).status).toBe(403);
    expect((await mo.post('/users/root/link')).status).toBe(403);
    expect(world.desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
  });
});

it('reports to a person with a session that the database is down, on a page with the usual security headers', async () => {
  const world = await openConsoleWithUsers();
  const mo = await visitorAs(world, 'mo');
  await dropDatabase(world.desk.databaseUrl ?? '');
  const { status, text, headers } = await mo.get('/batches');
  expect([status, text.includes('role="alert"')]).toEqual([422, true]);
  expect(text).not.toMatch(/setting databaseUrl|_csrf&#39;/);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});

describe('a session that has ended', () => {
  it('keeps files that were being uploaded, and continues with them after signing in', async () => {
    const world = await openConsoleWithUsers();
    const mo = await visitorAs(world, 'mo');
    await mo.get('/');
    await letTimePass(world, '31 minutes');
    const content = csvOf(customers(3));
    const shown = await mo.upload('/uploads', [{ name: 'people.csv', content }]);
    expect(shown.text).toContain('Your files are kept');
    const [kept = ''] = await readdir(join(world.desk.folder, 'uploads'));
    const description = join(world.desk.folder, 'uploads', kept, 'upload.json');
    expect(JSON.parse(await readFile(description, 'utf8'))).toMatchObject({ by: null });
    const going = await signIn(mo, 'mo', { next: `/uploads/${kept}` });
    const checked = await mo.until(going.path, ({ text }) => text.includes('Send 3 rows'));
    expect(checked.status).toBe(200);
    expect(JSON.parse(await readFile(description, 'utf8'))).toMatchObject({ by: 'mo' });
    expect(await readdir(join(world.desk.folder, 'uploads'))).toEqual([kept]);
  });

  it('keeps the files of a reconciliation, which is done when its form is sent again', async () => {
    const world = await openConsoleWithUsers();
    const mo = await visitorAs(world, 'mo');
    const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    await mo.get(`${path}/reconcile`);
    await letTimePass(world, '31 minutes');
    const file = { name: 'export.csv', content: 'external_id\nS-1\nS-2\n' };
    const asked = await mo.upload(`${path}/reconcile`, [file], { covers_from: '2026-06-01' });
    expect([asked.path.startsWith('/sign-in?'), asked.text.includes('Your files are kept')]).toEqual([
      true,
      true,
    ]);
    const next = decodeURIComponent(asked.path.split('next=')[1] ?? '');
    const shown = await signIn(mo, 'mo', { next });
    expect(shown.text).toContain('export.csv');
    expect(shown.text).toContain('value="2026-06-01"');
    const kept = /name="kept" value="([0-9a-f-]{36})"/.exec(shown.text)?.[1] ?? '';
    const once = (): Promise<Shown> =>
      mo.upload(`${path}/reconcile`, [], { kept, covers_from: '2026-06-01' });
    // The form twice at the same moment leads to one reconciliation.
    const [began, again] = await Promise.all([once(), once()]);
    expect([200, 409]).toContain(again.status);
    const found = await mo.until(began.path, ({ text }) => !text.includes('id="progress"'));
    expect(found.text).toContain('2 differences');
    expect(found.path).toBe(`${path}/reconcile/${kept}`);
    expect(await readdir(join(world.desk.folder, 'uploads', 'reconciliations'))).toEqual([kept]);
    // The reconciliation is done: it cannot be repeated by that address, and approvers may look at it.
    expect((await mo.get(`${path}/reconcile?kept=${kept}`)).status).toBe(409);
    const ada = await visitorAs(world, 'ada');
    expect([(await ada.get(found.path)).status, (await ada.get(`${path}/reconcile`)).status]).toEqual([
      200, 403,
    ]);
  });

  it('shows any other form again, and does it once', async () => {
    const world = await openConsoleWithUsers();
    const mo = await visitorAs(world, 'mo');
    const { path, text } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
    await letTimePass(world, '31 minutes');
    const refused = await mo.post(`${path}/send`, { plan_hash: planHash, note: '<b>' });
    expect([refused.status, refused.text.includes('What you filled in is kept')]).toEqual([401, true]);
    const kept = /name="kept" value="([^"]+)"/.exec(refused.text)?.[1]?.replaceAll('&quot;', '"') ?? '';
    expect(kept).not.toContain('_csrf');
    const again = await mo.post('/sign-in', { name: 'mo', password, kept: unescaped(kept) });
    expect(again.text).toContain('Your form was kept');
    expect(again.text).not.toContain('<b>&');
    expect(world.desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
    await mo.post(`${path}/send`, { plan_hash: planHash });
    await mo.until(path, (page) => page.text.includes('All 2 rows created'));
    expect(world.desk.sandbox.counts().sandbox.created.customers).toBe(2);
  });

  it('brings a form back to its page, for its person alone, until it is sent', async () => {
    const world = await openConsoleWithUsers();
    const mo = await visitorAs(world, 'mo');
    const { path } = await uploadAndCheck(mo, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
    const page = `${path}/close`;
    expect((await mo.get(page)).text).toContain(`name="_page" value="${page}"`);
    await letTimePass(world, '31 minutes');
    const note = 'The wrong "month" <b>';
    const refused = await mo.post(page, { _page: page, note });
    expect([refused.status, refused.text.includes('What you filled in is kept')]).toEqual([401, true]);
    const kept = /name="kept" value="([^"]+)"/.exec(refused.text)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const shown = await mo.post('/sign-in', { name: 'mo', password, kept: unescaped(kept) });
    expect(shown.path).toContain(`${page}?filled_in=`);
    expect(shown.text).toContain('Your session had ended, so nothing was done yet.');
    expect(shown.text).toContain('The wrong &quot;month&quot; &lt;b&gt;');
    const ada = await visitorAs(world, 'root');
    expect((await ada.get(shown.path)).text).not.toContain('The wrong');
    const [, id = ''] = /name="_kept" value="([^"]+)"/.exec(shown.text) ?? [];
    await mo.post(page, { _page: page, _kept: id, note });
    expect((await mo.get(shown.path)).text).not.toContain('Your session had ended');
  });

  it('leads a page that asks by itself to signing in, and keeps files of no stranger', async () => {
    const world = await openConsoleWithUsers();
    const stranger = new Visitor(world.console.url);
    const polled = await stranger.ask('/doctor/progress');
    expect([polled.status, polled.text]).toEqual([401, '']);
    await stranger.get('/sign-in');
    const shown = await stranger.upload('/uploads', [{ name: 'a.csv', content: 'a' }]);
    expect(shown.status).toBe(401);
    const mo = await visitorAs(world, 'mo');
    await mo.get('/');
    await mo.post('/leave');
    expect((await mo.upload('/uploads', [{ name: 'a.csv', content: 'a' }])).status).toBe(401);
    expect(await readdir(join(world.desk.folder, 'uploads')).catch(() => [])).toEqual([]);
  });
});

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

it('answers what no browser would ask for with a sentence, before anybody has signed in', async () => {
  const { console } = await openConsoleWithUsers();
  const stranger = new Visitor(console.url);
  const strange = [
    '/sign-in?next=%00',
    '/sign-in?name=%00',
    '/welcome?token=%00',
    '/enter?token=%00',
    '/%00',
  ];
  for (const address of strange) {
    const shown = await stranger.get(address);
    expect(shown.status, address).toBeLessThan(500);
    expect(shown.text, address).not.toContain('internal error');
  }
  await stranger.get('/sign-in');
  const fields = { name: 'a\0b', password: 'c\0d', next: '/\0' };
  expect((await stranger.post('/sign-in', fields)).status).toBeLessThan(500);
});
