import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
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
  await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(4);
});

it('refuses a kind that there is not with a sentence', async () => {
  const world = await openConsole();
  await uploadAndCheck(world.visitor, [{ name: 'one.csv', content: csvOf(customers(1)) }]);
  const shown = await say(world, 'kind=nothing');
  expect(shown.text).toContain('&quot;nothing&quot; is no kind');
});
