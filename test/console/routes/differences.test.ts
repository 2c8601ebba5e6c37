import { expect, it } from 'vitest';
import { parseFaults } from '../../../src/sandbox/faults.ts';
import { csvOf, customers, readCsv } from '../../support/cli-files.ts';
import { openConsole, type Shown, uploadAndCheck, type Visitor } from '../../support/console.ts';

const days = { covers_from: '2020-01-01', covers_to: '2100-01-01' };

/** A batch of customers that are created, and the ids and references of its rows. */
async function created(visitor: Visitor, rows: number): Promise<{ path: string; ids: readonly string[] }> {
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(rows)) }]);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes(`All ${rows} rows created`));
  const results = await readCsv((await visitor.get(`${path}/files/results`)).text);
  return { path, ids: results.map((row) => row['result_id'] ?? '') };
}

async function reconciled(
  visitor: Visitor,
  path: string,
  emails: readonly (readonly string[])[],
): Promise<Shown> {
  await visitor.get(`${path}/reconcile`);
  const content = ['id,email', ...emails.map((cells) => cells.join())].join('\r\n');
  const began = await visitor.upload(`${path}/reconcile`, [{ name: 'export.csv', content }], days);
  return visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
}

function ticks(text: string): string[] {
  return [...text.matchAll(/name="(tick-[0-9a-f]{64})"/g)].map(([, name = '']) => name);
}

it('accepts five hundred of one kind with one note: they are listed, and do not come back', async () => {
  const { visitor } = await openConsole();
  const { path, ids } = await created(visitor, 3);
  const known = ids.map((id, at) => [id, at === 0 ? 'other@example.com' : `person${at + 1}@example.com`]);
  const strangers = Array.from({ length: 500 }, (_, at) => [`S-${at + 1}`, `s${at + 1}@example.com`]);
  const first = await reconciled(visitor, path, [...known, ...strangers]);
  const of = await visitor.get(`${first.path}?kind=unknown_here`);
  expect(of.text).toContain('of 500 differences');
  const without = await visitor.post(`${first.path}/decide`, {
    kind: 'unknown_here',
    which: 'all',
    do: 'accept',
  });
  expect([without.status, without.text]).toEqual([422, expect.stringContaining('with a note')]);
  // Sent from its page, the form comes back there, with what was chosen and with what is missing.
  expect(of.text).toMatch(/<input id="note" name="note"[^>]* required>/);
  expect(of.text).toContain('value="give" formnovalidate');
  await visitor.get(of.path);
  const asked = { kind: 'unknown_here', which: 'all', to: '<Ben>', do: 'accept', _page: of.path };
  const lacking = await visitor.post(`${first.path}/decide`, asked);
  expect(lacking.path).toContain(`${of.path}&filled_in=`);
  expect(lacking.text).toContain('A difference is accepted with a note that says why.');
  expect(lacking.text).toContain('&quot;field&quot;:&quot;note&quot;');
  expect(lacking.text).toContain('<dd>&lt;Ben&gt;</dd>');
  expect(lacking.text).toContain('of 500 differences');
  await visitor.get(of.path);
  const form = { kind: 'unknown_here', which: 'all', note: 'made by <hand>', do: 'accept' };
  const after = await visitor.post(`${first.path}/decide`, form);
  expect(after.text).toContain('Accepted: 500 differences');
  expect(after.text).toContain('made by &lt;hand&gt;');
  const listed = await visitor.get(`${first.path}?kind=accepted`);
  expect(listed.text).toContain('1 to 25 of 500 differences');
  const csv = await readCsv((await visitor.get(`${first.path}/differences.csv?kind=accepted`)).text);
  expect(csv).toHaveLength(500);
  // Sent a second time, it changes nothing.
  const twice = await visitor.post(`${first.path}/decide`, form);
  expect(twice.text.match(/Accepted: 500 differences/g)).toHaveLength(2);

  // Another value is another difference.
  const changed = strangers.map(([id = '', email = '']) => [id, id === 'S-7' ? 'new@example.com' : email]);
  const again = await reconciled(visitor, path, [...changed, ...known]);
  expect(again.text).toContain('Accepted: 499 differences');
  const back = await visitor.get(`${again.path}?kind=unknown_here`);
  expect(back.text).toContain('1 to 1 of 1 difference');
  expect(back.text).toContain('new@example.com');
});

it('gives ticked differences to somebody, and opens accepted ones again', async () => {
  const { visitor } = await openConsole();
  const { path } = await created(visitor, 2);
  const found = await reconciled(visitor, path, [
    ['S-1', 'one@example.com'],
    ['S-2', 'two@example.com'],
  ]);
  const of = await visitor.get(`${found.path}?kind=unknown_here`);
  const [one = ''] = ticks(of.text);
  const kind = 'unknown_here';
  const given = await visitor.post(`${found.path}/decide`, {
    kind,
    which: 'ticked',
    [one]: 'yes',
    to: 'Ben',
    do: 'give',
  });
  expect(given.text.replaceAll('\n', '')).toContain('<b>Given to Ben</b>');
  expect(given.text).toContain('1 to 2 of 2 differences');
  const none = await visitor.post(`${found.path}/decide`, { kind, which: 'ticked', note: 'x', do: 'accept' });
  expect([none.status, none.text]).toEqual([422, expect.stringContaining('No difference was ticked')]);
  await visitor.get(of.path);
  const accepted = await visitor.post(`${found.path}/decide`, {
    kind,
    which: 'ticked',
    [one]: 'yes',
    note: 'x',
    do: 'accept',
  });
  expect(accepted.text).toContain('1 to 1 of 1 difference');
  await visitor.get(`${found.path}?kind=accepted`);
  const open = await visitor.post(`${found.path}/decide`, { kind: 'accepted', which: 'all', do: 'reopen' });
  expect(open.text).toContain('Opened again: 1 difference');
  expect((await visitor.get(of.path)).text).not.toContain('kind=accepted');
});

it('turns all rows in doubt that the other side has for certain into verdicts, at once', async () => {
  const faults = parseFaults('seed=1,timeout_after=1');
  const { visitor, desk } = await openConsole({ faults }, {}, undefined, {
    sending: { timeout: 1, maxAttempts: 1 },
  });
  const rows = customers(3);
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(rows) }]);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes('3 unknown') && !text.includes('id="progress"'));
  await visitor.get(`${path}/reconcile`);
  const lines = rows.map(({ external_id: reference, email }, at) => `cus-${at},${reference},${email}`);
  const content = ['id,external_id,email', ...lines].join('\r\n');
  const began = await visitor.upload(`${path}/reconcile`, [{ name: 'export.csv', content }], days);
  const found = await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
  const kind = 'in_doubt_found';
  const of = await visitor.get(`${found.path}?kind=${kind}`);
  expect(of.text).toContain('1 to 3 of 3 differences');
  expect(of.text).not.toContain('value="accept"');
  const accepted = await visitor.post(`${found.path}/decide`, {
    kind,
    which: 'all',
    note: 'x',
    do: 'accept',
  });
  expect(accepted.text).toContain('1 to 3 of 3 differences');
  await visitor.get(of.path);
  const call = await visitor.post(`${found.path}/decide`, {
    kind,
    which: 'all',
    note: 'seen',
    do: 'created',
  });
  await visitor.until(call.path, ({ text }) => !text.includes('id="progress"'));
  const results = await desk.results('people');
  expect(results.map((row) => [row['result_status'], row['result_id']])).toEqual([
    ['created', 'cus-0'],
    ['created', 'cus-1'],
    ['created', 'cus-2'],
  ]);
});
