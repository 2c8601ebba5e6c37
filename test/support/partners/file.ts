import { escapeXml, workbook } from '../workbook.ts';

/** A cell as a person typed it: text, or a number cell. */
export type Cell = string | number;

/** A line of a partner's file, and what is true of it. */
export interface Line {
  readonly cells: readonly Cell[];
  /** Whether it has to be created, has to be refused, or is no row at all. */
  readonly truth: 'good' | 'bad' | 'no row';
}

/** A file in the manner of those that partners send, with what is true of each of its lines. */
export interface PartnerFile {
  readonly name: string;
  readonly kind: 'customers' | 'recipients';
  /** Titles and empty lines above the header, and the header itself. */
  readonly head: readonly (readonly Cell[])[];
  readonly lines: readonly Line[];
}

/** The truth by row number, as a spreadsheet program counts. */
export function truthOf({ head, lines }: PartnerFile): ReadonlyMap<number, Line['truth']> {
  return new Map(lines.map(({ truth }, index) => [head.length + index + 1, truth]));
}

export function asWorkbook({ head, lines }: PartnerFile): Buffer {
  const rows = [...head, ...lines.map(({ cells }) => cells)].map((cells, index) => rowXml(index + 1, cells));
  return workbook({ sheets: [{ name: 'Sheet1', rows: rows.join('') }] });
}

export function asCsv({ head, lines }: PartnerFile, delimiter: string): string {
  const rows = [...head, ...lines.map(({ cells }) => cells)];
  return `${rows.map((cells) => cells.map((cell) => quoted(String(cell), delimiter)).join(delimiter)).join('\r\n')}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  return text.includes(delimiter) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

function rowXml(number: number, cells: readonly Cell[]): string {
  const written = cells.map((cell, index) => {
    const place = `${String.fromCharCode(65 + index)}${number}`;
    if (cell === '') return '';
    return typeof cell === 'number'
      ? `<c r="${place}"><v>${cell}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`;
  });
  return `<row r="${number}">${written.join('')}</row>`;
}
