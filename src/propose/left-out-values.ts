/* Rows that are left out of the file for a value of a column that is read. */

import { leaveOutRows, otherValues } from '../domain/tables/row-marks.ts';
import type { MappingFile } from '../read/mapping/mapping-file.ts';
import type { ValueTable } from './value-tables.ts';

type Meanings = Readonly<Record<string, string | null>>;

/** What a value is translated to. Should a row be read that is left out, it is refused. */
export function translated(meaning: string | null): string | null {
  return meaning === leaveOutRows ? null : meaning;
}

/** The mapping with the rows that are left out by answers about the values of columns. */
export function withRowsLeftOut(mapping: MappingFile, tables: readonly ValueTable[]): MappingFile {
  return tables.reduce((changed, { column, lines }) => {
    const said = lines.filter(({ isSure, isRead }) => isSure && !isRead);
    return withRowsSaid(
      changed,
      column.title,
      Object.fromEntries(said.map(({ value, meaning }) => [value, meaning])),
    );
  }, mapping);
}

/** The mapping after answers about values of one column: their rows are left out, or not any more. */
export function withRowsSaid(mapping: MappingFile, title: string, said: Meanings): MappingFile {
  const { [title]: before = {}, ...ofOthers } = mapping.markedValues ?? {};
  const { [otherValues]: others = 'send', ...named } = before;
  const isOfAllValues = Object.keys(named).length > 0 && before[otherValues] === undefined;
  const kept = Object.entries(named).filter(([value]) => isOfAllValues || said[value] === undefined);
  const leftOut = Object.entries(said).flatMap(([value, meaning]) =>
    meaning === leaveOutRows ? [[value, 'leave_out'] as const] : [],
  );
  const own = Object.fromEntries([...kept, ...leftOut]);
  const columns =
    kept.length + leftOut.length === 0
      ? ofOthers
      : { ...ofOthers, [title]: isOfAllValues ? own : { ...own, [otherValues]: others } };
  const { markedValues: _, ...base } = mapping;
  return Object.keys(columns).length === 0 ? base : { ...base, markedValues: columns };
}

/** The values of a column whose rows are left out, as answers about its values. */
export function leftOutAnswers({ markedValues = {} }: MappingFile, title: string): Meanings {
  const { [title]: meanings = {} } = markedValues;
  if (meanings[otherValues] === undefined) return {};
  return Object.fromEntries(
    Object.entries(meanings).flatMap(([value, meaning]) =>
      meaning === 'leave_out' ? [[value, leaveOutRows] as const] : [],
    ),
  );
}
