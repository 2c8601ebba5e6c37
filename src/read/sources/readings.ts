/*
 * Finds how a table is read, by an ordered list of sources: the first source that has a reading for the table decides.
 * Where none has one, a person agrees to a proposed mapping, which is remembered for the next file of this header.
 */

import type { ContentReading, Kind, OriginalBatch } from '../../domain/batches/batch.ts';
import type { Message } from '../../domain/settings/message.ts';
import type { SourceTable } from '../../domain/tables/table.ts';
import { correctionsOn, isValuesSheet, withCorrectedValues } from '../../domain/tables/values-sheet.ts';
import type { RuleChanges } from '../../kinds/rule-changes.ts';
import { titlesNamedBy } from '../mapping/columns-of-mapping.ts';
import { sheetsOf, withoutExpectations, withoutPlace } from '../mapping/mapping-file.ts';
import { hasTitle, type MappingFile } from '../mapping/mapping-schema.ts';
import { placeOf } from '../mapping/table-mapping.ts';
import { withTitlesNamed } from '../mapping/titles.ts';
import { batchNamedIn, originColumnsOf, unknownBatch } from '../rows/corrections.ts';
import type { InputFile, OpenedTable } from '../rows/input-table.ts';
import {
  belowOrNull,
  type Match,
  mappingBesideNewColumns,
  mappingInDialect,
  mappingOfTable,
  ofKind,
  titlesBeside,
} from './mapping-of-table.ts';
import { dialectIn, nameOf, withPlainTitles } from './open-file.ts';
import { type KnownMapping, keptReadingNote, mappingOf } from './remembered-mappings.ts';
import { keptMapping, keptRules, readingHashOf, type StatedReading } from './stated-reading.ts';

/** How one table of a file is read. */
export interface TableReading {
  readonly file: InputFile;
  /** Under the header, and in the dialect, that the mapping names. */
  readonly table: SourceTable;
  /** The share of the table whose rows were read, from 0 to 1. */
  readonly readShare: () => number;
  /** Null where the table itself shows it. */
  readonly kind: Kind | null;
  readonly mapping: MappingFile;
  readonly rules: RuleChanges;
  readonly source: ReadingSource;
}

/** Where a reading comes from. */
type ReadingSource =
  /** The batch whose rows the table corrects. The parts of its mapping that are set aside are about a whole file. */
  | { readonly from: 'corrected'; readonly batch: OriginalBatch; readonly setAside: readonly string[] }
  /** The mapping that the options name. */
  | { readonly from: 'stated' }
  /** A batch of the same content, which the table continues. */
  | { readonly from: 'content'; readonly batch: ContentReading }
  /** The mapping of this name, to which a person agreed for this header. */
  | {
      readonly from: 'remembered';
      readonly name: string;
      /** The header that it was agreed to for, and its key. */
      readonly header: readonly string[];
      readonly headerKey: string;
      /** Titles of the file that this header does not have; their columns are left out. */
      readonly newTitles: readonly string[];
      /** Whether it was agreed to for exactly this content. */
      readonly isAgreed: boolean;
    }
  /** The table's own titles, which are paybatch's names of columns. */
  | { readonly from: 'titles' };

/** Whether only the call itself says how the table is read. */
export function isFresh({ source }: TableReading): boolean {
  return source.from === 'stated' || source.from === 'titles';
}

/** What a call knows when it reads the tables of a file. */
export interface FileCall extends StatedReading {
  readonly file: InputFile;
  /** The remembered mappings, the newest first. */
  readonly known: readonly KnownMapping[];
  /** Finds the batch that the rows of a failed file name; undefined where the ledger does not have it. */
  readonly findOriginalBatch: (batchId: string) => Promise<OriginalBatch | undefined>;
  /** Finds how a content was read before, the newest first; empty for new content. */
  readonly findContentReadings: (contentHash: string) => Promise<readonly ContentReading[]>;
  /** Reports to a person how a table is read. */
  readonly note: (text: Message) => void;
}

type FindReading = (table: OpenedTable, call: FileCall) => Promise<TableReading | null>;

