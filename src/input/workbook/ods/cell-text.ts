import type { InputLimits } from '../../file/limits.ts';
import { cellTooLong, type XmlAttributes } from '../../file/xml.ts';

/** What stands beside the text of a cell, or over it. */
const NO_TEXT: ReadonlySet<string> = new Set(['annotation', 'note', 'ruby-text', 'frame', 'custom-shape']);
/** What paragraphs may stand in. */
const CONTAINERS: ReadonlySet<string> = new Set(['list', 'list-header', 'list-item', 'section']);

/** Puts together the text of one cell after the other: its paragraphs, one a line, without comments. */
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

  /** Begins a cell of that row. */
  start(row: number): void {
    this.#row = row;
    this.#value = null;
    this.#isInParagraph = false;
  }

  /** @returns false when the element with all that is in it is to be left out */
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
