/* The styles of an `.ods` file that matter here: number formats and hidden sheets. */

import { damagedFile } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import { readXml, type XmlAttributes, type XmlHandler } from '../../file/xml.ts';
import { type DigitPart, digitsFormat, type NumberFormat } from '../sheet/cell-value.ts';

/** More than spreadsheet programs can keep. */
const STYLE_LIMIT = 100_000;
/** A style takes what it does not say from its parent, and so on. */
const GENERATIONS = 16;
const OTHER: NumberFormat = { kind: 'other' };

interface CellStyle {
  readonly parent: string | undefined;
  readonly numberFormat: string | undefined;
}

/** A number format while it is read; `isPlain` as long as it is made of zeros and literals. */
interface OpenFormat {
  readonly name: string;
  readonly parts: DigitPart[];
  isPlain: boolean;
  /** The digits of the number that is open; literals stand inside it by their distance from its end. */
  digits: number;
  position: number | null;
}

/**
 * The styles of an `.ods` file, of which only number formats and hidden sheets matter here. It is given the
 * elements of the part for styles first, then those at the beginning of the content, which go before.
 */
export class OdsStyles implements XmlHandler {
  readonly #cells = new Map<string, CellStyle>();
  readonly #formats = new Map<string, NumberFormat>();
  readonly #hiddenTables = new Set<string>();
  readonly #known = new Map<string, NumberFormat>();
  #table: string | null = null;
  #format: OpenFormat | null = null;
  #literal: string | null = null;

  open(name: string, attributes: XmlAttributes): void {
    if (this.#format !== null) this.#openInFormat(this.#format, name, attributes);
    else if (name === 'style') this.#openStyle(attributes);
    else if (name === 'table-properties') {
      if (this.#table !== null && attributes['table:display'] === 'false')
        this.#hiddenTables.add(this.#table);
    } else if (name === 'number-style') {
      const format = attributes['style:name'] ?? '';
      this.#format = { name: format, parts: [], isPlain: true, digits: 0, position: null };
    }
  }

  #openStyle(attributes: XmlAttributes): void {
    const name = attributes['style:name'] ?? '';
    this.#table = attributes['style:family'] === 'table' ? name : null;
    if (attributes['style:family'] !== 'table-cell') return;
    this.#cells.set(name, {
      parent: attributes['style:parent-style-name'],
      numberFormat: attributes['style:data-style-name'],
    });
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
    if (format === null) return;
    if (name === 'text' || name === 'embedded-text') {
      if (name === 'embedded-text') this.#placeDigits(format, format.position ?? 0);
      if (this.#literal !== null && this.#literal !== '') format.parts.push({ literal: this.#literal });
      this.#literal = null;
    } else if (name === 'number') this.#placeDigits(format, 0);
    else if (name === 'number-style') this.#closeFormat(format);
  }

  /** Sets the open number's digits down until `left` of them are left. */
  #placeDigits(format: OpenFormat, left: number): void {
    if (!(left >= 0 && left <= format.digits)) format.isPlain = false;
    for (; format.digits > left; format.digits -= 1) format.parts.push('digit');
  }

  #closeFormat(format: OpenFormat): void {
    this.#format = null;
    this.#formats.set(format.name, format.isPlain ? digitsFormat(format.parts) : OTHER);
    if (this.#formats.size > STYLE_LIMIT) {
      throw damagedFile('it has more number formats than a workbook can have');
    }
  }

  isHiddenTable(style: string | undefined): boolean {
    return style !== undefined && this.#hiddenTables.has(style);
  }

  /** The number format of a cell style. All styles have to be known by then. */
  formatOf(style: string | undefined): NumberFormat {
    if (style === undefined) return OTHER;
    const known = this.#known.get(style) ?? this.#findFormat(style);
    this.#known.set(style, known);
    return known;
  }

  #findFormat(style: string): NumberFormat {
    let name: string | undefined = style;
    for (let generation = 0; generation < GENERATIONS && name !== undefined; generation += 1) {
      const { numberFormat, parent }: Partial<CellStyle> = this.#cells.get(name) ?? {};
      if (numberFormat !== undefined) return this.#formats.get(numberFormat) ?? OTHER;
      name = parent;
    }
    return OTHER;
  }
}

/** Only common styles are the content's too: the automatic ones of this part are those of page headers. */
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

/** Reads the part for styles into `styles`. */
export async function readCommonStyles(
  chunks: AsyncIterable<Buffer>,
  styles: OdsStyles,
  limits: InputLimits,
): Promise<void> {
  await readXml(chunks, commonStylesOnly(styles), limits);
}
