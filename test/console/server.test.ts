import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { csvOf, customers } from '../support/cli-files.ts';
import { openConsole, uploadAndCheck, Visitor } from '../support/console.ts';

describe.each(inject('ledgers'))('a console on the %s ledger', (ledger) => {
  it('takes a file from upload over its plan to its results', async () => {
    const { visitor, desk } = await openConsole({ ledger });
    const checked = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(4)) }]);
    expect(checked.path).toMatch(/^\/batches\//);
    expect(checked.text).toContain('What would be sent');
    expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
    const planHash = /name="plan_hash" value="([0-9a-f]{64})"/.exec(checked.text)?.[1] ?? '';
    await visitor.post(`${checked.path}/send`, { plan_hash: planHash });
    const sent = await visitor.until(checked.path, ({ text }) => text.includes('All 4 rows created'));
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(4);
    expect(sent.text).toContain('href="/batches/');
    const results = await visitor.get(`${checked.path}/files/results`);
    expect(results.text.split('\r\n')).toHaveLength(6);
    expect(results.headers['content-disposition']).toContain('people.');
    expect((await visitor.get('/batches')).text).toContain('people.csv');
  });
});

it('sends nothing for a second click, or for a plan that is not the one of the page', async () => {
  const { visitor, desk } = await openConsole();
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(3)) }]);
  const refused = await visitor.post(`${path}/send`, { plan_hash: '0'.repeat(64) });
  expect(refused.path).toBe(path);
  const told = await visitor.until(path, ({ text }) => /role="alert"|All 3 rows created/.test(text));
  expect(told.text).toContain('The plan');
  expect(desk.sandbox.counts().sandbox.created.customers ?? 0).toBe(0);
  await Promise.all([visitor.post(`${path}/resume`), visitor.post(`${path}/resume`)]);
  await visitor.until(path, ({ text }) => text.includes('All 3 rows created'));
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(3);
});

it('shows a refused file with what helps, and a script in a cell as text', async () => {
  const { visitor } = await openConsole();
  const strange = await uploadAndCheck(visitor, [
    { name: 'x.csv', content: '<script>alert(1)</script>,b\n1,2\n' },
    { name: 'notes.pdf', content: '%PDF-1.7\n' },
  ]);
  expect(strange.text).toContain('role="alert"');
  expect(strange.text).not.toContain('<script>alert');
  expect(strange.text).toContain('Say how the file is read');
});

it('lists runs that failed at night, first among what is to be done, and says nothing of where files are', async () => {
  const { visitor, desk } = await openConsole();
  await desk.run(['import', await desk.write('night.csv', 'foo,bar\n1,2\n')]);
  for (const path of ['/', '/batches']) {
    const { text } = await visitor.get(path);
    expect(text).toContain('Runs that failed');
    expect(text).toContain('>night.csv</td>');
    expect(text).toContain('its header does not tell whether these are customers');
    expect(text).not.toContain(desk.folder);
    expect(text).not.toContain('--kind');
  }
});

it('keeps an uploaded file as it came, under a name that leads nowhere else', async () => {
  const { visitor, desk } = await openConsole();
  const content = csvOf(customers(1));
  await uploadAndCheck(visitor, [{ name: '../../etc/pass<wd.csv', content }]);
  const [upload = ''] = await readdir(join(desk.folder, 'uploads'));
  const kept = join(desk.folder, 'uploads', upload, '1');
  expect(await readdir(kept)).toEqual(['pass_wd.csv']);
  expect(await readFile(join(kept, 'pass_wd.csv'), 'utf8')).toBe(content);
});

