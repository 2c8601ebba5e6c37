/* Files that mean harm or are broken, uploaded: each gets a sentence, and nothing of it stays in the ledger. */

import { expect, it } from 'vitest';
import {
  hostileArchives,
  hostileLists,
  hostileOds,
  hostileXml,
  SHEET,
  withPart,
} from '../../read/hostile-files.ts';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openConsole, uploadAndCheck } from '../../support/console.ts';

/** Lists that can be read, and whose rows cannot be taken as they are. */
const strangeLists: readonly (readonly [string, string | Buffer])[] = [
  ['bytes of no encoding', Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0xff, 0xfe, 0x00, 0x80, 0x2c, 0x81, 0x0a])],
  ['NUL characters in a header', 'first\0name,last_name\nA,B\n'],
  ['a header twice', 'email,email\na@b.co,c@d.co\n'],
  ['numbers without a header', '1,2,3\n4,5,6\n'],
  ['a web page', '<!doctype html><html><body><script>alert(1)</script></body></html>'],
  ['a script as a title', '<script>alert(1)</script>,b\n1,2\n'],
  ['a quotation mark that is not closed, below rows that can be read', 'Name,Bank\nA,B\nC,D\nE,"F\nG,H\n'],
  ['one endless word', 'x'.repeat(3_000_000)],
  ['bytes that mean nothing', Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 7919) % 256))],
];

const files: readonly (readonly [string, string | Buffer, string])[] = [
  ...hostileArchives.map(([what, content]) => [what, content, 'xlsx'] as const),
  ...hostileXml.map(([what, data]) => [what, withPart(SHEET, { data }), 'xlsx'] as const),
  ...hostileOds.map(([what, content]) => [what, content, 'ods'] as const),
  ...hostileLists.map(([what, content]) => [what, content, 'csv'] as const),
  ...strangeLists.map(([what, content]) => [what, content, 'csv'] as const),
];

it('each is answered with a sentence on the page, stages nothing, and does not affect other uploads', async () => {
  const { visitor, engine, desk } = await openConsole();
  for (const [what, content, ending] of files) {
    const { path } = await uploadAndCheck(visitor, [{ name: `list.${ending}`, content }]);
    // A file whose columns are not known leads to its reading, which is a problem only where nothing can be read.
    const shown = await visitor.until(path, ({ text }) => !text.includes('Looking at the file'));
    const isRead = shown.path.includes('/mapping/') && !shown.text.includes('class="problem"');
    // A question about a file is the title of its page.
    const headline = isRead
      ? '(?:<h1[^>]*>|<p class="headline">)'
      : '<section class="problem" role="alert"><p class="headline">';
    const texts = [...shown.text.matchAll(new RegExp(`${headline}([^<]+)<`, 'g'))].map(([, text]) => text);
    // What is open in a reading leads its page.
    const isSaid = (text = ''): boolean =>
      /[.!?]$/.test(text) || (isRead && /\d things? to decide$/.test(text));
    const told = isRead ? texts.find(isSaid) : texts[0];
    expect(isSaid(told), `${what}: ${texts.join('; ')}`).toBe(true);
    expect(texts.join('; '), what).not.toContain('internal error');
    expect(shown.text, what).not.toContain(desk.folder);
    expect(shown.text, what).not.toContain('<script>alert');
  }
  const { shown } = await engine.status({}).result;
  expect(shown.kind === 'list' ? shown.batches : null).toEqual([]);
  const good = await uploadAndCheck(visitor, [{ name: 'people.csv', content: csvOf(customers(2)) }]);
  expect(good.text).toContain('Send 2 rows');
}, 240_000);

it('one among several is reported separately, and the others are read', async () => {
  const { visitor } = await openConsole();
  const shown = await uploadAndCheck(visitor, [
    { name: 'people.csv', content: csvOf(customers(2)) },
    { name: 'broken.xlsx', content: 'PK\x03\x04 and nothing more' },
  ]);
  expect(shown.text).toContain('role="alert"');
  expect(shown.text).toContain('broken.xlsx');
  expect(shown.text).toContain('people.csv');
  expect(shown.text).toContain('Look at it');
});
