/* Opens the files of a call and finds what each of their tables is. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { removeLeftovers } from '../../disk/file-system.ts';
import type { HiddenChoice, Kind, OriginalBatch } from '../../domain/batches/batch.ts';
import { seriesName } from '../../domain/batches/last-time.ts';
import { FilesRefused, isRefusal, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { ControlTotals, ReadingProfile, Settings } from '../../domain/settings/definitions.ts';
import type { Message } from '../../domain/settings/message.ts';
import type { RememberedMapping, TableMapping } from '../../domain/tables/mapping.ts';
import type { FoundMark } from '../../domain/tables/row-marks.ts';
import { type LeftOutSheet, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { definitionsOf } from '../../kinds/registry.ts';
import {
  refuseMissingTitles,
  refuseUnmatchedMapping,
  refuseUnusedMapping,
} from '../mapping/columns-of-mapping.ts';
import { type MappingFile, readingRulesOf } from '../mapping/mapping-file.ts';
import { hasTitle } from '../mapping/mapping-schema.ts';
import { looksLikeHeader, mapTable, placeOf } from '../mapping/table-mapping.ts';
import { withTitlesNamed } from '../mapping/titles.ts';
import { originColumnsOf } from '../rows/corrections.ts';
import { distinctInputTables, type InputFile, type InputTable } from '../rows/input-table.ts';
import { withEvidence, withoutDittoMarks, withoutNonRows } from '../rows/prepared-rows.ts';
import { type DifferingTotal, SumsOfLeftOut } from '../rows/row-sums.ts';
import {
  type ControlLine,
  hasHiddenRows,
  isLeftOutFor,
  rowsToRead,
  withControlLine,
  withMarkedRows,
} from '../rows/rows-to-read.ts';
import { choosingEncoding, nameOf, openAsStated } from './open-file.ts';
import { type FileCall, readingsOf, type TableReading } from './readings.ts';
import {
  type KnownMapping,
  knownMapping,
  neededMapping,
  noLongerFits,
  outdatedMapping,
  rememberedNote,
} from './remembered-mappings.ts';
import { hiddenChoiceOf, isFresh, isRead, leftOutSheets } from './sheets-to-read.ts';
import { type FileReadings, isReadingStated, readingHashOf, statedReadings } from './stated-reading.ts';

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
      there,
      (path) => path,
      refused,
      async (path) => {
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
    await eachUnlessRefused(
      opened,
      ({ path }) => path,
      refused,
      async (file) => {
        const ofFile: typeof read = [];
        for (const reading of readings.filter((each) => each.file === file)) {
          const { profile } = stated.of(file.path);
          if (!isRead(reading, readings, profile, notes, leftOutTables)) continue;
          const hidden = hiddenChoiceOf(reading, readings, profile);
          ofFile.push({ reading, inputTable: await inputTableOf(reading, profile, hidden, known) });
        }
        read.push(...ofFile);
      },
    );
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
async function eachUnlessRefused<File>(
  files: readonly File[],
  pathOf: (file: File) => string,
  refused: PaybatchError[],
  work: (file: File) => Promise<void>,
): Promise<void> {
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refused.push(error.about(pathOf(file)));
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

/**
 * The meaning of a table's columns.
 * @throws PaybatchError (`file_refused`), which names the remembered mapping if that no longer fits
 */
function mapped(reading: TableReading, known: readonly KnownMapping[]): TableMapping {
  const { file, table, kind, mapping, rules } = reading;
  const others = known.filter((other) => isFresh(reading) && (kind ?? other.kind) === other.kind);
  const needed = neededMapping(table.header, others);
  if (needed !== undefined) throw noLongerFits(table.header, needed, placeOf(table, nameOf(file)), file.path);
  try {
    return mapTable(table, { kind, mapping, rules, fileName: nameOf(file), path: file.path });
  } catch (error) {
    const outdated = outdatedMapping(table.header, others);
    if (!(error instanceof PaybatchError) || outdated === undefined) throw error;
    throw noLongerFits(table.header, outdated, placeOf(table, nameOf(file)), file.path);
  }
}

/** What is reported instead of refusing a file while a mapping is tried, with which nothing is sent. */
interface Trying {
  /** Called for each total that is none of the rows. */
  readonly onDiffering?: (total: DifferingTotal) => void;
  /** Called with the marks of rows that the mapping does not know. */
  readonly onNewMarks?: (fresh: readonly FoundMark[]) => void;
}

/**
 * A table as read with a mapping, for trying the mapping on rows that were already read.
 * @throws PaybatchError as `openInputs`
 */
export function inputTableFrom(
  own: Pick<TableReading, 'file' | 'table' | 'mapping' | 'kind'>,
  profile: ReadingProfile,
  trying: Trying = {},
): Promise<InputTable> {
  const table = withTitlesNamed(own.table, own.mapping);
  const reading: TableReading = { ...own, table, rules: {}, readShare: () => 1, source: { from: 'stated' } };
  return inputTableOf(reading, profile, profile.hidden ?? null, [], trying);
}

