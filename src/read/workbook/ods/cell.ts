/* The value of a cell of an `.ods` sheet. */

import { damagedFile, type InputLimits } from '../../file/input-error.ts';
import { cellTooLong, type XmlAttributes } from '../../file/xml.ts';
import { type CellValue, EMPTY_CELL, isoDateCell, numberIn, numericCell } from '../sheet/cell-value.ts';
import { type NumberFormat, OTHER_FORMAT } from '../sheet/number-format.ts';

/** A cell's element, and the text in it; `text` is null where it has no paragraph. */
interface OdsCell {
  readonly attributes: XmlAttributes;
  readonly text: string | null;
  readonly row: number;
}

const SECONDS_IN_DAY = 86_400;
/** Some programs store an error as a number or as nothing, and only show its name. */
const SHOWN_ERROR = /^(?:#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)|Err:[0-9]{3})$/;
const DURATION = /^(-)?P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:[.,][0-9]+)?)S)?)?$/;

function isError({ attributes, text }: OdsCell): boolean {
  if (attributes['calcext:value-type'] === 'error') return true;
  return attributes['table:formula'] !== undefined && SHOWN_ERROR.test(text ?? '');
}

/** A time of day or a duration as a number of days: `PT30H` is 1.25. */
function daysOf(duration: string, row: number): number {
  const [whole, sign, ...parts] = DURATION.exec(duration) ?? [];
  if (whole === undefined) throw damagedFile('a cell with a time of day does not hold one', { row });
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) =>
    Number((part ?? '0').replace(',', '.')),
  );
  const value = days + (hours * 3600 + minutes * 60 + seconds) / SECONDS_IN_DAY;
  return sign === undefined ? value : -value;
}

/** @param formatOf - the number format of the cell's style */
export function odsCellValue(cell: OdsCell, formatOf: () => NumberFormat): CellValue {
  const { attributes, text, row } = cell;
  if (isError(cell)) return { text: text || '#ERROR!', kind: 'error' };
  const valueIn = (attribute: string): string => {
    const value = attributes[attribute];
    if (value === undefined) throw damagedFile('a cell has a type and no value', { row });
    return value;
  };
  switch (attributes['office:value-type']) {
    case 'string':
      // The shown text may differ from the value, but an empty value does not count.
      return { text: attributes['office:string-value'] || (text ?? ''), kind: null };
    case 'float':
      return numericCell(numberIn(valueIn('office:value'), row), formatOf(), 1900);
    case 'percentage':
    case 'currency':
      return numericCell(numberIn(valueIn('office:value'), row), OTHER_FORMAT, 1900);
    case 'date':
      return isoDateCell(valueIn('office:date-value'));
    case 'time':
      return numericCell(daysOf(valueIn('office:time-value'), row), OTHER_FORMAT, 1900);
    case 'boolean': {
      const value = valueIn('office:boolean-value');
      if (value === 'true' || value === 'false') return { text: value.toUpperCase(), kind: 'boolean' };
      throw damagedFile('a cell that is true or false is neither', { row });
    }
    case undefined:
    case 'void':
      if (text !== null) return { text, kind: null };
      return attributes['table:formula'] === undefined
        ? EMPTY_CELL
        : { text: '', kind: 'formula_without_value' };
    default:
      throw damagedFile('it has a cell of an unknown type', { row });
  }
}

/** Elements beside or over a cell's text that are not part of it. */
const NO_TEXT: ReadonlySet<string> = new Set(['annotation', 'note', 'ruby-text', 'frame', 'custom-shape']);
/** Elements that may contain paragraphs. */
const CONTAINERS: ReadonlySet<string> = new Set(['list', 'list-header', 'list-item', 'section']);

/** Collects the text of each cell: its paragraphs, one per line, without comments. */
export class CellText {
  readonly #limits: InputLimits;
  #row = 0;
  #value: string | null = null;
  #isInParagraph = false;

  constructor(limits: InputLimits) {
    this.#limits = limits;
  }

  /** Null where there is no paragraph. */
  get value(): string | null {
    return this.#value;
  }

  /** Begins a cell of the row. */
  start(row: number): void {
    this.#row = row;
    this.#value = null;
    this.#isInParagraph = false;
  }

  /** @returns false when the element and its content are to be left out */
  open(name: string, attributes: XmlAttributes): boolean {
    if (!this.#isInParagraph) {
      if (name !== 'p' && name !== 'h') return CONTAINERS.has(name);
      this.#isInParagraph = true;
      this.#value = this.#value === null ? '' : `${this.#value}\n`;
      return true;
    }
    if (NO_TEXT.has(name)) return false;
    if (name === 's') this.#addSpaces(Number(attributes['text:c'] ?? '1'));
    else if (name === 'tab') this.add('\t');
    else if (name === 'line-break') this.add('\n');
    return true;
  }

  #addSpaces(count: number): void {
    if (!(count <= this.#limits.cellCharacters)) throw cellTooLong(this.#limits, this.#row);
    this.add(' '.repeat(Math.max(count, 0)));
  }

  add(piece: string): void {
    if (!this.#isInParagraph) return;
    this.#value += piece;
    if ((this.#value?.length ?? 0) > this.#limits.cellCharacters) throw cellTooLong(this.#limits, this.#row);
  }

  close(name: string): void {
    if (name === 'p' || name === 'h') this.#isInParagraph = false;
  }
}
