import { describe, expect, inject, it } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck, type Visitor } from '../../support/console.ts';

const hostile = '"><script>alert(1)</script>';

/** A batch of which every third row has no e-mail address, and one a name that is markup. */
async function uploaded(visitor: Visitor, rows = 12): Promise<string> {
  const people = customers(rows).map((person, at) => ({
    ...person,
    ...(at % 3 === 0 ? { email: 'nowhere' } : {}),
    ...(at === 1 ? { first_name: hostile, email: 'bad' } : {}),
  }));
  const { path } = await uploadAndCheck(visitor, [{ name: 'people <b>.csv', content: csvOf(people) }]);
  expect(path).toMatch(/^\/batches\/[0-9a-f-]{36}$/);
  return path;
}

describe.each(inject('ledgers'))('the rows of a batch on the %s ledger', (ledger) => {
  it('are shown with what is said of them, by filters and page by page', async () => {
    const { visitor } = await openConsole({ ledger });
    const path = await uploaded(visitor, 110);
    const all = await visitor.get(`${path}/rows`);
    expect(all.text).toContain('Rows of people _b_.csv');
    expect(all.text).toContain('invalid_email');
    expect(all.text).not.toContain('<script>alert');
    expect(all.text).toContain('&lt;script&gt;alert(1)');
    const next = linkIn(all.text, 'next');
    const second = await visitor.get(next);
    expect(rowsIn(second.text)).toEqual(Array.from({ length: 10 }, (_, at) => at + 102));
    expect(second.text).not.toContain('rel="next"');
    const first = await visitor.get(linkIn(second.text, 'prev'));
    expect(rowsIn(first.text)).toEqual(Array.from({ length: 100 }, (_, at) => at + 2));
    const invalid = await visitor.get(`${path}/rows?status=invalid&text=&code=`);
    expect(rowsIn(invalid.text)).toEqual([2, 3, ...Array.from({ length: 36 }, (_, at) => 5 + at * 3)]);
    expect(invalid.text).toContain('<mark>nowhere</mark>');
    const group = /href="([^"]+code=invalid_email[^"]*)"/.exec(all.text)?.[1] ?? '';
    expect(rowsIn((await visitor.get(group.replaceAll('&amp;', '&'))).text)).toHaveLength(38);
    const found = await visitor.get(`${path}/rows?text=${encodeURIComponent(hostile)}`);
    expect(rowsIn(found.text)).toEqual([3]);
    const none = await visitor.get(`${path}/rows?text=zzz`);
    expect(none.text).toContain('No row is like that');
  });
});

it('shows the reasons as filters with counts, and which is chosen with an example of it', async () => {
  const { visitor } = await openConsole();
  const path = await uploaded(visitor);
  const all = await visitor.get(`${path}/rows`);
  expect(all.text).toContain('aria-current="true">All rows</a>');
  expect(all.text).toContain('<span>email: invalid email</span> <b class="number">5</b>');
  const chosen = await visitor.get(`${path}/rows?status=invalid&code=invalid_email&column=email`);
  expect(chosen.text).toMatch(/aria-current="true"><i class="invalid"><\/i><span>email: invalid email/);
  expect(chosen.text).toMatch(/<p>invalid, such as: .*not one e-mail address/);
  expect(chosen.text).toContain('<summary>Filter: invalid, email, invalid email</summary>');
});

it('shows the values of the draft in the table, what the checker says of them now, and whose they are', async () => {
  const { visitor } = await openConsole();
  const path = await uploaded(visitor);
  const { text } = await visitor.get(`${path}/rows/2`);
  const [, place = ''] = /name="cell-(\d+)" value="nowhere"/.exec(text) ?? [];
  const edit = async (row: number, was: string, typed: string): Promise<void> => {
    await visitor.post(`${path}/rows/${row}/edit`, { [`was-${place}`]: was, [`cell-${place}`]: typed });
  };
  await edit(2, 'nowhere', 'amina@post.example');
  await edit(5, 'nowhere', '<b>worse</b>');
  const rows = await visitor.get(`${path}/rows`);
  const line = (row: number): string =>
    new RegExp(`<tr id="row-${row}".*?</tr>`, 's').exec(rows.text)?.[0] ?? '';
  expect(line(2)).toContain('passes now');
  expect(line(2)).toMatch(
    /class="edited[^"]*"[^>]*data-value="amina@post.example".*was “nowhere”; amina, <time/s,
  );
  expect(line(5)).toMatch(/invalid<\/span> <span class="soft">still/);
  expect(line(5)).toMatch(/class="faulty edited[^"]*".*<mark>&lt;b&gt;worse&lt;\/b&gt;<\/mark>/s);
  expect(rows.text).not.toContain('<b>worse');
});

it('gives the rows of a filter as a file', async () => {
  const { visitor } = await openConsole();
  const path = await uploaded(visitor);
  const { text, headers } = await visitor.get(`${path}/rows.csv?status=invalid`);
  expect(headers['content-disposition']).toContain('people%20_b_.rows.csv');
  const lines = text.split('\r\n');
  expect(lines).toHaveLength(7);
  expect(lines[0]).toContain('result_status');
  expect(lines.slice(1, 6).every((line) => line.includes(',invalid,'))).toBe(true);
});

it('refuses conditions that cannot be', async () => {
  const { visitor } = await openConsole();
  const path = await uploaded(visitor);
  expect((await visitor.get(`${path}/rows?status=lost`)).status).toBe(422);
  expect((await visitor.get(`${path}/rows?after=1e9`)).status).toBe(422);
  expect((await visitor.get('/batches/00000000/rows')).status).toBe(404);
});

function linkIn(text: string, rel: string): string {
  return (new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
}

function rowsIn(text: string): number[] {
  return [...text.matchAll(/<th scope="row"[^>]*><a href="[^"]*\/rows\/(\d+)"/g)].map(([, row]) =>
    Number(row),
  );
}
