import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import { type ConsoleOfTest, openConsole, type Shown, uploadAndCheck } from '../../support/console.ts';
import { textRow, workbook } from '../../support/workbook.ts';

/** A workbook with customers on each sheet. */
function book(sheets: readonly string[], first: number): Buffer {
  return workbook({
    sheets: sheets.map((name, at) => {
      const rows = customers(2, first + at * 10);
      const titles = Object.keys(rows[0] ?? {});
      const lines = [
        titles,
        ...rows.map((row) => titles.map((title) => String(Reflect.get(row, title) ?? ''))),
      ];
      return { name, rows: lines.map((cells, line) => textRow(line + 1, cells)).join('') };
    }),
  });
}

/** Says something about how files of the only upload are read, as a button does. */
async function say({ visitor, desk }: ConsoleOfTest, query: string): Promise<Shown> {
  const [upload = ''] = await readdir(join(desk.folder, 'uploads'));
  const began = await visitor.post(`/uploads/${upload}/check?${query}`);
  return visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
}

it('reads each file of an upload as was said of that file alone', async () => {
  const world = await openConsole();
  const files = [
    { name: 'one.xlsx', content: book(['People', 'Others'], 0) },
    { name: 'two.xlsx', content: book(['Staff', 'Guests'], 100) },
  ];
  const all = await uploadAndCheck(world.visitor, files);
  expect(all.text).toContain('Send 8 rows of 4 files');
  const first = await say(world, 'file=1&sheet=People');
  expect(first.text).toContain('Send 6 rows of 3 files');
  const both = await say(world, 'file=2&sheet=Guests');
  expect(both.text).toContain('Send 4 rows of 2 files');
  expect(both.text).toContain('sheet People');
  expect(both.text).toContain('sheet Guests');
  const wrong = await say(world, 'file=2&sheet=Nowhere');
  expect(wrong.text).toContain('role="alert"');
  expect(wrong.text).toContain('sheet People');
  // What helps is about that file alone, too.
  expect(wrong.text).toMatch(/\/uploads\/[0-9a-f-]+\/(?:check\?file=2&amp;|mapping\/2)/);
  expect((await say(world, 'file=3&sheet=People')).status).toBe(404);
});

it('sends each file as it was read', async () => {
  const world = await openConsole();
  const { visitor, desk } = world;
  await uploadAndCheck(visitor, [
    { name: 'one.xlsx', content: book(['People', 'Others'], 0) },
    { name: 'more.csv', content: csvOf(customers(2, 100)) },
  ]);
  const planned = await say(world, 'file=1&sheet=Others&kind=customers');
  const hashes = /name="plan_hashes" value="([0-9a-f,]+)"/.exec(planned.text)?.[1] ?? '';
  const address = /action="(\/uploads\/[0-9a-f-]+\/send)"/.exec(planned.text)?.[1] ?? '';
  const began = await visitor.post(address, { plan_hashes: hashes });
  const sent = await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(4);
  expect(sent.text).toContain('All 2 rows created');
  // No page offers them once more: neither that of sending nor that of the check before it.
  for (const { text } of [sent, await visitor.get(planned.path)]) {
    expect(text).toContain('Look at it');
    expect(text).not.toMatch(/>Send \d+ rows|would be sent/);
  }
});

it('refuses a kind that there is not with a sentence', async () => {
  const world = await openConsole();
  await uploadAndCheck(world.visitor, [{ name: 'one.csv', content: csvOf(customers(1)) }]);
  const shown = await say(world, 'kind=nothing');
  expect(shown.text).toContain('&quot;nothing&quot; is no kind');
});

