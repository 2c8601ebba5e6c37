import { Archive } from '../../file/archive.ts';
import { damagedFile, type InputLimits } from '../../file/input-error.ts';
import { assertUnchanged, type ByteSource, contentHashOf, ReadingShare } from '../../file/source.ts';
import { XmlReader } from '../../file/xml.ts';
import { emptyFile, HeaderFinder, type RawRow, type RawRows, tableBelow } from '../../rows/header.ts';
import type { InputFile, InputOptions, MergedRange, OpenedTable } from '../../rows/input-table.ts';
import { chooseSheets, hiddenSheet, sheetNotes, TableNotes, withNotes } from '../sheet/sheet-notes.ts';
import { OdsStyles, readCommonStyles } from './cell.ts';
import { ContentReader, type OdsSheet, type RepeatedRow } from './content.ts';

interface OdsFile {
  readonly source: ByteSource;
  readonly contentHash: string;
  readonly limits: InputLimits;
}

const CONTENT = 'content.xml';
const STYLES = 'styles.xml';
const ROWS_IN_A_GROUP = 1000;

/** Reads all of the content, since its checksum is checked at its end. */
async function* readContent(
  source: ByteSource,
  wants: (sheet: OdsSheet) => boolean,
  limits: InputLimits,
  share?: ReadingShare,
): AsyncGenerator<{ rows: readonly RepeatedRow[]; sheets: readonly OdsSheet[] }> {
  const archive = await Archive.open(source.file, limits);
  try {
    const styles = new OdsStyles();
    if (archive.has(STYLES)) await readCommonStyles(archive.read(STYLES), styles, limits);
    const reader = new ContentReader(styles, wants, limits);
    share?.begin(archive.sizeOf(CONTENT));
    const xml = new XmlReader(reader, limits);
    for await (const chunk of archive.read(CONTENT)) {
      xml.write(chunk);
      yield { rows: reader.take(), sheets: reader.sheets };
      share?.pass(chunk.length);
    }
    xml.end();
    if (reader.sheets.length === 0) throw damagedFile('there is no sheet in it');
    yield { rows: reader.take(), sheets: reader.sheets };
  } finally {
    archive.close();
  }
}

/** The sheets in order, each with its header finder. */
async function listSheets(
  { source, limits }: OdsFile,
  isHeader: InputOptions['isHeader'],
): Promise<{ name: string; sheet: OdsSheet; finder: HeaderFinder }[]> {
  const finders = new Map<number, HeaderFinder>();
  const withHeader = new Set<number>();
  let listed: readonly OdsSheet[] = [];
  for await (const { rows, sheets } of readContent(source, ({ index }) => !withHeader.has(index), limits)) {
    listed = sheets;
    for (const { sheet, row } of rows) {
      const finder = finders.get(sheet.index) ?? new HeaderFinder(isHeader, limits);
      finders.set(sheet.index, finder);
      if (finder.take(row)) withHeader.add(sheet.index);
    }
  }
  return listed.map((sheet) => ({
    name: sheet.name,
    sheet,
    finder: finders.get(sheet.index) ?? new HeaderFinder(isHeader, limits),
  }));
}

/** Every repeated row gets its own cells, since readers may change them. */
function* repeated({ row, times }: RepeatedRow): Generator<RawRow> {
  for (let count = 0; count < times; count += 1) {
    yield { ...row, number: row.number + count, cells: [...row.cells] };
  }
}

/** Every filled row of the sheet. */
async function* sheetRows(
  { source, contentHash, limits }: OdsFile,
  sheet: number,
  share: ReadingShare,
  atEnd: (sheet: OdsSheet) => void,
): RawRows & AsyncGenerator<readonly RawRow[]> {
  let listed: readonly OdsSheet[] = [];
  let group: RawRow[] = [];
  const content = readContent(source, ({ index }) => index === sheet, limits, share);
  for await (const { rows, sheets } of content) {
    for (const found of rows) {
      for (const row of repeated(found)) {
        group.push(row);
        if (group.length < ROWS_IN_A_GROUP) continue;
        yield group;
        group = [];
      }
    }
    listed = sheets;
  }
  if (group.length > 0) yield group;
  assertUnchanged(contentHash, await contentHashOf(source));
  const surroundings = listed[sheet];
  if (surroundings !== undefined) atEnd(surroundings);
}

function tableOf(file: OdsFile, sheet: OdsSheet, finder: HeaderFinder): OpenedTable | null {
  const header = finder.finish();
  if (header === null) return null;
  const notes = new TableNotes();
  const share = new ReadingShare();
  const allRows = () => sheetRows(file, sheet.index, share, (read) => notes.add(sheetNotes(read)));
  return tableBelow(header, {
    sheet: sheet.name,
    isHidden: sheet.isHidden,
    share,
    limits: file.limits,
    allRows,
    notes: sheet.isHidden ? [hiddenSheet] : [],
    laterNotes: notes.all,
    mergedRanges: () => mergedRangesOf(file, sheet),
  });
}

/** The first cell of a merged range gives its size. */
async function mergedRangesOf(
  { source, limits }: OdsFile,
  { index }: OdsSheet,
): Promise<readonly MergedRange[]> {
  let found: readonly MergedRange[] = [];
  for await (const { sheets } of readContent(source, (sheet) => sheet.index === index, limits)) {
    const sheet = sheets[index];
    found = sheet?.merged.nearTop ?? [];
  }
  return found;
}

/**
 * Opens an `.ods` workbook. All of its sheets are in one part, which is read once to its end here, and again for the
 * rows of each sheet.
 *
 * @throws InputError when it is damaged, beyond a limit, or is empty
 */
export async function openOds(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<Pick<InputFile, 'tables' | 'contentHash'>> {
  const contentHash = await contentHashOf(source);
  const file: OdsFile = { source, contentHash, limits };
  const tables: OpenedTable[] = [];
  const skipped: string[] = [];
  for (const { sheet, finder } of chooseSheets(await listSheets(file, options.isHeader), options.sheet)) {
    const table = tableOf(file, sheet, finder);
    if (table === null) skipped.push(`sheet "${sheet.name}" is not read: it is empty`);
    else tables.push(table);
  }
  const [first, ...others] = tables;
  if (first === undefined) throw emptyFile();
  return { tables: [withNotes(first, skipped), ...others], contentHash };
}
