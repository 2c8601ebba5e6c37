/* A workbook (.xlsx): its parts, with notes on cells, written in constant memory. */

import {
  type CellNote,
  columnLetters,
  DECLARATION,
  type DropDown,
  escapedCellText,
  escapeXml,
  MAIN,
  RELATIONSHIPS,
  rowWriter,
  type SheetForm,
  type SheetRow,
  sheetHead,
  sheetTail,
  stylesXml,
} from './sheet.ts';
import { type ByteSink, type PartWriter, ZipWriter } from './zip-writer.ts';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/**
 * The sheet of values that do not fit into a formula. Its titles are reserved for paybatch, so that an import leaves it
 * out.
 */
const LISTS_SHEET = 'Lists';
const LIST_COLUMN_CHARACTERS = 40;

/** A sheet with all of its content. */
export interface WorkbookSheet extends SheetForm, SheetExtras {
  /** The header first. */
  readonly rows: readonly SheetRow[];
}

/** The content of a sheet besides its rows. */
interface SheetExtras {
  readonly dropDowns: readonly DropDown[];
  readonly notes: readonly CellNote[];
}

interface WrittenSheet {
  readonly name: string;
  /** The number of the sheet's part in the archive. The sheet's position among the sheets may differ. */
  readonly number: number;
  readonly hasNotes: boolean;
}

interface Relationship {
  readonly id: string;
  readonly type: string;
  readonly target: string;
}

/** A list on the sheet of values. */
interface OwnList {
  readonly title: string;
  readonly values: readonly string[];
}

/**
 * A workbook (.xlsx) that is written sheet by sheet, row by row: memory does not grow with its rows. The same content
 * results in the same bytes. Every method may throw `ArchiveTooLarge`.
 */
export class WorkbookWriter {
  readonly #archive: ZipWriter;
  readonly #sheets: WrittenSheet[] = [];
  readonly #lists: OwnList[] = [];

  constructor(sink: ByteSink) {
    this.#archive = new ZipWriter(sink);
  }

  /** Begins a sheet; its rows are written next, the header first. One sheet is open at a time. */
  async open(form: SheetForm): Promise<SheetWriter> {
    const part = await this.#archive.open(`xl/worksheets/sheet${this.#sheets.length + 1}.xml`);
    await part.write(sheetHead(form));
    return new SheetWriter(form, part, (extras) => this.#endSheet(form, part, extras));
  }

  async #endSheet(form: SheetForm, part: PartWriter, { dropDowns, notes }: SheetExtras): Promise<void> {
    const hasNotes = notes.length > 0;
    const rangeOf = (list: DropDown): string => this.#rangeOf(list);
    await part.write(sheetTail(form, { dropDowns, hasNotes, rangeOf }));
    await part.close();
    const number = this.#sheets.length + 1;
    const written = { name: form.name, number, hasNotes };
    if (form.isFirst === true) this.#sheets.unshift(written);
    else this.#sheets.push(written);
    if (!hasNotes) return;
    const links = [
      { id: 'rIdDrawing', type: 'vmlDrawing', target: `../drawings/notes${number}.vml` },
      { id: 'rIdNotes', type: 'comments', target: `../comments${number}.xml` },
    ];
    await this.#archive.add(`xl/worksheets/_rels/sheet${number}.xml.rels`, relationshipsXml(links));
    await this.#archive.add(`xl/comments${number}.xml`, notesXml(notes));
    await this.#archive.add(`xl/drawings/notes${number}.vml`, notesDrawingXml(notes));
  }

  #rangeOf({ values, column }: DropDown): string {
    const letters = columnLetters(this.#lists.length);
    this.#lists.push({ title: `result_values_${column + 1}`, values });
    return `${LISTS_SHEET}!$${letters}$2:$${letters}$${values.length + 1}`;
  }

