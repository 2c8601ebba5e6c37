import { crc32, deflateRawSync } from 'node:zlib';

/** A part of an archive; what is stated here beside name and data goes into its headers, true or not. */
export interface ArchivePart {
  readonly name: string;
  readonly data: string | Buffer;
  readonly checksum?: number;
  readonly flags?: number;
  readonly method?: 'stored' | 'deflated' | number;
  readonly statedSize?: number;
}

function header(
  part: ArchivePart,
  packed: Buffer,
  size: number,
  checksum: number,
  isCentral: boolean,
): Buffer {
  const method = part.method === 'stored' ? 0 : typeof part.method === 'number' ? part.method : 8;
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(part.flags ?? 0, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt32LE(checksum, 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(part.statedSize ?? size, 18);
  fields.writeUInt16LE(Buffer.byteLength(part.name), 22);
  return isCentral
    ? Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields])
    : Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields]);
}

/** Writes a zip archive, byte by byte, so that it can be wrong in every way. */
export function zip(parts: readonly ArchivePart[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const data = Buffer.from(part.data);
    const packed = part.method === 'stored' ? data : deflateRawSync(data);
    const checksum = part.checksum ?? crc32(data);
    const name = Buffer.from(part.name);
    const local = Buffer.concat([header(part, packed, data.length, checksum, false), name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([header(part, packed, data.length, checksum, true), rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** One sheet: the XML inside `sheetData`, and around it. */
export interface SheetXml {
  readonly name: string;
  readonly rows: string;
  readonly before?: string;
  readonly after?: string;
  readonly state?: string;
  /** Another kind of sheet than one with cells. */
  readonly type?: 'worksheet' | 'chartsheet';
}

export interface WorkbookXml {
  readonly sheets: readonly SheetXml[];
  /** The XML of each shared text, inside `<si>`. */
  readonly texts?: readonly string[];
  /** Number formats; the cell style of the first one is 1, since 0 is the general format. */
  readonly formats?: readonly (string | number)[];
  readonly workbookProperties?: string;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function stylesXml(formats: readonly (string | number)[]): string {
  const ids = formats.map((format, index) => (typeof format === 'number' ? format : 164 + index));
  const codes = formats.flatMap((format, index) =>
    typeof format === 'number'
      ? []
      : [`<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(format)}"/>`],
  );
  const styles = [0, ...ids].map((id) => `<xf numFmtId="${id}"/>`).join('');
  return `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles}</cellXfs></styleSheet>`;
}

function relationships(entries: readonly { id: string; type: string; target: string }[]): string {
  const lines = entries.map(
    ({ id, type, target }) => `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}">${lines.join('')}</Relationships>`;
}

function contentTypes(sheetCount: number): string {
  const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${main}.${type}+xml"/>`;
  const sheets = Array.from({ length: sheetCount }, (_, index) =>
    override(`worksheets/sheet${index + 1}`, 'worksheet'),
  );
  const others = [
    override('workbook', 'sheet.main'),
    override('sharedStrings', 'sharedStrings'),
    override('styles', 'styles'),
  ];
  const defaults =
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>';
  const namespace = 'http://schemas.openxmlformats.org/package/2006/content-types';
  return `${DECLARATION}<Types xmlns="${namespace}">${defaults}${others.join('')}${sheets.join('')}</Types>`;
}

/** The parts of a small but complete workbook, to be changed by a test or given to `zip`. */
export function workbookParts({ sheets, texts, formats, workbookProperties }: WorkbookXml): ArchivePart[] {
  const list = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state ? ` state="${state}"` : ''} r:id="rId${index + 1}"/>`,
  );
  const links = sheets.map(({ type }, index) => ({
    id: `rId${index + 1}`,
    type: type ?? 'worksheet',
    target: `worksheets/sheet${index + 1}.xml`,
  }));
  if (texts !== undefined)
    links.push({ id: 'rIdT', type: 'sharedStrings' as 'worksheet', target: '/xl/sharedStrings.xml' });
  if (formats !== undefined) links.push({ id: 'rIdS', type: 'styles' as 'worksheet', target: 'styles.xml' });
  return [
    { name: '[Content_Types].xml', data: contentTypes(sheets.length) },
    {
      name: '_rels/.rels',
      data: relationships([{ id: 'r1', type: 'officeDocument', target: 'xl/workbook.xml' }]),
    },
    {
      name: 'xl/workbook.xml',
      data: `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}">${workbookProperties ?? ''}<sheets>${list.join('')}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', data: relationships(links) },
    ...(texts === undefined
      ? []
      : [
          {
            name: 'xl/sharedStrings.xml',
            data: `${DECLARATION}<sst xmlns="${MAIN}">${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
          },
        ]),
    ...(formats === undefined ? [] : [{ name: 'xl/styles.xml', data: stylesXml(formats) }]),
    ...sheets.map(({ rows, before, after }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      data: `${DECLARATION}<worksheet xmlns="${MAIN}">${before ?? ''}<sheetData>${rows}</sheetData>${after ?? ''}</worksheet>`,
    })),
  ];
}

/** A whole workbook. */
export function workbook(content: WorkbookXml): Buffer {
  return zip(workbookParts(content));
}

/** A row of inline texts, and of numbers: `<row r="2"><c r="A2" t="inlineStr">...`. */
export function textRow(number: number, cells: readonly (string | number)[]): string {
  const columns = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const xml = cells.map((cell, index) =>
    typeof cell === 'number'
      ? `<c r="${columns[index]}${number}"><v>${cell}</v></c>`
      : `<c r="${columns[index]}${number}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`,
  );
  return `<row r="${number}">${xml.join('')}</row>`;
}
