import { afterEach, describe, expect, it } from 'vitest';
import { type ArchivePart, zip } from '../../../support/workbook.ts';
import { outcomeOf, readAll, refusalOf, removeTemporaryFiles } from '../../reading.ts';
import { ods, odsParts, odsRow, odsSheet, odsText } from './archive.ts';

afterEach(removeTemporaryFiles);

const SHEET = odsSheet(odsRow(odsText('a') + odsText('b')) + odsRow(odsText('x') + odsText('00420')));

function withPart(name: string, change: Partial<ArchivePart>): Buffer {
  return zip(odsParts({ sheets: SHEET }).map((part) => (part.name === name ? { ...part, ...change } : part)));
}

describe('an .ods file that means harm or is broken', () => {
  it.each<[string, Buffer, string]>([
    ['a bomb', ods({ sheets: odsSheet(odsRow('').repeat(500_000)) }), 'suspicious_compression'],
    ['a wrong checksum', withPart('content.xml', { checksum: 5 }), 'file_damaged'],
    ['a wrong checksum of its styles', withPart('styles.xml', { checksum: 5 }), 'file_damaged'],
    [
      'no content',
      zip(odsParts({ sheets: SHEET }).filter(({ name }) => name !== 'content.xml')),
      'file_damaged',
    ],
    ['content of another kind', withPart('content.xml', { data: '<html/>' }), 'file_damaged'],
    [
      'a name that leads out',
      zip([...odsParts({ sheets: SHEET }), { name: '../../x', data: '' }]),
      'file_damaged',
    ],
    [
      'a password',
      withPart('META-INF/manifest.xml', { data: '<m><manifest:encryption-data/></m>' }),
      'encrypted_file',
    ],
    ['a document type', ods({ sheets: SHEET, start: '<!DOCTYPE x [<!ENTITY a "b">]>' }), 'document_type'],
    ['an entity of its own', ods({ sheets: odsSheet(odsRow(odsText('&b;'))) }), 'file_damaged'],
    ['deep nesting', ods({ sheets: '<x>'.repeat(5000) }), 'file_damaged'],
    ['an endless text', ods({ sheets: odsSheet(odsRow(odsText('x'.repeat(70_000)))) }), 'limit_exceeded'],
    [
      'endless spaces',
      ods({ sheets: odsSheet(odsRow(odsText('<text:s text:c="999999999"/>'))) }),
      'limit_exceeded',
    ],
    ['more sheets than there can be', ods({ sheets: odsSheet('').repeat(1001) }), 'file_damaged'],
    [
      'a value repeated beyond the last column',
      ods({ sheets: odsSheet(odsRow(odsText('x', 'table:number-columns-repeated="16384"'))) }),
      'limit_exceeded',
    ],
    [
      'rows repeated without end',
      ods({
        sheets: odsSheet(
          odsRow(odsText('x', 'table:number-columns-repeated="900"'), 'table:number-rows-repeated="1000000"'),
        ),
      }),
      'limit_exceeded',
    ],
    [
      'styles that are their own parents',
      ods({
        sheets: odsSheet(
          odsRow('<table:table-cell table:style-name="c" office:value-type="float" office:value="x"/>'),
        ),
        styles: '<style:style style:name="c" style:family="table-cell" style:parent-style-name="c"/>',
      }),
      'file_damaged',
    ],
  ])('%s: refused with a code', async (_, content, code) => {
    const refusal = await refusalOf(content);
    expect(refusal.code).toBe(code);
    expect(refusal.remedies).not.toEqual([]);
  });

  it('repeated cells are counted over all rows', async () => {
    const rows = odsRow(odsText('x', 'table:number-columns-repeated="3"'), 'table:number-rows-repeated="2"');
    const content = ods({
      sheets: odsSheet(odsRow(odsText('a') + odsText('b') + odsText('c')) + rows + rows),
    });
    expect((await readAll(content, { limits: { repeatedCells: 10 } })).tables[0]?.rows).toHaveLength(4);
    expect((await refusalOf(content, { limits: { repeatedCells: 9 } })).code).toBe('limit_exceeded');
  });
});

describe('damage anywhere in an .ods file', () => {
  const rows = Array.from({ length: 12 }, (_, index) =>
    odsRow(odsText(`name ${index}`) + odsText(`00${index * 7}`)),
  );
  const original = ods({ sheets: odsSheet(odsRow(odsText('a') + odsText('b')) + rows.join('')) });

  it('cut off anywhere, it is refused', async () => {
    for (let length = 4; length < original.length; length += 11) {
      expect({ length, read: await outcomeOf(original.subarray(0, length)) }).toEqual({ length, read: null });
    }
  });
});
