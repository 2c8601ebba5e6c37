import { describe, expect, inject, it } from 'vitest';
import { comparedEdits } from '../../../src/console/routes/row-edits.ts';
import type { ResultRow } from '../../../src/domain/rows/result-row.ts';
import { csvOf, customer, customers, recipient } from '../../support/cli-files.ts';
import { openConsole, type Shown, uploadAndCheck, Visitor } from '../../support/console.ts';
import { openConsoleWithUsers, signIn, visitorAs } from '../../support/console-users.ts';
import { givePassword } from '../../support/passwords.ts';
import { addTestUser } from '../../support/user-key.ts';

const hostile = '"><script>alert(1)</script>';

type Typed = readonly [row: number, was: string, typed: string];

/** A batch with two valid rows and three whose e-mail address is none, and the place of that column. */
async function faultyBatch(visitor: Visitor): Promise<{ readonly path: string; readonly place: number }> {
  const wrong = [3, 4, 5].map((number) => customer(number, { email: `nowhere${number}` }));
  const content = csvOf([...customers(2), ...wrong]);
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content }]);
  return { path, place: content.split('\r\n')[0]?.split(',').indexOf('email') ?? -1 };
}

function step(visitor: Visitor, path: string, place: number, typed: readonly Typed[]): Promise<Shown> {
  const edits = JSON.stringify(typed.map(([row, was, text]) => [row, place, was, text]));
  return visitor.post(`${path}/draft`, { edits });
}

describe.each(inject('ledgers'))('a step of the table of rows on the %s ledger', (ledger) => {
  it('is checked and kept as one, and answered with its rows as they are now', async () => {
    const { visitor } = await openConsole({ ledger });
    const { path, place } = await faultyBatch(visitor);
    const answer = await step(visitor, path, place, [
      [4, 'nowhere3', 'three@post.example'],
      [5, 'nowhere4', hostile],
    ]);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Saved: 2 cells; 1 row passes now, 1 row is still faulty.');
    const link = `<span data-draft><a href="${path}/draft">The draft: 2 edits in 2 rows</a></span>`;
    expect(answer.text).toContain(link);
    expect((await visitor.get(`${path}/rows`)).text).toContain(link);
    expect([...answer.text.matchAll(/<tr id="row-(\d+)"/g)].map(([, row]) => row)).toEqual(['4', '5']);
    expect(answer.text).not.toContain('<script');
    expect(answer.text).toContain('&lt;script&gt;alert(1)');
  });

  it('is refused as a whole if a cell has changed meanwhile, and says by whom', async () => {
    const world = await openConsoleWithUsers({ ledger }, {}, async (database) => {
      await addTestUser(database, 'kim', 'maker');
      await givePassword(database, 'kim');
    });
    const mo = await visitorAs(world, 'mo');
    const kim = new Visitor(world.console.url);
    await signIn(kim, 'kim');
    const { path, place } = await faultyBatch(mo);
    await kim.get(`${path}/rows`);
    await step(mo, path, place, [[4, 'nowhere3', 'mo@post.example']]);
    const late = await step(kim, path, place, [
      [4, 'nowhere3', 'kim@post.example'],
      [5, 'nowhere4', 'kim2@post.example'],
    ]);
    expect(late.status).toBe(409);
    expect(late.text).toContain('Nothing of this step was saved');
    // What the row was before its edits is no reason, and the table shows what it is with them.
    expect(late.text).not.toContain('the row is');
    expect(late.text).toContain('The draft: 1 edit in 1 row');
    expect(late.text).toMatch(/it is “mo@post.example” now, by mo, <time.*You typed “kim@post.example”/s);
    const draft = await mo.get(`${path}/draft`);
    expect(draft.text).toContain('1 edit in 1 row');
    expect(draft.text).not.toContain('kim2@');
  });
});

it('says of a step that takes another one back that it is undone', async () => {
  const { visitor } = await openConsole();
  const { path, place } = await faultyBatch(visitor);
  await step(visitor, path, place, [[4, 'nowhere3', 'three@post.example']]);
  const edits = JSON.stringify([[4, place, 'three@post.example', 'nowhere3']]);
  const undone = await visitor.post(`${path}/draft`, { edits, is_undo: 'yes' });
  expect(undone.text).toContain('Undone: 1 cell is as before.');
  expect(undone.text).not.toContain('Saved:');
});

