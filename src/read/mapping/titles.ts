/*
 * Titles of columns. Columns with the same title are distinguished by their place among the columns of that title. Columns
 * without a title are named by their place in the file. The headings between the rows and the name of the sheet can be columns,
 * too. A second line of titles right below the header is recognised in any language: it has a different word in each column, also
 * where the columns have days, amounts, phone numbers or addresses. No row of a file is like that.
 */

import { type SourceRow, type SourceTable, tableLike, unprotectCell } from '../../domain/tables/table.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { normaliseHeader } from '../../kinds/registry.ts';
import { headingColumn, labelOfColumn } from './headings.ts';
import { hasTitle, type MappingFile } from './mapping-schema.ts';

/**
 * The titles of a header, made unique: a title that is there twice becomes `Amount (1 of 2)` and `Amount (2 of 2)`.
 * Such a name stays the same when other columns are added, removed or moved. When another column of the same title is
 * added, the name means no column any more. Paybatch's own result columns and columns without a title stay as they are.
 */
export function titlesApart(header: readonly string[]): readonly string[] {
  const places = new Map<string, number[]>();
  header.forEach((title, index) => {
    const key = normaliseHeader(title);
    if (key === '' || title.toLowerCase().startsWith('result_')) return;
    places.set(key, [...(places.get(key) ?? []), index]);
  });
  const apart = [...header];
  for (const same of places.values()) {
    if (same.length < 2) continue;
    same.forEach((index, at) => {
      const title = `${header[index]} (${at + 1} of ${same.length})`;
      // A file that has such a title itself cannot be numbered like this.
      if (!hasTitle(header, title)) apart[index] = title;
    });
  }
  return apart;
}

/** The column of the name of the sheet that a row is on. */
export const sheetColumn = '(sheet)';

/** Whether a title is that of a column with cells in the file. The others are behind these where a mapping reads them. */
export function isOfCells(title: string): boolean {
  return title !== sheetColumn && title !== headingColumn && labelOfColumn(title) === undefined;
}

/** Whether a mapping names a column that it leaves out: not the headings without a label and the sheet, of which nothing is lost. */
export function isLeftOutByName(title: string): boolean {
  return title !== sheetColumn && title !== headingColumn;
}

/** How many columns behind the last title a mapping may name; a number beyond is a mistake in it. */
const mostBehind = 50;
const placeName = /^\(column ([1-9]\d{0,3})\)$/i;

/**
 * The titles of a header with names for its columns without a title: `(column 3)`, counted from 1. A mapping may name such a
 * column; without that, a value below it is a reason to refuse the file, and a value behind the last title its row.
 * @param width how many columns the rows have: a header is shorter where the last columns have no title
 * @param isMeant whether a column without a title gets its name
 */
export function untitledNamed(
  header: readonly string[],
  width: number,
  isMeant: (index: number, name: string) => boolean,
): readonly string[] {
  const titles = Array.from({ length: Math.max(width, header.length) }, (_, index) => {
    const [title = '', name] = [header[index], `(column ${index + 1})`];
    // A file that has such a title itself keeps it for that column alone.
    return title === '' && !hasTitle(header, name) && isMeant(index, name) ? name : title;
  });
  return titles.slice(0, Math.max(header.length, upToLast(titles).length));
}

/** The titles as the file has them, empty for columns without one, up to the last title. */
export function titlesOfFile(titles: readonly string[]): readonly string[] {
  return upToLast(titles.map((title) => (isTitleOfFile(title) ? title : '')));
}

function isTitleOfFile(title: string): boolean {
  return !placeName.test(title) && isOfCells(title);
}

/** A header without the empty cells behind its last title, of which a spreadsheet program writes now more and now fewer. */
function upToLast(header: readonly string[]): readonly string[] {
  return header.slice(0, header.findLastIndex((title) => title !== '') + 1);
}

/**
 * The titles of a header as a mapping names them. Columns of one title get unique names only if the mapping uses such
 * names. So a mapping that leaves out all columns of a title still leaves out all of them. A column without a title has a
 * name only if the mapping uses it.
 */
export function titlesNamed(header: readonly string[], mapping: MappingFile): readonly string[] {
  const named = namesIn(mapping);
  const beside = named.filter(
    (title, at) => !isOfCells(title) && !hasTitle(header, title) && named.indexOf(title) === at,
  );
  const own = ownTitlesNamed(header, named);
  return beside.length === 0 ? own : [...own, ...beside];
}