/** In the order in which they count; the last one has a reading for every table. */
const sources: readonly FindReading[] = [asCorrected, asStated, asContentBefore, asRemembered, asTitled];

/**
 * Finds out how each table of a file is read.
 * @throws PaybatchError that names the file
 */
export async function readingsOf({ file, ...call }: FileCall): Promise<TableReading[]> {
  // A person's corrections on the sheet "Values" of a failed workbook; no other file has one.
  const values = file.tables.find(({ header }) => isValuesSheet(header));
  const corrections = values === undefined ? new Map() : await correctionsOn(withPlainTitles(values));
  const found: TableReading[] = [];
  for (const opened of file.tables) {
    let reading: TableReading | null = null;
    for (const find of sources) reading ??= await find(opened, { file, ...call });
    if (reading === null) throw new Error('a table has no reading');
    const table = withTitlesNamed(withPlainTitles(reading.table), reading.mapping);
    found.push({ ...reading, table: withCorrectedValues(table, corrections) });
  }
  return found;
}

function readingIn(
  table: OpenedTable,
  { file, rules }: FileCall,
  own: Pick<TableReading, 'kind' | 'mapping' | 'source'> & Partial<Pick<TableReading, 'rules'>>,
): TableReading {
  return { file, table, readShare: table.readShare, rules, ...own };
}

/** What the options add to every mapping that they do not name. */
function leaveOutOf({ profile }: FileCall): Pick<MappingFile, 'leaveOut'> {
  return profile.leaveOutNonRows ? { leaveOut: true } : {};
}

/**
 * The rows of a failed file name their batch, and are read with its mapping, kind and rules, unless the options state
 * others.
 * @throws PaybatchError (`file_refused`) when the batch is not in the ledger, or the rows are of several
 */
async function asCorrected(opened: OpenedTable, call: FileCall): Promise<TableReading | null> {
  const { file, profile, findOriginalBatch } = call;
  const table = withPlainTitles(opened);
  const columns = originColumnsOf(table.header);
  const place = placeOf(table, nameOf(file));
  const id = columns === null ? null : await batchNamedIn(table, columns, place);
  if (id === null) return null;
  const batch = await findOriginalBatch(id);
  if (batch === undefined) throw unknownBatch(id, place);
  const whole = profile.mapping === undefined ? keptMapping(batch) : call.mapping;
  const { mapping, setAside } = ofSomeRows(whole);
  const rules = profile.rules === undefined ? keptRules(batch) : call.rules;
  const kind = call.kind ?? batch.kind;
  return readingIn(opened, call, { kind, mapping, rules, source: { from: 'corrected', batch, setAside } });
}

/**
 * The mapping for a failed file, which has only some rows of the original. It has neither the original's sums nor its
 * control line, and its own sheets, headers and encoding.
 */
function ofSomeRows(whole: MappingFile): { mapping: MappingFile; setAside: readonly string[] } {
  const setAside = (['expectRows', 'expectTotal', 'controlLine'] as const).filter(
    (name) => whole[name] !== undefined,
  );
  const { controlLine: _, headerRows: __, ...mapping } = withoutPlace(withoutExpectations(whole));
  const isSame = Object.keys(mapping).length === Object.keys(whole).length;
  return { mapping: isSame ? whole : mapping, setAside };
}

/** The stated mapping, where it is for this table. One without a kind, a sheet and a header is for every table. */
async function asStated(opened: OpenedTable, call: FileCall): Promise<TableReading | null> {
  const { profile, mapping } = call;
  if (profile.mapping === undefined) return null;
  const sheets = profile.sheet === undefined ? sheetsOf(mapping) : [profile.sheet];
  if (sheets.length > 0 && !isSheet(opened, sheets)) return null;
  const table = await belowOrNull(opened, mapping.headerRows);
  if (table === null) return null;
  const isForAll = mapping.kind === undefined && sheets.length === 0 && mapping.headerRows === undefined;
  const titles = isForAll ? [] : titlesNamedBy(mapping);
  const { header } = withPlainTitles(table);
  const isThere = titles.some((title) => hasTitle(header, title));
  if (titles.length > 0 && !isThere) return null;
  const kind = call.kind ?? mapping.kind ?? null;
  return readingIn(table, call, { kind, mapping, source: { from: 'stated' } });
}

