/*
 * Opens the export files of a comparison, by the mapping that is stated or remembered for their header, and refuses
 * unreadable ones before anything is sent.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { readSettingsFile, UnusableFile } from '../../call/settings.ts';
import type { BatchRecord, Kind } from '../../domain/batches/batch.ts';
import { plainText, say } from '../../domain/settings/message.ts';
import type { ListedExport } from '../../domain/tables/mapping.ts';
import { type TableRow, unprotectCell } from '../../domain/tables/table.ts';
import { definitionsOf, kindNamed, normaliseHeader } from '../../kinds/registry.ts';
import { naturalKeyOf } from '../../kinds/request.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { exportVocabulary } from '../../propose/export/export-columns.ts';
import { type ExportReading, proposeExport } from '../../propose/export/export-reading.ts';
import type { OwnFacts } from '../../propose/export/own-rows.ts';
import type { Grid, GridRow } from '../../propose/sheet/grid.ts';
import { titleScores } from '../../propose/sheet/title-words.ts';
import { placeOf } from '../../read/mapping/table-mapping.ts';
import type { OpenedTable } from '../../read/rows/input-table.ts';
import { choosingEncoding, naming, namingRows, openInputFile } from '../../read/sources/open-file.ts';
import {
  isAnythingRemembered,
  rememberedNote,
  rememberFile,
} from '../../read/sources/remembered-mappings.ts';
import { openStatement } from '../../read/statement/statement-file.ts';
import {
  type ExportMapping,
  parseExportMapping,
  parseTwoMappings,
  requireConfirmed,
} from '../export/mapping.ts';
import {
  type ExportSide,
  type FoundReading,
  type OpenFile,
  openExportSide,
  type TableReader,
  type UnknownTable,
} from '../export/open-files.ts';
import { readExportRecords } from '../export/records.ts';
import { canonicalId, ownValuesOf } from '../export/values.ts';
import { reconcileUsage, type SidesRequest } from './reconciliation.ts';

/** The number of rows that are read to identify the columns of an export. */
const rowsLookedAt = 2_000;

/** The first rows of an export, with its header. */
export async function gridOfExport({ header, rows }: Omit<UnknownTable, 'name'>): Promise<Grid> {
  const found: GridRow[] = [{ number: 0, cells: header }];
  for await (const group of rows()) {
    found.push(...group.slice(0, rowsLookedAt + 1 - found.length));
    if (found.length > rowsLookedAt) break;
  }
  return {
    sheet: null,
    isHidden: false,
    rows: found,
    isCut: found.length > rowsLookedAt,
    allRows: found.length,
    titles: async () => header.map(unprotectCell),
  };
}

/** paybatch's own rows of a batch that an export names. */
export function ownFactsOf(verbs: Pick<LedgerVerbs, 'findOwnRecords'>, batch: BatchRecord): OwnFacts {
  const { kind } = batch;
  const { referenceField } = kindNamed(kind);
  const [definition] = definitionsOf(kind);
  const keyOf = (text: string): Buffer[] =>
    referenceField === null || definition === undefined
      ? []
      : [naturalKeyOf(definition, { [referenceField]: text })];
  return {
    find: async (texts) => {
      const found = await verbs.findOwnRecords(batch, texts.map(canonicalId), texts.flatMap(keyOf));
      return found.map((own) => ownValuesOf(own, kind));
    },
  };
}

/** The number of known titles from which a row of cells counts as a header. */
const titlesNeeded = 2;
const knownTitle = 0.6;

/**
 * Reads the tables of exports by the remembered mapping for their header, else by the evidence of their columns.
 * @param own null where the batch is not known
 */
export function evidenceReader(
  kind: Kind | null,
  own: OwnFacts | null,
  remembered: readonly ListedExport[] = [],
): TableReader {
  const vocabulary = exportVocabulary(kind);
  const isTitle = (cell: string): boolean =>
    /\p{L}/u.test(cell) && [...titleScores(vocabulary, cell).values()].some((score) => score >= knownTitle);
  return {
    isHeader: (cells) => cells.filter(isTitle).length >= titlesNeeded,
    find: async (table, isKnown) => {
      const known = exportMappingFor(table.header.map(unprotectCell), remembered);
      if (known !== null) {
        const remarks = [plainText(rememberedNote(table.name, known.name))];
        return { mapping: known.mapping, source: 'mapping', remarks };
      }
      if (isKnown) return null;
      const proposing = { grid: await gridOfExport(table), kind, own };
      return foundIn(table.name, await proposeExport(proposing, new Map()));
    },
  };
}

function foundIn(name: string, { certain }: ExportReading): FoundReading | null {
  const { columns, constants, minorUnits } = certain;
  if (Object.keys(columns).length === 0) return null;
  const hasAmount = Object.values(columns).some((field) => ['amount', 'credit', 'debit'].includes(field));
  return {
    mapping: parseExportMapping(JSON.stringify(certain), name),
    source: 'values',
    remarks: [
      ...(constants === undefined
        ? []
        : [`${name}: no column is the currency; its amounts are taken for ${constants.currency}.`]),
      ...(minorUnits === true && hasAmount
        ? [`${name}: its amounts are read as whole numbers of the smallest unit of their currency.`]
        : []),
    ],
  };
}

/**
 * Opens the other side's export files that a batch is compared with; `mapping` says how to read them.
 * @returns null when no paths are given
 * @throws PaybatchError for a file or a mapping that is refused
 */
