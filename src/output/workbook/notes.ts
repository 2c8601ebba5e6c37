import type { CellNote } from './sheet.ts';
import { columnLetters, DECLARATION, escapedCellText } from './xml.ts';

/** The part that holds the texts of notes. */
export function notesXml(notes: readonly CellNote[]): string {
  const each = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${columnLetters(column)}${row}" authorId="0"><text><r><rPr><sz val="10"/><rFont val="Calibri"/></rPr><t xml:space="preserve">${escapedCellText(text)}</t></r></text></comment>`,
  );
  return `${DECLARATION}<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>paybatch</author></authors><commentList>${each.join('')}</commentList></comments>`;
}

const LINE_POINTS = 15;
const LETTERS_ON_A_LINE = 44;

function heightOf(text: string): number {
  const lines = text
    .split('\n')
    .reduce((sum, line) => sum + Math.ceil((line.length + 1) / LETTERS_ON_A_LINE), 0);
  return LINE_POINTS * (lines + 1);
}

/** The part that says where notes are drawn: spreadsheet programs still want it in the old VML. */
export function notesDrawingXml(notes: readonly CellNote[]): string {
  const shapes = notes.map(
    ({ row, column, text }, index) =>
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" style="position:absolute;width:260pt;height:${heightOf(text)}pt;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:textbox/><x:ClientData ObjectType="Note"><x:SizeWithCells/><x:AutoFill>False</x:AutoFill><x:Row>${row - 1}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`,
  );
  return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`;
}