describe('a file whose columns are not known', () => {
  it.each([
    ['names of a partner', 'Kd-Nr;Vorname;Nachname;E-Mail\n1;Lena;Vogel;l@post.example\n'],
    ['no known name at all', 'a;b\n1;2\n'],
    ['a column that has no name', 'external_id,first_name,last_name,\n1,Lena,Vogel,x\n'],
    ['a column too few', 'external_id,first_name\n1,Lena\n'],
  ])('leads to how it is read at once: %s', async (_, content) => {
    const { visitor } = await openConsole();
    const shown = await uploadAndCheck(visitor, [{ name: 'partner.csv', content }]);
    const reading = await visitor.until(shown.path, ({ text }) => !text.includes('data-live'));
    expect(reading.path).toMatch(/^\/uploads\/[0-9a-f-]+\/mapping\/1$/);
    expect(reading.text).not.toContain('role="alert"');
    expect(reading.text).not.toContain('the operator of paybatch');
  });

  it('is offered to be read beside others that are refused, and is no fault', async () => {
    const { visitor } = await openConsole();
    const shown = await uploadAndCheck(visitor, [
      { name: 'partner.csv', content: 'a;b\n1;2\n' },
      { name: 'notes.pdf', content: '%PDF-1.7\n' },
      { name: 'people.csv', content: csvOf(customers(2)) },
    ]);
    expect(shown.text).toContain('<h1>What the check of partner.csv and 2 more files found</h1>');
    expect(shown.text.match(/role="alert"/g)).toHaveLength(1);
    expect(shown.text).toMatch(/href="\/uploads\/[0-9a-f-]+\/mapping\/1"[^>]*>Say how the file is read/);
    // Here too another file can be uploaded, or a template be filled in.
    expect(shown.text).toContain('Upload and check');
    expect(shown.text).toContain('href="/templates/customers.xlsx"');
  });
});

it('offers the files of failed rows where a row has failed, and closing once', async () => {
  const { visitor } = await openConsole();
  const good = await uploadAndCheck(visitor, [{ name: 'good.csv', content: csvOf(customers(2)) }]);
  expect(good.text).toContain('Results (CSV)');
  expect(good.text).not.toContain('Failed rows');
  expect(good.text.match(/href="[^"]*\/close"/g)).toHaveLength(1);
  const content = csvOf([...customers(2), customer(3, { email: 'nowhere' })]);
  const faulty = await uploadAndCheck(visitor, [{ name: 'faulty.csv', content }]);
  expect(faulty.text).toContain('Failed rows (workbook)');
});

it('has a title of what was sent, once files that are sent together are', async () => {
  const { visitor } = await openConsole();
  const checked = await uploadAndCheck(visitor, [
    { name: 'some.csv', content: csvOf(customers(2)) },
    { name: 'others.csv', content: csvOf([customer(7)]) },
  ]);
  const [, address = ''] = /action="(\/uploads\/[^"]+\/send)"/.exec(checked.text) ?? [];
  const [, hashes = ''] = /name="plan_hashes" value="([^"]*)"/.exec(checked.text) ?? [];
  const sending = await visitor.post(address, { plan_hashes: hashes });
  const sent = await visitor.until(sending.path, ({ text }) => !text.includes('data-live'));
  expect(sent.text).toMatch(/<h1>What was sent of some.csv and [^<]+<\/h1>/);
});

it('offers empty files to fill in where files are uploaded, and sends none of their examples', async () => {
  const { visitor } = await openConsole();
  const { text } = await visitor.get('/');
  const addresses = [...text.matchAll(/href="(\/templates\/[\w.-]+)"/g)].map(([, address = '']) => address);
  expect(addresses).toHaveLength(16);
  for (const address of addresses) {
    const { status, headers } = await visitor.get(address);
    expect([address, status]).toEqual([address, 200]);
    expect(headers['content-disposition']).toBe(`attachment; filename="${address.split('/').at(-1)}"`);
  }
  const file = await visitor.get('/templates/customers.csv');
  const checked = await uploadAndCheck(visitor, [{ name: 'customers.csv', content: file.text }]);
  expect(checked.text).toContain('1 example row of the template left out');
  expect((await visitor.get('/templates/nothing.csv')).status).toBe(404);
});

it('says of a file that came before that it is known, and when it came', async () => {
  const { visitor, desk } = await openConsole();
  const file = { name: 'people.csv', content: csvOf(customers(2)) };
  const { path, text } = await uploadAndCheck(visitor, [file]);
  expect(text).not.toContain('nothing new was done');
  await visitor.post(`${path}/resume`);
  const sent = await visitor.until(path, (shown) => shown.text.includes('All 2 rows created'));
  expect(sent.text).not.toContain('nothing new was done');
  await visitor.get('/');
  const again = await uploadAndCheck(visitor, [{ ...file, name: 'the same.csv' }]);
  expect(again.path).toBe(path);
  expect(again.text).toMatch(
    /You uploaded this file before, at <time datetime="[^"]+"[^>]*>[^<]+<\/time>: nothing new was done\./,
  );
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
});
