/* Opens web pages with tables, which many programs export under the name of a workbook, in the page's encoding. */

import {
  chooseEncoding,
  EncodingDetector,
  type FoundEncoding,
  isDetermined,
  statedEncoding,
  type TextEncoding,
  utf8Bytes,
} from '../../csv/encoding.ts';
import { InputError, type InputLimits } from '../../file/input-error.ts';
import { assertUnchanged, type ByteSource, hashedBytes, type ReadingShare } from '../../file/source.ts';
import type { InputFile, InputOptions } from '../../rows/input-table.ts';
import {
  type ListedTable,
  listSheets,
  openSheets,
  type ReadSheets,
  type StreamedSheet,
  streamedTable,
} from '../sheet/sheets.ts';
import { type ListedSheet, pagesIn } from './pages.ts';
import { PageStyles } from './styles.ts';
import { TableReader } from './table-reader.ts';

/* The encoding of a web page, by its bytes and by what it says of itself. */

/** How far a page is searched for the name of its encoding. */
const HEAD_BYTES = 4096;

/** Labels that browsers read as another encoding, which has more letters in the same places. */
const readAs: readonly (readonly [RegExp, string])[] = [
  [/^(?:iso-?8859-?1|latin-?1|us-ascii|ascii|cp-?1252|x-cp1252)$/, 'windows-1252'],
  [/^(?:iso-?8859-?9|latin-?5|x-cp1254)$/, 'windows-1254'],
  [/^(?:iso-?8859-?11|tis-?620)$/, 'windows-874'],
  [/^x-mac-roman$/, 'macintosh'],
];

/** The encoding that a page names in its head; null where it names none. */
function charsetIn(head: Buffer): string | null {
  const text = head.toString('latin1').replaceAll('\0', '');
  const found =
    /<meta\b[^>]{0,1000}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text) ??
    /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(text);
  return found?.[1] ?? null;
}

/** The encoding that a page states; null where it is unknown, or is UTF-8, which the bytes themselves show. */
async function statedByPage(charset: string | null): Promise<TextEncoding | null> {
  if (charset === null) return null;
  const label = charset.toLowerCase();
  if (/^(?:x-)?(?:utf|ucs|unicode)/.test(label)) return null;
  const name = readAs.find(([labels]) => labels.test(label))?.[1] ?? label;
  try {
    return { ...(await statedEncoding(name)), notes: [`read as ${name}, as the page says`] };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/**
 * What the bytes of a page say counts first, then what it states, then what its words look like.
 *
 * @param charset - as the header of the part of a web archive states it
 */
async function encodingOfPage(bytes: AsyncIterable<Buffer>, charset: string | null): Promise<FoundEncoding> {
  const detector = new EncodingDetector();
  let head = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    }
    detector.add(chunk);
  }
  const found = await detector.finish();
  // A mark, NUL bytes, or letters that are valid UTF-8 for the most part. Some programs state another encoding.
  if (isDetermined(found) && /^utf-?(?:8|16)/i.test(found.name)) return found;
  return (await statedByPage(charset ?? charsetIn(head))) ?? found;
}

interface PageFile {
  readonly source: ByteSource;
  readonly format: 'html' | 'mht';
  readonly contentHash: string;
  /** Of each page, in their order. */
  readonly encodings: readonly TextEncoding[];
  /** The style sheets that are parts of the file. */
  readonly css: readonly string[];
  readonly limits: InputLimits;
}

/** The results of examining a whole file. */
interface Examined {
  readonly contentHash: string;
  readonly found: readonly FoundEncoding[];
  readonly css: readonly string[];
}

async function readText(bytes: AsyncIterable<Buffer>, limits: InputLimits): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length <= limits.recordBytes) pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('latin1');
}

/** Reads the whole file once: its hash, the encoding of each page, and its style sheets. */
async function examine(
  source: ByteSource,
  format: PageFile['format'],
  stated: TextEncoding | null,
  limits: InputLimits,
): Promise<Examined> {
  let contentHash = '';
  const found: FoundEncoding[] = [];
  const css: string[] = [];
  const bytes = hashedBytes(source, (hash) => {
    contentHash = hash;
  });
  for await (const { kind, charset, bytes: content } of pagesIn(bytes, format, limits)) {
    if (kind === 'style') css.push(await readText(content, limits));
    else found.push(stated ?? (await encodingOfPage(content, charset)));
  }
  return { contentHash, found, css };
}