export async function openAgainst(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'findOwnRecords'>,
  paths: readonly string[],
  batch: BatchRecord,
): Promise<ExportSide | null> {
  if (paths.length === 0) return null;
  const mapping = readMapping(app.settings.reading.mapping, parseExportMapping, {});
  requireConfirmed(mapping, app.settings.reading.mapping ?? '');
  const remembered = await rememberedExportsOf(app);
  const reader = evidenceReader(batch.kind, ownFactsOf(verbs, batch), remembered);
  const side = await openExportSide(paths, mapping, batch.kind, opener(app), reader);
  for (const text of side.notes)
    app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
  return side;
}

/**
 * Reads the exports to their ends, so that an unreadable one is refused before anything is sent.
 * @throws PaybatchError (`file_refused`)
 */
export async function requireReadable(against: ExportSide | null, kind: Kind): Promise<void> {
  if (against === null) return;
  for await (const _ of readExportRecords(against.tables, kind, [])) {
    // The records are read only to check that they are readable.
  }
}

/**
 * Opens the files of `left` and `right`, works on them, and closes them; one `mapping` is for both.
 * @throws PaybatchError (`usage`) when one side is missing, or for a file or a mapping that is refused
 */
export async function withLeftAndRight<Result>(
  app: CallContext,
  { left: leftPaths, right: rightPaths }: SidesRequest,
  work: (left: ExportSide, right: ExportSide) => Promise<Result>,
): Promise<Result> {
  if (leftPaths.length === 0 || rightPaths.length === 0)
    throw reconcileUsage(say`${{ setting: 'left' }} and ${{ setting: 'right' }} go together.`);
  const mappings = readMapping(app.settings.reading.mapping, parseTwoMappings, { left: {}, right: {} });
  for (const side of [mappings.left, mappings.right])
    requireConfirmed(side, app.settings.reading.mapping ?? '');
  const open = opener(app);
  const reader = evidenceReader(null, null);
  const left = await openExportSide(leftPaths, mappings.left, null, open, reader);
  try {
    const right = await openExportSide(rightPaths, mappings.right, null, open, reader);
    for (const text of [...left.notes, ...right.notes])
      app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
    try {
      return await work(left, right);
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

function readMapping<Mapping>(
  path: string | undefined,
  parse: (text: string, path: string) => Mapping,
  none: Mapping,
): Mapping {
  if (path === undefined) return none;
  if (!existsSync(path)) throw reconcileUsage(`The mapping ${path} is not there.`);
  return parse(textOf(path), path);
}

function textOf(path: string): string {
  try {
    return readSettingsFile(path);
  } catch (error) {
    throw error instanceof UnusableFile ? reconcileUsage(`The mapping ${path} ${error.message}.`) : error;
  }
}

/** Adds the file's name also to errors below its header. */
function opener(app: CallContext): OpenFile {
  return async (path, isHeader) => {
    const statement = await naming(path, () => openStatement(path));
    const { reading } = app.settings;
    const file =
      statement === null
        ? await openInputFile(path, reading, isHeader, choosingEncoding(basename(path), app.ask))
        : { ...statement, close: async () => {} };
    const tables = file.tables.map((table) => ({
      sheet: table.sheet,
      header: table.header,
      rows: () => namingRows(path, () => reportingShare(app, path, table)),
    }));
    return { contentHash: file.contentHash, tables, close: () => file.close() };
  };
}

/** The rows of a table, whose reading is reported as a separate step. */
async function* reportingShare(
  { report }: CallContext,
  path: string,
  table: Pick<OpenedTable, 'sheet' | 'rows' | 'readShare'>,
): AsyncGenerator<readonly TableRow[]> {
  const about = placeOf(table, basename(path));
  report({ kind: 'step.started', step: 'reading', about, rows: null });
  try {
    for await (const group of table.rows()) {
      yield group;
      report({ kind: 'step.advanced', rows: group.length, share: table.readShare() });
    }
  } finally {
    report({ kind: 'step.ended' });
  }
}

/** The key of an export's header. It differs from the key of the same header of a file to import. */
export function exportKeyOf(header: readonly string[]): string {
  const key = { purpose: 'export', titles: header.map(normaliseHeader) };
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
}

/** A remembered mapping of an export. */
export interface KnownExport {
  readonly name: string;
  readonly mapping: ExportMapping;
}

/** The remembered mappings of exports; none where the options name a mapping or exclude remembered ones. */
export async function rememberedExportsOf(app: CallContext): Promise<readonly ListedExport[]> {
  const { mapping, noRememberedMapping } = app.settings.reading;
  if (mapping !== undefined || noRememberedMapping || !isAnythingRemembered(app)) return [];
  return (await app.connections.ledger()).verbs.listRememberedExports();
}

/** The remembered mapping for a header; null where there is none. */
export function exportMappingFor(
  header: readonly string[],
  all: readonly ListedExport[],
): KnownExport | null {
  const key = exportKeyOf(header);
  const found = all.find(({ headerKey }) => headerKey === key);
  if (found === undefined) return null;
  const { name, mapping } = found;
  return { name, mapping: parseExportMapping(mapping, `"${name}" that is remembered`) };
}

/** Remembers how exports of a header are read. @returns its name; null where there can be no ledger, which is reported */
export function rememberExport(
  app: CallContext,
  header: readonly string[],
  { path, mapping }: { readonly path: string; readonly mapping: ExportMapping },
): Promise<string | null> {
  const headerKey = exportKeyOf(header);
  return rememberFile(app, path, (verbs, name) =>
    verbs.rememberExportMapping({ headerKey, header, name, mapping: JSON.stringify(mapping) }),
  );
}
