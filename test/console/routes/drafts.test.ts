import { describe, expect, inject, it } from 'vitest';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import {
  type ConsoleOfTest,
  openConsole,
  type Shown,
  uploadAndCheck,
  type Visitor,
} from '../../support/console.ts';
import { typeWhileSent } from '../../support/planned-batch.ts';

const hostile = '"><script>alert(1)</script>';

/** Two customers that are valid, and three whose address is not one. */
async function faultyBatch({ visitor }: ConsoleOfTest): Promise<string> {
  const people = [
    ...customers(2),
    ...[3, 4, 5].map((number) => customer(number, { email: `nowhere${number}` })),
  ];
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(people) }]);
  return path;
}

/** The fields of the form of a row, as a browser would send them. */
function fieldsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/name="((?:was|cell)-\d+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      plainText(value),
    ]),
  );
}

function plainText(markup: string): string {
  return markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The field of a value on the page of a row. */
function fieldOf(text: string, value: string): string {
  const found = Object.entries(fieldsIn(text)).find(
    ([name, each]) => name.startsWith('cell-') && each === value,
  );
  if (found === undefined) throw new Error(`no field has the value ${value}`);
  return found[0];
}

async function type(visitor: Visitor, path: string, from: string, to: string): Promise<Shown> {
  const { text } = await visitor.get(path);
  return visitor.post(`${path}/edit`, { ...fieldsIn(text), [fieldOf(text, from)]: to });
}

async function sent(visitor: Visitor, path: string, told: string): Promise<Shown> {
  await visitor.get(path);
  await visitor.post(`${path}/resume`);
  return visitor.until(path, ({ text }) => text.includes(told) && !text.includes('id="progress"'));
}

describe.each(inject('ledgers'))('corrections in place on the %s ledger', (ledger) => {
  it('are drafted, checked, planned, and sent once', async () => {
    const opened = await openConsole({ ledger });
    const { visitor, desk } = opened;
    const path = await faultyBatch(opened);
    await sent(visitor, path, '2 of 5 rows created');
    const wrong = await type(visitor, `${path}/rows/4`, 'nowhere3', hostile);
    expect(wrong.text).not.toContain('<script>alert');
    expect(wrong.text).toContain('With its edits it is still invalid');
    const right = await type(visitor, `${path}/rows/4`, hostile, 'three@people.example');
    expect(right.text).toContain('With its edits it passes.');
    await type(visitor, `${path}/rows/5`, 'nowhere4', 'four@people.example');
    const draft = await visitor.get(`${path}/draft`);
    expect(draft.text).toContain('2 edits in 2 rows');
    expect(draft.text).toContain('All of them pass now');
    expect(draft.text).not.toContain('<script>alert');
    const { path: call } = await visitor.post(`${path}/draft/plan`);
    const plan = await visitor.until(call, ({ text }) => !text.includes('id="progress"'));
    expect(plan.path).toMatch(/^\/batches\/[0-9a-f-]{36}$/);
    expect(plan.path).not.toBe(path);
    expect(plan.text).toContain('What would be sent');
    // It has one name on all pages.
    for (const page of [plan.path, '/', '/batches'])
      expect((await visitor.get(page)).text).toMatch(/>Correction: people/);
    await sent(visitor, plan.path, 'All 2 rows created');
    // Both pages have one account of the rows, and lead to each other.
    const [first, correction] = [await visitor.get(path), await visitor.get(plan.path)];
    expect(first.text).toContain(`2 rows corrected in <a href="${plan.path}">batch `);
    expect(first.text).toContain('2 of 5 rows created; 1 invalid, 2 corrected in another batch');
    expect(first.text).toMatch(/<b class="number">1<\/b> <span><i class="invalid"><\/i>To correct/);
    expect(first.text).toMatch(
      /<b class="number">2<\/b> <span><i class="existing"><\/i>Corrected in another batch/,
    );
    expect(first.text).toContain('Correct 1 invalid or rejected row');
    expect(correction.text).toContain(`Corrects 2 rows of <a href="${path}">batch `);
    expect(correction.text).toContain('Of its 5 rows still wait there: 1 to correct.');
    expect(correction.text).toContain('Correction: people');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(4);
    expect((await visitor.get(`${path}/draft`)).text).toContain('The draft is empty');
    const row = await visitor.get(`${path}/rows/4`);
    expect(row.text).toMatch(/Corrected in people\S*, row 2, batch /);
    expect(row.text).toContain('a correction');
    expect(row.text).not.toContain('Keep in the draft');
    await sent(visitor, path, '4 of 5');
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(4);
    // Two batches are checked, planned and sent, and every page is loaded until it shows so.
  }, 180_000);
});

it('refuses a cell that somebody else has edited since the page was loaded, and shows what it is now', async () => {
  const opened = await openConsole();
  const path = `${await faultyBatch(opened)}/rows/4`;
  const { text } = await opened.visitor.get(path);
  const field = fieldOf(text, 'nowhere3');
  await opened.visitor.post(`${path}/edit`, { ...fieldsIn(text), [field]: `first${hostile}` });
  const stale = await opened.visitor.post(`${path}/edit`, { ...fieldsIn(text), [field]: 'second' });
  expect(stale.status).toBe(409);
  expect(stale.text).toContain('out of date');
  expect(stale.text).toContain('first&quot;&gt;&lt;script');
  expect(stale.text).not.toContain('<script>alert');
  // Another cell of the same outdated page was not changed.
  const other = await opened.visitor.post(`${path}/edit`, {
    ...fieldsIn(text),
    [fieldOf(text, 'Amina3')]: 'Aminata',
  });
  expect(other.status).toBe(200);
  expect((await opened.visitor.get(`${path.replace(/\/rows.*/, '')}/draft`)).text).toContain(
    '2 edits in 1 row',
  );
});

it('refuses an edit of a row that was sent meanwhile', async () => {
  const opened = await openConsole();
  const { visitor } = opened;
  const path = await faultyBatch(opened);
  const { text } = await visitor.get(`${path}/rows/2`);
  await sent(visitor, path, '2 of 5 rows created');
  const late = await visitor.post(`${path}/rows/2/edit`, {
    ...fieldsIn(text),
    [fieldOf(text, 'Amina1')]: 'Aminata',
  });
  expect([late.status, late.text.includes('the row is created')]).toEqual([409, true]);
});

it('shows what an edit of many rows would do, does exactly that, and takes it back', async () => {
  const opened = await openConsole();
  const { visitor } = opened;
  const path = await faultyBatch(opened);
  const grid = await visitor.get(`${path}/rows?status=invalid`);
  expect(grid.text).toContain('Correct these rows together');
  const { text: form } = await visitor.get(`${path}/edit?status=invalid&column=email`);
  const place = /<option value="(\d+)" selected>email/.exec(form)?.[1] ?? '';
  const fields = { status: 'invalid', place, kind: 'begin', from: '', with: hostile };
  const preview = await visitor.get(`${path}/edit?${new URLSearchParams(fields)}`);
  expect(preview.text).toContain('email: 3 rows would change');
  expect(preview.text).not.toContain('<script>alert');
  const hash = /name="hash" value="([0-9a-f]{16})"/.exec(preview.text)?.[1] ?? '';
  const done = await visitor.post(`${path}/edit`, { ...fields, hash });
  expect(done.path).toMatch(/\/rows\?status=invalid&step=\d+$/);
  expect(done.text).toContain('3 cells changed</b>; 0 of these 3 rows pass now.');
  expect(done.text).toContain('3 edits in 3 rows');
  expect(done.text).toContain('&lt;/script&gt;nowhere5');
  expect(done.text).not.toContain('<script>alert');
  const again = await visitor.post(`${path}/edit`, { ...fields, hash });
  expect([again.status, again.text.includes('not those of the preview')]).toEqual([409, true]);
  await visitor.get(`${path}/draft`);
  const one = await visitor.post(`${path}/rows/4/discard?place=${place}`);
  expect(one.text).toContain('2 edits in 2 rows');
  expect((await visitor.post(`${path}/draft/discard`)).text).toContain('The draft is empty');
});

it('removes an ending from all rows of a filter, reports how many pass now, and undoes it as one step', async () => {
  const { visitor } = await openConsole();
  const people = Array.from({ length: 120 }, (_, at) =>
    customer(at + 1, { email: at < 3 ? `p${at}@people.example` : `p${at}@people.example.0` }),
  );
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(people) }]);
  const filter = { status: 'invalid', code: 'invalid_email', column: 'email' };
  const rows = await visitor.get(`${path}/rows?${new URLSearchParams(filter)}`);
  const link = plainText(
    /<a class="button second small" href="([^"]*kind=end[^"]*)"/.exec(rows.text)?.[1] ?? '',
  );
  expect(link).toContain('from=.0&with=');
  const preview = await visitor.get(link);
  expect(preview.text).toContain('email: 117 rows would change');
  const hash = /name="hash" value="([0-9a-f]{16})"/.exec(preview.text)?.[1] ?? '';
  const fields = { ...Object.fromEntries(new URL(link, 'http://x').searchParams), hash };
  const done = await visitor.post(`${path}/edit`, fields);
  expect(done.text).toContain('117 cells changed</b>; all 117 rows pass now.');
  const step = /name="step" value="(\d+)"/.exec(done.text)?.[1] ?? '';
  const undone = await visitor.post(`${path}/draft/undo`, { ...filter, step });
  expect(undone.text).toContain('117 cells are as before');
  expect((await visitor.get(`${path}/draft`)).text).toContain('The draft is empty');
  await visitor.get(`${path}/rows`);
  expect((await visitor.post(`${path}/draft/undo`, { step: '1' })).status).toBe(409);
});

