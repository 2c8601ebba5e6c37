import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { InputError } from '../../../src/read/file/input-error.ts';
import { openInput } from '../../../src/read/sources/open-file.ts';
import { ownTemporaryFolder } from '../../support/own-temporary-folder.ts';
import { textRow, workbook } from '../../support/workbook.ts';
import { readAll, removeTemporaryFiles, rowsOf, temporaryFile } from '../reading.ts';

const ownFolder = ownTemporaryFolder();

afterEach(removeTemporaryFiles);

const spooled = () => readdirSync(ownFolder()).filter((name) => name.startsWith('paybatch-'));

async function codeOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof InputError) return error.code;
  throw new Error('no refusal', { cause: error });
}

describe('a file', () => {
  it.each([
    ['list.csv', 'list'],
    ['list.csv.gz', 'list'],
    ['LIST.CSV.GZ', 'LIST'],
    ['list.march.xlsx', 'list.march'],
    ['list', 'list'],
    ['.hidden', '.hidden'],
    ['list.gz', 'list'],
  ])('%s is named %s', async (name, expected) => {
    expect((await readAll('a\n1\n', {}, name)).file.name).toBe(expected);
  });

  it('is hashed and measured as given', async () => {
    const { file } = await readAll('a\r\n1\r\n');
    expect(file.contentHash).toBe(createHash('sha256').update('a\r\n1\r\n').digest('hex'));
    expect([file.bytes, file.format]).toEqual([6, 'csv']);
  });

  it('has its format decided by its content, never by its name', async () => {
    const content = workbook({ sheets: [{ name: 'S', rows: textRow(1, ['a']) }] });
    expect((await readAll(content, {}, 'list.csv')).file.format).toBe('xlsx');
    expect((await readAll('a\n1\n', {}, 'list.xlsx')).file.format).toBe('csv');
  });

  it('is refused when it is not there, or a folder', async () => {
    expect(await codeOf(openInput('/nowhere/at-all.csv'))).toBe('file_not_found');
    await expect(openInput('/nowhere/*.csv')).rejects.toThrow('No file matches this pattern');
    expect(await codeOf(openInput(tmpdir()))).toBe('not_a_file');
  });

  it.skipIf(process.getuid?.() === 0)('is refused when it may not be read', async () => {
    const path = temporaryFile('list.csv', 'a\n');
    chmodSync(path, 0);
    expect(await codeOf(openInput(path))).toBe('file_not_readable');
  });

  it('is refused when it is not the same at a later reading', async () => {
    const csv = temporaryFile('list.csv', 'a\n1\n2\n');
    const opened = await openInput(csv);
    writeFileSync(csv, 'a\n1\n3\n');
    const [table] = opened.tables;
    if (table === undefined) throw new Error('no table');
    expect(await codeOf(rowsOf(table))).toBe('file_changed');
    writeFileSync(csv, 'a\n1\n2\n');
    expect(await rowsOf(table)).toHaveLength(2);
    truncateSync(csv, 4);
    expect(await codeOf(rowsOf(table))).toBe('file_changed');
  });

  it('is refused when a workbook is replaced by another one', async () => {
    const content = (value: string) =>
      workbook({ sheets: [{ name: 'S', rows: textRow(1, ['a']) + textRow(2, [value]) }] });
    const path = temporaryFile('list.xlsx', content('one'));
    const opened = await openInput(path);
    writeFileSync(path, content('two'));
    const [table] = opened.tables;
    if (table === undefined) throw new Error('no table');
    expect(await codeOf(rowsOf(table))).toBe('file_changed');
  });
});

describe('standard input', () => {
  const stdin = (content: string | Buffer) => Readable.from([Buffer.from(content)]);

  it('can be read again, and its copy has no name that a killed process could leave behind', async () => {
    const before = spooled();
    const opened = await openInput('-', { stdin: stdin('a;b\n1;2\n') });
    if (process.platform === 'linux') expect(spooled()).toEqual(before);
    expect([opened.path, opened.name, opened.bytes]).toEqual(['-', 'stdin', 8]);
    const [table] = opened.tables;
    if (table === undefined) throw new Error('no table');
    expect(await rowsOf(table)).toEqual(await rowsOf(table));
    await opened.close();
    expect(spooled()).toEqual(before);
  });

  it('may be a workbook too', async () => {
    const content = workbook({ sheets: [{ name: 'S', rows: textRow(1, ['a']) }] });
    const opened = await openInput('-', { stdin: stdin(content) });
    expect(opened.format).toBe('xlsx');
    await opened.close();
  });

  it('leaves nothing behind when it is refused', async () => {
    const before = spooled();
    expect(await codeOf(openInput('-', { stdin: stdin('') }))).toBe('empty_file');
    const limits = { fileBytes: 3 };
    expect(await codeOf(openInput('-', { stdin: stdin('a;b\n'), limits }))).toBe('limit_exceeded');
    expect(spooled()).toEqual(before);
  });
});
