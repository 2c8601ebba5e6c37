/* Finds the encoding of a text file from its bytes, and turns the bytes into UTF-8. */

import { isAscii, isUtf8 } from 'node:buffer';
import type Iconv from 'iconv-lite';
import { damagedFile, InputError } from '../file/input-error.ts';
import type { EncodingCandidate, InputOptions } from '../rows/input-table.ts';

/** How a text file's bytes are to be read. `name` is one that iconv-lite knows. */
export interface TextEncoding {
  readonly name: string;
  readonly notes: readonly string[];
}

/** What the bytes of a text show: its encoding, or the likely ones where it cannot be determined. */
export type FoundEncoding = TextEncoding | readonly EncodingCandidate[];

export function isDetermined(found: FoundEncoding): found is TextEncoding {
  return 'name' in found;
}

/** The error of a text file that is not UTF-8 and whose encoding cannot be determined. */
export class EncodingUncertain extends InputError {
  /** The likeliest first. They contain values of the file. */
  readonly candidates: readonly EncodingCandidate[];

  constructor(candidates: readonly EncodingCandidate[]) {
    super(
      'encoding_uncertain',
      'It is not UTF-8, and nothing tells what its characters are.',
      'State its encoding.',
    );
    this.candidates = candidates;
  }
}

/** @throws EncodingUncertain where no person chooses one of the likely encodings */
export async function chooseEncoding(
  candidates: readonly EncodingCandidate[],
  headerIn: (encoding: string) => Promise<readonly string[]>,
  { chooseEncoding: choose }: InputOptions,
): Promise<string> {
  const chosen = await choose?.(candidates, headerIn);
  if (chosen === undefined || chosen === null) throw new EncodingUncertain(candidates);
  return chosen;
}

const SAMPLE_BYTES = 64 * 1024;
/** Names that iconv-lite decodes but that are not text encodings. */
const NOT_TEXT = /^(?:hex|base64|binary)$/i;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function binaryFile(): InputError {
  return new InputError(
    'binary_file',
    'This is not a text file: there are NUL bytes in it.',
    'save it as .xlsx or as CSV UTF-8; if it is text, state its encoding',
  );
}

function cutFile(): InputError {
  return damagedFile('it ends in the middle of a character');
}

/** Loaded only for files that are not UTF-8: loading its tables takes as long as checking a small file. */
async function loadIconv(): Promise<typeof Iconv> {
  return (await import('iconv-lite')).default;
}

/** @throws InputError when iconv-lite does not know the encoding */
export async function statedEncoding(name: string): Promise<TextEncoding> {
  const iconv = await loadIconv();
  if (iconv.encodingExists(name) && !NOT_TEXT.test(name))
    return { name, notes: [`read as ${name}, as stated`] };
  throw new InputError(
    'unknown_encoding',
    'The stated encoding is not known.',
    'use a name such as utf-8, windows-1252, iso-8859-15 or utf-16le, or leave it out',
  );
}

/** Bytes at a chunk's end that begin a character whose rest is in the next chunk. */
function cutCharacterBytes(chunk: Buffer): number {
  for (let back = 1; back <= Math.min(3, chunk.length); back += 1) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/**
 * Whether most non-ASCII bytes of a partly invalid text are valid UTF-8. In East Asian encodings, only some pairs of
 * bytes are.
 */
function isMostlyUtf8(text: Buffer): boolean {
  let characters = 0;
  let wrongBytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const lead = text[at] ?? 0;
    if (lead < 0x80) continue;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead >= 0xc2 && at + length <= text.length && isUtf8(text.subarray(at, at + length))) {
      characters += 1;
      at += length - 1;
    } else wrongBytes += 1;
  }
  return characters > 0 && characters >= wrongBytes;
}

/** Keeps the first lines of a text that have bytes beyond ASCII. */
class LinesBeyondAscii {
  #lines: Buffer[] = [];
  #bytes = 0;
  #begun = Buffer.alloc(0);

