/* The parts of a mapping about columns, and the refusal of a part that is for no table of the call. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import {
  type CellTreatment,
  foldWord,
  type MappedColumn,
  type TableMapping,
} from '../../domain/tables/mapping.ts';
import { createNameSearch } from '../../domain/text/characters.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { fieldForHeader, kinds } from '../../kinds/registry.ts';
import { emptyByColumn } from './mapping-file.ts';
import { entryFor, hasTitle, type MappingFile, placeOfTitle } from './mapping-schema.ts';
import { fieldsOfSplit, partsOfSplit } from './split.ts';

export function constantColumns(kind: Kind, { constants = {} }: MappingFile): MappedColumn[] {
  return Object.entries(constants).flatMap(([name, constant]): MappedColumn[] => {
    const field = fieldForHeader(kind, name);
    if (field === undefined) return [];
    const value = typeof constant === 'string' ? { constant } : { derivedFrom: constant.from };
    return [{ field, title: field, index: null, ...value }];
  });
}

/** The joins for the kind's fields, by field. */
export function joinsOf(
  kind: Kind,
  { join = {} }: MappingFile,
): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(join).flatMap(([name, titles]) => {
    const field = fieldForHeader(kind, name);
    return field === undefined ? [] : [[field, titles] as const];
  });
}

/** A table with none of a join's columns is read without the join. A table with only some of them is refused. */
export function joinedColumns(
  header: readonly string[],
  kind: Kind,
  mapping: MappingFile,
  place: string,
): MappedColumn[] {
  return joinsOf(kind, mapping).flatMap(([field, titles]): MappedColumn[] => {
    const indexes = titles.map((title) => placeOfTitle(header, title));
    if (indexes.every((index) => index === -1)) return [];
    const missing = titles[indexes.indexOf(-1)];
    if (missing !== undefined) {
      throw new PaybatchError(
        'mapping_unused',
        `${place}: the mapping joins ${titles.map(shorten).join(' and ')} into ${field}, but the header has no ${shorten(missing)}.`,
        'correct the names under "join" in the mapping',
      );
    }
    const joined = indexes.map((index) => {
      const title = header[index] ?? '';
      return { title, index, ...treatmentOf(title, mapping) };
    });
    const title = joined.map((part) => part.title).join(' + ');
    return [{ field, title, index: null, joined, values: translations(field, mapping) }];
  });
}

/** The splits into the kind's fields, by the file's column. */
export function splitsOf(kind: Kind, { split = {} }: MappingFile) {
  return Object.entries(split).filter(([, own]) =>
    fieldsOfSplit(own).every((part) => fieldForHeader(kind, part) !== undefined),
  );
}

/** Whether a column is a part of others, or is split into them. */
export function isJoinedOrSplit(title: string, kind: Kind, mapping: MappingFile): boolean {
  const splits = splitsOf(kind, mapping).map(([column]) => column);
  return hasTitle([...joinsOf(kind, mapping).flatMap(([, titles]) => titles), ...splits], title);
}

/** The parts of cells that are split, each a separate column with the index of the whole text. */
export function splitColumns(header: readonly string[], kind: Kind, mapping: MappingFile): MappedColumn[] {
  return splitsOf(kind, mapping).flatMap(([column, own]): MappedColumn[] => {
    const index = placeOfTitle(header, column);
    const title = header[index];
    if (title === undefined) return [];
    const cell = { title, index, ...treatmentOf(title, mapping) };
    return partsOfSplit(own).map((split) => ({
      ...cell,
      split,
      field: split.part,
      values: translations(split.part, mapping),
    }));
  });
}

/** The mapping's treatment of the cells of one of the file's columns. */
export function treatmentOf(
  title: string,
  { empty, kept, repair, dittoMarks, units, accountForms }: MappingFile,
): CellTreatment {
  const repairs = entryFor(title, repair);
  return {
    empty: foldedWords(Array.isArray(empty) ? empty : entryFor(title, empty)),
    kept: foldedWords(entryFor(title, kept)),
    marks: foldedWords(entryFor(title, dittoMarks)),
    units: foldedWords(entryFor(title, units)),
    repairs: repairs && new Set(repairs),
    accountForm: entryFor(title, accountForms),
  };
}

function foldedWords(words: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return words && new Set(words.map(foldWord));
}

/** The country of phone numbers, where this table has a column or a constant for it. */
export function phoneCountryOf(
  header: readonly string[],
  { phoneCountry }: MappingFile,
): TableMapping['phoneCountry'] {
  if (typeof phoneCountry === 'string') return { country: phoneCountry };
  const index = phoneCountry === undefined ? -1 : placeOfTitle(header, phoneCountry.column);
  return index === -1 ? undefined : { title: header[index] ?? '', index };
}

