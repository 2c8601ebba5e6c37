/* Cells with markup and scripts in them: every page shows them as text. */

import { expect, it } from 'vitest';
import { csvOf, customer, customers } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';

const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'';
const shownAsText = '&lt;script&gt;alert(1)';

/** What a browser would run, or take for an attribute of ours. */
const harmful = [/<script>alert/, /<img/, /=""&gt;/, /[^;]">&lt;script/];

it('on every page of a batch', async () => {
  const { visitor } = await openConsole();
  const first = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
  await visitor.post(`${first.path}/resume`);
  await visitor.until(first.path, ({ text }) => text.includes('All 2 rows created'));
  const rows = [
    customer(1, { last_name: hostile }),
    customer(2, { last_name: hostile }),
    customer(3, { last_name: hostile }),
    customer(4, { email: hostile, external_id: hostile }),
  ].map((row) => ({ ...row, [hostile]: hostile }));
  // A title that nobody knows is asked about.
  const asked = await uploadAndCheck(visitor, [{ name: `${hostile}.csv`, content: csvOf(rows) }]);
  const [, upload = ''] = /\/uploads\/([0-9a-f-]{36})\//.exec(asked.text) ?? [];
  const mapping = await visitor.get(`/uploads/${upload}/mapping`);
  const grid = await visitor.get(`${mapping.path}/table`);
  const pages = [asked, mapping, grid];
  expect(mapping.text).toContain(shownAsText);

  const known = rows.map(({ [hostile]: _, ...row }) => row);
  const { path, ...checked } = await uploadAndCheck(visitor, [{ name: 'again.csv', content: csvOf(known) }]);
  pages.push({ path, ...checked });
  const telling = [
    `${path}/rows`,
    `${path}/rows?status=invalid`,
    `${path}/rows?text=${encodeURIComponent(hostile)}`,
    `${path}/rows/2`,
    `${path}/rows/5`,
    `${path}/decide?where=${encodeURIComponent('status=held')}&verdict=existing`,
    `/search?q=${encodeURIComponent(hostile)}`,
  ];
  for (const address of telling) {
    const shown = await visitor.get(address);
    expect(shown.text, address).toContain(shownAsText);
    pages.push(shown);
  }
  const { text } = await visitor.get(`${path}/rows/5`);
  const [, place = ''] = /name="cell-(\d+)" value="&quot;&gt;&lt;script/.exec(text) ?? [];
  const edited = { [`was-${place}`]: hostile, [`cell-${place}`]: `${hostile}2` };
  pages.push(await visitor.post(`${path}/rows/5/edit`, edited));
  const query = new URLSearchParams({ status: 'invalid', place, kind: 'set', from: '', with: hostile });
  for (const address of [`${path}/draft`, `${path}/edit?${query}`]) {
    const shown = await visitor.get(address);
    expect(shown.text, address).toContain(shownAsText);
    pages.push(shown);
  }
  await visitor.get(`${path}/reconcile`);
  const exported = `external_id,last_name\r\n"${hostile.replaceAll('"', '""')}",x\r\n`;
  const began = await visitor.upload(`${path}/reconcile`, [{ name: `${hostile}.csv`, content: exported }], {
    covers_from: '2020-01-01',
    covers_to: '2100-01-01',
  });
  const found = await visitor.until(began.path, (page) => !page.text.includes('id="progress"'));
  expect(found.text).toContain(shownAsText);
  pages.push(found, await visitor.get('/'), await visitor.get('/batches'), await visitor.get(path));
  for (const page of pages) {
    expect(page.status, page.path).toBe(200);
    for (const pattern of harmful) expect(page.text, page.path).not.toMatch(pattern);
    expect(String(page.headers['content-security-policy']), page.path).toContain("script-src 'self'");
  }
});
