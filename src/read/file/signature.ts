/* Recognises a file's format by its first bytes, and unpacks gzip files. */

import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  cutFile,
  damagedFile,
  describeBytes,
  InputError,
  type InputLimits,
  limitExceeded,
  RATIO_FREE_BYTES,
} from './input-error.ts';

/** The format that a file's first bytes show; its name is ignored. */
type Signature = 'zip' | 'compound' | 'html' | 'mht' | 'text';

/** How a web page begins, behind comments and the first line of XML. */
const PAGE =
  /^\s*(?:<\?xml\b[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body|table|meta|style|div)\b/i;
/**
 * How a part of a page may begin. A title of a CSV file may begin like this too; only the table that follows tells them
 * apart.
 */
const PART_OF_PAGE = /^\s*<(?:center|title|script|link|font|form|h[1-6]|p|b)\b[\s\S]*<table\b[^>]*>\s*<t/i;
const MARKUP = /^\s*<(?:!doctype|\?xml|[a-z]+:?workbook)\b/i;
/** The headers of a MIME message, as a web archive has them. */
const MESSAGE = /^[A-Za-z][A-Za-z0-9-]*:[^\n]*\n/;
const ARCHIVE_OF_PAGES = /^content-type:\s*(?:multipart\/related|text\/html)\b/im;

const SAVE_AGAIN = 'open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8';

/** The number of a file's first bytes that is enough to tell its format. */
export const START_BYTES = 4096;

/** @param start - the file's first bytes */
export function signatureOf(start: Buffer): Signature {
  if (start.length >= 4 && start.readUInt32BE(0) === 0x504b0304) return 'zip';
  if (start.length >= 4 && start.readUInt32BE(0) === 0x504b0506) return 'zip';
  if (start.length >= 8 && start.readBigUInt64BE(0) === 0xd0cf11e0a1b11ae1n) return 'compound';
  const letters = lettersOf(start);
  if (PAGE.test(letters) || PART_OF_PAGE.test(letters)) return 'html';
  const isMessage = MESSAGE.test(letters) && /^mime-version:/im.test(letters);
  return isMessage && ARCHIVE_OF_PAGES.test(letters) ? 'mht' : 'text';
}

/** The first letters of a text, also of one in UTF-16. */
function lettersOf(start: Buffer): string {
  return start
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)/, '');
}

/**
 * Refuses files that begin as another kind of file: a web page with a workbook's name, a document, an archive inside
 * an archive.
 *
 * @param start - the first bytes, unpacked
 */
export function assertText(start: Buffer): void {
  const signature = signatureOf(start);
  if (signature !== 'text') {
    const [code, what] =
      signature === 'html' || signature === 'mht'
        ? (['markup_file', 'a web page'] as const)
        : (['nested_archive', 'a workbook'] as const);
    throw new InputError(code, `There is ${what} inside a compressed file.`, 'unpack it first');
  }
  const letters = lettersOf(start.subarray(0, 1024));
  if (MARKUP.test(letters)) {
    throw new InputError('markup_file', 'This is an XML file, not a table.', SAVE_AGAIN);
  }
  if (isEmail(letters)) {
    const advice = 'save the table that is attached to it, and take that file';
    throw new InputError('document_file', 'This is an e-mail, not a table.', advice);
  }
  if (letters.startsWith('%PDF-') || letters.startsWith('{\\rtf')) {
    throw new InputError('document_file', 'This is a document, not a table.', SAVE_AGAIN);
  }
}

const headerOfMessage = /^([A-Za-z][A-Za-z-]*):[ \t]/;

/** Whether a text begins with the headers of a message (RFC 5322): from whom, and a subject or what a mail program adds. */
function isEmail(letters: string): boolean {
  const lines = letters.trimStart().split(/\r?\n/);
  const end = lines.findIndex((line) => !headerOfMessage.test(line) && !/^[ \t]/.test(line));
  const names = lines
    .slice(0, end === -1 ? lines.length : end)
    .map((line) => headerOfMessage.exec(line)?.[1]?.toLowerCase() ?? '');
  // `From:` and `To:` alone may be the days of a statement.
  return names.includes('from') && ['subject', 'message-id', 'received'].some((name) => names.includes(name));
}

