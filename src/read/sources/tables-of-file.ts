/* The tables of one file, and how each of them is read. */

import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import type { ContentReading } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { Message } from '../../domain/settings/message.ts';
import type { RememberedMapping } from '../../domain/tables/mapping.ts';
import {
  correctionsOn,
  isValuesSheet,
  type ValueCorrections,
  withCorrectedValues,
} from '../../domain/tables/table.ts';
import { InputError } from '../file/input-error.ts';
import { isSameTitle, type MappingFile } from '../mapping/mapping-file.ts';
import { placeOf } from '../mapping/table-mapping.ts';
import { titlesNamedBy } from '../mapping/unused-parts.ts';
import { originColumnsOf } from '../rows/corrections.ts';
import type { InputTable } from '../rows/input-table.ts';
import type { InputFile, OpenedTable, TableDialect } from '../table/opened-table.ts';
import { choosingEncoding, nameOf, naming, openInputFile, readable } from './open-file.ts';
import { type FindOriginalBatch, type InputReading, readingFor, readingHashOf } from './readings.ts';
import {
  asRemembered,
  type FindContentReadings,
  type KnownMapping,
  keptReadingNote,
  knownMapping,
  mappingFor,
  mappingOf,
  readingToContinueWith,
} from './remembered-mappings.ts';

/** A table of an opened file, and how it is to be read. */
export interface FoundTable {
  readonly file: InputFile;
  readonly table: InputTable['table'];
  readonly readShare: () => number;
  readonly reading: InputReading;
}

/** What decides how the files of a call are read. */
export interface CallReadings {
  readonly profile: ReadingProfile;
  /** By the options. */
  readonly stated: Omit<InputReading, 'corrects'>;
  readonly remembered: readonly RememberedMapping[];
  readonly findOriginalBatch: FindOriginalBatch;
  readonly findContentReadings: FindContentReadings;
  /** Reports to a person how a table is read. */
  readonly note: (text: Message) => void;
  readonly isHeader: (cells: readonly string[]) => boolean;
  /** Absent where no person may be asked. */
  readonly ask?: CallContext['ask'];
}

/**
 * Opens a file by the options, and by the mapping for what they do not state. A failed file is opened in paybatch's
 * own format, whatever applied to its original file.
 */
export async function openAsStated(
  path: string,
  { profile, stated, isHeader, remembered, ask = async () => 'nobody' }: CallReadings,
): Promise<InputFile> {
  const dialect = dialectIn(stated.mapping, profile);
  const name = path === '-' ? 'standard input' : basename(path);
  const choose = choosingEncoding(name, ask, remembered.map(knownMapping));
  if (dialect === null) return openInputFile(path, profile, isHeader, choose);
  // Standard input cannot be read twice.
  if (path === '-') return openInputFile(path, { ...profile, ...dialect }, isHeader, choose);
  const file = await openUnlessUnreadable(path, profile, isHeader);
  if (file === null) return openInputFile(path, { ...profile, ...dialect }, isHeader, choose);
  if (file.tables.some(({ header }) => originColumnsOf(header) !== null)) return file;
  return inDialect(file, dialect);
}

/** The delimiter and encoding of a CSV file by its mapping, where no option states them; null for none. */
function dialectIn(mapping: MappingFile, profile: ReadingProfile): TableDialect | null {
  const encoding = profile.encoding ?? mapping.encoding;
  const delimiter = profile.delimiter ?? mapping.delimiter;
  if (encoding === profile.encoding && delimiter === profile.delimiter) return null;
  return {
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
  };
}

async function openUnlessUnreadable(
  path: string,
  profile: ReadingProfile,
  isHeader: CallReadings['isHeader'],
): Promise<InputFile | null> {
  try {
    return await openInputFile(path, profile, isHeader);
  } catch (error) {
    if (error instanceof PaybatchError) return null;
    throw error;
  }
}