/** Reads all pages of the file. */
async function* readPages(
  file: PageFile,
  wants: (sheet: StreamedSheet) => boolean,
  share?: ReadingShare,
): AsyncGenerator<TableReader> {
  const { source, format, contentHash, encodings, css, limits } = file;
  const styles = new PageStyles(limits);
  for (const sheet of css) styles.addSheet(sheet);
  const reader = new TableReader(styles, wants, limits);
  let index = 0;
  const bytes = hashedBytes(source, (hash) => assertUnchanged(contentHash, hash), share);
  for await (const { kind, bytes: content } of pagesIn(bytes, format, limits)) {
    if (kind === 'style') continue;
    const encoding = encodings[index] ?? { name: 'utf-8', notes: [] };
    index += 1;
    const decoder = new TextDecoder();
    for await (const chunk of utf8Bytes(content, encoding)) {
      reader.write(decoder.decode(chunk, { stream: true }));
      yield reader;
    }
    reader.write(decoder.decode());
    reader.endPage();
    yield reader;
  }
}

/** The tables of all pages, and how to read them. */
interface PageTables {
  readonly read: ReadSheets<StreamedSheet>;
  readonly tables: readonly ListedTable[];
}

/** The tables in order, named as Excel lists its sheets, or by their numbers. */
async function listTables(file: PageFile, isHeader: InputOptions['isHeader']): Promise<PageTables> {
  let listed: readonly ListedSheet[] = [];
  const read: ReadSheets<StreamedSheet> = async function* (wants, share) {
    for await (const reader of readPages(file, wants, share)) {
      listed = reader.listed;
      yield { rows: reader.take(), sheets: reader.sheets };
    }
  };
  const sheets = await listSheets(read, isHeader, file.limits);
  if (sheets.length === 0) {
    throw new InputError(
      'markup_file',
      'This is a web page without a table.',
      'look at it in a browser: it may be a message of the program that should have made the list',
    );
  }
  const isListed =
    listed.length === sheets.length && new Set(listed.map(({ name }) => name)).size === sheets.length;
  const tables = sheets.map(({ index, isHidden, finder }) => {
    const own = isListed ? listed[index] : undefined;
    const name = own?.name ?? `Table ${index + 1}`;
    return { index, name, isHidden: isHidden || own?.isHidden === true, finder };
  });
  return { read, tables };
}

/**
 * Opens a web page, or a web archive of several ones. Each of their tables is a sheet. The file is read twice to its
 * end here, and again for the rows of each table.
 *
 * @throws InputError when it is damaged, beyond a limit, or has no table
 */
export async function openPages(
  source: ByteSource,
  format: PageFile['format'],
  options: InputOptions,
  limits: InputLimits,
): Promise<Pick<InputFile, 'tables' | 'contentHash' | 'chosenEncoding'>> {
  const stated = options.encoding === undefined ? null : await statedEncoding(options.encoding);
  const { contentHash, found, css } = await examine(source, format, stated, limits);
  const fileIn = (choice: TextEncoding): PageFile => {
    const encodings = found.map((one) => (isDetermined(one) ? one : choice));
    return { source, format, contentHash, encodings, css, limits };
  };
  const headerIn = async (encoding: string): Promise<readonly string[]> => {
    const { tables } = await listTables(fileIn(await statedEncoding(encoding)), options.isHeader);
    const [first] = tables;
    return first?.finder.finish()?.cells ?? [];
  };
  const candidates = found.find((one) => !isDetermined(one));
  const chosen =
    candidates === undefined || isDetermined(candidates)
      ? null
      : await chooseEncoding(candidates, headerIn, options);
  const file = fileIn(await statedEncoding(chosen ?? 'utf-8'));
  const notes = [...new Set(file.encodings.flatMap((encoding) => encoding.notes))];
  const { read, tables } = await listTables(file, options.isHeader);
  const open = async (table: ListedTable) => streamedTable(read, table, limits);
  const opened = await openSheets(tables, options.sheet, open, notes);
  return { tables: opened, contentHash, chosenEncoding: chosen ?? undefined };
}
