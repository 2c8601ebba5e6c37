/* The colours that styles of an `.xlsx` workbook name: as they are, by the workbook's theme, or by a number. */

import type { InputLimits } from '../../file/input-error.ts';
import { readXml, type XmlHandler } from '../../file/xml.ts';
import { numberedColour } from '../sheet/numbered-colours.ts';

/** A colour as a style names it. `tint` makes it lighter (up to 1) or darker (down to -1). */
export interface Colour {
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
    text() {},
  };
  await readXml(chunks, handler, limits);
  return colours;
}

/** Six hexadecimal digits; undefined for no colour, and for the usual one. */
export function rgbOf(colour: Colour | undefined, theme: readonly string[]): string | undefined {
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
