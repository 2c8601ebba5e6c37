/* Cells with markup and scripts in them: every page shows them as text. */

import { expect, it } from 'vitest';
import { rights } from '../../../src/console/access/rights.ts';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import { openConsole, type Shown, uploadAndCheck } from '../../support/console.ts';

const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'';
const shownAsText = '&lt;script&gt;alert(1)';

/** What a browser would run, or take for an attribute of the page. */
const harmful = [/<script>alert/, /<img/, /=""&gt;/, /[^;]">&lt;script/];

/** Routes that show nothing of a file: what people do, or what a country has. */
const withoutCells = [
  '/institutions/:country',
  '/institutions/:country/progress',
  '/templates/:name',
  '/users',
  '/users/:name/lock',
];

const routes = Object.keys(rights).flatMap((route) =>
  route.startsWith('GET ') && !withoutCells.includes(route.slice(4)) ? [route.slice(4)] : [],
);

it('on every page that there is', async () => {
  const { visitor } = await openConsole();
  const pages: Shown[] = [];
  const looked = new Set<string>();
  /** Looks at a page. @param shows whether the hostile text has to be on it */
  const look = async (address: string, shows = false): Promise<Shown> => {
    const shown = await visitor.get(address);
    looked.add(new URL(address, 'http://localhost').pathname);
    // Some say that there is nothing to do, or that the page is to be loaded anew.
    expect([200, 204, 205, 422], address).toContain(shown.status);
    if (shows) expect(shown.text, address).toContain(shownAsText);
    pages.push(shown);
    return shown;
  };
  const settled = (path: string): Promise<Shown> =>
    visitor.until(
      path,
      ({ text }) => !text.includes('id="progress"') && !text.includes('Looking at the file'),
    );

  const first = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
  await visitor.post(`${first.path}/resume`);
  await visitor.until(first.path, ({ text }) => text.includes('All 2 rows created'));
  const rows = [
    customer(1, { last_name: hostile }),
    customer(2, { last_name: hostile }),
    customer(3, { last_name: hostile }),
    customer(4, { email: hostile, external_id: hostile }),
  ];

  const { path } = await uploadAndCheck(visitor, [{ name: 'again.csv', content: csvOf(rows) }]);

  // An unknown title leads to the reading at once, and the answers are remembered.
  const named = rows.map((row) => ({ ...row, [hostile]: hostile }));
  const asked = await uploadAndCheck(visitor, [{ name: `${hostile}.csv`, content: csvOf(named) }]);
  pages.push(asked);
  looked.add(asked.path);
  // Of several such files the page of the check says what is to be done.
  const others = [1, 2].map((number) => ({
    name: `${hostile}${number}.csv`,
    content: csvOf(named.slice(number)),
  }));
  const checked = await uploadAndCheck(visitor, others);
  await look(checked.path, true);
  await look(`${checked.path}/progress`);
  const upload = /\/uploads\/[0-9a-f-]{36}/.exec(asked.text)?.[0] ?? '';
  await look(upload);
  looked.add(`${upload}/mapping`);
  const mapping = await settled((await visitor.get(`${upload}/mapping`)).path);
  await look(mapping.path, true);
  await look(`${mapping.path}/table`, true);
  await look(`${mapping.path}/progress`);
  await look(`${mapping.path}/stopped`);
  await look('/', true);
  let question = await look(mapping.path);
  for (let turn = 0; turn < 10 && question.text.includes('name="turn"'); turn += 1) {
    const fields = Object.fromEntries(
      [...question.text.matchAll(/<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/gs)].map(
        ([, name = '', options = '']) => [name, /<option value="([^"]*)" selected>/.exec(options)?.[1] ?? ''],
      ),
    );
    const turnNumber = /name="turn" value="(\d+)"/.exec(question.text)?.[1] ?? '';
    const answered = await visitor.post(question.path, { ...fields, turn: turnNumber, do: 'answer' });
    question = await settled(answered.path);
    pages.push(question);
  }
  await look('/mappings', true);
  const remembered = /href="(\/mappings\/[^"]+)"/.exec(pages.at(-1)?.text ?? '')?.[1] ?? '';
  await look(remembered, true);
  await look(`${remembered}/forget`, true);

  await look(path);
  await look(`${path}/rows`, true);
  await look(`${path}/rows?status=invalid`, true);
  await look(`${path}/rows?text=${encodeURIComponent(hostile)}`, true);
  await look(`${path}/rows/2`, true);
  const { text } = await look(`${path}/rows/5`, true);
  await look(`${path}/decide?where=${encodeURIComponent('status=held')}&verdict=existing`, true);
  await look(`/search?q=${encodeURIComponent(hostile)}`, true);
  const [, place = ''] = /name="cell-(\d+)" value="&quot;&gt;&lt;script/.exec(text) ?? [];
  pages.push(
    await visitor.post(`${path}/rows/5/edit`, {
      [`was-${place}`]: hostile,
      [`cell-${place}`]: `${hostile}2`,
    }),
  );
  await look(`${path}/draft`, true);
  // The table of rows has what was typed, and its script gets single rows of it.
  await look(`${path}/rows?status=invalid`, true);
  pages.push(
    await visitor.post(`${path}/draft`, {
      edits: JSON.stringify([[5, Number(place), `${hostile}2`, `${hostile}3`]]),
    }),
    await visitor.post(`${path}/draft`, {
      edits: JSON.stringify([[5, Number(place), hostile, `${hostile}4`]]),
    }),
  );
  expect(pages.slice(-2).map(({ status, text: said }) => [status, said.includes(shownAsText)])).toEqual([
    [200, true],
    [409, true],
  ]);
  const edit = new URLSearchParams({ status: 'invalid', place, kind: 'set', from: '', with: hostile });
  await look(`${path}/choices?place=0`);
  await look(`${path}/edit?${edit}`, true);
  for (const part of ['/close', '/approval', '/mapping', '/agree/resume', '/progress', '/reconcile'])
    await look(`${path}${part}`);
  const began = await visitor.upload(
    `${path}/reconcile`,
    [
      {
        name: `${hostile}.csv`,
        content: `external_id,last_name\r\n"${hostile.replaceAll('"', '""')}",x\r\n`,
      },
    ],
    { covers_from: '2020-01-01', covers_to: '2100-01-01' },
  );
  const found = await settled(began.path);
  await look(found.path, true);
  await look(`${found.path}?kind=missing_there`);
  pages.push(
    await visitor.post(`${found.path}/decide`, { which: 'all', do: 'give', to: hostile, note: hostile }),
    await visitor.post(`${found.path}/decide`, { which: 'all', do: 'accept', note: hostile }),
  );
  await look(`${found.path}?kind=accepted`, true);
  const reading = await settled((await visitor.post(`${found.path}/again/1`)).path);
  await look(reading.path, true);
  await look(`${new URL(reading.path, 'http://localhost').pathname}/progress`);
  await look(`${path}/reconcile`);
  const note = { note: hostile };
  await visitor.get(`${path}/close`);
  pages.push(await visitor.post(`${path}/close`, note));
  for (const address of [path, '/', '/batches', '/doctor', '/doctor/progress', '/institutions'])
    await look(address);
  await look('/halt');
  await visitor.post('/halt', note);
  await look('/halt', true);
  // The list of what there is to do then says so first, with the note.
  await look('/', true);

  for (const { status, path: address, text: page, headers } of pages) {
    if (status === 204 || status === 205) continue;
    expect(String(headers['content-type']), address).toContain('text/html');
    for (const pattern of harmful) expect(page, address).not.toMatch(pattern);
    expect(String(headers['content-security-policy']), address).toMatch(
      /script-src 'self'|default-src 'none'/,
    );
  }
  // What is saved as a file is no page.
  for (const address of [`${path}/rows.csv`, `${found.path}/differences.csv`, `${path}/files/report`]) {
    const { headers, text: saved } = await visitor.get(address);
    looked.add(address);
    expect(headers['x-content-type-options'], address).toBe('nosniff');
    expect(headers['content-disposition'], address).toContain('attachment');
    if (address.endsWith('report')) for (const pattern of harmful) expect(saved).not.toMatch(pattern);
  }
  const unseen = routes.filter(
    (route) =>
      ![...looked].some((address) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`).test(address)),
  );
  expect(unseen).toEqual([]);
});