it('finds and replaces in a column by a form that needs no script', async () => {
  const opened = await openConsole();
  const path = await faultyBatch(opened);
  const { text } = await opened.visitor.get(`${path}/rows?status=invalid`);
  expect(text).toContain('<summary>Find and replace</summary>');
  const place = /<select id="in-column"[\s\S]*?<option value="(\d+)">email</.exec(text)?.[1] ?? '';
  const fields = { status: 'invalid', place, kind: 'find', from: 'nowhere', with: 'office@' };
  const preview = await opened.visitor.get(`${path}/edit?${new URLSearchParams(fields)}`);
  expect(preview.text).toContain('office@3');
  expect(preview.text).toContain('value="find" required checked');
});

it('plans nothing of an empty draft', async () => {
  const opened = await openConsole();
  const path = await faultyBatch(opened);
  const { path: call } = await opened.visitor.post(`${path}/draft/plan`);
  const end = await opened.visitor.until(call, ({ text }) => !text.includes('id="progress"'));
  expect(end.text).toContain('nothing to plan');
});

it('checks a long draft page by page, and says so', async () => {
  const { visitor } = await openConsole();
  const people = Array.from({ length: 2_001 }, (_, at) => customer(at + 1, { email: `nowhere${at}` }));
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(people) }]);
  const place = /<option value="(\d+)"[^>]*>email/.exec((await visitor.get(`${path}/edit`)).text)?.[1] ?? '';
  const fields = { place, kind: 'set', from: '', with: 'office@people.example' };
  const preview = await visitor.get(`${path}/edit?${new URLSearchParams(fields)}`);
  const hash = /name="hash" value="([0-9a-f]{16})"/.exec(preview.text)?.[1] ?? '';
  const made = await visitor.post(`${path}/edit`, { ...fields, hash });
  expect(made.text).toContain('2,001 cells changed</b>; the plan checks these rows.');
  const first = await visitor.get(`${path}/draft`);
  expect(first.text).toContain('2,001 edits in 2,001 rows');
  expect(first.text).toContain('The rows of this page were checked; the plan checks all of them.');
  expect(first.text.match(/>passes</g)).toHaveLength(100);
  expect(first.text).toContain(`rel="next" href="${path}/draft?after=101"`);
  const last = await visitor.get(`${path}/draft?after=2001`);
  expect(last.text.match(/>passes</g)).toHaveLength(1);
  expect(last.text).toContain('First page');
  expect(last.text).not.toContain('rel="next"');
}, 180_000);