it('is done once, though it is sent again since its answer was lost', async () => {
  const { visitor } = await openConsole();
  const { path, place } = await faultyBatch(visitor);
  const typed: readonly Typed[] = [[4, 'nowhere3', 'three@post.example']];
  await step(visitor, path, place, typed);
  const again = await step(visitor, path, place, typed);
  expect([again.status, again.text.includes('The draft: 1 edit in 1 row')]).toEqual([200, true]);
});

it('continues with the rows after its page, and is undone by its mark', async () => {
  const { visitor } = await openConsole();
  const wrong = Array.from({ length: 120 }, (_, at) => customer(at + 1, { email: `nowhere${at + 1}` }));
  const content = csvOf(wrong);
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content }]);
  const place = content.split('\r\n')[0]?.split(',').indexOf('email') ?? -1;
  const { text } = await visitor.get(`${path}/rows?status=invalid`);
  expect(text).toContain('data-further="status=invalid"');
  const edits = JSON.stringify([[101, place, 'nowhere100', 'a@post.example']]);
  const lines = Array.from({ length: 20 }, (_, at) => [at === 0 ? '=1+1' : `b${at}@post.example`]);
  const block = JSON.stringify({ after: 101, places: [place], lines });
  const saved = await visitor.post(`${path}/draft`, { edits, block, status: 'invalid' });
  // It is saved before it is checked, so that a person need not wait for the check.
  expect(saved.text).toContain('Saved: 21 cells. Checking …');
  expect(saved.text).not.toContain('<tr');
  const mark = /data-step="(\d+)"/.exec(saved.text)?.[1] ?? '';
  const checked = await visitor.post(`${path}/draft/check`, { step: mark, rows: '[101]' });
  expect(checked.text).toContain('Saved: 21 cells in 21 rows; 20 of these 21 rows pass now.');
  expect(checked.text).toContain('The draft: 21 edits in 21 rows');
  expect([...checked.text.matchAll(/<tr id="row-(\d+)"/g)].map(([, row]) => row)).toEqual(['101']);
  expect(checked.text).toContain('class="status passes-now"');
  // As after an answer that was lost.
  const again = await visitor.post(`${path}/draft`, { edits, block, status: 'invalid' });
  expect(again.text).toBe(saved.text);
  const undone = await visitor.post(`${path}/draft/undo`, { step: mark, rows: '[101]' });
  expect(undone.text).toContain('Undone: 21 cells are as before.');
  expect(undone.text).toContain('<mark>nowhere100</mark>');
  const long = JSON.stringify({ after: 101, places: [place], lines: [...lines, ['x']] });
  const refused = await visitor.post(`${path}/draft`, { edits, block: long, status: 'invalid' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain(
    'The block has 21 lines for the rows behind the page, of which there are 20. Nothing was changed.',
  );
  expect((await visitor.post(`${path}/draft`, { edits, block: '{"after":0}' })).status).toBe(422);
});

it('is undone by the opposite step, which leaves no edit', async () => {
  const { visitor } = await openConsole();
  const { path, place } = await faultyBatch(visitor);
  await step(visitor, path, place, [[4, 'nowhere3', 'three@post.example']]);
  const undone = await step(visitor, path, place, [[4, 'three@post.example', 'nowhere3']]);
  expect(undone.text).toContain('The draft: 0 edits in 0 rows');
  expect(undone.text).toContain('<span data-draft></span>');
  expect(undone.text).toContain('<mark>nowhere3</mark>');
});

