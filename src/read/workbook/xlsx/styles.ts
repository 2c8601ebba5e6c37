/* The styles of an `.xlsx` workbook: the number format of each cell style, and how its cells look. */

import { type CellMarks, fillMark, noMarks, struckMark, textMark } from '../../../domain/tables/row-marks.ts';
import { damagedFile, type InputLimits } from '../../file/input-error.ts';
import { isTrue, readXml, type XmlAttributes, type XmlHandler } from '../../file/xml.ts';
import { builtInNumberFormat, type NumberFormat, parseNumberFormat } from '../sheet/cell-value.ts';
import { type Colour, rgbOf } from './colours.ts';

/** What is needed of the cell styles, by the style's index. */
export interface Styles {
  readonly formats: readonly NumberFormat[];
  readonly marks: readonly CellMarks[];
}

/** A workbook without styles shows every value as it is. */
export const NO_STYLES: Styles = { formats: [builtInNumberFormat(0)], marks: [noMarks] };

/** More than spreadsheet programs can keep (65,490). */
const STYLE_LIMIT = 100_000;

interface Font {
  isStruck: boolean;
  colour: Colour | undefined;
}

interface CellFormat {
  readonly format: string;
  readonly font: number;
  readonly fill: number;
}

/** Collects the parts of the styles part that are needed; styles of tables and conditions have fonts and fills too. */
class StylesReader implements XmlHandler {
  readonly codes = new Map<string, string>();
  readonly fonts: Font[] = [];
  readonly fills: (Colour | undefined)[] = [];
  readonly cells: CellFormat[] = [];
  #section: 'fonts' | 'fills' | 'cellXfs' | null = null;
  #isFilled = false;

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'fonts' || name === 'fills' || name === 'cellXfs') this.#section = name;
    else if (name === 'numFmt') this.codes.set(attributes.numFmtId ?? '', attributes.formatCode ?? '');
    else if (this.#section === 'fonts') this.#openInFonts(name, attributes);
    else if (this.#section === 'fills') this.#openInFills(name, attributes);
    else if (this.#section === 'cellXfs' && name === 'xf') {
      const [font, fill] = [Number(attributes.fontId ?? '0'), Number(attributes.fillId ?? '0')];
      this.cells.push({ format: attributes.numFmtId ?? '0', font, fill });
    }
    const most = Math.max(this.codes.size, this.cells.length, this.fonts.length, this.fills.length);
    if (most > STYLE_LIMIT) throw damagedFile('it has more cell styles than a workbook can have');
  }

  #openInFonts(name: string, attributes: XmlAttributes): void {
    const font = this.fonts.at(-1);
    if (name === 'font') this.fonts.push({ isStruck: false, colour: undefined });
    else if (font === undefined) return;
    else if (name === 'strike') font.isStruck = attributes.val === undefined || isTrue(attributes.val);
    else if (name === 'color') font.colour = colourIn(attributes);
  }

  /** Of a fill that changes from one colour to another, the first one counts. */
  #openInFills(name: string, attributes: XmlAttributes): void {
    if (name === 'fill') this.fills.push(undefined);
    else if (name === 'patternFill') this.#isFilled = (attributes.patternType ?? 'none') !== 'none';
    else if (name === 'gradientFill') this.#isFilled = true;
    else if ((name === 'fgColor' || name === 'color') && this.#isFilled && this.fills.length > 0) {
      this.fills[this.fills.length - 1] ??= colourIn(attributes);
    }
  }

  close(name: string): void {
    if (name === this.#section) this.#section = null;
  }

  text(): void {}
}

function colourIn({ rgb, theme, indexed, tint = '0' }: XmlAttributes): Colour | undefined {
  const digits = /^(?:[0-9A-F]{2})?([0-9A-F]{6})$/i.exec(rgb ?? '')?.[1];
  if (digits !== undefined) return { rgb: digits, tint: Number(tint) };
  if (theme !== undefined) return { theme: Number(theme), tint: Number(tint) };
  return indexed === undefined ? undefined : { indexed: Number(indexed), tint: Number(tint) };
}

/**
 * Reads the styles part.
 * @param themeColours reads the colours of the workbook's theme; called where a style names one
 */
export async function readStyles(
  chunks: AsyncIterable<Buffer>,
  limits: InputLimits,
  themeColours: () => Promise<readonly string[]>,
): Promise<Styles> {
  const { codes, fonts, fills, cells } = await stylesIn(chunks, limits);
  const formats = new Map<string, NumberFormat>();
  for (const id of new Set(cells.map(({ format }) => format))) {
    const code = codes.get(id);
    formats.set(id, code === undefined ? builtInNumberFormat(Number(id)) : parseNumberFormat(code));
  }
  if (cells.length === 0) return NO_STYLES;
  const colours = [...fills, ...fonts.map(({ colour }) => colour)];
  const theme = colours.some((colour) => colour?.theme !== undefined) ? await themeColours() : [];
  const ofFills = fills.map((colour) => fillMark(rgbOf(colour, theme)));
  const ofFonts = fonts.map(({ isStruck, colour }) => [
    ...(isStruck ? [struckMark] : []),
    ...textMark(rgbOf(colour, theme)),
  ]);
  return {
    formats: cells.map(({ format }) => formats.get(format) ?? builtInNumberFormat(0)),
    marks: cells.map(({ font, fill }): CellMarks => {
      const marks = [...(ofFonts[font] ?? noMarks), ...(ofFills[fill] ?? noMarks)];
      return marks.length === 0 ? noMarks : marks;
    }),
  };
}

async function stylesIn(chunks: AsyncIterable<Buffer>, limits: InputLimits): Promise<StylesReader> {
  const reader = new StylesReader();
  await readXml(chunks, reader, limits);
  return reader;
}
