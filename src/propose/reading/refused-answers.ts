/* A person's answers about refused values, and about values whose rows are left out, as parts of the mapping. */

import type { Repair } from '../../domain/tables/mapping.ts';
import { leaveOutRows, otherValues } from '../../domain/tables/row-marks.ts';
import { isDittoMark } from '../../kinds/fields/cell-repairs.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { type Use, usesOfValues } from '../columns/column-use.ts';
import { isMarkOf, marksIn } from '../columns/filler-words.ts';
import type { ValueTable } from '../columns/value-tables.ts';
import { type Decisions, type RefusedChange, saidIn } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';

/** The key of the decision about a column and a reason. Each such pair is asked about once. */
export function idOfRefused(title: string, code: string): string {
  return `refused:${title}:${code}`;
}

/** Takes the place of a reason: an answer about a column for an earlier file, whatever the reason was. */
export const remembered = 'remembered';

/** The column and the reason of a decision about a group; undefined for other decisions. */
function refusedOfId(id: string): { readonly title: string; readonly code: string } | undefined {
  if (!id.startsWith('refused:')) return undefined;
  const end = id.lastIndexOf(':');
  return { title: id.slice('refused:'.length, end), code: id.slice(end + 1) };
}

/** The mapping in which marks are no values. Their rows are refused until a person says what they mean. */
export function withoutMarks(mapping: MappingFile, uses: readonly Use[]): MappingFile {
  let changed = mapping;
  for (const { column, fields } of uses) {
    const [field, another] = fields;
    if (field === undefined || another !== undefined || mapping.columns?.[column.title] !== field) continue;
    const { [column.title]: repairs = [] } = mapping.repair ?? {};
    const words =
      mapping.empty === undefined || Array.isArray(mapping.empty) ? [] : (mapping.empty[column.title] ?? []);
    const values = marksIn(column)
      .filter((mark) => !isMarkOf(words, mark) && !(repairs.includes('ditto') && isDittoMark(mark)))
      .filter((mark) => mapping.values?.[field]?.[mark] === undefined)
      .map((mark) => [mark, null] as const);
    if (values.length > 0)
      changed = withChange(changed, column.title, fields, { values: Object.fromEntries(values) });
  }
  return changed;
}

/**
 * The mapping that removes words for nothing from columns that are joined with others, and that records which words are
 * values.
 */
export function withoutFillers(mapping: MappingFile, tables: readonly ValueTable[]): MappingFile {
  let changed = mapping;
  for (const { column, field, lines, fillers } of tables) {
    if (fillers !== 'part_of_field') continue;
    const empty = lines.filter(({ meaning }) => meaning === '').map(({ value }) => value);
    if (empty.length > 0) changed = withChange(changed, column.title, [field], { empty });
    const kept = lines.filter(({ value, meaning }) => value === meaning).map(({ value }) => value);
    if (kept.length > 0) changed = { ...changed, kept: added(changed.kept, column.title, kept) };
  }
  return changed;
}

/** The mapping with all answers about refused rows. */
export function withRefusedAnswers(
  mapping: MappingFile,
  uses: readonly Use[],
  decisions: Decisions,
): MappingFile {
  let changed = mapping;
  for (const [id, decision] of decisions) {
    const about = refusedOfId(id);
    if (about === undefined) continue;
    const { title, code } = about;
    const own = usesOfValues(uses).filter(
      ({ column, fields }) => column.title === title && fields.length > 0,
    );
    if (own.length === 0) continue;
    const { change = {} } = saidIn(decision);
    for (const { column, fields } of own) {
      const { values: said = {} } = change;
      // Of a cell with several values, the answer is about those of one field.
      const values = own.length === 1 ? said : ofColumn(said, column);
      changed = withChange(changed, title, fields, { ...change, values });
    }
    // Values that are not in the mapping yet may come in the next file. Everything else was decided permanently.
    if (change.values === undefined && code !== remembered)
      changed = { ...changed, asked: added(changed.asked, title, [code]) };
  }
  return changed;
}

function ofColumn(said: NonNullable<RefusedChange['values']>, { values }: Column): typeof said {
  const texts = new Set(values.map(({ text }) => text));
  return Object.fromEntries(Object.entries(said).filter(([value]) => texts.has(value)));
}

/** The mapping after a change of one column. */
export function withChange(
  mapping: MappingFile,
  title: string,
  fields: readonly string[],
  { repairs = [], values: said = {}, empty = [], marks = [], units = [] }: RefusedChange,
): MappingFile {
  const values = Object.fromEntries(
    Object.entries(said).map(([value, meaning]) => [value, translated(meaning)]),
  );
  const [field, another] = fields;
  const allRepairs: readonly Repair[] = [...repairs, ...(marks.length === 0 ? [] : (['ditto'] as const))];
  const own = field === undefined || another !== undefined ? {} : (mapping.values?.[field] ?? {});
  const isMarked = new Set([...marks, ...empty]);
  // Drops a mark that was refused until a person said what it means.
  const kept = Object.entries(own).filter(([value, meaning]) => meaning !== null || !isMarked.has(value));
  const meanings = { ...Object.fromEntries(kept), ...values };
  const { [field ?? '']: _, ...others } = mapping.values ?? {};
  const allValues =
    field === undefined || another !== undefined
      ? (mapping.values ?? {})
      : Object.keys(meanings).length === 0
        ? others
        : { ...others, [field]: meanings };
  const { values: __, ...base } = withRowsSaid(mapping, title, said);
  return {
    ...base,
    ...(Object.keys(allValues).length === 0 ? {} : { values: allValues }),
    ...(allRepairs.length === 0 ? {} : { repair: added(mapping.repair, title, allRepairs) }),
    ...(marks.length === 0 ? {} : { dittoMarks: added(mapping.dittoMarks, title, marks) }),
    ...(units.length === 0 ? {} : { units: added(mapping.units, title, units) }),
    ...(empty.length === 0 ? {} : { empty: withEmpty(mapping.empty, title, empty) }),
  };
}

function withEmpty(
  before: MappingFile['empty'],
  title: string,
  words: readonly string[],
): MappingFile['empty'] {
  if (Array.isArray(before)) return [...new Set([...before, ...words])];
  return added(before, title, words);
}

function added<Item>(
  section: Readonly<Record<string, Item[]>> | undefined,
  title: string,
  items: readonly Item[],
): Record<string, Item[]> {
  return { ...section, [title]: [...new Set([...(section?.[title] ?? []), ...items])] };
}

/* Rows that are left out of the file because of a value in a column that is read. */

type Meanings = Readonly<Record<string, string | null>>;

/** The translation of a value. If a row that is to be left out is read nevertheless, it is refused. */
export function translated(meaning: string | null): string | null {
  return meaning === leaveOutRows ? null : meaning;
}

/** The mapping with the rows that answers about the values of columns leave out. */
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

/** The mapping after answers about values of one column. Their rows are left out, or no longer left out. */
function withRowsSaid(mapping: MappingFile, title: string, said: Meanings): MappingFile {
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

/** The values of a column whose rows are left out, in the form of answers about its values. */
export function leftOutAnswers({ markedValues = {} }: MappingFile, title: string): Meanings {
  const { [title]: meanings = {} } = markedValues;
  if (meanings[otherValues] === undefined) return {};
  return Object.fromEntries(
    Object.entries(meanings).flatMap(([value, meaning]) =>
      meaning === 'leave_out' ? [[value, leaveOutRows] as const] : [],
    ),
  );
}
