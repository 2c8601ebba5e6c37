import { Archive } from '../../file/archive.ts';
import { damagedFile, InputError, type InputLimits } from '../../file/input-error.ts';
import { assertUnchanged, type ByteSource, contentHashOf, ReadingShare } from '../../file/source.ts';
import { isTrue, prefixedAttribute, readXml, XmlReader } from '../../file/xml.ts';
import { findHeader, type RawRow, type RawRows, tableBelow } from '../../rows/header.ts';
import type { InputFile, InputOptions, MergedRange, OpenedTable } from '../../rows/input-table.ts';
import type { DateSystem } from '../sheet/cell-value.ts';
import { hiddenSheet, openSheets, sheetNotes, TableNotes } from '../sheet/sheets.ts';
import { readSharedTexts, SharedTexts, type SheetContext, SheetReader } from './sheet.ts';
import { NO_STYLES, readStyles, readThemeColours, usualTheme } from './styles.ts';

/* The parts of an `.xlsx` file: the workbook, and its sheets. */

/** A sheet as the workbook lists it. */
interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  /** The part's name in the archive; null for a sheet without cells (a chart, a dialogue, a macro). */
  readonly part: string | null;
}

/** Where a workbook's parts are. */
interface WorkbookParts {
  readonly sheets: readonly SheetPart[];
  readonly dateSystem: DateSystem;
  readonly sharedTexts: string | null;
  readonly styles: string | null;
  readonly theme: string | null;
}

interface Relationship {
  /** The last word of its type, the same in both editions of the format. */
  readonly type: string;
  readonly target: string;
}

const SHEETS = 1000;

/** Joins a part's folder and a relative or absolute target; `..` cannot leave the archive. */
function resolvePart(folder: string, target: string): string {
  const segments: string[] = [];
  const path = target.startsWith('/') ? target : `${folder}/${target}`;
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

function folderOf(part: string): string {
  return part.includes('/') ? part.slice(0, part.lastIndexOf('/')) : '';
}

async function readRelationships(
  archive: Archive,
  of: string,
  limits: InputLimits,
): Promise<Map<string, Relationship>> {
  const folder = folderOf(of);
  const part = resolvePart(folder, `_rels/${of.slice(of.lastIndexOf('/') + 1)}.rels`);
  const relationships = new Map<string, Relationship>();
  await readXml(
    archive.read(part),
    {
      open(name, attributes) {
        if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
        const type = attributes.Type ?? '';
        relationships.set(attributes.Id ?? '', {
          type: type.slice(type.lastIndexOf('/') + 1),
          target: resolvePart(folder, attributes.Target ?? ''),
        });
      },
    },
    limits,
  );
  return relationships;
}

/** @returns the part's name of the first relationship of that type, or null */
function targetOfType(relationships: ReadonlyMap<string, Relationship>, type: string): string | null {
  return [...relationships.values()].find((relationship) => relationship.type === type)?.target ?? null;
}

/** The workbook's main part, from which all other parts are found. */
export async function findWorkbookPart(archive: Archive, limits: InputLimits): Promise<string> {
  const part = targetOfType(await readRelationships(archive, '', limits), 'officeDocument');
  if (part === null) throw damagedFile('it does not say where its workbook is');
  return part;
}

/** Reads the list of sheets. */
async function readWorkbookParts(
  archive: Archive,
  workbookPart: string,
  limits: InputLimits,
): Promise<WorkbookParts> {
  const relationships = await readRelationships(archive, workbookPart, limits);
  const sheets: SheetPart[] = [];
  let dateSystem: DateSystem = 1900;
  let isRoot = true;
  await readXml(
    archive.read(workbookPart),
    {
      open(name, attributes) {
        if (isRoot && name !== 'workbook') {
          throw new InputError(
            'document_file',
            'This is a document or a presentation, not a workbook.',
            'copy its table into a spreadsheet program and save it as .xlsx',
          );
        }
        isRoot = false;
        if (name === 'workbookPr' && isTrue(attributes.date1904)) dateSystem = 1904;
        if (name !== 'sheet') return;
        const relationship = relationships.get(prefixedAttribute(attributes, 'id') ?? '');
        if (relationship === undefined || sheets.length >= SHEETS)
          throw damagedFile('its list of sheets is wrong');
        const part = relationship.type === 'worksheet' ? relationship.target : null;
        // Otherwise a short file could cause a long sheet to be read a thousand times.
        if (part !== null && sheets.some((sheet) => sheet.part?.toLowerCase() === part.toLowerCase())) {
          throw damagedFile('two of its sheets are the same part');
        }
        const isHidden = (attributes.state ?? 'visible') !== 'visible';
        sheets.push({ name: attributes.name ?? '', isHidden, part });
      },
    },
    limits,
  );
  return {
    sheets,
    dateSystem,
    sharedTexts: targetOfType(relationships, 'sharedStrings'),
    styles: targetOfType(relationships, 'styles'),
    theme: targetOfType(relationships, 'theme'),
  };
}

interface Workbook {
  readonly source: ByteSource;
  readonly contentHash: string;
  readonly context: SheetContext;
}

/** Every filled row of a sheet. The part is read to its end, where its checksum is checked. */
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
  { name, isHidden, part }: SheetPart,
  isHeader: InputOptions['isHeader'],
): Promise<OpenedTable | 'it is empty' | 'it has no cells'> {
  if (part === null) return 'it has no cells';
  const notes = new TableNotes();
  const share = new ReadingShare();
  let merged: readonly MergedRange[] | null = null;
  const allRows = () =>
    sheetRows(workbook, part, share, (reader) => {
      notes.add(sheetNotes(reader));
      merged = reader.merged.nearTop;
    });
  const { limits } = workbook.context;
  const header = await findHeader(allRows(), isHeader, limits);
  if (header === null) return 'it is empty';
  // Merged ranges follow the rows in the file, so it has to be read to its end.
  const mergedRanges = async (): Promise<readonly MergedRange[]> => {
    for await (const _ of merged === null ? allRows() : []);
    return merged ?? [];
  };
  return tableBelow(header, {
    sheet: name,
    isHidden,
    share,
    limits,
    allRows,
    mergedRanges,
    notes: isHidden ? [hiddenSheet] : [],
    laterNotes: notes.all,
  });
}

