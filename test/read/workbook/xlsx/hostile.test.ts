import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { textRow, workbook, zip } from '../../../support/workbook.ts';
import { hostileArchives, hostileXml, PARTS, SHEET, sheetXml, withPart } from '../../hostile-files.ts';
import { outcomeOf, readAll, refusalOf, removeTemporaryFiles } from '../../reading.ts';

afterEach(removeTemporaryFiles);

const ROWS = textRow(1, ['a', 'b']) + textRow(2, ['x', 'y']);

describe('archives that mean harm or are broken', () => {
  it.each(hostileArchives)('%s: refused with a code', async (_, content, code) => {
    const refusal = await refusalOf(content);
    expect(refusal.code).toBe(code);
    expect(refusal.remedies).not.toEqual([]);
  });

  it('too many parts: refused', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ name: `p${index}`, data: '' }));
    expect((await refusalOf(zip([...PARTS, ...many]))).code).toBe('limit_exceeded');
  });

  it('a sheet that unpacks to far more than a list does: refused', async () => {
    const rows = `<x>${' '.repeat(1000)}</x>`.repeat(20_000);
    expect((await refusalOf(withPart(SHEET, { data: sheetXml(rows) }))).code).toBe('suspicious_compression');
  });

  it('parts that are together larger than allowed: refused', async () => {
    const refusal = await refusalOf(zip(PARTS), { limits: { inflatedBytes: 1500 } });
    expect(refusal.code).toBe('limit_exceeded');
  });

  it('a gzip file inside a gzip file is no table', async () => {
    expect((await refusalOf(gzipSync(gzipSync('a,b\n')))).code).not.toBe('');
  });
});

describe('XML that means harm or is broken', () => {
  it.each(hostileXml)('%s: refused', async (_, data, code) => {
    expect((await refusalOf(withPart(SHEET, { data }))).code).toBe(code);
  });

  it('bytes that are no text: refused', async () => {
    const data = Buffer.from(sheetXml(textRow(1, ['~'])));
    data[data.indexOf('~')] = 0xff;
    expect((await refusalOf(withPart(SHEET, { data }))).code).toBe('file_damaged');
  });

  it('UTF-16 is read', async () => {
    const text = sheetXml(ROWS, '<?xml version="1.0" encoding="UTF-16"?>');
    const { tables } = await readAll(withPart(SHEET, { data: Buffer.from(`\uFEFF${text}`, 'utf16le') }));
    expect(tables[0]?.cells).toEqual([['x', 'y']]);
  });

  it.each([
    ['more shared texts than allowed', { sharedTexts: 2 }],
    ['longer shared texts than allowed', { sharedTextCharacters: 5 }],
    ['a longer shared text than allowed', { cellCharacters: 3 }],
  ])('%s: refused', async (_, limits) => {
    const texts = ['<t>abcd</t>', '<t>efgh</t>', '<t>ijkl</t>'];
    const content = workbook({ sheets: [{ name: 'S', rows: textRow(1, ['a']) }], texts });
    expect((await refusalOf(content, { limits })).code).toBe('limit_exceeded');
  });
});

describe('damage anywhere in a workbook', () => {
  const rows = Array.from({ length: 12 }, (_, index) =>
    textRow(index + 2, [`name ${index}`, `Zoë ${index * 7}`]),
  );
  const original = workbook({
    sheets: [
      {
        name: 'S',
        rows: `${textRow(1, ['a', 'b'])}${rows.join('')}<row r="20"><c r="A20" t="s"><v>1</v></c><c r="B20" s="1"><v>7</v></c></row>`,
      },
    ],
    texts: ['<t>first</t>', '<t>second</t>'],
    formats: ['00000'],
  });

  it('cut off anywhere, it is refused', async () => {
    for (let length = 0; length < original.length; length += 17) {
      const read = await outcomeOf(original.subarray(0, length));
      // A cut within the signature leaves a text of a few letters, which is a header and no rows.
      if (length >= 4) expect({ length, read }).toEqual({ length, read: null });
    }
  });
});