describe('a person who has not entered', () => {
  it('sees no page, uploads nothing, and cannot use the printed address twice', async () => {
    const { console } = await openConsole();
    const stranger = new Visitor(console.url);
    for (const path of ['/', '/batches', '/calls/1/progress', '/uploads/1']) {
      expect((await stranger.ask(path)).status, path).toBe(401);
    }
    expect((await stranger.upload('/uploads', [{ name: 'a.csv', content: 'a' }])).status).toBe(401);
    const again = await stranger.get(console.entry);
    expect([again.status, again.text.includes('It works once')]).toEqual([403, true]);
    expect((await stranger.ask('/')).status).toBe(401);
  });

  it('is refused under another name, and from another page', async () => {
    const { console, visitor } = await openConsole();
    const port = new URL(console.url).port;
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1:1', `127.0.0.1.nip.io:${port}`]) {
      expect((await visitor.ask('/', { headers: { host } })).status, host).toBe(421);
    }
    expect((await visitor.ask('/', { headers: { host: `localhost:${port}` } })).status).toBe(200);
    // The request has the token of a page of this console: it is refused because of its origin.
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await visitor.get('/')).text)?.[1] ?? '';
    const post = { method: 'POST', body: new URLSearchParams({ _csrf: csrf }).toString() } as const;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const origin of ['https://evil.example', 'null', `https://127.0.0.1:${port}`]) {
      const shown = await visitor.ask('/leave', { ...post, headers: { ...headers, origin } });
      expect(shown.status, origin).toBe(403);
    }
    expect(
      (await visitor.ask('/leave', { ...post, headers: { ...headers, 'sec-fetch-site': 'cross-site' } }))
        .status,
    ).toBe(403);
    expect((await visitor.ask('/')).status).toBe(200);
  });

  it('gets an error page if a form has no token of the session', async () => {
    const { visitor, desk } = await openConsole();
    await visitor.get('/');
    const file = { name: 'people.csv', content: csvOf(customers(1)) };
    expect((await visitor.upload('/uploads', [file], { _csrf: 'wrong' })).status).toBe(403);
    expect(await readdir(join(desk.folder, 'uploads')).catch(() => [])).toEqual([]);
    const shown = await visitor.post('/leave', { _csrf: 'wrong' });
    expect([shown.status, shown.text.includes('nothing was done')]).toEqual([403, true]);
    expect((await visitor.get('/')).status).toBe(200);
    await visitor.post('/leave');
    expect((await visitor.ask('/')).status).toBe(401);
  });
});

it('allows pages nothing but what is its own', async () => {
  const { visitor } = await openConsole();
  const { headers } = await visitor.get('/');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).not.toContain('unsafe');
  expect(headers['x-frame-options']).toBe('SAMEORIGIN');
  expect((await visitor.get('/assets/console.js')).status).toBe(200);
  expect((await visitor.get('/nowhere')).status).toBe(404);
});

it('does not start where passwords would cross a network in clear text', async () => {
  const refused = { code: 'console_refused' };
  await expect(openConsole({}, { host: '0.0.0.0' })).rejects.toMatchObject(refused);
  for (const publicOrigin of ['http://paybatch.example', 'https://paybatch.example/console', 'paybatch']) {
    await expect(openConsole({}, { publicOrigin }), publicOrigin).rejects.toMatchObject(refused);
  }
});

it('sends files that came together in the order in which they need each other', async () => {
  const { visitor, desk } = await openConsole();
  const account = {
    customer_external_id: 'T-1',
    currency: 'USD',
    type: 'regular',
    blockchain_network: 'polygon',
  };
  const accounts = [{ ...account, label: 'Main' }];
  const people = customers(1).map((row) => ({ ...row, external_id: 'T-1' }));
  const checked = await uploadAndCheck(visitor, [
    { name: 'accounts.csv', content: csvOf(accounts) },
    { name: 'people.csv', content: csvOf(people) },
  ]);
  const [before = '', after] = checked.text.split('Send 2 rows of 2 files');
  expect(after).toBeDefined();
  const table = /What would be sent of all files[\s\S]*?<\/section>/.exec(before)?.[0] ?? '';
  const lines = [...table.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, line = '']) =>
    line
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^people\.csv .* 1$/),
    expect.stringMatching(/^accounts\.csv .* USD 1$/),
    expect.stringMatching(/^all .*1$/),
    expect.stringMatching(/^all .*USD 1$/),
  ]);
  const hashes = /name="plan_hashes" value="([0-9a-f,]+)"/.exec(checked.text)?.[1] ?? '';
  const upload = /action="(\/uploads\/[0-9a-f-]+\/send)"/.exec(checked.text)?.[1] ?? '';
  const send = async (agreed: string): Promise<string> => {
    const began = await visitor.post(upload, { plan_hashes: agreed });
    return (await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'))).text;
  };
  const created = (): number[] => {
    const { customers: people, accounts: others } = desk.sandbox.counts().sandbox.created;
    return [people ?? 0, others ?? 0];
  };
  const [first = ''] = hashes.split(',');
  expect(await send(`${first},${'0'.repeat(64)}`)).toContain('nothing was sent');
  expect(created()).toEqual([0, 0]);
  await send(hashes);
  expect(created()).toEqual([1, 1]);
});
