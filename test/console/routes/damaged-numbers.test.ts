import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CliEnd } from '../../support/cli.ts';
import { readCsv } from '../../support/cli-files.ts';
import {
  type ConsoleOfTest,
  openConsole,
  type Shown,
  uploadAndCheck,
  type Visitor,
} from '../../support/console.ts';
import { createDatabase, dropDatabase } from '../../support/ledger.ts';
import { textRow, workbook } from '../../support/workbook.ts';

const titles = ['external_id', 'first_name', 'last_name', 'email'];

/** A workbook of customers whose external ids are numbers. */
function people(...ids: readonly (string | number)[]): Buffer {
  const rows = ids.map((id, at) => [id, `Amina${at}`, 'Odhiambo', `amina${at}@people.example`]);
  const lines = [titles, ...rows].map((cells, at) => textRow(at + 1, cells));
  return workbook({ sheets: [{ name: 'customers', rows: lines.join('') }] });
}

async function uploaded(world: ConsoleOfTest, name: string, content: string | Buffer): Promise<string> {
  return (await uploadAndCheck(world.visitor, [{ name, content }])).path;
}

/** The present form of a row, with other fields. */
async function edit(
  visitor: Visitor,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Shown> {
  const { text } = await visitor.get(path);
  const own = [...text.matchAll(/name="((?:was|cell)-\d+)" value="([^"]*)"/g)];
  const shown = Object.fromEntries(own.map(([, name = '', value = '']) => [name, value]));
  return visitor.post(`${path}/edit`, { ...shown, ...fields });
}

async function plan(visitor: Visitor, path: string): Promise<Shown> {
  await visitor.get(`${path}/draft`);
  const { path: call } = await visitor.post(`${path}/draft/plan`);
  return visitor.until(call, ({ text }) => !text.includes('id="progress"'));
}

async function send(visitor: Visitor, path: string, told: string): Promise<void> {
  await visitor.get(path);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes(told) && !text.includes('id="progress"'));
}

it('are shown as their cells show them, and pass once a person says that they are right', async () => {
  const sent: unknown[] = [];
  const world = await openConsole({
    onRequest: ({ body }) => {
      sent.push(Reflect.get(Object(body), 'external_id'));
      return undefined;
    },
  });
  const { visitor } = world;
  const path = await uploaded(world, 'people.xlsx', people(712995032, 712995033, 'S-3'));
  for (const page of [`${path}/rows`, `${path}/rows/2`]) {
    const { text } = await visitor.get(page);
    expect(text).toContain('712995032');
    expect(text).not.toContain('712995032.0');
    expect(text).not.toContain('result_batch');
    expect(text).not.toContain('give the column the format');
  }
  const right = await edit(visitor, `${path}/rows/2`, { 'right-0': 'yes' });
  expect(right.text).toContain('With its edits it passes.');
  expect(right.text).toContain('said to be right as it is; amina');
  const other = await edit(visitor, `${path}/rows/3`, { 'cell-1': 'Amina' });
  expect(other.text).toContain('With its edits it is still invalid');
  expect(other.text).toContain('This number is right as it is');
  const draft = await visitor.get(`${path}/draft`);
  expect(draft.text).toContain('712995032 (right as it is)');
  await visitor.post(`${path}/rows/3/discard`);
  const planned = await plan(visitor, path);
  await send(visitor, planned.path, '>1 row created');
  expect(sent).toEqual(['712995032']);
});

it('are shown as a CSV file has them, and what is typed for them counts as changed', async () => {
  const world = await openConsole();
  const { visitor } = world;
  const lines = [titles, ['712995032.0', 'Amina', 'Odhiambo', 'amina@people.example']];
  const path = await uploaded(world, 'people.csv', lines.map((cells) => cells.join(',')).join('\r\n'));
  const { text } = await visitor.get(`${path}/rows/2`);
  expect(text).toContain('name="was-0" value="712995032.0"');
  const typed = await edit(visitor, `${path}/rows/2`, { 'cell-0': '712995032' });
  expect(typed.text).toContain('With its edits it passes.');
  const damaged = await edit(visitor, `${path}/rows/2`, { 'cell-0': '7.1E+08' });
  expect(damaged.text).toContain('With its edits it is still invalid');
  expect(damaged.text).not.toContain('This number is right as it is');
});