/** The titles of the columns that the file has itself. */
function ownTitlesNamed(header: readonly string[], named: readonly string[]): readonly string[] {
  const apart = titlesApart(header);
  const isPlain = apart.every((title, index) => title === header[index]);
  if (isPlain && !named.some((title) => placeName.test(title))) return header;
  const plainKeys = new Set(
    apart.flatMap((title, index) =>
      title !== header[index] && hasTitle(named, title) ? [normaliseHeader(header[index] ?? '')] : [],
    ),
  );
  const own = header.map((title, index) =>
    plainKeys.has(normaliseHeader(title)) ? (apart[index] ?? title) : title,
  );
  const places = named.map((title) => Number(placeName.exec(title)?.[1] ?? 0));
  const width = Math.max(0, ...places.filter((place) => place <= header.length + mostBehind));
  return untitledNamed(own, width, (_, name) => hasTitle(named, name));
}

/** The title as the file has it, without the place among those of that title; empty for a column named by its place alone. */
export function titleInFile(title: string): string {
  return isTitleOfFile(title) ? title.replace(/ \(\d+ of \d+\)$/, '') : '';
}

/** A table with the titles that a mapping has for its columns, and the columns that it reads beside the cells of the rows. */
export function withTitlesNamed(table: SourceTable, mapping: MappingFile): SourceTable {
  const header = titlesNamed(table.header, mapping);
  if (header === table.header) return table;
  const first = header.findIndex((title, index) => !isOfCells(title) && index >= table.header.length);
  if (first === -1) return tableLike(table, { header });
  const beside = header.slice(first).map((title) => (title === sheetColumn ? (table.sheet ?? '') : ''));
  const rows = async function* (): AsyncGenerator<readonly SourceRow[]> {
    for await (const group of table.rows()) yield group.map((row) => withCellsAt(first, beside, row));
  };
  return tableLike(table, { header, rows });
}

/** A row with more cells at a place. Values behind the last title stay behind it, since they are reasons to refuse the row. */
function withCellsAt(place: number, more: readonly string[], row: SourceRow): SourceRow {
  const before = Array.from({ length: place }, (_, index) => row.cells[index] ?? '');
  const kinds =
    row.kinds &&
    new Map([...row.kinds].map(([index, kind]) => [index < place ? index : index + more.length, kind]));
  return { ...row, cells: [...before, ...more, ...row.cells.slice(place)], ...(kinds && { kinds }) };
}

/** Every column that a mapping names. */
function namesIn({
  columns = {},
  join = {},
  split = {},
  ignore = [],
  ...others
}: MappingFile): readonly string[] {
  const { markedValues = {}, phoneCountry } = others;
  return [
    ...Object.keys(columns),
    ...Object.values(join).flat(),
    ...Object.keys(split),
    ...ignore.filter(isLeftOutByName),
    ...Object.keys(markedValues),
    ...(typeof phoneCountry === 'object' ? [phoneCountry.column] : []),
  ];
}

/** Values of these types have a digit, or the sign of an e-mail address. */
const figureTypes: ReadonlySet<FieldType> = new Set([
  ...(['account_number', 'us_account_number', 'routing_number', 'iban', 'phone', 'email'] as const),
  ...(['birth_date', 'amount', 'postal_code'] as const),
]);

/** With fewer of such columns, a row of a file may lack them all. */
const fewestFigures = 3;

/** Whether values of a type are never mere words. */
export function isFigureType(type: FieldType): boolean {
  return figureTypes.has(type);
}

/** Whether a value is more than words. */
export function isFigure(value: string): boolean {
  return /[\p{N}@]/u.test(value);
}

/**
 * Whether a line has a title for each column.
 * @param cells of the line below the header, as the file has them
 * @param named the columns that have a title, by index
 * @param figures those of them whose values are never mere words
 */
export function areTitles(
  cells: readonly string[],
  named: readonly number[],
  figures: readonly number[],
): boolean {
  if (figures.length < fewestFigures) return false;
  const texts = named.map((index) => unprotectCell(cells[index] ?? '').trim());
  return (
    texts.every((text) => /\p{L}/u.test(text) && !isFigure(text)) && new Set(texts).size === texts.length
  );
}
