/*
 * The parts of a mapping about columns: constants, joins, splits, translations and repairs; and the refusal of a part that
 * is for no table of the call.
 */

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
import { isSameTitle, type MappingFile } from './mapping-file.ts';

export function constants(kind: Kind, mapping: MappingFile): MappedColumn[] {
  return Object.entries(mapping.constants ?? {}).flatMap(([name, constant]): MappedColumn[] => {
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

export function isJoined(title: string, kind: Kind, mapping: MappingFile): boolean {
  return joinsOf(kind, mapping).some(([, titles]) => titles.some((other) => isSameTitle(title, other)));
}

/** A table with none of a join's columns is read without the join. A table with only some of them is refused. */
export function joinedColumns(
  header: readonly string[],
  kind: Kind,
  mapping: MappingFile,
  place: string,
): MappedColumn[] {
  return joinsOf(kind, mapping).flatMap(([field, titles]): MappedColumn[] => {
    const indexes = titles.map((title) => header.findIndex((other) => isSameTitle(title, other)));
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
    return [
      {
        field,
        title: joined.map(({ title }) => title).join(' + '),
        index: null,
        joined,
        ...translations(field, mapping),
      },
    ];
  });
}

/** The splits into the kind's fields, by the file's column. */
function splitsOf(kind: Kind, { split = {} }: MappingFile) {
  return Object.entries(split).filter(([, { into }]) =>
    into.every((part) => fieldForHeader(kind, part) !== undefined),
  );
}

/** The fields that a kind's columns of full names are split into. */
export function fieldsOfSplits(kind: Kind, mapping: MappingFile): readonly string[] {
  return splitsOf(kind, mapping).flatMap(([, { into }]) => into);
}

export function isSplit(title: string, kind: Kind, mapping: MappingFile): boolean {
  return splitsOf(kind, mapping).some(([column]) => isSameTitle(column, title));
}

/** The parts of full names, each a separate column with the index of the whole name. */
export function splitColumns(header: readonly string[], kind: Kind, mapping: MappingFile): MappedColumn[] {
  return splitsOf(kind, mapping).flatMap(([column, { into, order }]): MappedColumn[] => {
    const index = header.findIndex((other) => isSameTitle(other, column));
    const title = header[index];
    if (title === undefined) return [];
    return into.map((part) => ({
      field: part,
      title,
      index,
      split: { part, into, order },
      ...treatmentOf(title, mapping),
      ...translations(part, mapping),
    }));
  });
}

/** The mapping's treatment of the cells of one of the file's columns. */
export function treatmentOf(
  title: string,
  {
    empty,
    kept: allKept = {},
    repair = {},
    dittoMarks = {},
    units: allUnits = {},
    accountForms = {},
  }: MappingFile,
): CellTreatment {
  const words = Array.isArray(empty) ? empty : entryFor(title, empty ?? {});
  const [kept, repairs] = [entryFor(title, allKept), entryFor(title, repair)];
  const accountForm = entryFor(title, accountForms);
  const [marks, units] = [entryFor(title, dittoMarks), entryFor(title, allUnits)];
  return {
    ...(words === undefined ? {} : { empty: new Set(words.map(foldWord)) }),
    ...(kept === undefined ? {} : { kept: new Set(kept.map(foldWord)) }),
    ...(marks === undefined ? {} : { marks: new Set(marks.map(foldWord)) }),
    ...(units === undefined ? {} : { units: new Set(units.map(foldWord)) }),
    ...(repairs === undefined ? {} : { repairs: new Set(repairs) }),
    ...(accountForm === undefined ? {} : { accountForm }),
  };
}

function entryFor<Value>(title: string, section: Readonly<Record<string, Value>>): Value | undefined {
  return Object.entries(section).find(([other]) => isSameTitle(other, title))?.[1];
}

/** The country of phone numbers, where this table has a column or a constant for it. */
export function phoneCountryOf(
  header: readonly string[],
  { phoneCountry }: MappingFile,
): Pick<TableMapping, 'phoneCountry'> {
  if (phoneCountry === undefined) return {};
  if (typeof phoneCountry === 'string') return { phoneCountry: { country: phoneCountry } };
  const index = header.findIndex((title) => isSameTitle(title, phoneCountry.column));
  return index === -1 ? {} : { phoneCountry: { title: header[index] ?? '', index } };
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

export function translations(field: string, mapping: MappingFile): Pick<MappedColumn, 'values'> {
  const values = Object.entries(mapping.values ?? {}).find(([name]) => isSameTitle(name, field));
  return values === undefined ? {} : { values: new Map(Object.entries(values[1])) };
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
  const { markedValues = {} } = mapping;
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
    ...Object.keys(markedValues).map((title) => ({
      title,
      use: `leaves out or holds rows by ${shorten(title)}`,
      section: 'markedValues',
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
