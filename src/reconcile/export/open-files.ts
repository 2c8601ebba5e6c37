import { basename } from 'node:path';
import type { Kind } from '../../domain/batches/batch.ts';
import type { ColumnSource } from '../../domain/batches/reconciliation.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { TableRow } from '../../domain/tables/table.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { kindNamed } from '../../kinds/registry.ts';
import { titlesNamed } from '../../read/mapping/titles.ts';
import {
  areEnough,
  completedMapping,
  isKnownStatement,
  looksLikeExportHeader,
  readColumns,
} from './columns.ts';
import { constantsOf, type ExportMapping, requireUsedMapping } from './mapping.ts';
import type { ExportTable } from './records.ts';

/** An opened file of rows from the input layer. */
interface OpenedFile {
  readonly contentHash: string;
  readonly tables: readonly {
    readonly sheet: string | null;
    readonly header: readonly string[];
    rows(): AsyncIterable<readonly TableRow[]>;
  }[];
  close(): Promise<void>;
}

/** Opens a file of rows; `isHeader` tells which of its first rows is the header. */
export type OpenFile = (path: string, isHeader: (cells: readonly string[]) => boolean) => Promise<OpenedFile>;

/** A table of an export without a mapping. */
export type UnknownTable = Pick<ExportTable, 'name' | 'header' | 'rows'>;

/** The found reading of such a table. */
export interface FoundReading {
  readonly mapping: ExportMapping;
  /** The source of the reading. */
  readonly source: Exclude<ColumnSource, 'title'>;
  readonly remarks: readonly string[];
}

/** Reads the tables that the mapping does not cover. */
export interface TableReader {
  /**
   * Finds how a table is read; null where it is unknown.
   * @param isKnown whether its columns are those of a known statement; then only an agreed mapping counts
   */
  readonly find: (table: UnknownTable, isKnown: boolean) => Promise<FoundReading | null>;
  /** Whether cells look like the header of an export, by common names of paybatch's columns. */
  readonly isHeader: (cells: readonly string[]) => boolean;
}

/** Reads tables by their titles alone. */
const byTitles: TableReader = { find: async () => null, isHeader: () => false };

