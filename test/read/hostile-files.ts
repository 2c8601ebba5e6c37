/* Files that mean harm or are broken, each with the code that it is refused with. */

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type ArchivePart, textRow, workbookParts, zip } from '../support/workbook.ts';
import { ods, odsParts, odsRow, odsSheet, odsText } from './workbook/ods/archive.ts';

/** What it is, its content, and the code of its refusal. */
export type HostileFile<Content = Buffer> = readonly [what: string, content: Content, code: string];

const ROWS = textRow(1, ['a', 'b']) + textRow(2, ['x', 'y']);
/** The parts of a small and honest workbook. */
export const PARTS: readonly ArchivePart[] = workbookParts({
  sheets: [{ name: 'S', rows: ROWS }],
  texts: ['<t>x</t>'],
  formats: ['00000'],
});
/** Its sheet. */
export const SHEET = 'xl/worksheets/sheet1.xml';

/** That workbook with one part changed. */
export function withPart(name: string, change: Partial<ArchivePart>): Buffer {
  return zip(PARTS.map((part) => (part.name === name ? { ...part, ...change } : part)));
}

/** A sheet. @param start what is before its first element */
export function sheetXml(rows: string, start = ''): string {
  return `${start}<worksheet><sheetData>${rows}</sheetData></worksheet>`;
}

export const hostileArchives: readonly HostileFile[] = [
  ['an empty archive', zip([]), 'unsupported_archive'],
  ['another archive', zip([{ name: 'list.csv', data: 'a,b' }]), 'unsupported_archive'],
  ['a document', withPart('xl/workbook.xml', { data: '<w:document xmlns:w="w"/>' }), 'document_file'],
  ['a wrong checksum', withPart(SHEET, { checksum: 1 }), 'file_damaged'],
  ['a wrong size', withPart(SHEET, { statedSize: 10 }), 'file_damaged'],
  ['an encrypted part', withPart(SHEET, { flags: 1 }), 'encrypted_file'],
  ['an unknown compression', withPart(SHEET, { method: 99 }), 'file_damaged'],
  [
    'bytes that do not unpack',
    withPart(SHEET, { method: 'stored', data: 'x', statedSize: 2 }),
    'file_damaged',
  ],
  ['two parts of one name', zip([...PARTS, { name: SHEET, data: 'x' }]), 'file_damaged'],
  ['a name that leads out', zip([...PARTS, { name: '../../etc/x', data: 'x' }]), 'file_damaged'],
  ['a missing sheet', zip(PARTS.filter((part) => part.name !== SHEET)), 'file_damaged'],
  ['missing texts', zip(PARTS.filter((part) => !part.name.includes('shared'))), 'file_damaged'],
  ['missing styles', zip(PARTS.filter((part) => !part.name.includes('styles'))), 'file_damaged'],
  [
    'two sheets that are one part',
    withPart('xl/workbook.xml', {
      data: String(PARTS.find(({ name }) => name === 'xl/workbook.xml')?.data).replace(
        /<sheet .*?\/>/,
        '$&$&',
      ),
    }),
    'file_damaged',
  ],
  ['a missing list of sheets', zip(PARTS.filter((part) => part.name !== 'xl/workbook.xml')), 'file_damaged'],
  ['bytes behind its end', Buffer.concat([zip(PARTS), Buffer.from('more')]), 'file_damaged'],
];

const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>';

/** Sheets of a workbook that is honest otherwise. */
export const hostileXml: readonly HostileFile<string>[] = [
  ['a document type', sheetXml(textRow(1, ['a']), bomb), 'document_type'],
  ['an entity of its own', sheetXml('<row><c t="str"><v>&b;</v></c></row>'), 'file_damaged'],
  ['tags that do not match', '<worksheet><sheetData></worksheet>', 'file_damaged'],
  ['an end too early', '<worksheet><sheetData><row r="1">', 'file_damaged'],
  ['no XML at all', 'a,b,c', 'file_damaged'],
  ['nothing at all', '', 'file_damaged'],
  ['a NUL character', sheetXml('<row><c t="str"><v>\0</v></c></row>'), 'file_damaged'],
  ['deep nesting', '<a>'.repeat(5000), 'file_damaged'],
  ['a long text', sheetXml(`<row><c t="str"><v>${'x'.repeat(70_000)}</v></c></row>`), 'limit_exceeded'],
  ['a long comment', sheetXml(`<!--${'x'.repeat(3_000_000)}-->`), 'limit_exceeded'],
  [
    'another encoding',
    sheetXml(textRow(1, ['a']), '<?xml version="1.0" encoding="ebcdic"?>'),
    'file_damaged',
  ],
];

const ODS_SHEET = odsSheet(odsRow(odsText('a') + odsText('b')) + odsRow(odsText('x') + odsText('00420')));

function withOdsPart(name: string, change: Partial<ArchivePart>): Buffer {
  return zip(
    odsParts({ sheets: ODS_SHEET }).map((part) => (part.name === name ? { ...part, ...change } : part)),
  );
}

export const hostileOds: readonly HostileFile[] = [
  ['a bomb', ods({ sheets: odsSheet(odsRow('').repeat(500_000)) }), 'suspicious_compression'],
  ['a wrong checksum', withOdsPart('content.xml', { checksum: 5 }), 'file_damaged'],
  ['a wrong checksum of its styles', withOdsPart('styles.xml', { checksum: 5 }), 'file_damaged'],
  [
    'no content',
    zip(odsParts({ sheets: ODS_SHEET }).filter(({ name }) => name !== 'content.xml')),
    'file_damaged',
  ],
  ['content of another kind', withOdsPart('content.xml', { data: '<html/>' }), 'file_damaged'],
  [
    'a name that leads out',
    zip([...odsParts({ sheets: ODS_SHEET }), { name: '../../x', data: '' }]),
    'file_damaged',
  ],
  [
    'a password',
    withOdsPart('META-INF/manifest.xml', { data: '<m><manifest:encryption-data/></m>' }),
    'encrypted_file',
  ],
  ['a document type', ods({ sheets: ODS_SHEET, start: '<!DOCTYPE x [<!ENTITY a "b">]>' }), 'document_type'],
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
];

/** Files that claim to be lists, or are no tables at all. */
export const hostileLists: readonly HostileFile[] = [
  ['nothing at all', Buffer.alloc(0), 'empty_file'],
  ['a mark of its encoding alone', Buffer.from('\uFEFF'), 'empty_file'],
  ['an unclosed quote', Buffer.from('a,b\n1,2\n\n3,"x\n4,5\n6,7\n'), 'quote_not_closed'],
  ['an endless record', Buffer.from(`a,b\n1,"${'x,y\n'.repeat(400_000)}`), 'limit_exceeded'],
  ['more columns than allowed', Buffer.from(`a,b\n1,2\n${',x'.repeat(1200)}\n`), 'limit_exceeded'],
  ['a zip inside a gzip', gzipSync('PK\x03\x04 and more'), 'nested_archive'],
  ['a bomb', gzipSync(Buffer.alloc(30_000_000, 'a,b\n')), 'suspicious_compression'],
  ['a gzip that is cut off', gzipSync('a,b\n1,2\n').subarray(0, 15), 'file_may_be_cut'],
  ['a PDF', Buffer.from('%PDF-1.7\n'), 'document_file'],
  [
    'a workbook with a password',
    readFileSync(new URL('fixtures/password.xls', import.meta.url)),
    'encrypted_file',
  ],
  [
    'an .ods file with a password',
    readFileSync(new URL('fixtures/password.ods', import.meta.url)),
    'encrypted_file',
  ],
];
