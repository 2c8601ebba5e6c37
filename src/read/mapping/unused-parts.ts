/* Refuses a mapping, or a part of one, that applies to no table of the call. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { createNameSearch } from '../../domain/text/characters.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { fieldForHeader, kinds } from '../../kinds/registry.ts';
import { isSameTitle, type MappingFile } from './mapping-file.ts';
import { leastSimilarity } from './table-mapping.ts';

/** The parts of a call's table that a mapping may refer to. */
interface MappedTable {
  readonly kind: Kind;
  readonly header: readonly string[];
}

/** The file's columns that a mapping reads something from. */
export function titlesNamedBy({ columns = {}, join = {}, split = {} }: MappingFile): readonly string[] {
  return [...Object.keys(columns), ...Object.values(join).flat(), ...Object.keys(split)];
}

/**
 * Refuses a mapping that applies to none of a call's tables: it names another sheet, other columns, or empty header
 * rows.
 *
 * @throws PaybatchError (`file_refused`)
 */
export function refuseUnmatchedMapping(
  mapping: MappingFile,
  tables: readonly { readonly sheet: string | null; readonly header: readonly string[] }[],
): never {
  const { sheet, headerRows } = mapping;
  const sheets = tables.flatMap((table) => table.sheet ?? []);
  if (sheet !== undefined && !sheets.some((other) => isSameTitle(other, sheet))) {
    throw new PaybatchError(
      'sheet_not_found',
      `The mapping is for the sheet ${shorten(sheet)}, which is not there. The sheets are ${sheets.map(shorten).join(', ')}.`,
      [
        'correct "sheet" in the mapping',
        { action: 'set', purpose: 'name another one', oneOf: [{ setting: 'sheet' }] },
      ],
    );
  }
  if (headerRows === undefined) {
    refuseMissingTitles(
      mapping,
      tables.map(({ header }) => header),
    );
  }
  throw unused(
    headerRows === undefined
      ? 'The mapping is for a sheet that does not have its columns.'
      : `The mapping says that the header is row ${headerRows.join(' and ')}, and none of its columns stands there.`,
    'correct the mapping',
  );
}

/**
 * Refuses a mapping that names a column which no header of the call has: the partner has renamed it, or it is
 * mistyped. Checked first, since it may be why a column is missing.
 *
 * @throws PaybatchError (`file_refused`)
 */
export function refuseMissingTitles(mapping: MappingFile, headers: readonly (readonly string[])[]): void {
  const titles = [...new Set(headers.flat())].filter((title) => title !== '');
  for (const [title, target] of Object.entries(mapping.columns ?? {})) {
    if (titles.some((other) => isSameTitle(other, title))) continue;
    const [nearest] = createNameSearch(titles)(title, 1, leastSimilarity);
    const hint = nearest === undefined ? '' : ` The nearest is ${shorten(nearest)}.`;
    throw unused(
      `The mapping reads ${shorten(title)} as ${target}, but no header has such a column.${hint}`,
      'correct the name under "columns" in the mapping, or take it out',
    );
  }
  refuseMissingParts(mapping, titles);
}

/**
 * The same for columns that are joined, and for the one that has the country of phone numbers.
 *
 * @throws PaybatchError (`file_refused`)
 */
function refuseMissingParts(mapping: MappingFile, titles: readonly string[]): void {
  const { join = {}, split = {}, repair = {}, dittoMarks = {}, units = {}, phoneCountry, empty } = mapping;
  const parts = Object.entries(join).flatMap(([field, columns]) =>
    columns.map((title) => ({ title, use: `joins ${shorten(title)} into ${field}`, section: 'join' })),
  );
  const others = [
    ...Object.keys(split).map((title) => ({ title, use: `splits ${shorten(title)}`, section: 'split' })),
    ...Object.keys(repair).map((title) => ({ title, use: `repairs ${shorten(title)}`, section: 'repair' })),
    ...Object.keys(dittoMarks).map((title) => ({
      title,
      use: `has marks for the value above in ${shorten(title)}`,
      section: 'dittoMarks',
    })),
    ...Object.keys(units).map((title) => ({
      title,
      use: `has units of ${shorten(title)}`,
      section: 'units',
    })),
    ...(empty === undefined || Array.isArray(empty) ? [] : Object.keys(empty)).map((title) => ({
      title,
      use: `has words for nothing in ${shorten(title)}`,
      section: 'empty',
    })),
  ];
  const country =
    typeof phoneCountry === 'object'
      ? [
          {
            title: phoneCountry.column,
            use: `takes the country of phone numbers from ${shorten(phoneCountry.column)}`,
            section: 'phoneCountry',
          },
        ]
      : [];
  for (const { title, use, section } of [...parts, ...others, ...country]) {
    if (titles.some((other) => isSameTitle(other, title))) continue;
    throw unused(
      `The mapping ${use}, but no header has such a column.`,
      `correct the name under "${section}" in the mapping, or take it out`,
    );
  }
}

/**
 * Refuses the parts of a mapping that apply to none of a call's tables: a column of a file whose kind does not have
 * the field, or a constant or translation for such a field. They would otherwise be ignored silently.
 *
 * @throws PaybatchError (`file_refused`)
 */
export function refuseUnusedMapping(mapping: MappingFile, tables: readonly MappedTable[]): void {
  for (const [title, target] of Object.entries(mapping.columns ?? {})) {
    const suiting = tables.filter(({ kind }) => fieldForHeader(kind, target) !== undefined);
    if (having(suiting, title).length > 0) continue;
    throw unused(
      `The mapping reads ${shorten(title)} as ${target}, which ${kindsOf(having(tables, title))} do not have.`,
      'correct it under "columns" in the mapping, or name the file that it is for too',
    );
  }
  refuseUnusedSplits(mapping, tables);
  for (const section of ['constants', 'values', 'join'] as const) {
    for (const field of Object.keys(mapping[section] ?? {})) {
      if (tables.some(({ kind }) => fieldForHeader(kind, field) !== undefined)) continue;
      throw unused(
        `The mapping has ${section} for "${field}", which ${kindsOf(tables)} do not have.`,
        `take it out of "${section}", or name the file that it is for too`,
      );
    }
  }
}

function refuseUnusedSplits({ split = {} }: MappingFile, tables: readonly MappedTable[]): void {
  for (const [title, { into }] of Object.entries(split)) {
    const suiting = tables.filter(({ kind }) =>
      into.every((part) => fieldForHeader(kind, part) !== undefined),
    );
    if (having(suiting, title).length > 0) continue;
    throw unused(
      `The mapping splits ${shorten(title)} into ${into.join(' and ')}, which ${kindsOf(having(tables, title))} do not have.`,
      'correct it under "split" in the mapping, or name the file that it is for too',
    );
  }
}

function having(tables: readonly MappedTable[], title: string): readonly MappedTable[] {
  return tables.filter(({ header }) => header.some((other) => isSameTitle(other, title)));
}

/** The kinds of tables, for a sentence: `customers and recipients`. */
function kindsOf(tables: readonly MappedTable[]): string {
  return kinds.filter((kind) => tables.some((table) => table.kind === kind)).join(' and ');
}

function unused(message: string, next: string): PaybatchError {
  return new PaybatchError('mapping_unused', message, next);
}