/** One side's files, open. */
export interface ExportSide {
  readonly tables: readonly ExportTable[];
  /** The files' names, by their numbers in records. */
  readonly names: readonly string[];
  readonly hashes: readonly string[];
  /** Notes for people: sheets that were ignored, a file that was named twice. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Opens the files of one side and identifies their columns; of a workbook, every sheet with identifiable records.
 * @throws PaybatchError (`file_refused`) for a file without any such column
 */
export async function openExportSide(
  paths: readonly string[],
  mapping: ExportMapping,
  kind: Kind | null,
  open: OpenFile,
  reader: TableReader = byTitles,
): Promise<ExportSide> {
  const opened: OpenedFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  try {
    const notes: string[] = [];
    const tables: ExportTable[] = [];
    for (const path of paths) {
      const file = await open(
        path,
        (cells) => looksLikeExportHeader(cells, mapping, kind) || reader.isHeader(cells),
      );
      if (opened.some(({ contentHash }) => contentHash === file.contentHash)) {
        notes.push(`${basename(path)}: a file with this very content was given before it.`);
      }
      opened.push(file);
      tables.push(...(await tablesOf(file, path, mapping, kind, reader, notes)));
    }
    requireUsedMapping(mapping, tables, kind);
    const keyless = tables.find(({ columns }) => !areEnough(columns));
    if (keyless !== undefined) throw withoutColumns(keyless);
    if (kind === null) requireOurGroup(mapping, tables);
    requireNaturalKey(mapping, tables, kind);
    notes.push(...partlyNamed(mapping, tables), ...tables.flatMap(perhapsIds));
    const hashes = opened.map(({ contentHash }) => contentHash);
    return { tables, names: tables.map(({ name }) => name), hashes, notes, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The tables of one file with records: of a workbook, every sheet whose columns identify one. */
async function tablesOf(
  file: OpenedFile,
  path: string,
  mapping: ExportMapping,
  kind: Kind | null,
  reader: TableReader,
  notes: string[],
): Promise<ExportTable[]> {
  const tables: (ExportTable & { readonly sheet: string | null })[] = [];
  for (const { sheet, header, rows } of file.tables) {
    const name = sheet === null ? basename(path) : `${basename(path)}:${sheet}`;
    const opened = { name, header, rows: () => rows() };
    const isDescribed = mapping.columns !== undefined;
    const found = isDescribed ? null : await reader.find(opened, isKnownStatement(header));
    const completed = completedMapping(header, { ...found?.mapping, ...mapping });
    const { columns: named = {}, include = {}, sign = {} } = completed;
    const ignore = [...Object.keys(include), ...Object.keys(sign)];
    const titles = titlesNamed(header, { columns: named, ignore });
    const columns = readColumns(titles, completed, kind, found?.source);
    const remarks = found?.remarks ?? [];
    tables.push({ ...opened, header: titles, sheet, columns, mapping: completed, remarks });
  }
  const usable = tables.filter(({ columns }) => areEnough(columns));
  if (usable.length > 0) {
    const others = tables.filter(({ columns }) => !areEnough(columns));
    notes.push(
      ...others.map(
        ({ sheet }) => `${basename(path)}: sheet "${sheet}" is left out: no column tells a record.`,
      ),
    );
  }
  // A file without a usable table is kept, so that an error can name it.
  return usable.length > 0 ? usable : tables;
}

/** A natural key with a part that no record has would silently match nothing. */
function requireNaturalKey(
  { naturalKey = [] }: ExportMapping,
  tables: readonly ExportTable[],
  kind: Kind | null,
): void {
  for (const table of tables) {
    const lacking = naturalKey.find((part) => !hasPart(table, part, kind));
    if (lacking === undefined) continue;
    throw new PaybatchError(
      'mapping_invalid',
      `The mapping's "naturalKey" has ${shorten(lacking)}, but no column of ${table.name} is mapped to that: no record of it could be recognised.`,
      `name the column under "columns": {"Payee": "${lacking}"}, or take it out of "naturalKey" (docs/reconciling.md)`,
    );
  }
}

function hasPart({ columns, mapping }: ExportTable, part: string, kind: Kind | null): boolean {
  const name = kind !== null && part === kindNamed(kind).referenceField ? 'reference' : part;
  const roles = new Set<string>([...columns.roles.keys(), ...constantsOf(mapping).keys()]);
  const isMoved = name === 'amount' && (roles.has('credit') || roles.has('debit'));
  return columns.fields.has(name) || roles.has(name) || isMoved;
}

/** The keys that match records, which a mapping may name columns for. */
const tyingRoles = ['id', 'reference', 'group', 'entry', 'text'] as const;

/** The exports without a key column that others have; their records are searched by the other keys only. */
function partlyNamed({ columns = {} }: ExportMapping, tables: readonly ExportTable[]): string[] {
  const named = tyingRoles.filter((role) => Object.values(columns).includes(role));
  return named.flatMap((role) =>
    tables
      .filter((table) => !(role === 'text' ? table.columns.texts.length > 0 : table.columns.roles.has(role)))
      .map(
        ({ name }) =>
          `${name}: no column of it is ${role}, which the mapping names; nothing of it is tied by that.`,
      ),
  );
}

/** For two files, a group is formed only by the columns that the mapping names. */
function requireOurGroup({ ourGroup }: ExportMapping, tables: readonly ExportTable[]): void {
  if (ourGroup === undefined) return;
  const isThere = ({ columns }: ExportTable): boolean =>
    columns.fields.has(ourGroup) || [...columns.roles.keys()].some((role) => role === ourGroup);
  const lacking = tables.find((table) => !isThere(table));
  if (lacking === undefined) return;
  throw new PaybatchError(
    'mapping_invalid',
    `The mapping's "ourGroup" is ${shorten(ourGroup)}, but no column of ${lacking.name} is mapped to that.`,
    `name the column under "columns": {"Payout": "${ourGroup}"} (docs/reconciling.md)`,
  );
}

/** Titles of exports that suggest an identifier. */
const namingTitle =
  /(?:^|[^\p{L}])(?:id|ids|uuid|guid|nr|no|ref)(?:$|[^\p{L}])|(?:identifier|number|reference)/iu;

/** Unknown columns whose titles suggest an identifier. */
function namingColumns({ header, columns }: ExportTable): string[] {
  const spaced = (title: string): string => title.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
  return columns.unread
    .map((index) => header[index] ?? '')
    .filter((title) => namingTitle.test(spaced(title)));
}

/** A column that may contain the id, where no id is known: records can then only be matched by other keys. */
function perhapsIds(table: ExportTable): string[] {
  if (table.columns.roles.has('id') || table.columns.texts.length > 0 || table.mapping.columns !== undefined)
    return [];
  const titles = namingColumns(table);
  if (titles.length === 0) return [];
  return [
    `${table.name}: no column is known for the id; ${lookLike(titles)}. Name it in a mapping: ${mappingOf(titles)}.`,
  ];
}

function lookLike(titles: readonly string[]): string {
  const shown = titles.slice(0, 3).map(shorten);
  return `${shown.join(' and ')} ${shown.length === 1 ? 'looks' : 'look'} like one`;
}

function mappingOf([title = '']: readonly string[]): string {
  return `{"columns": {${JSON.stringify(title)}: "id"}}`;
}

function withoutColumns(table: ExportTable): PaybatchError {
  const titles = namingColumns(table);
  const hint = titles.length === 0 ? '.' : `; ${lookLike(titles)}.`;
  return new PaybatchError(
    'export_without_key',
    `${table.name}: no column of it can tell a record: neither an id nor a reference${hint}`,
    titles.length === 0
      ? 'name the columns in a mapping (docs/reconciling.md)'
      : `name the columns in a mapping, such as ${mappingOf(titles)} (docs/reconciling.md)`,
  );
}