  add(chunk: Buffer): void {
    if (this.#bytes >= SAMPLE_BYTES) return;
    const text = Buffer.concat([this.#begun, chunk]);
    const end = text.lastIndexOf(LINE_FEED) + 1 || text.lastIndexOf(CARRIAGE_RETURN) + 1;
    const whole =
      end > 0 || text.length > SAMPLE_BYTES ? text.subarray(0, end || text.length) : Buffer.alloc(0);
    this.#begun = text.subarray(whole.length);
    this.#keep(whole);
  }

  finish(): Buffer {
    this.#keep(this.#begun);
    this.#begun = Buffer.alloc(0);
    return Buffer.concat(this.#lines);
  }

  #keep(text: Buffer): void {
    if (isAscii(text)) return;
    const separator = text.includes(LINE_FEED) ? LINE_FEED : CARRIAGE_RETURN;
    for (let at = 0; at < text.length && this.#bytes < SAMPLE_BYTES; ) {
      const end = text.indexOf(separator, at) + 1 || text.length;
      const line = text.subarray(at, end);
      at = end;
      if (isAscii(line)) continue;
      // A copy, since a view would keep the whole chunk in memory.
      this.#lines.push(Buffer.from(line));
      this.#bytes += line.length;
    }
  }
}

/** UTF-16 without a mark: text of mostly Latin letters has a NUL in every second place, and in no other. */
function utf16ByParity(sample: Buffer): 'utf-16le' | 'utf-16be' | null {
  const nulls = [0, 0];
  for (let at = 0; at < sample.length; at += 1) {
    if (sample[at] === 0) nulls[at % 2] = (nulls[at % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = nulls;
  const enough = sample.length / 8;
  if (odd > enough && even === 0) return 'utf-16le';
  if (even > enough && odd === 0) return 'utf-16be';
  return null;
}

function byMark(sample: Buffer): string | null {
  if (sample.subarray(0, 3).equals(UTF8_BOM)) return 'utf-8';
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le';
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be';
  return null;
}

/**
 * Finds a text file's encoding from all of its bytes, chunk by chunk. It checks for a byte order mark, then the
 * places of NUL bytes, then UTF-8 that is valid or explains most non-ASCII bytes, then Windows-1252 where the words
 * fit it.
 */
export class EncodingDetector {
  #sample = Buffer.alloc(0);
  #carried = Buffer.alloc(0);
  #isValidUtf8 = true;
  #hasUtf8Character = false;
  #hasNul = false;
  readonly #lines = new LinesBeyondAscii();

  add(chunk: Buffer): void {
    if (this.#sample.length < SAMPLE_BYTES) {
      this.#sample = Buffer.concat([this.#sample, chunk.subarray(0, SAMPLE_BYTES - this.#sample.length)]);
    }
    this.#hasNul ||= chunk.includes(0);
    this.#lines.add(chunk);
    const joined = this.#carried.length > 0 ? Buffer.concat([this.#carried, chunk]) : chunk;
    const whole = joined.subarray(0, joined.length - cutCharacterBytes(joined));
    this.#carried = Buffer.from(joined.subarray(whole.length));
    if (this.#isValidUtf8 && isUtf8(whole)) {
      this.#hasUtf8Character ||= !isAscii(whole);
      return;
    }
    this.#isValidUtf8 = false;
  }

  /**
   * @returns the encoding; where it cannot be determined, the likely ones
   * @throws InputError when the bytes are no text at all, or end in the middle of a character
   */
  async finish(): Promise<FoundEncoding> {
    const marked = byMark(this.#sample);
    if (marked === 'utf-8' && this.#hasNul) throw binaryFile();
    // The rest is valid UTF-8, so the error at the end is an incomplete character and not another encoding.
    const isUtf8ButForItsEnd = this.#isValidUtf8 && (marked === 'utf-8' || this.#hasUtf8Character);
    if (isUtf8ButForItsEnd && this.#carried.length > 0) throw cutFile();
    if (marked !== null)
      return { name: marked, notes: marked === 'utf-8' ? [] : [`read as ${marked.toUpperCase()}`] };
    if (this.#hasNul) {
      const name = utf16ByParity(this.#sample);
      if (name === null) throw binaryFile();
      return { name, notes: [`read as ${name.toUpperCase()}, which the file does not say of itself`] };
    }
    if (this.#isValidUtf8 && this.#carried.length === 0) return { name: 'utf-8', notes: [] };
    const lines = this.#lines.finish();
    if (isMostlyUtf8(lines)) {
      return { name: 'utf-8', notes: ['some bytes are not valid UTF-8; they are read as U+FFFD'] };
    }
    // Loaded only here, as the tables of iconv-lite are: it has the letters of thirty encodings.
    const { guessEncoding } = await import('./encoding-guess.ts');
    const candidates = guessEncoding(lines);
    if (candidates !== null) return candidates;
    return { name: 'windows-1252', notes: ['read as Windows-1252, because it is not UTF-8'] };
  }
}

/**
 * The text as UTF-8 bytes, without a byte order mark. Bytes that are wrong in UTF-8 stay as they are: they
 * become U+FFFD when the text is cut into values.
 *
 * @throws InputError on a NUL character, and where the text ends in the middle of a character
 */
export async function* utf8Bytes(
  bytes: AsyncIterable<Buffer>,
  encoding: TextEncoding,
): AsyncGenerator<Buffer> {
  const isUtf8Name = /^utf-?8$/i.test(encoding.name);
  for await (const chunk of isUtf8Name ? withoutMark(bytes) : decoded(bytes, encoding.name)) {
    if (chunk.includes(0)) throw binaryFile();
    yield chunk;
  }
}

async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start === null) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < UTF8_BOM.length) continue;
    yield start.subarray(0, 3).equals(UTF8_BOM) ? start.subarray(3) : start;
    start = null;
  }
  if (start !== null) yield start;
}

/** Names of encodings with units of that many bytes. A file whose length is no multiple of it is cut off. */
const unitBytes: readonly (readonly [RegExp, number])[] = [
  [/^(?:utf-?16|ucs-?2|unicode-?(?:1-1)?-?16)/i, 2],
  [/^(?:utf-?32|ucs-?4)/i, 4],
];

async function* decoded(bytes: AsyncIterable<Buffer>, encodingName: string): AsyncGenerator<Buffer> {
  const decoder = (await loadIconv()).getDecoder(encodingName);
  const unit = unitBytes.find(([names]) => names.test(encodingName))?.[1] ?? 1;
  let length = 0;
  // A character of two units may be split across two chunks, so its first half is kept for the next chunk.
  let firstHalf = '';
  for await (const chunk of bytes) {
    length += chunk.length;
    const text = firstHalf + decoder.write(chunk);
    firstHalf = endsInFirstHalf(text) ? text.slice(-1) : '';
    yield Buffer.from(text.slice(0, text.length - firstHalf.length));
  }
  const rest = firstHalf + (decoder.end() ?? '');
  if (length % unit !== 0 || endsInFirstHalf(rest)) throw cutFile();
  if (rest !== '') yield Buffer.from(rest);
}

function endsInFirstHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