it('names the values of a column by the lists of the checker, and none for other columns', async () => {
  const { visitor } = await openConsole();
  const people = csvOf([{ external_id: 'C-1', first_name: 'A', last_name: 'B', email: 'a@people.example' }]);
  const amount = '100.00';
  const content = csvOf([recipient(1, { amount }), recipient(1, { amount, institution_name: 'KBC' })]);
  const titles = content.split('\r\n')[0]?.split(',') ?? [];
  await uploadAndCheck(visitor, [
    { name: 'people.csv', content: people },
    { name: 'payees.csv', content },
  ]);
  const { text: list } = await visitor.get('/batches');
  const [, path = ''] =
    /href="(\/batches\/[0-9a-f-]+)">[0-9a-f]+<\/a><\/td><td data-title="File">payees/.exec(list) ?? [];
  const choicesOf = async (
    title: string,
  ): Promise<readonly { readonly value: string; readonly name: string }[]> => {
    const { status, text } = await visitor.get(`${path}/choices?place=${titles.indexOf(title)}`);
    expect(status).toBe(200);
    return [...text.matchAll(/<li data-value="([^"]*)">([^<]*)/g)].map(([, value = '', name = '']) => ({
      value,
      name,
    }));
  };
  expect(await choicesOf('institution_name')).toContainEqual({ value: 'KCB Bank Kenya', name: 'KE' });
  expect(await choicesOf('institution_country')).toContainEqual({ value: 'KE', name: 'Kenya' });
  expect(await choicesOf('currency')).toContainEqual({ value: 'KES', name: 'Kenyan Shilling' });
  expect((await choicesOf('payee_type')).map(({ value }) => value)).toContain('mobile_money');
  expect(await choicesOf('account_name')).toEqual([]);
  expect((await visitor.get(`${path}/choices?place=999`)).text).toBe('<ul data-choices></ul>');
  expect((await visitor.get(`${path}/choices?place=x`)).status).toBe(404);
});

it.each([
  ['nothing', ''],
  ['no list', '{"row":1}'],
  ['an empty list', '[]'],
  ['a row that is none', '[[-1,0,"a","b"]]'],
  ['a value that is no text', '[[4,0,"a",7]]'],
  ['too long a text', JSON.stringify([[4, 0, 'a', 'x'.repeat(100_001)]])],
  ['a column that is not there', '[[4,9999,"","b"]]'],
])('is refused with %s', async (_, edits) => {
  const { visitor } = await openConsole();
  const { path } = await faultyBatch(visitor);
  const { status } = await visitor.post(`${path}/draft`, { edits });
  expect(status).toBe(422);
  expect((await visitor.get(`${path}/draft`)).text).toContain('The draft is empty');
});

it('is refused for a row that does not exist, and for one that was sent', async () => {
  const { visitor } = await openConsole();
  const { path, place } = await faultyBatch(visitor);
  expect((await step(visitor, path, place, [[99, 'a', 'b']])).status).toBe(409);
  await visitor.get(path);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes('2 of 5 rows created'));
  const { text } = await visitor.get(`${path}/rows`);
  expect(/<tr id="row-2" data-row="2"( data-open)?>/.exec(text)?.[1]).toBe(undefined);
  expect(/<tr id="row-4" data-row="4"( data-open)?>/.exec(text)?.[1]).toBe(' data-open');
  const email = /data-title="email">([^<]+@[^<]+)</.exec(text)?.[1] ?? '';
  const refused = await step(visitor, path, place, [[2, email, 'other@post.example']]);
  expect([refused.status, refused.text.includes('the row is created')]).toEqual([409, true]);
});

describe('typed cells compared with the draft', () => {
  const none = {
    objectId: null,
    code: null,
    field: null,
    message: null,
    httpStatus: null,
    idempotencyKey: null,
  };
  const row: ResultRow = {
    row: 2,
    cells: ['a\nb\tc', 'plain'],
    status: 'invalid',
    ...none,
    attempts: 0,
    changedAt: '',
    notes: [],
  };
  const draft = { row, inFile: row.cells, edits: [], isCorrectable: true, checked: null };

  it('have the exact value of the cell before them, of which a page cannot show every character', () => {
    const { edits } = comparedEdits([draft], [{ row: 2, place: 0, was: 'a⏎b⇥c', text: 'c⏎d⇥e' }]);
    expect(edits).toEqual([{ row: 2, place: 0, before: 'a\nb\tc', after: 'c\nd\te' }]);
  });

  it('restore exactly what an edit has replaced', () => {
    const edit = { row: 2, place: 0, before: 'a\nb', after: 'c', by: 'mo', at: '2026-11-27T10:00:00Z' };
    const edited = { ...draft, row: { ...row, cells: ['c', 'plain'] }, edits: [edit] };
    const { edits } = comparedEdits([edited], [{ row: 2, place: 0, was: 'c', text: 'a⏎b' }]);
    expect(edits).toEqual([{ row: 2, place: 0, before: 'c', after: 'a\nb' }]);
  });
});
