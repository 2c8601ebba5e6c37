/* The parts of a mapping about columns: constants, joins, splits, translations and repairs. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import {
  type CellTreatment,
  foldWord,
  type MappedColumn,
  type TableMapping,
} from '../../domain/tables/mapping.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { fieldForHeader } from '../../kinds/registry.ts';
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
  { empty, repair = {}, dittoMarks = {}, units: allUnits = {} }: MappingFile,
): CellTreatment {
  const words = Array.isArray(empty) ? empty : entryFor(title, empty ?? {});
  const repairs = entryFor(title, repair);
  const [marks, units] = [entryFor(title, dittoMarks), entryFor(title, allUnits)];
  return {
    ...(words === undefined ? {} : { empty: new Set(words.map(foldWord)) }),
    ...(marks === undefined ? {} : { marks: new Set(marks.map(foldWord)) }),
    ...(units === undefined ? {} : { units: new Set(units.map(foldWord)) }),
    ...(repairs === undefined ? {} : { repairs: new Set(repairs) }),
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