/** A value that follows from an institution's name needs a column of institutions. */
export function refuseUnderivable(columns: readonly MappedColumn[], place: string): void {
  const derived = columns.find(({ derivedFrom }) => derivedFrom !== undefined);
  if (derived?.derivedFrom === undefined) return;
  if (columns.some(({ field }) => field === derived.derivedFrom)) return;
  throw new PaybatchError(
    'missing_column',
    `${place}: the mapping derives ${derived.field} from ${derived.derivedFrom}, and no column is that.`,
    `name the column that is ${derived.derivedFrom} under "columns" in the mapping`,
  );
}

/** The mapping's translations of a field's values. */
export function translations(field: string, { values }: MappingFile): MappedColumn['values'] {
  const ofField = entryFor(field, values);
  return ofField && new Map(Object.entries(ofField));
}

/** Less similar names are not proposed. */
export const leastSimilarity = 0.4;

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
  if (sheet !== undefined && !hasTitle(sheets, sheet)) {
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
    const headers = tables.map(({ header }) => header);
    refuseMissingTitles(mapping, headers);
  }
  throw unused(
    headerRows === undefined
      ? 'The mapping is for a sheet that does not have its columns.'
      : `The mapping says that the header is row ${headerRows.join(' and ')}, and none of its columns is there.`,
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
    if (hasTitle(titles, title)) continue;
    const [nearest] = createNameSearch(titles)(title, 1, leastSimilarity);
    const hint = nearest === undefined ? '' : ` The nearest is ${shorten(nearest)}.`;
    throw unused(
      `The mapping reads ${shorten(title)} as ${target}, but no header has such a column.${hint}`,
      'correct the name under "columns" in the mapping, or take it out',
    );
  }
  for (const { title, use, section } of partsByColumn(mapping)) {
    if (hasTitle(titles, title)) continue;
    throw unused(
      `The mapping ${use}, but no header has such a column.`,
      `correct the name under "${section}" in the mapping, or take it out`,
    );
  }
}

/** The parts of a mapping about columns of the file, besides those that say what a column is: what is done with each. */
function partsByColumn({ join = {}, phoneCountry, empty, ...mapping }: MappingFile) {
  const named = (section: string, titles: readonly string[], use: (title: string) => string) =>
    titles.map((title) => ({ section, title, use: use(shorten(title)) }));
  const { split = {}, repair = {}, dittoMarks = {}, markedValues = {}, units = {} } = mapping;
  return [
    ...Object.entries(join).flatMap(([field, titles]) =>
      named('join', titles, (title) => `joins ${title} into ${field}`),
    ),
    ...named('split', Object.keys(split), (title) => `splits ${title}`),
    ...named('repair', Object.keys(repair), (title) => `repairs ${title}`),
    ...named('dittoMarks', Object.keys(dittoMarks), (title) => `has marks for the value above in ${title}`),
    ...named('markedValues', Object.keys(markedValues), (title) => `leaves out or holds rows by ${title}`),
    ...named('units', Object.keys(units), (title) => `has units of ${title}`),
    ...named('empty', Object.keys(emptyByColumn(empty)), (title) => `has words for nothing in ${title}`),
    ...named(
      'phoneCountry',
      typeof phoneCountry === 'object' ? [phoneCountry.column] : [],
      (title) => `takes the country of phone numbers from ${title}`,
    ),
  ];
}

/**
 * Refuses the parts of a mapping that apply to none of a call's tables: a column of a file whose kind does not have
 * the field, or a constant or translation for such a field. They would otherwise be ignored silently.
 *
 * @throws PaybatchError (`file_refused`)
 */
export function refuseUnusedMapping(mapping: MappingFile, tables: readonly MappedTable[]): void {
  const { columns = {}, split = {} } = mapping;
  const fieldsOf = [
    ...Object.entries(columns).map(([title, field]) => ({
      title,
      fields: [field],
      use: `reads ${shorten(title)} as`,
      section: 'columns',
    })),
    ...Object.entries(split).map(([title, own]) => ({
      title,
      fields: fieldsOfSplit(own),
      use: `splits ${shorten(title)} into`,
      section: 'split',
    })),
  ];
  for (const { title, fields, use, section } of fieldsOf) {
    const suiting = tables.filter(({ kind }) =>
      fields.every((field) => fieldForHeader(kind, field) !== undefined),
    );
    if (having(suiting, title).length > 0) continue;
    throw unused(
      `The mapping ${use} ${fields.join(' and ')}, which ${kindsOf(having(tables, title))} do not have.`,
      `correct it under "${section}" in the mapping, or name the file that it is for too`,
    );
  }
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

function having(tables: readonly MappedTable[], title: string): readonly MappedTable[] {
  return tables.filter(({ header }) => hasTitle(header, title));
}

/** The kinds of tables, for a sentence: `customers and recipients`. */
function kindsOf(tables: readonly MappedTable[]): string {
  return kinds.filter((kind) => tables.some((table) => table.kind === kind)).join(' and ');
}

function unused(message: string, next: string): PaybatchError {
  return new PaybatchError('mapping_unused', message, next);
}
