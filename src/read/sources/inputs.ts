/* Opens the files of a call, finds how each of their tables is read, and which of their sheets are. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { removeLeftovers } from '../../disk/file-system.ts';
import type { HiddenChoice } from '../../domain/batches/batch.ts';
import { FilesRefused, isRefusal, type PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ControlTotals, ReadingProfile, Settings } from '../../domain/settings/definitions.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { RememberedMapping } from '../../domain/tables/mapping.ts';
import { type LeftOutSheet, unprotectCell } from '../../domain/tables/table.ts';
import { isSheetBeside } from '../../domain/tables/values-sheet.ts';
import {
  refuseMissingTitles,
  refuseUnmatchedMapping,
  refuseUnusedMapping,
} from '../mapping/columns-of-mapping.ts';
import { hasTitle, type MappingFile } from '../mapping/mapping-schema.ts';
import { detectKind, looksLikeHeader, placeOf } from '../mapping/table-mapping.ts';
import { originColumnsOf } from '../rows/corrections.ts';
import { distinctInputTables, type InputFile, type InputTable } from '../rows/input-table.ts';
import { inputTableOf } from './input-of-table.ts';
import { choosingEncoding, nameOf, openAsStated } from './open-file.ts';
import { type FileCall, isFresh, readingsOf, type TableReading } from './readings.ts';
import { knownMapping, outdatedMapping, rememberedNote } from './remembered-mappings.ts';
import { type FileReadings, statedReadings } from './stated-reading.ts';

/** The opened inputs of a call, and how to close them. */
export interface OpenInputs {
  readonly inputTables: readonly InputTable[];
  /** Notes for the person on sheets that were left out. */
  readonly notes: readonly Message[];
  /** Sheets with rows that are left out although no person has said so. */
  readonly leftOut: readonly LeftOutSheet[];
  /** Files that are refused as a whole. */
  readonly refused: readonly PaybatchError[];
  /** Whether none is refused, or `skipRefused` lets the others continue. */
  readonly mayContinue: boolean;
  readonly close: () => Promise<void>;
}

/** What a call knows when it opens its files. */
interface OpeningCall extends Pick<FileCall, 'rules' | 'findOriginalBatch'> {
  readonly settings: Pick<Settings, 'reading' | 'controls'>;
  /** The options for single files. */
  readonly ofFile?: FileReadings | undefined;
  readonly remembered?: readonly RememberedMapping[];
  /** Without it, every content is new. */
  readonly findContentReadings?: FileCall['findContentReadings'];
  /** Questions to a person; without it, no person is asked. */
  readonly ask?: CallContext['ask'];
}

/**
 * Opens every file and identifies its tables.
 * @throws PaybatchError (`file_refused`) that names every file, when all are refused as a whole
 */