async function readContext(
  archive: Archive,
  workbookPart: string,
  limits: InputLimits,
): Promise<{ context: SheetContext; sheets: readonly SheetPart[] }> {
  const parts = await readWorkbookParts(archive, workbookPart, limits);
  const { sharedTexts, styles, theme, dateSystem, sheets } = parts;
  const themeColours = async (): Promise<readonly string[]> =>
    theme === null || !archive.has(theme) ? usualTheme : readThemeColours(archive.read(theme), limits);
  const context: SheetContext = {
    texts:
      sharedTexts === null ? new SharedTexts() : await readSharedTexts(archive.read(sharedTexts), limits),
    styles: styles === null ? NO_STYLES : await readStyles(archive.read(styles), limits, themeColours),
    dateSystem,
    limits,
  };
  return { context, sheets };
}

/**
 * Opens an `.xlsx` or `.xlsm` workbook. Its shared texts stay in memory until it is closed; its rows are streamed.
 *
 * @param workbookPart - the part with the list of sheets
 * @throws InputError when it is damaged, beyond a limit, or is empty
 */
export async function openXlsx(
  source: ByteSource,
  archive: Archive,
  workbookPart: string,
  options: InputOptions,
  limits: InputLimits,
): Promise<Pick<InputFile, 'tables' | 'contentHash'>> {
  const contentHash = await contentHashOf(source);
  const { context, sheets } = await readContext(archive, workbookPart, limits);
  const workbook = { source, contentHash, context };
  const tables = await openSheets(sheets, options.sheet, (sheet) =>
    openSheet(workbook, sheet, options.isHeader),
  );
  return { tables, contentHash };
}
