/* The text of a cell of a web page's table, and its value. */

import type { InputLimits } from '../../file/input-error.ts';
import { cellTooLong } from '../../file/xml.ts';
import { type CellValue, type DateSystem, EMPTY_CELL, numericCell } from '../sheet/cell-value.ts';
import { OTHER_FORMAT } from '../sheet/number-format.ts';
import { type HtmlAttributes, pageNumberFormat, type Style } from './styles.ts';

/** Elements that begin on a line of their own. */
const BLOCKS: ReadonlySet<string> = new Set([
  ...['p', 'div', 'li', 'ul', 'ol', 'dl', 'dt', 'dd', 'pre', 'blockquote', 'address', 'center', 'hr'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'tr'],
]);

const SPACES = /[ \t\r\n\f]+/;

/** The text that a cell shows: white space is one space, and only elements break lines. */
export class ShownText {
  readonly #limits: InputLimits;
  #row = 0;
  #value = '';
  /** The separator between the text so far and the next one, if there is a next one. */
  #gap = '';

  constructor(limits: InputLimits) {
    this.#limits = limits;
  }

  start(row: number): void {
    this.#row = row;
    this.#value = '';
    this.#gap = '';
  }

  add(piece: string): void {
    for (const [index, word] of piece.split(SPACES).entries()) {
      if (index > 0 && this.#gap === '') this.#gap = ' ';
      if (word !== '') this.#append(word);
    }
  }

  #append(word: string): void {
    const gap = this.#value === '' ? '' : this.#gap;
    this.#gap = '';
    if (this.#value.length + gap.length + word.length > this.#limits.cellCharacters) {
      throw cellTooLong(this.#limits, this.#row);
    }
    this.#value += gap + word;
  }

  /** Tells that an element begins or ends within the cell. */
  pass(element: string): void {
    if (BLOCKS.has(element) && !this.#gap.includes('\n')) this.#gap = '\n';
  }

  breakLine(): void {
    if (this.#gap.length > this.#limits.cellCharacters) throw cellTooLong(this.#limits, this.#row);
    this.#gap = this.#gap === ' ' ? '\n' : `${this.#gap}\n`;
  }

  /** Programs fill empty cells with a space that does not break. */
  get value(): string {
    return this.#value.trim() === '' ? '' : this.#value;
  }
}

const NUMBER = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
/** No program writes a number with more characters. */
const NUMBER_LENGTH = 64;
const SHOWN_ERROR = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)$/;

/** A cell as a page has it. */
interface PageCell {
  readonly attributes: HtmlAttributes;
  readonly style: Style;
  /** As the cell shows it. */
  readonly text: string;
}

/** LibreOffice states a cell's format behind its language and a flag: `1033;0;00000`. */
function formatOf({ attributes, style }: PageCell): NonNullable<Style['format']> {
  const stated = attributes.sdnum?.split(';').slice(2).join(';') ?? '';
  return style.format ?? (stated === '' ? OTHER_FORMAT : pageNumberFormat(stated));
}

/** The number behind a cell, as Excel (`x:num`) and LibreOffice (`sdval`) write it; null for other cells. */
function numberBehind({ attributes, text }: PageCell): number | null {
  const stated = attributes['x:num'] ?? attributes.sdval;
  if (stated === undefined) return null;
  const written = (stated.trim() === '' ? text : stated).trim();
  return written.length <= NUMBER_LENGTH && NUMBER.test(written) ? Number(written) : null;
}

/**
 * A cell's value. A number that a spreadsheet program has written behind the text is a numeric cell, as in any
 * workbook. Without one, the text is all that there is: its zeros are those that the program wrote.
 */
export function pageCellValue(cell: PageCell, system: DateSystem): CellValue {
  const { attributes, text } = cell;
  const { 'x:err': error, 'x:bool': boolean, 'x:str': stated } = attributes;
  if (error !== undefined) return { text: error || text || '#ERROR!', kind: 'error' };
  const hasFormula = attributes['x:fmla'] !== undefined;
  const hasNumber = attributes['x:num'] !== undefined || attributes.sdval !== undefined;
  // LibreOffice writes 0 behind the name of an error.
  if ((hasFormula || hasNumber) && SHOWN_ERROR.test(text)) return { text, kind: 'error' };
  if (boolean !== undefined) {
    return { text: /^(?:true|1)$/i.test(boolean || text) ? 'TRUE' : 'FALSE', kind: 'boolean' };
  }
  const number = numberBehind(cell);
  if (number !== null) return numericCell(number, formatOf(cell), system);
  const value = stated === undefined || stated === '' ? text : stated;
  if (value === '' && hasFormula) return { text: '', kind: 'formula_without_value' };
  return value === '' ? EMPTY_CELL : { text: value, kind: null };
}
