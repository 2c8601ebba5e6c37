/* The styles of an `.ods` file that are needed here: number formats, how cells look, and hidden sheets. */

import { remembered } from '../../../domain/machine/remembered.ts';
import { type CellMarks, cellMarks, noMarks } from '../../../domain/tables/row-marks.ts';
import { damagedFile, type InputLimits } from '../../file/input-error.ts';
import { readXml, type XmlAttributes, type XmlHandler } from '../../file/xml.ts';
import { type DigitPart, digitsFormat, type NumberFormat, OTHER_FORMAT } from '../sheet/number-format.ts';

/** More than spreadsheet programs can keep. */
const STYLE_LIMIT = 100_000;
/** The most ancestors of a style that are searched for what it does not set itself. */
const GENERATIONS = 16;

interface CellStyle {
  readonly parent: string | undefined;
  readonly numberFormat: string | undefined;
  /** What the style itself says about the look; undefined where its parent's counts. */
  fill: string | undefined;
  text: string | undefined;
  isStruck: boolean | undefined;
}

/** `#ffff00` as six digits; any other word is no colour. */
function rgbIn(stated: string | undefined): string | undefined {
  return stated === undefined ? undefined : (/^#([0-9a-f]{6})$/i.exec(stated)?.[1] ?? '');
}

/** A number format while it is read; `isPlain` as long as it has only zeros and literals. */
interface OpenFormat {
  readonly name: string;
  readonly parts: DigitPart[];
  isPlain: boolean;
  /** The digits of the current number; literals are placed in it by their distance from its end. */
  digits: number;
  position: number | null;
}

/**
 * The styles of an `.ods` file, of which only number formats and hidden sheets are read. It gets the elements of the
 * styles part first, then those at the beginning of the content, which take precedence.
 */
export class OdsStyles implements XmlHandler {
  readonly #cells = new Map<string, CellStyle>();
  readonly #formats = new Map<string, NumberFormat>();
  readonly #hiddenTables = new Set<string>();
  readonly #formatOfStyle = remembered((style: string) => {
    const numberFormat = this.#inherited(style, (own) => own.numberFormat);
    return (numberFormat === undefined ? undefined : this.#formats.get(numberFormat)) ?? OTHER_FORMAT;
  });
  readonly #marksOfStyle = remembered((style: string) =>
    cellMarks({
      isStruck: this.#inherited(style, (own) => own.isStruck),
      text: this.#inherited(style, (own) => own.text),
      fill: this.#inherited(style, (own) => own.fill),
    }),
  );
  #table: string | null = null;
  #cell: CellStyle | null = null;
  #format: OpenFormat | null = null;
  #literal: string | null = null;

  open(name: string, attributes: XmlAttributes): void {
    if (this.#format !== null) this.#openInFormat(this.#format, name, attributes);
    else if (name === 'style') this.#openStyle(attributes);
    else if (name === 'table-properties') {
      if (this.#table !== null && attributes['table:display'] === 'false')
        this.#hiddenTables.add(this.#table);
    } else if (name === 'table-cell-properties' && this.#cell !== null) {
      this.#cell.fill = rgbIn(attributes['fo:background-color']);
    } else if (name === 'text-properties' && this.#cell !== null) {
      this.#cell.text = rgbIn(attributes['fo:color']);
      const line = attributes['style:text-line-through-style'] ?? attributes['style:text-line-through-type'];
      this.#cell.isStruck = line === undefined ? undefined : line !== 'none';
    } else if (name === 'number-style') {
      const format = attributes['style:name'] ?? '';
      this.#format = { name: format, parts: [], isPlain: true, digits: 0, position: null };
    }
  }

  #openStyle(attributes: XmlAttributes): void {
    const name = attributes['style:name'] ?? '';
    this.#table = attributes['style:family'] === 'table' ? name : null;
    this.#cell = null;
    if (attributes['style:family'] !== 'table-cell') return;
    this.#cell = {
      parent: attributes['style:parent-style-name'],
      numberFormat: attributes['style:data-style-name'],
      fill: undefined,
      text: undefined,
      isStruck: undefined,
    };
    this.#cells.set(name, this.#cell);
    if (this.#cells.size > STYLE_LIMIT) {
      throw damagedFile('it has more cell styles than a workbook can have');
    }
  }

  #openInFormat(format: OpenFormat, name: string, attributes: XmlAttributes): void {
    if (name === 'number') {
      const digits = Number(attributes['number:min-integer-digits'] ?? '0');
      format.isPlain &&=
        digits > 0 &&
        digits <= 40 &&
        attributes['number:decimal-places'] === '0' &&
        attributes['number:grouping'] !== 'true' &&
        (attributes['number:display-factor'] ?? '1') === '1';
      format.digits = format.isPlain ? digits : 0;
    } else if (name === 'text') this.#literal = '';
    else if (name === 'embedded-text') {
      this.#literal = '';
      format.position = Number(attributes['number:position']);
    } else if (name !== 'text-properties') format.isPlain = false;
  }

  text(piece: string): void {
    if (this.#literal !== null && this.#literal.length < 256) this.#literal += piece;
  }

  close(name: string): void {
    const format = this.#format;
    if (name === 'style') this.#cell = null;
    if (format === null) return;
    if (name === 'text' || name === 'embedded-text') {
      if (name === 'embedded-text') this.#placeDigits(format, format.position ?? 0);
      if (this.#literal !== null && this.#literal !== '') format.parts.push({ literal: this.#literal });
      this.#literal = null;
    } else if (name === 'number') this.#placeDigits(format, 0);
    else if (name === 'number-style') this.#closeFormat(format);
  }

  /** Adds the current number's digits until `left` of them remain. */
  #placeDigits(format: OpenFormat, left: number): void {
    if (!(left >= 0 && left <= format.digits)) format.isPlain = false;
    for (; format.digits > left; format.digits -= 1) format.parts.push('digit');
  }

  #closeFormat(format: OpenFormat): void {
    this.#format = null;
    this.#formats.set(format.name, format.isPlain ? digitsFormat(format.parts) : OTHER_FORMAT);
    if (this.#formats.size > STYLE_LIMIT) {
      throw damagedFile('it has more number formats than a workbook can have');
    }
  }

  isHiddenTable(style: string | undefined): boolean {
    return style !== undefined && this.#hiddenTables.has(style);
  }

  /** The number format of a cell style. Call it after all styles were read. */
  formatOf(style: string | undefined): NumberFormat {
    return style === undefined ? OTHER_FORMAT : this.#formatOfStyle(style);
  }

  /** How the cells of a style look. Call it after all styles were read. */
  marksOf(style: string | undefined): CellMarks {
    return style === undefined ? noMarks : this.#marksOfStyle(style);
  }

  /** What a style says, or the nearest of its ancestors that says it. */
  #inherited<Value>(style: string, said: (own: CellStyle) => Value | undefined): Value | undefined {
    let name: string | undefined = style;
    for (let generation = 0; generation < GENERATIONS && name !== undefined; generation += 1) {
      const own = this.#cells.get(name);
      const value = own === undefined ? undefined : said(own);
      if (value !== undefined) return value;
      name = own?.parent;
    }
    return undefined;
  }
}

/** Only common styles apply to the content too; this part's automatic styles are for page headers. */
function commonStylesOnly(styles: OdsStyles): XmlHandler {
  let isCommon = false;
  return {
    open(name, attributes) {
      if (name === 'styles') isCommon = true;
      else if (isCommon) styles.open(name, attributes);
    },
    text: (piece) => styles.text(piece),
    close(name) {
      if (name === 'styles') isCommon = false;
      else if (isCommon) styles.close(name);
    },
  };
}

/** Reads the styles part into `styles`. */
export async function readCommonStyles(
  chunks: AsyncIterable<Buffer>,
  styles: OdsStyles,
  limits: InputLimits,
): Promise<void> {
  await readXml(chunks, commonStylesOnly(styles), limits);
}