it('are said to be right for a column of the rows of a filter, after a preview', async () => {
  const world = await openConsole();
  const { visitor } = world;
  const path = await uploaded(world, 'people.xlsx', people(712995032, 'S-2', 712995034, 1234567890123456));
  const rows = await visitor.get(`${path}/rows?status=invalid`);
  const address = /href="([^"]+)">They are right as they are/.exec(rows.text)?.[1]?.replaceAll('&amp;', '&');
  const preview = await visitor.get(address ?? '');
  expect(preview.text).toContain('external_id: 2 numbers are right as they are');
  expect(preview.text).toContain('1 row would stay as it is');
  const fields = Object.fromEntries(
    [...preview.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  const draft = await visitor.post(`${path}/edit`, fields);
  expect(draft.text).toContain('<b>2 cells changed</b>; all 2 rows pass now');
  const again = await visitor.get(address ?? '');
  expect(again.text).toContain('Nothing would change');
  const group = await visitor.get(`${path}/edit?place=0&kind=begin&from=&with=S-&status=invalid`);
  expect(group.text).toContain('S-712995032');
  expect(group.text).not.toContain('712995032.0');
});

it('are refused in every file for which no person has confirmed them on a page', async () => {
  const world = await openConsole();
  const { visitor, desk } = world;
  const path = await uploaded(world, 'people.xlsx', people(712995032, 712995033));
  const failed = await desk.resultText('.failed.csv');
  expect(failed).toContain('712995032.0');
  await edit(visitor, `${path}/rows/2`, { 'right-0': 'yes' });
  await edit(visitor, `${path}/rows/3`, { 'right-0': 'yes' });
  await visitor.post(`${path}/rows/3/discard`);
  const asItIs = await uploaded(world, 'failed.csv', failed);
  expect((await visitor.get(asItIs)).text).toContain('2 invalid');
  const cut = await uploaded(world, 'cut.csv', failed.replaceAll('.0,', ','));
  const shown = await visitor.get(`${cut}/rows?status=invalid`);
  expect([shown.text.includes('712995033'), shown.text.includes('712995032')]).toEqual([true, false]);
});

it('stay confirmed in later rounds, and where the ledger is lost', async () => {
  let isRefused = true;
  const world = await openConsole({ onRequest: () => (isRefused ? '422' : undefined) });
  const { visitor, desk } = world;
  const content = people(712995032, 'S-2');
  const path = await uploaded(world, 'people.xlsx', content);
  await edit(visitor, `${path}/rows/2`, { 'right-0': 'yes' });
  const planned = await plan(visitor, path);
  await send(visitor, planned.path, '1 rejected');
  isRefused = false;
  const named = async (of: string, ending: string): Promise<string> => {
    const short = of.split('/').at(-1)?.slice(0, 8) ?? '';
    const name = (await desk.resultNames()).find((each) => each.includes(short) && each.endsWith(ending));
    return join('results', name ?? 'none');
  };
  const failed = await readFile(join(desk.folder, await named(planned.path, '.failed.csv')), 'utf8');
  expect(readCsv(failed)[0]?.['external_id']).toBe('712995032');
  const third = await uploaded(world, 'failed.csv', failed);
  await send(visitor, third, '>1 row created');
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  const recover = (...words: readonly string[]): Promise<CliEnd> =>
    desk.run(['recover', '--log', ...words], { env: { DATABASE_URL: databaseUrl } });
  await desk.write('people.xlsx', content);
  await desk.write('failed.csv', failed);
  const corrections = (await desk.resultNames()).find((name) => name.includes('.corrections-')) ?? '';
  await recover(await named(path, '.run.jsonl'), 'people.xlsx');
  await recover(await named(planned.path, '.run.jsonl'), join('results', corrections));
  const last = await recover(await named(third, '.run.jsonl'), 'failed.csv');
  expect(last.exitCode).toBe(0);
  for (const [of, status] of [
    [planned.path, 'rejected'],
    [third, 'created'],
  ] as const) {
    const recovered = readCsv(await readFile(join(desk.folder, await named(of, '.results.csv')), 'utf8'));
    expect(recovered).toMatchObject([{ external_id: '712995032', result_status: status }]);
  }
  // It is recognised by its sent content, so that the same row is not sent again.
  const same = [titles, ['712995032', 'Amina0', 'Odhiambo', 'amina0@people.example']];
  await desk.write('same.csv', same.map((cells) => cells.join(',')).join('\r\n'));
  const again = await desk.json(['import', 'same.csv'], { env: { DATABASE_URL: databaseUrl } });
  expect(again.summary.batches).toMatchObject([{ counts: { existing: 1 } }]);
});