/** @returns whether the bytes begin as a gzip file does */
export function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** The content of a gzip file, within the limits on unpacked bytes. */
export async function* gunzip(
  compressed: AsyncIterable<Buffer>,
  compressedBytes: number,
  limits: InputLimits,
): AsyncGenerator<Buffer> {
  let inflatedBytes = 0;
  // The callback only prevents an unhandled failure, which would end the program. Iterating rethrows it.
  const inflated = pipeline(Readable.from(compressed), createGunzip(), () => {});
  try {
    for await (const chunk of inflated) {
      const buffer = chunk as Buffer;
      inflatedBytes += buffer.length;
      assertInflation(inflatedBytes, compressedBytes, limits);
      yield buffer;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw isEndTooEarly(error)
      ? cutFile('its compressed content ends in the middle', { cause: error })
      : damagedFile('its compressed content cannot be unpacked', { cause: error });
  }
}

function isEndTooEarly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}

/** @returns whether the error came from unpacking, and not from reading or from a limit */
export function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** @throws InputError when a compressed part has grown more than it may */
export function assertInflation(inflatedBytes: number, compressedBytes: number, limits: InputLimits): void {
  if (inflatedBytes > limits.inflatedBytes) {
    throw limitExceeded(
      `its content is larger than ${describeBytes(limits.inflatedBytes)}`,
      'split it into several files',
    );
  }
  if (inflatedBytes > RATIO_FREE_BYTES && inflatedBytes > compressedBytes * limits.inflationRatio) {
    throw new InputError(
      'suspicious_compression',
      `The file unpacks to more than ${limits.inflationRatio} times its size, as files made to do harm do.`,
      'if it is a real list, save it as a CSV file that is not compressed',
    );
  }
}

/* Whether a file is complete, by its size, time and last bytes, without reading the rest of it. */

/** A file at one moment. */
export interface SeenFile {
  readonly bytes: number;
  /** Milliseconds since 1970, by the clock of the machine that has the file. */
  readonly changedAtInMs: number;
}

/** @returns null for a path that is not a file, or cannot be examined */
export async function seenFile(path: string): Promise<SeenFile | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { bytes: stats.size, changedAtInMs: stats.mtimeMs } : null;
  } catch {
    return null;
  }
}

/** The directory at the end of a zip archive has 22 bytes, and a comment of up to 64 KiB. */
const mostBytesOfEnd = 22 + 0xffff;
const endOfDirectory = Buffer.from([0x50, 0x4b, 0x05, 0x06]);

/**
 * Whether a file's end is incomplete: a text without the line end of its last line, or an archive without its
 * directory. The end of a gzip file or of an old workbook does not show it.
 */
export async function mayBeUnfinished(path: string, { bytes }: SeenFile): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return false;
  try {
    const start = await bytesAt(handle, 0, START_BYTES);
    if (isGzip(start)) return false;
    switch (signatureOf(start)) {
      case 'zip':
        return !(await lastBytes(handle, bytes, mostBytesOfEnd)).includes(endOfDirectory);
      case 'compound':
        return false;
      case 'html':
        return !/<\/(?:html|body|table)>\s*$/i.test(lettersOf(await lastBytes(handle, bytes, 256)));
      case 'mht':
        return !/--\s*$/.test(lettersOf(await lastBytes(handle, bytes, 256)));
      case 'text':
        return !isLineEnd(await lastBytes(handle, bytes, 2));
    }
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

function lastBytes(handle: FileHandle, fileBytes: number, most: number): Promise<Buffer> {
  const length = Math.min(most, fileBytes);
  return bytesAt(handle, fileBytes - length, length);
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** @param end the last two bytes of a text: a line break is one byte, or two with a zero in UTF-16 */
export function isLineEnd(end: Buffer): boolean {
  const last = end.at(-1) === 0 ? end.at(-2) : end.at(-1);
  return last === 0x0a || last === 0x0d;
}
