/* Opens the files of a call and finds what each of their tables is. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { CallContext } from '../../call/context.ts';
import { removeLeftovers } from '../../disk/out-folder.ts';
import type { HiddenChoice, Kind } from '../../domain/batches/batch.ts';
import { type SeriesKeys, seriesName } from '../../domain/batches/series.ts';
import { FilesRefused, isRefusal, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import type { ControlTotals, ReadingProfile, Settings } from '../../domain/settings/definitions.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { RememberedMapping } from '../../domain/tables/mapping.ts';
import { type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import { definitionsOf } from '../../kinds/registry.ts';
import type { RuleChanges } from '../../kinds/rule-changes.ts';
import { isSameTitle, type MappingFile, readingRulesOf } from '../mapping/mapping-file.ts';
import { detectKind, looksLikeHeader, mapTable, placeOf } from '../mapping/table-mapping.ts';
import { refuseMissingTitles, refuseUnmatchedMapping, refuseUnusedMapping } from '../mapping/unused-parts.ts';
import { originColumnsOf } from '../rows/corrections.ts';
import { distinctInputTables, type InputTable } from '../rows/input-table.ts';
import { withEvidence, withoutDittoMarks, withoutNonRows } from '../rows/prepared-rows.ts';
import { hasHiddenRows, rowsToRead, withControlLine } from '../rows/rows-to-read.ts';
import type { InputFile } from '../table/opened-table.ts';
import { nameOf } from './open-file.ts';
import {
  type FileReadings,
  type FindOriginalBatch,
  type InputReading,
  readingHashOf,
  StatedReadings,
} from './readings.ts';
import {
  type FindContentReadings,
  headerKeyOf,
  isReadingStated,
  neededMapping,
  noKnownContents,
  noLongerFits,
  outdatedMapping,
  rememberedNote,
} from './remembered-mappings.ts';
import { type CallReadings, type FoundTable, findTables, openAsStated } from './tables-of-file.ts';

/** The opened inputs of a call, and how to close them. */
export interface OpenInputs {
  readonly inputTables: readonly InputTable[];
  /** Notes for the person on sheets that were left out. */
  readonly notes: readonly Message[];
  /** Files that are refused as a whole. */
  readonly refused: readonly PaybatchError[];
  /** Whether none is refused, or `skipRefused` lets the others continue. */
  readonly mayContinue: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Opens every file and identifies its tables.
 * @param rules they may change which columns are required
 * @param findOriginalBatch called only for a failed file that comes back
 * @param ask questions to a person; without it, no person is asked
 * @param findContentReadings how a content was read before; without it, every content is new
 * @throws PaybatchError (`file_refused`) that names every file, when all are refused as a whole
 */
export async function openInputs(
  paths: readonly string[],
  settings: Pick<Settings, 'reading' | 'controls'> & { readonly ofFile?: FileReadings | undefined },
  rules: RuleChanges,
  findOriginalBatch: FindOriginalBatch,
  remembered: readonly RememberedMapping[] = [],
  ask?: CallContext['ask'],
  findContentReadings: FindContentReadings = noKnownContents,
): Promise<OpenInputs> {
  const readings = new StatedReadings(paths, settings.reading, rules, settings.ofFile);
  const { stated } = readings.ofCall;
  const opened: InputFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  const notes: Message[] = [];
  const callFor = (path: string): CallReadings => {
    const own = readings.of(path);
    const { kind, mapping } = own.stated;
    return {
      ...own,
      remembered,
      findOriginalBatch,
      findContentReadings,
      isHeader: (cells) =>
        originColumnsOf(cells) !== null ||
        looksLikeHeader(cells, kind, mapping) ||
        outdatedMapping(cells.map(unprotectCell), remembered) !== undefined,
      ...(ask === undefined ? {} : { ask }),
      note: (text) => notes.push(text),
    };
  };
  await removeLeftovers(tmpdir());
  try {
    const refused: PaybatchError[] = [];
    const found: FoundTable[] = [];
    const there = existingPaths(paths, settings.controls, notes);
    if (there.length === 0) return { inputTables: [], notes, refused, mayContinue: true, close };
    await eachUnlessRefused(
      there,
      (path) => path,
      refused,
      async (path) => {
        const file = await openAsStated(path, callFor(path));
        opened.push(file);
        found.push(...(await findTables(file, callFor(path))));
      },
    );
    // The columns that a mapping names may be in a refused file.
    if (refused.length === 0) refuseMissing(readings, found);
    for (const { file, table, reading } of found) {
      if (reading.remembered !== undefined)
        notes.push(rememberedNote(placeOf(table, nameOf(file)), reading.remembered));
    }
    const given: InputTable[] = [];
    await eachUnlessRefused(
      opened,
      ({ path }) => path,
      refused,
      async (file) => {
        const ofFile: InputTable[] = [];
        for (const table of found.filter((each) => each.file === file)) {
          const { profile } = readings.of(file.path);
          if (!isRead(table, found, profile, notes)) continue;
          const hidden = hiddenChoiceOf(table, found, profile);
          ofFile.push(await inputTableOf(table, profile, hidden, remembered));
        }
        given.push(...ofFile);
      },
    );
    if (refused.length > 0 && given.length === 0) throw new FilesRefused(refused);
    const ownInputTables = given.filter(({ reading }) => readings.isStated(reading));
    if (refused.length === 0 && (ownInputTables.length > 0 || given.length === 0)) {
      refuseUnusedMapping(
        stated.mapping,
        ownInputTables.map((inputTable) => ({
          kind: inputTable.mapping.kind,
          header: inputTable.table.header,
        })),
      );
    }
    const { inputTables, notes: repeats } = distinctInputTables(given);
    const mayContinue = refused.length === 0 || settings.controls.skipRefused;
    return { inputTables, notes: [...notes, ...repeats], refused, mayContinue, close };
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
function refuseMissing(readings: StatedReadings, found: readonly FoundTable[]): void {
  const stated = readings.ofCall.stated.mapping;
  const own = found.filter(({ reading }) => readings.isStated(reading.mapping));
  const fresh = found.filter(
    ({ reading: { corrects, remembered, known } }) =>
      corrects === null && remembered === undefined && known === undefined,
  );
  if (own.length === 0 && fresh.length > 0) {
    refuseUnmatchedMapping(
      stated,
      fresh.map(({ table }) => table),
    );
  }
  if (own.length > 0) {
    refuseMissingTitles(
      stated,
      own.map(({ table }) => table.header),
    );
  }
  for (const { table, reading } of found) {
    if (readings.isStated(reading.mapping) || reading.corrects === null) continue;
    const { header } = reading.corrects;
    const columns = Object.entries(reading.mapping.columns ?? {}).filter(([title]) =>
      header.some((other) => isSameTitle(other, title)),
    );
    refuseMissingTitles({ columns: Object.fromEntries(columns) }, [table.header]);
  }
}

/**
 * Of several sheets, those of a known kind are read, so a sheet of notes does not refuse the workbook. A sheet with
 * only paybatch's own columns holds the choice lists for cells of the others.
 */
function isRead(
  own: FoundTable,
  found: readonly FoundTable[],
  profile: ReadingProfile,
  notes: Message[],
): boolean {
  const { file, table } = own;
  if (file.tables.length <= 1 || profile.sheet !== undefined) return true;
  if (table.header.every((title) => title.startsWith('result_'))) return false;
  const isKnown = (other: FoundTable): boolean =>
    other.reading.corrects !== null ||
    other.reading.remembered !== undefined ||
    other.reading.known !== undefined ||
    other.reading.kind !== null ||
    detectKind(other.table, other.reading.mapping, other.reading.rules) !== undefined;
  if (isKnown(own)) return !isSkipped(table, nameOf(file), hiddenChoiceOf(own, found, profile), notes);
  if (!found.some((other) => other.file === file && isKnown(other))) return true;
  notes.push(`${nameOf(file)}: sheet "${table.sheet}" is left out, since its header is of no known kind.`);
  return false;
}

/**
 * The treatment of hidden rows: by option, else by the table's mapping, else by that of another table of its file.
 */
function hiddenChoiceOf(
  { file, reading }: FoundTable,
  found: readonly FoundTable[],
  profile: ReadingProfile,
): HiddenChoice | null {
  const ofFile = found.filter((other) => other.file === file).map((other) => other.reading.mapping.hidden);
  return profile.hidden ?? reading.mapping.hidden ?? ofFile.find((choice) => choice !== undefined) ?? null;
}

/** Whether a hidden sheet is left out at a person's request, unless it is the only one or requested by name. */
function isSkipped(
  table: SourceTable,
  fileName: string,
  choice: HiddenChoice | null,
  notes: Message[],
): boolean {
  if (table.isHidden !== true || choice !== 'skip') return false;
  notes.push(
    say`${fileName}: the hidden sheet "${String(table.sheet)}" is left out, as ${{ setting: 'hidden' }} says.`,
  );
  return true;
}

/**
 * The meaning of a table's columns.
 * @throws PaybatchError (`file_refused`), which names the remembered mapping if that no longer fits
 */
function mapped(
  { file, table, reading }: FoundTable,
  remembered: readonly RememberedMapping[],
): ReturnType<typeof mapTable> {
  const { kind, mapping, rules } = reading;
  const { remembered: name, corrects, known } = reading;
  const mayBeRemembered = name === undefined && corrects === null && known === undefined;
  const others = remembered.filter((other) => mayBeRemembered && (kind ?? other.kind) === other.kind);
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

/**
 * A table as read with a mapping, for trying the mapping on rows that were already read.
 * @throws PaybatchError as `openInputs`
 */
export function inputTableFrom(
  {
    file,
    table,
    mapping,
    kind,
  }: {
    readonly file: InputFile;
    readonly table: SourceTable;
    readonly mapping: MappingFile;
    readonly kind: Kind;
  },
  profile: ReadingProfile,
): Promise<InputTable> {
  const reading: InputReading = { kind, mapping, rules: {}, corrects: null };
  return inputTableOf({ file, table, reading, readShare: () => 1 }, profile, profile.hidden ?? null, []);
}

async function inputTableOf(
  found: FoundTable,
  profile: ReadingProfile,
  hiddenChoice: HiddenChoice | null,
  remembered: readonly RememberedMapping[],
): Promise<InputTable> {
  const { file, table: given, reading } = found;
  const { mapping: readingFile, rules, corrects } = reading;
  const columns = mapped(found, remembered);
  const corrected = { rows: 0 };
  const whole = tableLike(given, {
    notes: () => [...given.notes, ...notesOf(reading), ...correctionNotes(corrected.rows, corrects)],
  });
  const [place, readingRules] = [placeOf(whole, nameOf(file)), readingRulesOf(readingFile)];
  const { controlLine } = readingFile;
  const controlled =
    controlLine === undefined ? { table: whole } : withControlLine(whole, controlLine, readingRules, place);
  const rows = withoutNonRows(withoutDittoMarks(controlled.table, columns), {
    mapping: columns,
    reading: readingRules,
    isMeant: readingFile.leaveOut === true,
    place,
  });
  const { table, hidden } = rowsToRead(rows, columns, hiddenChoice);
  const mapping = await withEvidence(
    columns,
    table,
    readingRules,
    file.format === 'csv' && corrects === null,
  );
  // Other rows are another batch. Where nothing is hidden, the option for hidden rows changes nothing.
  const isHiddenLeftOut = hiddenChoice === 'skip' && file.format !== 'csv' && (await hasHiddenRows(whole));
  const chosen = file.chosenEncoding === undefined ? {} : { encoding: file.chosenEncoding };
  return {
    fileName: file.path === '-' ? '-' : nameOf(file),
    path: file.path,
    ...(corrects === null ? {} : { firstInput: { fileName: corrects.fileName, sheet: corrects.sheet } }),
    contentHash: file.contentHash,
    readingHash:
      reading.known === undefined || isReadingStated({ ...profile, ...chosen })
        ? readingHashOf({ ...profile, ...chosen }, readingFile, isHiddenLeftOut)
        : reading.known.readingHash,
    ...chosen,
    ...(file.hasLineEnd === undefined ? {} : { hasLineEnd: file.hasLineEnd }),
    corrected,
    table,
    mapping,
    reading: readingFile,
    rules,
    hidden,
    hiddenChoice,
    readShare: found.readShare,
    ...('control' in controlled ? { control: controlled.control } : {}),
    ...(corrects === null && hasPayees(mapping.kind) ? { series: seriesOf(found) } : {}),
  };
}

function hasPayees(kind: Kind): boolean {
  return definitionsOf(kind).some(({ payee }) => payee !== undefined);
}

function seriesOf({ file, table: { header, sheet }, reading }: FoundTable): SeriesKeys {
  return {
    name: seriesName(nameOf(file), sheet),
    mapping: reading.remembered === undefined ? null : headerKeyOf(header),
  };
}

/** The note on the file whose rows a table corrects, since they name its batch. */
function correctionNotes(rows: number, corrects: InputReading['corrects']): string[] {
  if (rows === 0 || corrects === null) return [];
  return [`${countOf(rows, 'row')} read as ${rows === 1 ? 'a row' : 'rows'} of ${corrects.fileName}`];
}

/** Notes for the person on how a table is read. */
function notesOf({ remembered, setAside }: InputReading): string[] {
  return [
    ...(remembered === undefined ? [] : [`read with the remembered mapping "${remembered}"`]),
    ...(setAside === undefined
      ? []
      : [`${setAside.join(' and ')} of the mapping: not compared, since these rows are not the whole file`]),
  ];
}
