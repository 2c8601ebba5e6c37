import { damagedFile } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import { readXml, type XmlHandler } from '../../file/xml.ts';
import { builtInNumberFormat, type NumberFormat, parseNumberFormat } from '../sheet/cell-value.ts';

/** The number format of each cell style, by the style's index. */
export type Styles = readonly NumberFormat[];

/** A workbook without styles shows every value as it is. */
export const NO_STYLES: Styles = [builtInNumberFormat(0)];

/** More than spreadsheet programs can keep (65,490). */
const STYLE_LIMIT = 100_000;

/** Reads the part that says how cells look, of which only number formats matter here. */
export async function readStyles(chunks: AsyncIterable<Buffer>, limits: InputLimits): Promise<Styles> {
  const codes = new Map<string, string>();
  const formatIds: string[] = [];
  let isInCellFormats = false;
  const handler: XmlHandler = {
    open(name, attributes) {
      if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'numFmt') {
        codes.set(attributes.numFmtId ?? '', attributes.formatCode ?? '');
      } else if (name === 'xf' && isInCellFormats) formatIds.push(attributes.numFmtId ?? '0');
      if (codes.size > STYLE_LIMIT || formatIds.length > STYLE_LIMIT) {
        throw damagedFile('it has more cell styles than a workbook can have');
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCellFormats = false;
    },
    text() {},
  };
  await readXml(chunks, handler, limits);
  const formats = new Map<string, NumberFormat>();
  for (const id of new Set(formatIds)) {
    const code = codes.get(id);
    formats.set(id, code === undefined ? builtInNumberFormat(Number(id)) : parseNumberFormat(code));
  }
  return formatIds.length === 0
    ? NO_STYLES
    : formatIds.map((id) => formats.get(id) ?? builtInNumberFormat(0));
}