export async function openInputs(paths: readonly string[], call: OpeningCall): Promise<OpenInputs> {
  const { settings, rules, ofFile, remembered = [], findOriginalBatch } = call;
  const { findContentReadings = async () => [], ask = async () => 'nobody' } = call;
  const stated = statedReadings(paths, settings.reading, rules, ofFile);
  const opened: InputFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  const notes: Message[] = [];
  const note = (text: Message): unknown => notes.push(text);
  await removeLeftovers(tmpdir());
  try {
    const refused: PaybatchError[] = [];
    const readings: TableReading[] = [];
    const there = existingPaths(paths, settings.controls, notes);
    if (there.length === 0) return { inputTables: [], notes, leftOut: [], refused, mayContinue: true, close };
    const known = remembered.map(knownMapping);
    await eachUnlessRefused(
      there.map((path) => ({ path })),
      refused,
      async ({ path }) => {
        const own = stated.of(path);
        const isHeader = (cells: readonly string[]): boolean =>
          originColumnsOf(cells) !== null ||
          looksLikeHeader(cells, own.kind, own.mapping) ||
          outdatedMapping(cells.map(unprotectCell), known) !== undefined;
        const name = path === '-' ? 'standard input' : basename(path);
        const file = await openAsStated(path, own, isHeader, choosingEncoding(name, ask, known));
        opened.push(file);
        const ofFile = { ...own, file, known, findOriginalBatch, findContentReadings, note };
        readings.push(...(await readingsOf(ofFile)));
      },
    );
    const isStated = ({ file, mapping }: TableReading): boolean => mapping === stated.of(file.path).mapping;
    // The columns that a mapping names may be in a refused file.
    if (refused.length === 0) refuseMissing(stated.ofCall.mapping, readings, isStated);
    for (const { file, table, source } of readings) {
      if (source.from === 'remembered') notes.push(rememberedNote(placeOf(table, nameOf(file)), source.name));
    }
    const leftOutTables: TableReading[] = [];
    const read: { readonly reading: TableReading; readonly inputTable: InputTable }[] = [];
    await eachUnlessRefused(opened, refused, async (file) => {
      const ofFile: typeof read = [];
      for (const reading of readings.filter((each) => each.file === file)) {
        const { profile } = stated.of(file.path);
        if (!isRead(reading, readings, profile, notes, leftOutTables)) continue;
        const hidden = hiddenChoiceOf(reading, readings, profile);
        ofFile.push({ reading, inputTable: await inputTableOf(reading, profile, hidden, known) });
      }
      read.push(...ofFile);
    });
    if (refused.length > 0 && read.length === 0) throw new FilesRefused(refused);
    const asStated = read.filter(({ reading }) => isStated(reading));
    if (refused.length === 0 && (asStated.length > 0 || read.length === 0)) {
      refuseUnusedMapping(
        stated.ofCall.mapping,
        asStated.map(({ inputTable: { mapping, table } }) => ({ kind: mapping.kind, header: table.header })),
      );
    }
    const distinct = distinctInputTables(read.map(({ inputTable }) => inputTable));
    const mayContinue = refused.length === 0 || settings.controls.skipRefused;
    const { inputTables } = distinct;
    const leftOut = await leftOutSheets(leftOutTables, readings);
    return { inputTables, notes: [...notes, ...distinct.notes], leftOut, refused, mayContinue, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Calls a function for each file and collects the refusals, so that all of them are reported at once. */
async function eachUnlessRefused<File extends { readonly path: string }>(
  files: readonly File[],
  refused: PaybatchError[],
  work: (file: File) => Promise<void>,
): Promise<void> {
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refused.push(error.about(file.path));
    }
  }
}

/** A shell passes on a pattern that matches nothing. With `allowNone`, such a pattern means no file. */
function existingPaths(paths: readonly string[], { allowNone }: ControlTotals, notes: Message[]): string[] {
  return paths.filter((path) => {
    const isUnmatched = allowNone && /[*?[]/.test(path) && !existsSync(path);
    if (isUnmatched) notes.push(`No file matches ${path}.`);
    return !isUnmatched;
  });
}

/** A failed file has only its own columns of a mapping that applies to several files. */
function refuseMissing(
  mapping: MappingFile,
  readings: readonly TableReading[],
  isStated: (reading: TableReading) => boolean,
): void {
  const own = readings.filter(isStated);
  const fresh = readings.filter(isFresh);
  if (own.length === 0 && fresh.length > 0) {
    const tables = fresh.map(({ table }) => table);
    refuseUnmatchedMapping(mapping, tables);
  }
  const headers = own.map(({ table }) => table.header);
  if (headers.length > 0) refuseMissingTitles(mapping, headers);
  for (const reading of readings) {
    if (isStated(reading) || reading.source.from !== 'corrected') continue;
    const { header } = reading.source.batch;
    const columns = Object.entries(reading.mapping.columns ?? {}).filter(([title]) =>
      hasTitle(header, title),
    );
    refuseMissingTitles({ columns: Object.fromEntries(columns) }, [reading.table.header]);
  }
}

/* Which sheets are read, whether with their hidden rows, and which are left out unasked. */

/** Those of the left out sheets that have rows, that no mapping of their file leaves out, and that paybatch did not write. */
async function leftOutSheets(
  leftOut: readonly TableReading[],
  found: readonly TableReading[],
): Promise<readonly LeftOutSheet[]> {
  const sheets: LeftOutSheet[] = [];
  for (const { file, table } of leftOut) {
    if (isSheetBeside(table.header)) continue;
    const ofFile = found.filter((other) => other.file === file);
    const meant = ofFile.flatMap(({ mapping }) => mapping.leaveOutSheets ?? []);
    if (hasTitle(meant, table.sheet ?? '')) continue;
    let rows = 0;
    for await (const group of table.rows()) {
      // A line of prose has one filled cell, a row of a table has more.
      rows += group.filter(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1).length;
    }
    if (rows > 0) sheets.push({ file: nameOf(file), sheet: table.sheet ?? '', rows });
  }
  return sheets;
}

/**
 * Of several sheets, those of a known kind are read, so a sheet of notes does not refuse the workbook. A sheet with
 * only paybatch's own columns holds the choice lists for cells of the others.
 */
function isRead(
  own: TableReading,
  found: readonly TableReading[],
  profile: ReadingProfile,
  notes: Message[],
  leftOut: TableReading[],
): boolean {
  const { file, table } = own;
  if (file.tables.length <= 1 || profile.sheet !== undefined) return true;
  if (table.header.every((title) => title.startsWith('result_'))) return false;
  const isKnown = (other: TableReading): boolean =>
    !isFresh(other) ||
    other.kind !== null ||
    detectKind(other.table, other.mapping, other.rules) !== undefined;
  if (isKnown(own)) {
    // Unless it is the only one, or named by the setting.
    const isSkipped = table.isHidden === true && hiddenChoiceOf(own, found, profile) === 'skip';
    if (isSkipped) {
      const sheet = String(table.sheet);
      notes.push(
        say`${nameOf(file)}: the hidden sheet "${sheet}" is left out, as ${{ setting: 'hidden' }} says.`,
      );
    }
    return !isSkipped;
  }
  if (!found.some((other) => other.file === file && isKnown(other))) return true;
  leftOut.push(own);
  notes.push(`${nameOf(file)}: sheet "${table.sheet}" is left out, since its header is of no known kind.`);
  return false;
}

/**
 * The treatment of hidden rows: by option, else by the table's mapping, else by that of another table of its file.
 */
function hiddenChoiceOf(
  { file, mapping }: TableReading,
  found: readonly TableReading[],
  profile: ReadingProfile,
): HiddenChoice | null {
  const ofFile = found.filter((other) => other.file === file).map((other) => other.mapping.hidden);
  return profile.hidden ?? mapping.hidden ?? ofFile.find((choice) => choice !== undefined) ?? null;
}