/** Closing the result also closes the original file. */
async function inDialect(file: InputFile, dialect: TableDialect): Promise<InputFile> {
  try {
    return await file.inDialect(dialect);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Finds out how each table of a file is read. */
export async function findTables(file: InputFile, call: CallReadings): Promise<FoundTable[]> {
  const known = call.remembered.map(knownMapping);
  return naming(file.path, async () => {
    const found: FoundTable[] = [];
    const corrections = await correctedValuesOf(file);
    for (const opened of file.tables) {
      const own = await readingAsStated(file, opened, call);
      const isFresh = own.reading.corrects === null;
      const { table, reading } = isFresh ? await applyEarlierReading(file, own, call, known) : own;
      const corrected = withCorrectedValues(readable(file.path, table), corrections);
      found.push({ file, table: corrected, readShare: table.readShare, reading });
    }
    return found;
  });
}

/** A person's corrections on the sheet "Values" of a failed workbook; empty for every other file. */
async function correctedValuesOf(file: InputFile): Promise<ValueCorrections> {
  const sheet = file.tables.find(({ header }) => isValuesSheet(header));
  return sheet === undefined ? new Map() : correctionsOn(readable(file.path, sheet));
}

interface ReadTable {
  readonly table: OpenedTable;
  readonly reading: InputReading;
}

async function readingAsStated(
  file: InputFile,
  opened: OpenedTable,
  { profile, stated, findOriginalBatch }: CallReadings,
): Promise<ReadTable> {
  const plain = readable(file.path, opened);
  const place = placeOf(plain, nameOf(file));
  const reading = await readingFor(plain, stated, profile, place, findOriginalBatch);
  if (reading.corrects !== null) return { table: opened, reading };
  const table = await tableFor(stated.mapping, opened, profile);
  if (table !== null)
    return { table, reading: { ...reading, kind: stated.kind ?? stated.mapping.kind ?? null } };
  const leaveOut = profile.leaveOutNonRows ? { leaveOut: true } : {};
  const kind = stated.mapping.sheet === undefined ? stated.kind : null;
  return { table: opened, reading: { ...reading, kind, mapping: leaveOut } };
}

/**
 * The table under the header that a mapping names; null where the mapping is for another table. A mapping without a
 * kind, a sheet and a header applies to every table of a call.
 */
async function tableFor(
  mapping: MappingFile,
  opened: OpenedTable,
  { sheet: statedSheet }: ReadingProfile,
): Promise<OpenedTable | null> {
  const { kind, headerRows } = mapping;
  const sheet = statedSheet ?? mapping.sheet;
  if (sheet !== undefined && opened.sheet !== null && !isSameTitle(opened.sheet, sheet)) return null;
  if (kind === undefined && sheet === undefined && headerRows === undefined) return opened;
  const table = headerRows === undefined ? opened : await belowOrNull(opened, headerRows);
  const titles = titlesNamedBy(mapping);
  if (table === null || titles.length === 0) return table;
  const { header } = readable('', table);
  return titles.some((title) => header.some((other) => isSameTitle(other, title))) ? table : null;
}

async function belowOrNull(opened: OpenedTable, headerRows: readonly number[]): Promise<OpenedTable | null> {
  try {
    return await opened.below(headerRows);
  } catch (error) {
    if (error instanceof InputError && error.code === 'header_missing') return null;
    throw error;
  }
}

/**
 * Reads known content as before, and new content with the mapping that is remembered for its header. A mapping takes
 * precedence if it was agreed to later for exactly this content, or if the content was only planned.
 */
async function applyEarlierReading(
  file: InputFile,
  own: ReadTable,
  call: CallReadings,
  known: readonly KnownMapping[],
): Promise<ReadTable> {
  const agreed = await remembering(file, own, call, known);
  const readings = await call.findContentReadings(file.contentHash);
  const isRemembered = agreed.mapping !== undefined;
  const reading =
    readingToContinueWith(readings, own.table.sheet, own.reading, false) ??
    (isRemembered ? undefined : readingToContinueWith(readings, own.table.sheet, own.reading, true));
  if (reading === undefined || isAgreedSince(agreed.mapping, reading, file)) return agreed;
  const before = mappingOf(reading);
  const match = await matchIn(file, own.table, dialectIn(before.mapping, call.profile), [before]);
  if (match === null) return agreed;
  const leaveOut = call.profile.leaveOutNonRows ? { leaveOut: true } : {};
  const mapping = { ...before.mapping, ...leaveOut };
  if (isRemembered && readingHashOf(call.profile, agreed.reading.mapping) !== reading.readingHash) {
    const place = placeOf(readable(file.path, match.table), nameOf(file));
    call.note(keptReadingNote(place, reading, agreed.mapping?.name ?? ''));
  }
  return { table: match.table, reading: { ...own.reading, kind: reading.kind, mapping, known: reading } };
}

function isAgreedSince(
  mapping: KnownMapping | undefined,
  { createdAt }: ContentReading,
  { contentHash }: InputFile,
): boolean {
  const { agreed } = mapping ?? {};
  return agreed !== undefined && agreed.contentHash === contentHash && agreed.at > createdAt;
}

/** Those of the known mappings that the tables of a file are read with. */
export async function knownMappingsOf(
  file: InputFile,
  profile: ReadingProfile,
  known: readonly KnownMapping[],
): Promise<readonly KnownMapping[]> {
  const found: KnownMapping[] = [];
  for (const table of file.tables) {
    const match = await matchOf(file, table, profile, known);
    if (match !== null) found.push(match.found);
  }
  return found;
}

/** Reads a table with the mapping that is remembered for its header, if there is one. */
async function remembering(
  file: InputFile,
  own: ReadTable,
  { profile }: CallReadings,
  known: readonly KnownMapping[],
): Promise<ReadTable & { readonly mapping?: KnownMapping }> {
  const { kind } = own.reading;
  const possible = known.filter((other) => kind === null || kind === other.kind);
  const match = await matchOf(file, own.table, profile, possible);
  if (match === null) return own;
  const reading = asRemembered(own.reading, match.table, match.found);
  return { table: match.table, reading, mapping: match.found };
}

/** A table as read with a known mapping. */
interface Match {
  readonly table: OpenedTable;
  readonly found: KnownMapping;
}

async function matchOf(
  file: InputFile,
  opened: OpenedTable,
  profile: ReadingProfile,
  known: readonly KnownMapping[],
): Promise<Match | null> {
  for (const [dialect, ofDialect] of byDialect(known, profile)) {
    const match = await matchIn(file, opened, dialect, ofDialect);
    if (match !== null) return match;
  }
  return null;
}

/** Groups mappings by dialect. Those without one come first, since the file was already read that way. */
function byDialect(
  known: readonly KnownMapping[],
  profile: ReadingProfile,
): readonly (readonly [TableDialect | null, readonly KnownMapping[]])[] {
  const groups = new Map<string, [TableDialect | null, KnownMapping[]]>();
  for (const other of known) {
    const dialect = dialectIn(other.mapping, profile);
    const key = JSON.stringify(dialect);
    const group = groups.get(key) ?? [dialect, []];
    groups.set(key, group);
    group[1].push(other);
  }
  return [...groups.values()].sort(([left], [right]) => Number(left !== null) - Number(right !== null));
}

async function matchIn(
  file: InputFile,
  opened: OpenedTable,
  dialect: TableDialect | null,
  known: readonly KnownMapping[],
): Promise<Match | null> {
  const own = dialect === null || file.format !== 'csv' ? opened : await firstTableIn(file, dialect);
  if (own === null) return null;
  const sheets = file.tables.map(({ sheet }) => sheet);
  const headers = new Map(
    known.map(({ mapping }) => [JSON.stringify(mapping.headerRows), mapping.headerRows]),
  );
  for (const [key, headerRows] of headers) {
    const table = headerRows === undefined ? own : await belowOrNull(own, headerRows);
    if (table === null) continue;
    const ofHeader = known.filter(({ mapping }) => JSON.stringify(mapping.headerRows) === key);
    const found = mappingFor(readable(file.path, table), sheets, ofHeader);
    if (found !== undefined) return { table, found };
  }
  return null;
}

/** A file that cannot be read in a mapping's dialect does not belong to that mapping. */
async function firstTableIn(file: InputFile, dialect: TableDialect): Promise<OpenedTable | null> {
  try {
    const { tables } = await file.inDialect(dialect);
    return tables[0] ?? null;
  } catch (error) {
    if (error instanceof PaybatchError) return null;
    throw error;
  }
}
