/* What the cells of an `.xlsx` sheet refer to: shared texts and styles. */

import { damagedFile, limitExceeded } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import { cellTooLong, readXml, type XmlHandler } from '../../file/xml.ts';
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

const TEXTS_IN_A_BLOCK = 1024;

/**
 * The texts that cells refer to by number. They are kept in blocks, each one long text with the places where
 * its entries end: millions of small texts would take several times the memory.
 */
export class SharedTexts {
  readonly #blocks: { text: string; ends: Uint32Array }[] = [];
  #open: string[] = [];
  #count = 0;
  #characters = 0;

  get count(): number {
    return this.#count;
  }

  get characters(): number {
    return this.#characters;
  }

  add(text: string): void {
    this.#open.push(text);
    this.#count += 1;
    this.#characters += text.length;
    if (this.#open.length === TEXTS_IN_A_BLOCK) this.#closeBlock();
  }

  #closeBlock(): void {
    let end = 0;
    const ends = Uint32Array.from(this.#open, (text) => {
      end += text.length;
      return end;
    });
    this.#blocks.push({ text: this.#open.join(''), ends });
    this.#open = [];
  }

  /** @throws InputError when there is no such text */
  get(index: number): string {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) {
      throw damagedFile('a cell refers to a text that is missing');
    }
    const block = this.#blocks[Math.floor(index / TEXTS_IN_A_BLOCK)];
    const place = index % TEXTS_IN_A_BLOCK;
    if (block === undefined) return this.#open[place] ?? '';
    return block.text.slice(place === 0 ? 0 : block.ends[place - 1], block.ends[place]);
  }
}

/** Workbooks write characters that XML cannot hold as `_x000D_`, and a real underscore before such as `_x005F_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Reads the part that holds the texts. Runs of rich text are joined; phonetic guides are left out. */
export async function readSharedTexts(
  chunks: AsyncIterable<Buffer>,
  limits: InputLimits,
): Promise<SharedTexts> {
  const texts = new SharedTexts();
  let text = '';
  let isInText = false;
  let isPhonetic = false;
  const handler: XmlHandler = {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isInText = !isPhonetic;
    },
    text(piece) {
      if (!isInText) return;
      text += piece;
      if (text.length > limits.cellCharacters) throw cellTooLong(limits);
    },
    close(name) {
      if (name === 't') isInText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si') {
        texts.add(unescapeText(text));
        assertWithin(texts, limits);
      }
    },
  };
  await readXml(chunks, handler, limits);
  return texts;
}

function assertWithin(texts: SharedTexts, limits: InputLimits): void {
  if (texts.characters <= limits.sharedTextCharacters && texts.count <= limits.sharedTexts) return;
  const millions = Math.round(limits.sharedTextCharacters / 1_000_000);
  throw limitExceeded(
    `the texts in the workbook are more than ${limits.sharedTexts} or longer than ${millions} million characters`,
    'save the list as CSV UTF-8, which may be of any length, or split it',
  );
}