it('sends no row unchanged while it has an unplanned correction, and no batch from the page of a row', async () => {
  const { visitor, desk } = await openConsole();
  const content = csvOf(customers(3));
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content }]);
  const ofRow = (await visitor.get(`${path}/rows/3`)).text;
  expect(ofRow).not.toContain('/resume"');
  expect(ofRow).toContain('Look at the batch, and go on');
  const planHash = /name="plan_hash" value="([0-9a-f]+)"/.exec((await visitor.get(path)).text)?.[1] ?? '';
  const before = Object.values(fieldsIn(ofRow)).find((value) => value.includes('@')) ?? '';
  await type(visitor, `${path}/rows/3`, before, 'other@people.example');
  const page = (await visitor.get(path)).text;
  expect(page).toContain('1 row has a correction that is not planned yet: plan or discard it.');
  expect(page).toContain(`href="${path}/draft"`);
  expect(page).not.toContain('name="plan_hash"');
  expect(page).not.toContain(`action="${path}/resume"`);
  for (const [what, fields] of [
    ['send', { plan_hash: planHash }],
    ['resume', {}],
    ['retry', {}],
  ] as const) {
    await visitor.post(`${path}/${what}`, fields);
    await visitor.until(path, ({ text }) => text.includes('not planned yet, and nothing was sent'));
  }
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
  await visitor.post(`${path}/rows/3/discard`);
  await sent(visitor, path, 'All 3 rows created');
});