function isSheet({ sheet }: OpenedTable, names: readonly string[]): boolean {
  return sheet === null || hasTitle(names, sheet);
}

/**
 * Known content is read as before. The mapping that is remembered for its header takes precedence if it was agreed to
 * later for exactly this content, or if the content was only planned.
 */
async function asContentBefore(opened: OpenedTable, call: FileCall): Promise<TableReading | null> {
  const { file, profile, known } = call;
  const before = (await call.findContentReadings(file.contentHash)).filter(
    ({ sheet, kind }) => sheet === opened.sheet && (call.kind === null || call.kind === kind),
  );
  const sent = onlyKind(before.filter(({ isOnlyPlanned }) => !isOnlyPlanned));
  const planned = onlyKind(before.filter(({ isOnlyPlanned }) => isOnlyPlanned));
  if (sent === undefined && planned === undefined) return null;
  const agreed = await mappingOfTable(opened, call, ofKind(known, call.kind));
  const batch = sent ?? (agreed === null ? planned : undefined);
  const { rememberedAt = '', contentHash = null } = agreed?.known ?? {};
  const isAgreedSince = contentHash === file.contentHash && rememberedAt > (batch?.createdAt ?? '');
  if (batch === undefined || isAgreedSince) return null;
  const own = mappingOf(batch);
  const match = await mappingInDialect(opened, file, dialectIn(own.mapping, profile), [own]);
  if (match === null) return null;
  const now = agreed === null ? null : asAgreed(agreed, call);
  if (now !== null && readingHashOf(profile, now.mapping) !== batch.readingHash) {
    const place = placeOf(withPlainTitles(match.table), nameOf(file));
    call.note(keptReadingNote(place, batch, agreed?.known.name ?? ''));
  }
  return readingIn(match.table, call, {
    kind: batch.kind,
    mapping: { ...own.mapping, ...leaveOutOf(call) },
    source: { from: 'content', batch },
  });
}

/** The newest of the readings; undefined for none, or where the meaning of the rows is unclear. */
function onlyKind(readings: readonly ContentReading[]): ContentReading | undefined {
  return new Set(readings.map(({ kind }) => kind)).size > 1 ? undefined : readings[0];
}

/** The mapping to which a person agreed for this header. */
async function asRemembered(opened: OpenedTable, call: FileCall): Promise<TableReading | null> {
  const known = ofKind(call.known, call.kind);
  const match =
    (await mappingOfTable(opened, call, known)) ??
    (await mappingOfTable(opened, call, known, mappingBesideNewColumns));
  return match === null ? null : asAgreed(match, call);
}

function asAgreed({ table, known }: Match, call: FileCall): TableReading {
  // The next file of a series may have a sheet of another name, such as another month.
  const sheet = known.mapping.sheet === undefined || table.sheet === null ? {} : { sheet: table.sheet };
  const newTitles = titlesBeside(withPlainTitles(table).header, known.header);
  const { ignore = [] } = known.mapping;
  return readingIn(table, call, {
    kind: call.kind ?? known.kind,
    mapping: {
      ...known.mapping,
      ...sheet,
      ...(newTitles.length === 0 ? {} : { ignore: [...ignore, ...newTitles] }),
      ...leaveOutOf(call),
    },
    source: {
      from: 'remembered',
      name: known.name,
      header: known.header,
      headerKey: known.headerKey,
      newTitles,
      isAgreed: known.contentHash === call.file.contentHash,
    },
  });
}

/** By its own titles. A mapping that is for another sheet says nothing of this one, nor does the kind that it states. */
async function asTitled(table: OpenedTable, call: FileCall): Promise<TableReading> {
  const isForOthers = call.profile.mapping !== undefined;
  return readingIn(table, call, {
    kind: isForOthers && sheetsOf(call.mapping).length > 0 ? null : call.kind,
    mapping: isForOthers ? leaveOutOf(call) : call.mapping,
    source: { from: 'titles' },
  });
}
