import { describe, expect, inject, it } from 'vitest';
import { csvOf, customer, customers, readCsv, readCsvLines } from '../../support/cli-files.ts';
import { openConsole, type Shown, uploadAndCheck, type Visitor } from '../../support/console.ts';
import { openConsoleWithUsers, visitorAs } from '../../support/console-users.ts';

/** The addresses of a page's downloads. */
function downloadsIn({ text }: Shown): string[] {
  return [...text.matchAll(/<p class="download"><a href="([^"]+)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
}

async function downloaded(visitor: Visitor, address: string): Promise<Shown> {
  const shown = await visitor.ask(address);
  expect([shown.status, shown.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(shown.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''.+\.csv$/);
  return shown;
}

describe.each(inject('ledgers'))('the tables of pages on the %s ledger', (ledger) => {
  it('are downloaded under their titles, each from the page that shows it', async () => {
    const { visitor } = await openConsole({ ledger });
    const hostile = '=1+1';
    const rows = [customer(1), customer(2, { email: 'none' }), customer(3, { last_name: hostile })];
    const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(rows) }]);
    const batch = path.split('/').at(-1) ?? '';
    const pages = ['/', '/batches', path, `${path}/rows/3`, '/search?q=people&x=%22'];
    const found: Record<string, string[]> = {};
    for (const page of pages) {
      const shown = await visitor.get(page);
      found[page] = downloadsIn(shown);
      for (const address of found[page]) {
        const { text } = await downloaded(visitor, address);
        const [header = [], ...lines] = readCsvLines(text);
        expect([header.length > 1, lines.length > 0, header.includes('')]).toEqual([true, true, false]);
        expect(text).not.toMatch(/<[a-z/]|&(?:amp|lt|quot)/);
      }
    }
    expect(found['/']).toEqual(['/?csv=sending', '/?csv=corrections']);
    expect(found['/batches']).toEqual(['/batches?csv=newest-batches']);
    const ofBatch = ['what-would-be-sent', 'what-would-not-be-sent', 'runs'];
    expect(found[path]).toEqual(ofBatch.map((table) => `${path}?csv=${table}`));
    expect(found['/search?q=people&x=%22']).toEqual(['/search?q=people&x=%22&csv=batches']);
    const { text } = await downloaded(visitor, '/batches?csv=newest-batches');
    expect(readCsv(text)[0]).toMatchObject({ Batch: batch.slice(0, 8), File: 'people.csv', Rows: '3' });
    expect((await visitor.get('/batches?csv=nothing')).status).toBe(404);
    expect((await visitor.get(`/batches/00000000?csv=runs`)).status).toBe(404);
  });
});

it('gives more lines of a draft than a page shows, and the checks', async () => {
  const { visitor } = await openConsole();
  const rows = Array.from({ length: 120 }, (_, at) => customer(at, { email: 'none' }));
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(rows) }]);
  for (const row of [2, 121]) {
    await visitor.get(`${path}/rows/${row}`);
    await visitor.post(`${path}/rows/${row}/edit`, { 'was-3': 'none', 'cell-3': '=x@people.example' });
  }
  await visitor.get(`${path}/rows/121`);
  const again = { 'was-3': '=x@people.example', 'cell-3': 'y@people.example' };
  await visitor.post(`${path}/rows/121/edit`, again);
  const { text } = await downloaded(visitor, `${path}/draft?csv=edits`);
  expect(
    readCsv(text).map(({ Row, Column, 'In the file': own, After, Who }) => [Row, Column, own, After, Who]),
  ).toEqual([
    ['2', 'email', 'none', "'=x@people.example", 'amina'],
    // It was edited twice.
    ['121', 'email', 'none', 'y@people.example', 'amina'],
  ]);
  expect(readCsv((await downloaded(visitor, `${path}/rows/2?csv=its-edits`)).text)).toHaveLength(1);
  await visitor.until('/doctor', (shown) => shown.text.includes('What was found'));
  const checks = await visitor.until('/doctor?csv=what-was-found', ({ text: shown }) =>
    shown.includes('Level,What'),
  );
  expect(readCsv(checks.text).map(({ Level }) => Level)).toContain('In order');
});

it('gives no table of a page that the role may not see', async () => {
  const world = await openConsoleWithUsers();
  const root = await visitorAs(world, 'root');
  expect(downloadsIn(await root.get('/users'))).toEqual(['/users?csv=people']);
  const { text } = await downloaded(root, '/users?csv=people');
  expect(readCsv(text).map(({ Name, Role }) => [Name, Role])).toEqual([
    ['mo', 'maker'],
    ['ada', 'approver'],
    ['root', 'admin'],
  ]);
  expect(text).not.toContain('Lock');
  const mo = await visitorAs(world, 'mo');
  expect((await mo.get('/users?csv=people')).status).toBe(403);
});

it('shows the family of a batch from each of its members', async () => {
  const { visitor } = await openConsole();
  const wrong = [customer(1, { email: 'none' }), ...customers(2, 5)];
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(wrong) }]);
  expect((await visitor.get(path)).text).not.toContain('<h2>Family</h2>');
  await visitor.get(`${path}/rows/2`);
  await visitor.post(`${path}/rows/2/edit`, { 'was-3': 'none', 'cell-3': 'amina@people.example' });
  const { path: call } = await visitor.post(`${path}/draft/plan`);
  await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
  const family = /<section id="family">[\s\S]*?<\/section>/.exec((await visitor.get(path)).text)?.[0] ?? '';
  const correction = /<a href="(\/batches\/[0-9a-f-]{36})">/.exec(family)?.[1] ?? '';
  for (const [own, other] of [
    [path, correction],
    [correction, path],
  ] as const) {
    const shown = await visitor.get(own);
    expect(shown.text).toContain('<h2>Family</h2>');
    expect(shown.text).toContain(`<a href="${other}">`);
    const { text } = await downloaded(visitor, `${own}?csv=family`);
    expect(readCsv(text).map(({ What, Rows, State }) => [What, Rows, State])).toEqual([
      ['the first file', '3', 'planned'],
      ['corrects rows of it', '1', 'planned'],
    ]);
  }
});