it('shows what was sent where a row was sent by somebody else before its correction was planned', async () => {
  const { visitor, engine, desk } = await openConsole();
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  const batch = path.replace('/batches/', '');
  const cells = (await engine.rows({ batch, limit: 1 }).result).rows[0]?.cells ?? [];
  const place = cells.findIndex((value) => value.includes('@'));
  const before = cells[place] ?? '';
  await engine.resume({ batch }, { confirm: () => true }).result;
  await typeWhileSent(desk, batch, { row: 2, place, before, after: 'other@people.example' });
  const { text } = await visitor.get(`${path}/rows/2`);
  expect(text).toContain(before);
  expect(text).toMatch(
    /“other@people\.example” was typed by [^<]+<time[^>]*>[^<]*<\/time>; it was not taken in/,
  );
});

it('sends no refused row again unchanged while it has an unplanned correction', async () => {
  let asked = 0;
  const { visitor } = await openConsole({
    onRequest: ({ method }) => {
      if (method !== 'POST') return undefined;
      asked += 1;
      return '422';
    },
  });
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  await sent(visitor, path, '1 rejected');
  const before = Object.values(fieldsIn((await visitor.get(`${path}/rows/2`)).text)).find((value) =>
    value.includes('@'),
  );
  await type(visitor, `${path}/rows/2`, before ?? '', 'other@people.example');
  const page = (await visitor.get(path)).text;
  expect(page).toContain('1 row has a correction that is not planned yet: plan or discard it.');
  expect(page).not.toContain(`action="${path}/retry"`);
  await visitor.post(`${path}/retry`);
  await visitor.until(path, ({ text }) => text.includes('not planned yet, and nothing was sent'));
  expect(asked).toBe(1);
});
