import { Archive } from '../../file/archive.ts';
import type { InputLimits } from '../../file/limits.ts';
import { assertUnchanged, type ByteSource, contentHashOf, ReadingShare } from '../../file/source.ts';
import { XmlReader } from '../../file/xml.ts';
import { emptyFile, findHeader, type RawRow, type RawRows, tableBelow } from '../../table/header.ts';
import type { InputOptions, MergedRange, OpenedTable } from '../../table/opened-table.ts';
import { chooseSheets, hiddenSheet, sheetNotes, TableNotes, withNotes } from '../sheet/sheet-notes.ts';
import { readWorkbookParts, type SheetPart } from './parts.ts';
import { NO_STYLES, readSharedTexts, readStyles, SharedTexts } from './shared-texts.ts';
import { type SheetContext, SheetReader } from './sheet.ts';

/** A workbook as opened: its tables and the hash of its bytes. */
interface OpenedWorkbook {
  readonly tables: readonly OpenedTable[];
  readonly contentHash: string;
}

interface Workbook {
  readonly source: ByteSource;
  readonly contentHash: string;
  readonly context: SheetContext;
}

/** Every row of a sheet that has something in it. The part is read to its end, where its checksum is known. */
async function* sheetRows(
  { source, contentHash, context }: Workbook,
  part: string,
  share: ReadingShare,
  atEnd: (reader: SheetReader) => void,
): RawRows & AsyncGenerator<readonly RawRow[]> {
  const archive = await Archive.open(source.file, context.limits);
  try {
    const reader = new SheetReader(context);
    share.begin(archive.sizeOf(part));
    const xml = new XmlReader(reader, context.limits);
    for await (const chunk of archive.read(part)) {
      xml.write(chunk);
      const rows = reader.take();
      if (rows.length > 0) yield rows;
      share.pass(chunk.length);
    }
    xml.end();
    assertUnchanged(contentHash, await contentHashOf(source));
    atEnd(reader);
  } finally {
    archive.close();
  }
}

async function openSheet(
  workbook: Workbook,
  sheet: SheetPart & { readonly part: string },
  isHeader: InputOptions['isHeader'],
): Promise<OpenedTable | null> {
  const notes = new TableNotes();
  const share = new ReadingShare();
  let merged: readonly MergedRange[] | null = null;
  const allRows = () =>
    sheetRows(workbook, sheet.part, share, (reader) => {
      notes.add(sheetNotes(reader));
      merged = reader.merged.nearTop;
    });
  const { limits } = workbook.context;
  const header = await findHeader(allRows(), isHeader, limits);
  if (header === null) return null;
  // They stand below the rows in the file, which has to be read to its end for them.
  const mergedRanges = async (): Promise<readonly MergedRange[]> => {
    for await (const _ of merged === null ? allRows() : []);
    return merged ?? [];
  };
  return tableBelow(header, {
    sheet: sheet.name,
    isHidden: sheet.isHidden,
    share,
    limits,
    allRows,
    mergedRanges,
    notes: sheet.isHidden ? [hiddenSheet] : [],
    laterNotes: notes.all,
  });
}

function hasCells(sheet: SheetPart): sheet is SheetPart & { readonly part: string } {
  return sheet.part !== null;
}

async function readContext(
  archive: Archive,
  workbookPart: string,
  limits: InputLimits,
): Promise<{ context: SheetContext; sheets: readonly SheetPart[] }> {
  const parts = await readWorkbookParts(archive, workbookPart, limits);
  const { sharedTexts, styles, dateSystem, sheets } = parts;
  const context: SheetContext = {
    texts:
      sharedTexts === null ? new SharedTexts() : await readSharedTexts(archive.read(sharedTexts), limits),
    styles: styles === null ? NO_STYLES : await readStyles(archive.read(styles), limits),
    dateSystem,
    limits,
  };
  return { context, sheets };
}

/**
 * Opens an `.xlsx` or `.xlsm` workbook. Its shared texts stay in memory until it is closed; its rows are
 * streamed.
 *
 * @param workbookPart - where in the archive the list of sheets is
 * @throws InputError when it is damaged, beyond a limit, or has nothing in it
 */
export async function openXlsx(
  source: ByteSource,
  archive: Archive,
  workbookPart: string,
  options: InputOptions,
  limits: InputLimits,
): Promise<OpenedWorkbook> {
  const contentHash = await contentHashOf(source);
  const { context, sheets } = await readContext(archive, workbookPart, limits);
  const tables: OpenedTable[] = [];
  const skipped: string[] = [];
  for (const sheet of chooseSheets(sheets, options.sheet)) {
    const table = hasCells(sheet)
      ? await openSheet({ source, contentHash, context }, sheet, options.isHeader)
      : null;
    if (table !== null) tables.push(table);
    else
      skipped.push(
        `sheet "${sheet.name}" is not read: ${hasCells(sheet) ? 'it is empty' : 'it has no cells'}`,
      );
  }
  const [first, ...others] = tables;
  if (first === undefined) throw emptyFile();
  return { tables: [withNotes(first, skipped), ...others], contentHash };
}
