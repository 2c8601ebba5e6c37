/* The styles of an `.xlsx` workbook: the number format of each cell style, how its cells look, and its colours. */

import { type CellMarks, cellMarks, noMarks } from '../../../domain/tables/row-marks.ts';
import { damagedFile, type InputLimits } from '../../file/input-error.ts';
import { isTrue, readXml, type XmlAttributes, type XmlHandler } from '../../file/xml.ts';
import { builtInNumberFormat, type NumberFormat, parseNumberFormat } from '../sheet/number-format.ts';
import { numberedColour } from '../sheet/sheets.ts';

/* The colours that styles of an `.xlsx` workbook name: as they are, by the workbook's theme, or by a number. */

/** A colour as a style names it. `tint` makes it lighter (up to 1) or darker (down to -1). */
interface Colour {
  readonly rgb?: string;
  readonly theme?: number;
  readonly indexed?: number;
  readonly tint: number;
}

/** The colours of a theme in the order in which styles count them; the first two pairs change places in its file. */
const themeOrder = [
  ...['lt1', 'dk1', 'lt2', 'dk2', 'accent1', 'accent2'],
  ...['accent3', 'accent4', 'accent5', 'accent6', 'hlink', 'folHlink'],
];

/** The theme of a workbook that has none: that of Office since 2013. */
export const usualTheme: readonly string[] = [
  ...['FFFFFF', '000000', 'E7E6E6', '44546A', '4472C4', 'ED7D31'],
  ...['A5A5A5', 'FFC000', '5B9BD5', '70AD47', '0563C1', '954F72'],
];

/** Reads the colours of a theme part. */
export async function readThemeColours(
  chunks: AsyncIterable<Buffer>,
  limits: InputLimits,
): Promise<readonly string[]> {
  const colours = [...usualTheme];
  let at = -1;
  let isInScheme = false;
  const handler: XmlHandler = {
    open(name, attributes) {
      if (name === 'clrScheme') isInScheme = true;
      else if (!isInScheme) return;
      else if (themeOrder.includes(name)) at = themeOrder.indexOf(name);
      else {
        const rgb = name === 'sysClr' ? attributes.lastClr : name === 'srgbClr' ? attributes.val : undefined;
        if (at !== -1 && /^[0-9A-F]{6}$/i.test(rgb ?? '')) colours[at] = rgb ?? '';
      }
    },
    close(name) {
      if (name === 'clrScheme') isInScheme = false;
    },
  };
  await readXml(chunks, handler, limits);
  return colours;
}

/** Six hexadecimal digits; undefined for no colour, and for the usual one. */
function rgbOf(colour: Colour | undefined, theme: readonly string[]): string | undefined {
  if (colour === undefined) return undefined;
  const { rgb, theme: place, indexed, tint } = colour;
  const base = rgb ?? (place === undefined ? numberedColour(indexed) : theme[place]);
  return base === undefined || !(tint >= -1 && tint <= 1) || tint === 0 ? base : tinted(base, tint);
}

/** Lighter or darker, with the same hue: each channel moves towards white or black. */
function tinted(rgb: string, tint: number): string {
  const channels = [0, 2, 4].map((at) => Number.parseInt(rgb.slice(at, at + 2), 16));
  const moved = channels.map((value) => (tint < 0 ? value * (1 + tint) : value + (255 - value) * tint));
  return moved
    .map((value) => Math.round(value).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

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

  /** The first colour counts where a fill changes from one to another. */
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
  const reader = new StylesReader();
  await readXml(chunks, reader, limits);
  const { codes, fonts, fills, cells } = reader;
  const formats = new Map<string, NumberFormat>();
  for (const id of new Set(cells.map(({ format }) => format))) {
    const code = codes.get(id);
    formats.set(id, code === undefined ? builtInNumberFormat(Number(id)) : parseNumberFormat(code));
  }
  if (cells.length === 0) return NO_STYLES;
  const colours = [...fills, ...fonts.map(({ colour }) => colour)];
  const theme = colours.some((colour) => colour?.theme !== undefined) ? await themeColours() : [];
  return {
    formats: cells.map(({ format }) => formats.get(format) ?? builtInNumberFormat(0)),
    marks: cells.map(({ font, fill }) =>
      cellMarks({
        isStruck: fonts[font]?.isStruck,
        text: rgbOf(fonts[font]?.colour, theme),
        fill: rgbOf(fills[fill], theme),
      }),
    ),
  };
}
