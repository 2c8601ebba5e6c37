/* Which of several known mappings is for a table: by its header and sheet, in the dialect and under the header that they name. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { SourceTable } from '../../domain/tables/table.ts';
import { normaliseHeader } from '../../kinds/registry.ts';
import { hasTitle, isSameTitle, type MappingFile } from '../mapping/mapping-schema.ts';
import { titlesApart, titlesOfFile } from '../mapping/titles.ts';
import type { InputFile, OpenedTable, TableDialect } from '../rows/input-table.ts';
import { dialectIn, withPlainTitles } from './open-file.ts';
import { headerKeyOf, type KnownMapping } from './remembered-mappings.ts';

/**
 * The mapping that was agreed to for these titles, in any order; undefined for none. One for exactly this header comes
 * before others, one for the sheet first of all. One for a sheet of another name counts unless the workbook also has that
 * sheet.
 *
 * @param known the newest first
 */
export function mappingFor(
  { header, sheet }: Pick<SourceTable, 'header' | 'sheet'>,
  sheets: readonly (string | null)[],
  known: readonly KnownMapping[],
): KnownMapping | undefined {
  if (known.length === 0) return undefined;
  const key = headerKeyOf(header);
  const same = known.filter((other) => headerKeyOf(other.header) === key);
  if (same.length > 0) return mappingForSheet(sheet, sheets, same);
  const keyInAnyOrder = (titles: readonly string[]): string =>
    headerKeyOf(titlesApart(titlesOfFile(titles)).map(normaliseHeader).sort());
  const ordered = keyInAnyOrder(header);
  const alikeButForOrder = known.filter((other) => keyInAnyOrder(other.header) === ordered);
  return mappingForSheet(sheet, sheets, alikeButForOrder);
}

/** A header may always have one new title, and more of them up to one for this many known titles. */
const knownForOneNew = 4;

/**
 * The mapping that was agreed to for a header without a few titles of this one; undefined for none. The columns of
 * these titles are left out. Whether they may have a meaning is judged by their content.
 * @param known the newest first
 */
export function mappingBesideNewColumns(
  { header, sheet }: Pick<SourceTable, 'header' | 'sheet'>,
  sheets: readonly (string | null)[],
  known: readonly KnownMapping[],
): KnownMapping | undefined {
  const titles = titlesOfFile(header);
  const near = known.filter((other) => {
    const [before, fresh] = [titlesOfFile(other.header), titlesBeside(titles, other.header)];
    const isUnnamed = titles.includes('') !== before.includes('');
    const isWhole = titles.length - fresh.length === before.length;
    const mostNew = Math.max(1, Math.floor(before.length / knownForOneNew));
    return isWhole && !isUnnamed && fresh.length <= mostNew && new Set(fresh).size === fresh.length;
  });
  return mappingForSheet(sheet, sheets, near);
}

/** The titles of a header that another one does not have. */
export function titlesBeside(header: readonly string[], known: readonly string[]): string[] {
  const before = titlesApart(known);
  return titlesApart(header).filter((title) => title !== '' && !hasTitle(before, title));
}

function mappingForSheet(
  sheet: string | null,
  sheets: readonly (string | null)[],
  same: readonly KnownMapping[],
): KnownMapping | undefined {
  const isNamed = (name: string | null, wanted: string): boolean =>
    name !== null && isSameTitle(name, wanted);
  return (
    same.find(({ mapping }) => mapping.sheet !== undefined && isNamed(sheet, mapping.sheet)) ??
    same.find(({ mapping }) => mapping.sheet === undefined) ??
    same.find(({ mapping }) => !sheets.some((other) => isNamed(other, mapping.sheet ?? '')))
  );
}

/** A known mapping, and the table under the header that it is for. */
export interface Match {
  readonly table: OpenedTable;
  readonly known: KnownMapping;
}

type FindMapping = typeof mappingFor;

/** Those of the known mappings that the tables of a file are read with. */
export async function knownMappingsOf(
  file: InputFile,
  profile: ReadingProfile,
  known: readonly KnownMapping[],
): Promise<readonly KnownMapping[]> {
  const found: KnownMapping[] = [];
  for (const table of file.tables) {
    const match = await mappingOfTable(table, { file, profile }, known);
    if (match !== null) found.push(match.known);
  }
  return found;
}

export function ofKind(known: readonly KnownMapping[], kind: Kind | null): readonly KnownMapping[] {
  return known.filter((other) => kind === null || kind === other.kind);
}

/** The first mapping that is for a table, and the table as the mapping reads it. */
export async function mappingOfTable(
  opened: OpenedTable,
  { file, profile }: { readonly file: InputFile; readonly profile: ReadingProfile },
  known: readonly KnownMapping[],
  find: FindMapping = mappingFor,
): Promise<Match | null> {
  const dialects = grouped(known, ({ mapping }) => dialectIn(mapping, profile));
  // Without a dialect first, since the file was already read that way.
  const ordered = dialects.sort(([left], [right]) => Number(left !== null) - Number(right !== null));
  for (const [dialect, ofDialect] of ordered) {
    const match = await mappingInDialect(opened, file, dialect, ofDialect, find);
    if (match !== null) return match;
  }
  return null;
}

/** The same for mappings that name one dialect. */
export async function mappingInDialect(
  opened: OpenedTable,
  file: InputFile,
  dialect: TableDialect | null,
  known: readonly KnownMapping[],
  find: FindMapping = mappingFor,
): Promise<Match | null> {
  const own = dialect === null || file.format !== 'csv' ? opened : await firstTableIn(file, dialect);
  if (own === null) return null;
  const sheets = file.tables.map(({ sheet }) => sheet);
  for (const [headerRows, ofHeader] of grouped(known, ({ mapping }) => mapping.headerRows)) {
    const table = await belowOrNull(own, headerRows);
    if (table === null) continue;
    const found = find(withPlainTitles(table), sheets, ofHeader);
    if (found !== undefined) return { table, known: found };
  }
  return null;
}

/** Groups mappings by what they have in common. The groups are in the order of their first mappings. */
function grouped<Common>(
  known: readonly KnownMapping[],
  commonOf: (mapping: KnownMapping) => Common,
): [Common, KnownMapping[]][] {
  const groups = new Map<string, [Common, KnownMapping[]]>();
  for (const other of known) {
    const common = commonOf(other);
    const key = JSON.stringify(common) ?? '';
    const group = groups.get(key) ?? [common, []];
    groups.set(key, group);
    group[1].push(other);
  }
  return [...groups.values()];
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

/** The table under the header rows that a mapping names; null where they are empty. */
export async function belowOrNull(
  opened: OpenedTable,
  headerRows: MappingFile['headerRows'],
): Promise<OpenedTable | null> {
  if (headerRows === undefined) return opened;
  try {
    return await opened.below(headerRows);
  } catch (error) {
    if (error instanceof PaybatchError && error.code === 'header_missing') return null;
    throw error;
  }
}