async function inputTableOf(
  reading: TableReading,
  profile: ReadingProfile,
  hiddenChoice: HiddenChoice | null,
  known: readonly KnownMapping[],
  trial: Trying | null = null,
): Promise<InputTable> {
  const { file, table: given, mapping: stated, rules, source } = reading;
  const original = source.from === 'corrected' ? source.batch : null;
  const columns = mapped(reading, known);
  const corrected = { rows: 0 };
  const whole = tableLike(given, {
    notes: () => [...given.notes, ...notesOf(source), ...correctionNotes(corrected.rows, original)],
  });
  const [place, readingRules] = [placeOf(whole, nameOf(file)), readingRulesOf(stated)];
  const { controlLine } = stated;
  const leftOut = new SumsOfLeftOut(columns, readingRules);
  const controlled: { readonly table: SourceTable; readonly control?: ControlLine } =
    controlLine === undefined
      ? { table: whole }
      : withControlLine(whole, { template: controlLine, reading: readingRules, leftOut }, place);
  const rows = withoutNonRows(withoutDittoMarks(controlled.table, columns), {
    mapping: columns,
    reading: readingRules,
    isMeant: stated.leaveOut === true,
    place,
    isLeftOut: isLeftOutFor(whole.header, stated),
    accepted: stated.acceptTotals,
    onDiffering: trial?.onDiffering,
  });
  // A person was asked about the marks of such files when the mapping was made.
  const isSaidOfMarks = source.from === 'stated' && stated.markedRows !== undefined;
  const isNewRefused = source.from === 'remembered' || (trial === null && isSaidOfMarks);
  const { table: visible, hidden } = rowsToRead(rows, columns, hiddenChoice, leftOut);
  const table = withMarkedRows(visible, {
    mapping: columns,
    stated,
    refuseNew: isNewRefused ? { place, path: file.path } : null,
    onNew: trial?.onNewMarks,
    leftOut,
  });
  const isTextOnly = file.format === 'csv' && original === null;
  const mapping = await withEvidence(columns, table, readingRules, isTextOnly);
  // Other rows are another batch. Where nothing is hidden, the option for hidden rows changes nothing.
  const isHiddenLeftOut = hiddenChoice === 'skip' && file.format !== 'csv' && (await hasHiddenRows(whole));
  const { chosenEncoding, hasLineEnd } = file;
  const asChosen = { ...profile, encoding: chosenEncoding ?? profile.encoding };
  return {
    fileName: file.path === '-' ? '-' : nameOf(file),
    path: file.path,
    firstInput: original === null ? undefined : { fileName: original.fileName, sheet: original.sheet },
    contentHash: file.contentHash,
    readingHash:
      source.from === 'content' && !isReadingStated(asChosen)
        ? source.batch.readingHash
        : readingHashOf(asChosen, stated, isHiddenLeftOut),
    encoding: chosenEncoding,
    hasLineEnd,
    corrected,
    table,
    mapping,
    reading: stated,
    rules,
    hidden,
    hiddenChoice,
    readShare: reading.readShare,
    control: controlled.control,
    series: original === null ? seriesUseOf(reading, mapping.kind) : undefined,
    layout: layoutUseOf(reading, profile),
  };
}

/** The note on the file whose rows a table corrects, since they name its batch. */
function correctionNotes(rows: number, corrects: Pick<OriginalBatch, 'fileName'> | null): string[] {
  if (rows === 0 || corrects === null) return [];
  return [`${countOf(rows, 'row')} read as ${rows === 1 ? 'a row' : 'rows'} of ${corrects.fileName}`];
}

/** Notes for the person on how a table is read. */
function notesOf(source: TableReading['source']): string[] {
  if (source.from === 'remembered') return [`read with the remembered mapping "${source.name}"`];
  if (source.from !== 'corrected' || source.setAside.length === 0) return [];
  const parts = source.setAside.join(' and ');
  return [`${parts} of the mapping: not compared, since these rows are not the whole file`];
}

/* What a reading is compared with of last time: the payees of its series, and what the columns of its layout held. */

/** Nothing for the rows of another file, and for a file in paybatch's own columns, which say themselves what they hold. */
function layoutUseOf(
  { source }: TableReading,
  { mapping, acceptDrift }: ReadingProfile,
): InputTable['layout'] {
  const isMapped =
    source.from === 'remembered' ||
    source.from === 'content' ||
    (source.from === 'stated' && mapping !== undefined);
  if (!isMapped) return undefined;
  const remembered = source.from === 'remembered' ? source : null;
  const accepted = (acceptDrift ?? '').split(',').map((code) => code.trim());
  return { remembered, isAgreed: remembered?.isAgreed === true, accepted };
}

/** The earlier files whose payees are compared with these; nothing for a kind without payees. */
function seriesUseOf({ file, table: { sheet }, source }: TableReading, kind: Kind): InputTable['series'] {
  if (definitionsOf(kind).every(({ payee }) => payee === undefined)) return undefined;
  const mapping = source.from === 'remembered' ? source.headerKey : null;
  return { name: seriesName(nameOf(file), sheet), mapping };
}
