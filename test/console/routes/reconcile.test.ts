import { expect, it } from 'vitest';
import { parseFaults } from '../../../src/sandbox/faults.ts';
import { csvOf, customers, readCsv } from '../../support/cli-files.ts';
import { openConsole, type Shown, uploadAndCheck, type Visitor } from '../../support/console.ts';

/** Creates customers, and gives the address of their batch and the lines of its results. */
async function created(
  visitor: Visitor,
  rows: number,
): Promise<{ readonly path: string; readonly results: readonly Readonly<Record<string, string>>[] }> {
  const content = csvOf(customers(rows));
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content }]);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes(`All ${rows} rows created`));
  return { path, results: await readCsv((await visitor.get(`${path}/files/results`)).text) };
}

const days = { covers_from: '2020-01-01', covers_to: '2100-01-01' };

async function reconciled(visitor: Visitor, path: string, exported: string | null): Promise<Shown> {
  await visitor.get(`${path}/reconcile`);
  const files = exported === null ? [] : [{ name: 'export.csv', content: exported }];
  const began = await visitor.upload(`${path}/reconcile`, files, days);
  return visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
}

it('accounts for every row', async () => {
  const { visitor } = await openConsole();
  const { path } = await created(visitor, 3);
  expect((await visitor.get(`${path}/reconcile`)).text).toContain('Reconcile people.csv');
  const alone = await reconciled(visitor, path, null);
  expect(alone.path).toMatch(/^\/batches\/[0-9a-f-]+\/reconcile\/[0-9a-f-]{36}$/);
  expect(alone.text).toContain('No difference.');
  expect(alone.text).toContain('every row accounted for');
  expect(alone.text).toContain('in order');
  // The file that was uploaded is found again.
  expect(alone.text).not.toContain('not compared');
  // It is found again later, too.
  expect((await visitor.get(`${path}/reconcile`)).text).toContain(`href="${alone.path}"`);
});

it('shows each difference with both sides, what it means and what to do', async () => {
  const { visitor } = await openConsole();
  const { path, results } = await created(visitor, 3);
  const [first, , third] = results;
  const exported = [
    'id,external_id,email',
    `${first?.['result_id']},${first?.['external_id']},other@example.com`,
    `${third?.['result_id']},${third?.['external_id']},${third?.['email']}`,
    '=2+3,<script>alert(1)</script>,x@example.com',
  ].join('\r\n');
  const shown = await reconciled(visitor, path, exported);
  expect(shown.text).toContain('3 differences');
  const text = shown.text.replaceAll('\n', '');
  expect(text).toContain(
    `<td data-title="Here"><span><mark>${first?.['email']}</mark></span></td><td data-title="There"><span><mark>other@example.com</mark></span></td>`,
  );
  expect(text).toContain(`<a href="${path}/rows/2">row 2</a>`);
  expect(text).toContain('export.csv, row 2');
  expect(text).toContain('Find out which side is right.');
  expect(text).toContain('<td data-title="Here"><span><span class="soft">not here</span>');
  expect(text).toContain('<td data-title="There"><span><span class="soft">not there</span>');
  expect(text).not.toContain('<script>alert');
  expect(text).toContain('&lt;script&gt;alert');

  const missing = await visitor.get(`${shown.path}?kind=missing_there`);
  expect(missing.text).toContain(`<a href="${path}/rows/3">row 3</a>`);
  expect(missing.text).not.toContain('other@example.com');
  const csv = await visitor.get(`${shown.path}/differences.csv`);
  expect(csv.headers['content-disposition']).toContain('people.differences.csv');
  const lines = await readCsv(csv.text);
  expect(lines.map(({ difference }) => difference)).toEqual([
    'Other values',
    'Missing there',
    'Unknown here',
  ]);
  expect(lines[0]).toMatchObject({ here_row: '2', differing: 'email', 'email there': 'other@example.com' });
  expect(csv.text).toContain("'=2+3");
  const only = await readCsv((await visitor.get(`${shown.path}/differences.csv?kind=unknown_here`)).text);
  expect(only).toHaveLength(1);
});

it('calls fields and states by the words of all pages, and not as programs name them', async () => {
  const { visitor } = await openConsole();
  const { path, results } = await created(visitor, 2);
  const [first] = results;
  const exported = ['id,first_name', `${first?.['result_id']},Another`].join('\r\n');
  const { text } = await reconciled(visitor, path, exported);
  expect(text).toContain('Compared: id, first name.');
  expect(text).toContain('<th scope="row">first name</th>');
  expect(text).toMatch(/<td[^>]*>missing there<\/td>/);
  expect(text.replace(/<[^>]*>/g, '')).not.toMatch(/missing_there|first_name/);
});

it('shows the moments of a row in doubt in the zone of the person who looks', async () => {
  const faults = parseFaults('seed=1,timeout_after=1');
  const { visitor } = await openConsole({ faults }, {}, undefined, {
    sending: { timeout: 1, maxAttempts: 1 },
  });
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  await visitor.post(`${path}/resume`);
  await visitor.until(path, ({ text }) => text.includes('1 unknown') && !text.includes('id="progress"'));
  const { text } = await reconciled(visitor, path, null);
  expect(text).toMatch(/first sent <time [^>]*data-moment>/);
  expect(text).toMatch(/until <time [^>]*data-moment>/);
  expect(text.replace(/<time.*?<\/time>/g, '')).not.toContain(' UTC');
});

it('shows many differences page by page', async () => {
  const { visitor } = await openConsole();
  const { path } = await created(visitor, 2);
  const strangers = Array.from({ length: 60 }, (_, at) => `S-${at + 1},s${at + 1}@example.com`);
  const first = await reconciled(visitor, path, ['external_id,email', ...strangers].join('\n'));
  expect(first.text).toContain('1 to 25 of 62 differences');
  expect(first.text).toContain('rel="next"');
  expect(first.text).not.toContain('rel="prev"');
  const last = await visitor.get(`${first.path}?page=3`);
  expect(last.text).toContain('51 to 62 of 62 differences');
  expect(last.text).not.toContain('rel="next"');
  expect((await visitor.get(`${first.path}?page=9`)).text).toContain('There is nothing on this page');
  for (const query of ['page=0', 'page=x', 'kind=none']) {
    expect((await visitor.get(`${first.path}?${query}`)).status, query).toBe(422);
  }
  const other = first.path.replace(/[0-9a-f]{12}$/, '000000000000');
  expect((await visitor.get(other)).status).toBe(404);
});

it('shows what is wrong with an export that cannot be read, and not where it is kept', async () => {
  const { visitor, desk } = await openConsole();
  const { path } = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(1)) }]);
  await visitor.get(`${path}/reconcile`);
  const began = await visitor.upload(`${path}/reconcile`, [{ name: 'a.pdf', content: '%PDF-1.7\n' }]);
  const shown = await visitor.until(began.path, ({ text }) => !text.includes('id="progress"'));
  expect(shown.text).toContain('role="alert"');
  expect(shown.text).toContain('a.pdf');
  expect(shown.text).not.toContain(desk.folder);
});