  /** Writes the parts that connect the sheets. */
  async finish(): Promise<void> {
    if (this.#lists.length > 0) await this.#writeLists();
    const links = [
      ...this.#sheets.map(({ number }) => ({
        id: `rId${number}`,
        type: 'worksheet',
        target: `worksheets/sheet${number}.xml`,
      })),
      { id: 'rIdStyles', type: 'styles', target: 'styles.xml' },
    ];
    const document = [{ id: 'rId1', type: 'officeDocument', target: 'xl/workbook.xml' }];
    await this.#archive.add('xl/styles.xml', stylesXml());
    await this.#archive.add('xl/workbook.xml', workbookXml(this.#sheets));
    await this.#archive.add('xl/_rels/workbook.xml.rels', relationshipsXml(links));
    await this.#archive.add('_rels/.rels', relationshipsXml(document));
    await this.#archive.add('[Content_Types].xml', contentTypesXml(this.#sheets));
    await this.#archive.finish();
  }

  async #writeLists(): Promise<void> {
    const lists = [...this.#lists];
    const columns = lists.map(() => ({ width: LIST_COLUMN_CHARACTERS, style: 'text' as const }));
    const sheet = await this.open({ name: LISTS_SHEET, columns });
    await sheet.write(lists.map(({ title }) => ({ value: title, style: 'header-result' })));
    const longest = Math.max(...lists.map(({ values }) => values.length));
    for (let index = 0; index < longest; index += 1) {
      const values = lists.map((list) => list.values[index]);
      await sheet.write(values.map((value) => (value === undefined ? null : { value, style: 'text' })));
    }
    await sheet.close({ dropDowns: [], notes: [] });
  }
}

/** A sheet that is being written. */
export class SheetWriter {
  readonly #part: PartWriter;
  readonly #end: (extras: SheetExtras) => Promise<void>;
  readonly #rowXml: ReturnType<typeof rowWriter>;
  #rows = 0;

  constructor(form: SheetForm, part: PartWriter, end: (extras: SheetExtras) => Promise<void>) {
    this.#part = part;
    this.#end = end;
    this.#rowXml = rowWriter(form);
  }

  /** @returns null if there is nothing to wait for, which is the case after most rows */
  write(cells: SheetRow): Promise<void> | null {
    this.#rows += 1;
    return this.#part.write(this.#rowXml(cells, this.#rows));
  }

  close(extras: SheetExtras): Promise<void> {
    return this.#end(extras);
  }
}

/** A small workbook, as bytes. */
export async function workbookBytes(sheets: readonly WorkbookSheet[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const workbook = new WorkbookWriter(async (bytes) => {
    pieces.push(bytes);
  });
  for (const sheet of sheets) {
    const writer = await workbook.open(sheet);
    for (const row of sheet.rows) await writer.write(row);
    await writer.close(sheet);
  }
  await workbook.finish();
  return Buffer.concat(pieces);
}

function relationshipsXml(relationships: readonly Relationship[]): string {
  const each = relationships.map(
    ({ id, type, target }) => `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

function contentTypesXml(sheets: readonly WrittenSheet[]): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}.xml" ContentType="${CONTENT}.${type}+xml"/>`;
  const parts = sheets.flatMap(({ hasNotes, number }) => [
    override(`worksheets/sheet${number}`, 'worksheet'),
    ...(hasNotes ? [override(`comments${number}`, 'comments')] : []),
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

function workbookXml(sheets: readonly WrittenSheet[]): string {
  const list = sheets.map(
    ({ name, number }) => `<sheet name="${escapeXml(name)}" sheetId="${number}" r:id="rId${number}"/>`,
  );
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${list.join('')}</sheets></workbook>`;
}

/** The part with the texts of notes. */
function notesXml(notes: readonly CellNote[]): string {
  const each = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${columnLetters(column)}${row}" authorId="0"><text><r><rPr><sz val="10"/><rFont val="Calibri"/></rPr><t xml:space="preserve">${escapedCellText(text)}</t></r></text></comment>`,
  );
  return `${DECLARATION}<comments xmlns="${MAIN}"><authors><author>paybatch</author></authors><commentList>${each.join('')}</commentList></comments>`;
}

const LINE_POINTS = 15;
const LETTERS_ON_A_LINE = 44;

function heightOf(text: string): number {
  const lines = text
    .split('\n')
    .reduce((sum, line) => sum + Math.ceil((line.length + 1) / LETTERS_ON_A_LINE), 0);
  return LINE_POINTS * (lines + 1);
}

/** The part with the positions of notes: spreadsheet programs still require the old VML for it. */
function notesDrawingXml(notes: readonly CellNote[]): string {
  const shapes = notes.map(
    ({ row, column, text }, index) =>
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" style="position:absolute;width:260pt;height:${heightOf(text)}pt;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:textbox/><x:ClientData ObjectType="Note"><x:SizeWithCells/><x:AutoFill>False</x:AutoFill><x:Row>${row - 1}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  );
  return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`;
}
