/* Names of files that try to lead elsewhere: every file stays in its own folder, under a name that is safe. */

import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { csvOf, customers } from '../../support/cli-files.ts';
import { openConsole, type Shown, type Visitor } from '../../support/console.ts';

const names: readonly (readonly [given: string | Buffer, kept: string | null])[] = [
  ['../../etc/passwd', 'passwd'],
  ['/etc/passwd', 'passwd'],
  ['a/../../b.csv', 'b.csv'],
  ['C:\\Windows\\x.csv', 'x.csv'],
  ['..', null],
  ['.', null],
  ['.bashrc', '_bashrc'],
  ['-rf.csv', '-rf.csv'],
  ['--mapping=x.csv', '--mapping=x.csv'],
  ['-', null],
  ['CON.csv', '_CON.csv'],
  ['nul', '_nul'],
  ['upload.json', 'upload.json'],
  ['%2e%2e%2fx.csv', '%2e%2e%2fx.csv'],
  ['a\0b.csv', null],
  ['\u202Egnp.csv', '_gnp.csv'],
  ['=cmd|x.csv', '=cmd_x.csv'],
  ['naïve été 漢字 😀.csv', 'naïve été 漢字 😀.csv'],
  [`${'x'.repeat(5_000)}.csv`, null],
  [`${'漢'.repeat(300)}.csv`, null],
  [`${'😀'.repeat(90)}.csv`, null],
  [Buffer.from([0xff, 0xfe, 0x2e, 0x63, 0x73, 0x76]), null],
];

/** Uploads one file with its name byte for byte, as no browser would write it. */
async function uploadAs(visitor: Visitor, name: string | Buffer, content: string): Promise<Shown> {
  const { text } = await visitor.get('/');
  const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const body = Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n${csrf}\r\n`),
    Buffer.from('--b\r\nContent-Disposition: form-data; name="files"; filename="'),
    typeof name === 'string' ? Buffer.from(name.replaceAll('\\', '\\\\')) : name,
    Buffer.from(`"\r\nContent-Type: text/csv\r\n\r\n${content}\r\n--b--\r\n`),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return visitor.ask('/uploads', { method: 'POST', headers, body });
}

it('keeps each under its own folder, or says why not', async () => {
  const { visitor, desk } = await openConsole();
  const uploads = join(desk.folder, 'uploads');
  const before = new Set(await readdir(desk.folder));
  for (const [at, [given, kept]] of names.entries()) {
    const known = new Set(await readdir(uploads).catch((): string[] => []));
    const answer = await uploadAs(visitor, given, csvOf(customers(1, at * 10)));
    const what = String(given).slice(0, 40);
    expect([303, 422, 400], what).toContain(answer.status);
    const own = (await readdir(uploads).catch((): string[] => [])).filter((name) => !known.has(name));
    if (answer.status !== 303) {
      expect(answer.text, what).toContain('role="alert"');
      expect(own, what).toEqual([]);
      continue;
    }
    const paths = await readdir(join(uploads, own[0] ?? ''), { recursive: true });
    const files = paths.filter((path) => path.startsWith(`1${sep}`)).map((path) => relative('1', path));
    expect(files, what).toHaveLength(1);
    if (kept !== null) expect(files).toEqual([kept]);
    expect(Buffer.byteLength(files[0] ?? ''), what).toBeLessThanOrEqual(200);
    const shown = await visitor.until(
      String(answer.headers['location']),
      ({ text }) => !text.includes('id="progress"'),
    );
    expect(shown.text, what).not.toContain('internal error');
    expect(shown.text, what).not.toContain(desk.folder);
  }
  // Nothing came to lie anywhere else.
  const after = (await readdir(desk.folder)).filter((name) => !before.has(name));
  expect(after.sort()).toEqual(['results', 'uploads']);
}, 120_000);
