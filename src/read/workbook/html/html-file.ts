/* Opens web pages with tables, which many programs export under the name of a workbook. */

import {
  chooseEncoding,
  type FoundEncoding,
  isDetermined,
  statedEncoding,
  type TextEncoding,
  utf8Bytes,
} from '../../csv/encoding.ts';
import { InputError, type InputLimits } from '../../file/input-error.ts';
import { assertUnchanged, type ByteSource, hashedBytes, ReadingShare } from '../../file/source.ts';
import { emptyFile, HeaderFinder, type RawRow, type RawRows, tableBelow } from '../../table/header.ts';
import type { InputOptions, MergedRange, OpenedTable } from '../../table/opened-table.ts';
import { chooseSheets, hiddenSheet, sheetNotes, TableNotes, withNotes } from '../sheet/sheet-notes.ts';
import { encodingOfPage } from './page-encoding.ts';
import { pagesIn } from './pages.ts';
import { PageStyles } from './styles.ts';
import { type ListedSheet, type PageSheet, TableReader } from './table-reader.ts';

/** A file of web pages as opened. */
interface OpenedPages {
  readonly tables: readonly OpenedTable[];
  readonly contentHash: string;
  /** As `InputFile` has it. */
  readonly chosenEncoding?: string;
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

const ROWS_IN_A_GROUP = 1000;

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

/** Reads all pages of the file; what changes between two yields is the rows. */
async function* readPages(
  file: PageFile,
  wants: (sheet: PageSheet) => boolean,
  share?: ReadingShare,
): AsyncGenerator<{ rows: readonly { sheet: PageSheet; row: RawRow }[]; reader: TableReader }> {
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
      yield { rows: reader.take(), reader };
    }
    reader.write(decoder.decode());
    reader.endPage();
    yield { rows: reader.take(), reader };
  }
}

interface ListedTable extends ListedSheet {
  readonly sheet: PageSheet;
  readonly finder: HeaderFinder;
}

/** The tables in order, named as Excel lists its sheets, or by their numbers. */
async function listTables(file: PageFile, isHeader: InputOptions['isHeader']): Promise<ListedTable[]> {
  const finders: HeaderFinder[] = [];
  const withHeader = new Set<number>();
  const finderOf = (index: number): HeaderFinder =>
    (finders[index] ??= new HeaderFinder(isHeader, file.limits));
  let last: TableReader | null = null;
  for await (const { rows, reader } of readPages(file, ({ index }) => !withHeader.has(index))) {
    last = reader;
    for (const { sheet, row } of rows) {
      if (finderOf(sheet.index).take(row)) withHeader.add(sheet.index);
    }
  }
  const { sheets = [], listed = [] } = last ?? {};
  if (sheets.length === 0) throw pageWithoutTable();
  const isListed =
    listed.length === sheets.length && new Set(listed.map(({ name }) => name)).size === sheets.length;
  return sheets.map((sheet, index) => {
    const { name, isHidden } = (isListed ? listed[index] : undefined) ?? {
      name: `Table ${index + 1}`,
      isHidden: false,
    };
    return { name, isHidden: isHidden || sheet.isHidden, sheet, finder: finderOf(index) };
  });
}

function pageWithoutTable(): InputError {
  return new InputError(
    'markup_file',
    'This is a web page without a table.',
    'look at it in a browser: it may be a message of the program that should have made the list',
  );
}

/** Every filled row of the table. */
async function* tableRows(
  file: PageFile,
  table: number,
  share: ReadingShare,
  atEnd: (sheet: PageSheet) => void,
): RawRows & AsyncGenerator<readonly RawRow[]> {
  let group: RawRow[] = [];
  let found: PageSheet | undefined;
  for await (const { rows, reader } of readPages(file, ({ index }) => index === table, share)) {
    for (const { row } of rows) {
      group.push(row);
      if (group.length < ROWS_IN_A_GROUP) continue;
      yield group;
      group = [];
    }
    found = reader.sheets[table];
  }
  if (group.length > 0) yield group;
  if (found !== undefined) atEnd(found);
}

function openTable(file: PageFile, { name, isHidden, sheet, finder }: ListedTable): OpenedTable | null {
  const header = finder.finish();
  if (header === null) return null;
  const notes = new TableNotes();
  const share = new ReadingShare();
  const allRows = () => tableRows(file, sheet.index, share, (read) => notes.add(sheetNotes(read)));
  return tableBelow(header, {
    sheet: name,
    isHidden,
    share,
    limits: file.limits,
    allRows,
    notes: isHidden ? [hiddenSheet] : [],
    laterNotes: notes.all,
    mergedRanges: () => mergedRangesOf(file, sheet),
  });
}

async function mergedRangesOf(file: PageFile, { index }: PageSheet): Promise<readonly MergedRange[]> {
  let found: readonly MergedRange[] = [];
  for await (const { reader } of readPages(file, (sheet) => sheet.index === index)) {
    found = reader.sheets[index]?.merged.nearTop ?? [];
  }
  return found;
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
): Promise<OpenedPages> {
  const stated = options.encoding === undefined ? null : await statedEncoding(options.encoding);
  const { contentHash, found, css } = await examine(source, format, stated, limits);
  const fileIn = (choice: TextEncoding): PageFile => {
    const encodings = found.map((one) => (isDetermined(one) ? one : choice));
    return { source, format, contentHash, encodings, css, limits };
  };
  const headerIn = async (encoding: string): Promise<readonly string[]> => {
    const [first] = await listTables(fileIn(await statedEncoding(encoding)), options.isHeader);
    return first?.finder.finish()?.cells ?? [];
  };
  const candidates = found.find((one) => !isDetermined(one));
  const chosen =
    candidates === undefined || isDetermined(candidates)
      ? null
      : await chooseEncoding(candidates, headerIn, options);
  const file = fileIn(await statedEncoding(chosen ?? 'utf-8'));
  const tables: OpenedTable[] = [];
  const notes = [...new Set(file.encodings.flatMap((encoding) => encoding.notes))];
  for (const listed of chooseSheets(await listTables(file, options.isHeader), options.sheet)) {
    const table = openTable(file, listed);
    if (table === null) notes.push(`sheet "${listed.name}" is not read: it is empty`);
    else tables.push(table);
  }
  const [first, ...others] = tables;
  if (first === undefined) throw emptyFile();
  return {
    tables: [withNotes(first, notes), ...others],
    contentHash,
    ...(chosen === null ? {} : { chosenEncoding: chosen }),
  };
}
