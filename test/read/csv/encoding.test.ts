import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterEach, describe, expect, it } from 'vitest';
import { EncodingUncertain } from '../../../src/read/csv/encoding.ts';
import { readAll, readTable, refusalOf, removeTemporaryFiles } from '../reading.ts';

afterEach(removeTemporaryFiles);

const TEXT = 'name,city\nZoë “Müller” €,Köln\nŽižek,Łódź\n';
const CELLS = [
  ['Zoë “Müller” €', 'Köln'],
  ['Žižek', 'Łódź'],
];

describe('encodings found by themselves', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT), []],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`), []],
    ['UTF-16 LE with a mark', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), ['read as UTF-16LE']],
    ['UTF-16 BE with a mark', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16(), ['read as UTF-16BE']],
  ])('%s', async (_, content, notes) => {
    const table = await readTable(content);
    expect(table.header).toEqual(['name', 'city']);
    expect(table.cells).toEqual(CELLS);
    expect(table.notes).toEqual(notes);
  });

  it.each([
    ['LE', (text: Buffer) => text],
    ['BE', (text: Buffer) => text.swap16()],
  ])('UTF-16 %s without a mark, by where its NUL bytes are', async (_, order) => {
    const table = await readTable(order(Buffer.from('name,city\nZoë,Köln\n', 'utf16le')));
    expect(table.cells).toEqual([['Zoë', 'Köln']]);
    expect(table.notes).toHaveLength(1);
  });

  it('Windows-1252 where nothing in the file is UTF-8, and says so', async () => {
    const table = await readTable(iconv.encode('name,city\nZoë “M” €,Köln\n', 'windows-1252'));
    expect(table.cells).toEqual([['Zoë “M” €', 'Köln']]);
    expect(table.notes).toEqual(['read as Windows-1252, because it is not UTF-8']);
  });

  it.each([
    ['windows-1251', 'Наталья,Москва'],
    ['windows-1250', 'Wałęsa,Łódź'],
    ['gb18030', '王伟,北京市\n李娜,上海\n张敏,广州市'],
    ['macintosh', 'Núñez,Málaga'],
  ])('%s is not read as Windows-1252, and is refused where no encoding is stated', async (encoding, text) => {
    const refusal = await refusalOf(iconv.encode(`name,city\n${text}\n`, encoding));
    expect(refusal).toMatchObject({ code: 'encoding_uncertain' });
    expect(refusal.message).not.toMatch(/[^\0-\x7f]/);
    expect((refusal as EncodingUncertain).candidates.map((candidate) => candidate.encoding)).toContain(
      encoding,
    );
  });

  it('the chosen encoding is used, and known of the file', async () => {
    const content = iconv.encode('name,ville préférée,Město\nDvořák,Wałęsa,Brno\n', 'windows-1250');
    const headers: unknown[] = [];
    const { file, tables } = await readAll(content, {
      chooseEncoding: async (candidates, headerIn) => {
        headers.push(await headerIn('windows-1250'), await headerIn('iso-8859-2'));
        return candidates[0]?.encoding ?? null;
      },
    });
    expect(headers[0]).toEqual(['name', 'ville préférée', 'Město']);
    expect(file.chosenEncoding).toBe('windows-1250');
    expect(tables[0]?.cells).toEqual([['Dvořák', 'Wałęsa', 'Brno']]);
    expect((await readAll(Buffer.from('name\nZoë\n'))).file.chosenEncoding).toBeUndefined();
    await expect(readAll(content, { chooseEncoding: async () => null })).rejects.toBeInstanceOf(
      EncodingUncertain,
    );
  });

  it('lines that end with a carriage return alone are separate lines', async () => {
    const plain = 'plain,plain\r'.repeat(20_000);
    const refusal = await refusalOf(
      iconv.encode(`name,city\r${plain}Núñez,Málaga\rPeña,León\r`, 'macintosh'),
    );
    expect((refusal as EncodingUncertain).candidates[0]).toEqual({
      encoding: 'macintosh',
      samples: expect.arrayContaining(['Núñez', 'Málaga']),
    });
  });

  it('UTF-8 with a few wrong bytes stays UTF-8: only those values are damaged', async () => {
    const content = Buffer.concat([
      Buffer.from('name\nZoë\nJos'),
      Buffer.from([0xe9]),
      Buffer.from('\nplain\n'),
    ]);
    const table = await readTable(content);
    expect(table.cells).toEqual([['Zoë'], ['Jos\uFFFD'], ['plain']]);
    expect(table.notes).toHaveLength(1);
  });

  it('characters across the border of two chunks are whole', async () => {
    const lines = Array.from({ length: 3000 }, () => '€'.repeat(100));
    const table = await readTable(`name\n${lines.join('\n')}\n`);
    expect(table.cells.flat()).toEqual(lines);
    expect(table.notes).toEqual([]);
  });

  it('a wrong byte far behind the first characters is found as well', async () => {
    const content = Buffer.concat([
      Buffer.from(`name\n${'plain\n'.repeat(90_000)}`),
      Buffer.from([0xe9, 0x0a]),
    ]);
    expect((await readTable(content)).cells.at(-1)).toEqual(['é']);
  });

  it('a character cut off at the end of the file is no UTF-8', async () => {
    expect((await readTable(Buffer.from([0x61, 0x0a, 0xc3]))).cells).toEqual([['Ã']]);
  });
});

describe('stated encodings', () => {
  it('are used whatever the bytes look like', async () => {
    const content = iconv.encode('name\nŽižek\n', 'windows-1250');
    expect((await readTable(content, { encoding: 'windows-1250' })).cells).toEqual([['Žižek']]);
    expect((await readTable(Buffer.from('name\nZoë\n'), { encoding: 'latin1' })).cells).toEqual([['ZoÃ«']]);
    const wide = iconv.encode('name\nŁódź\n', 'utf-16be');
    expect((await readTable(wide, { encoding: 'utf-16be' })).cells).toEqual([['Łódź']]);
    expect((await readTable('\uFEFFname\nx\n', { encoding: 'utf-8' })).header).toEqual(['name']);
  });

  it.each(['klingon', 'base64', '__proto__'])(
    'are refused when there is none of the name %s',
    async (encoding) => {
      expect((await refusalOf('a\n', { encoding })).code).toBe('unknown_encoding');
    },
  );
});

describe('what is no text', () => {
  it.each([
    ['NUL bytes', Buffer.from('a,b\n1,\0\n'), 'binary_file'],
    ['NUL bytes after a mark', Buffer.from('\uFEFFa,b\n1,\0\n'), 'binary_file'],
    ['NUL characters in UTF-16', Buffer.from('\uFEFFa,b\n1,\0\n', 'utf16le'), 'binary_file'],
    ['UTF-32', Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from('a\0\0\0')]), 'binary_file'],
    ['a web page without a table', Buffer.from('\n<html><h1>Log in</h1></html>'), 'markup_file'],
    ['a web page in a gzip', gzipSync('<html><table><tr><td>a</td></tr></table></html>'), 'markup_file'],
    ['another XML file', Buffer.from('\uFEFF<?xml version="1.0"?><Workbook/>'), 'markup_file'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'document_file'],
    ['rich text', Buffer.from('{\\rtf1 a}'), 'document_file'],
    [
      'an e-mail',
      Buffer.from('Received: by mail.example\n\twith SMTP\nFrom: Ama\nTo: ops\n\nSee the list, please\n'),
      'document_file',
    ],
    [
      'a saved e-mail',
      Buffer.from('From: Ама\r\nTo: ops\r\nSubject: list\r\n\r\nHello, here it is\r\n'),
      'document_file',
    ],
  ])('%s: is refused with advice', async (_, content, code) => {
    const refusal = await refusalOf(content);
    expect(refusal.code).toBe(code);
    expect(refusal.remedies).not.toEqual([]);
  });
});

describe('a file that is cut in the middle of a character', () => {
  const whole = 'name,city\nZoë,Köln\nAmina,😀';
  const littleEndian = Buffer.from(`\uFEFF${whole}`, 'utf16le');
  const unmarked = Buffer.from('name,city\nZoë,Köln\nAmina,Nairobi', 'utf16le');

  it.each([
    ['UTF-16 LE, within a unit', littleEndian.subarray(0, -5), {}],
    ['UTF-16 LE, within a character of two units', littleEndian.subarray(0, -2), {}],
    ['UTF-16 BE, within a unit', Buffer.from(littleEndian).swap16().subarray(0, -5), {}],
    ['UTF-16 BE, within a character of two units', Buffer.from(littleEndian).swap16().subarray(0, -2), {}],
    ['UTF-16 without a mark', unmarked.subarray(0, -1), {}],
    ['UTF-16, as stated', unmarked.subarray(0, -1), { encoding: 'utf-16le' }],
    ['UTF-16, as stated under another name', unmarked.subarray(0, -1), { encoding: 'UCS2' }],
    ['UTF-32, as stated', iconv.encode(whole, 'utf-32le').subarray(0, -2), { encoding: 'utf-32le' }],
    ['UTF-8', Buffer.from(whole).subarray(0, -2), {}],
    [
      'UTF-8 with a mark, in its only such character',
      Buffer.from('\uFEFFname,city\nA,Kö').subarray(0, -1),
      {},
    ],
  ])('%s: is refused as damaged', async (_, content, options) => {
    expect(await refusalOf(content, options)).toMatchObject({ code: 'file_damaged' });
  });

  it('is read when nothing is missing, whatever the size of the pieces in which it comes', async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `😀${index},x`);
    const table = await readTable(Buffer.from(`\uFEFFname,city\nA,B\n${rows.join('\n')}`, 'utf16le'));
    expect(table.cells.slice(1).every(([name], index) => name === `😀${index}`)).toBe(true);
  });
});
