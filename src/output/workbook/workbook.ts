import { notesDrawingXml, notesXml } from './notes.ts';
import { RELATIONSHIPS, type Sheet, sheetXml } from './sheet.ts';
import { stylesXml } from './styles.ts';
import { DECLARATION, escapeXml } from './xml.ts';
import { type ArchivePart, zipArchive } from './zip.ts';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

interface Relationship {
  readonly id: string;
  readonly type: string;
  readonly target: string;
}

function relationshipsXml(relationships: readonly Relationship[]): string {
  const each = relationships.map(
    ({ id, type, target }) => `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

function contentTypesXml(sheets: readonly Sheet[]): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}.xml" ContentType="${CONTENT}.${type}+xml"/>`;
  const parts = sheets.flatMap(({ notes }, index) => [
    override(`worksheets/sheet${index + 1}`, 'worksheet'),
    ...(notes.length === 0 ? [] : [override(`comments${index + 1}`, 'comments')]),
  ]);
  return [
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>',
    override('workbook', 'sheet.main'),
    override('styles', 'styles'),
    ...parts,
    '</Types>',
  ].join('');
}

function workbookXml(sheets: readonly Sheet[]): string {
  const list = sheets.map(
    ({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return `${DECLARATION}<workbook xmlns="${main}" xmlns:r="${RELATIONSHIPS}"><sheets>${list.join('')}</sheets></workbook>`;
}

function partsOfSheet(sheet: Sheet, index: number): ArchivePart[] {
  const number = index + 1;
  const own = { name: `xl/worksheets/sheet${number}.xml`, text: sheetXml(sheet) };
  if (sheet.notes.length === 0) return [own];
  const links = [
    { id: 'rIdDrawing', type: 'vmlDrawing', target: `../drawings/notes${number}.vml` },
    { id: 'rIdNotes', type: 'comments', target: `../comments${number}.xml` },
  ];
  return [
    own,
    { name: `xl/worksheets/_rels/sheet${number}.xml.rels`, text: relationshipsXml(links) },
    { name: `xl/comments${number}.xml`, text: notesXml(sheet.notes) },
    { name: `xl/drawings/notes${number}.vml`, text: notesDrawingXml(sheet.notes) },
  ];
}

/** A workbook (.xlsx) of a few sheets, as bytes. The same content gives the same bytes. */
export function workbookBytes(sheets: readonly Sheet[]): Buffer {
  const links = [
    ...sheets.map((_, index) => ({
      id: `rId${index + 1}`,
      type: 'worksheet',
      target: `worksheets/sheet${index + 1}.xml`,
    })),
    { id: 'rIdStyles', type: 'styles', target: 'styles.xml' },
  ];
  const document = [{ id: 'rId1', type: 'officeDocument', target: 'xl/workbook.xml' }];
  return zipArchive([
    { name: '[Content_Types].xml', text: contentTypesXml(sheets) },
    { name: '_rels/.rels', text: relationshipsXml(document) },
    { name: 'xl/workbook.xml', text: workbookXml(sheets) },
    { name: 'xl/_rels/workbook.xml.rels', text: relationshipsXml(links) },
    { name: 'xl/styles.xml', text: stylesXml() },
    ...sheets.flatMap(partsOfSheet),
  ]);
}
