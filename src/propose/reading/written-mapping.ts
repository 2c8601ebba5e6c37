/* Writes a reading as a mapping, with those parts of an earlier mapping that this file cannot produce again. */

import { addressParts, filled, nameParts } from '../../domain/tables/mapping.ts';
import { readingRulesOf } from '../../read/mapping/mapping-file.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { controlLineIn, type SampledLine, tellLinesApart } from '../../read/mapping/sampled-lines.ts';
import { isLeftOutByName } from '../../read/mapping/titles.ts';
import type { Use } from '../columns/column-use.ts';
import { areDivided, divisionInto } from '../columns/divided-cells.ts';
import { isMarkOf } from '../columns/filler-words.ts';
import type { Writing } from '../columns/writing.ts';
import { acceptedTotals, type Decisions, decidedText, type Proposing } from '../decisions.ts';
import { markedSections } from '../questions/marked-decisions.ts';
import type { ReadingParts } from '../questions/point.ts';
import type { Column } from '../sheet/column.ts';
import type { GridRow } from '../sheet/grid.ts';
import { leftOutSheets, type Sheet } from '../sheet/sheet.ts';
import { translated } from './refused-answers.ts';

type Parts = Pick<ReadingParts, 'sheet' | 'assignment' | 'places' | 'writing' | 'tables' | 'payeeType'>;

/** The reading as a mapping. */
export function mappingOf({ bytes, grids }: Proposing, decisions: Decisions, parts: Parts): MappingFile {
  const { sheet, assignment, places, writing, tables, payeeType } = parts;
  const { uses, kind } = assignment;
  const byField = new Map<string, Use[]>();
  for (const use of uses) {
    const [field] = use.fields;
    if (field !== undefined && use.fields.length === 1)
      byField.set(field, [...(byField.get(field) ?? []), use]);
  }
  const columns: Record<string, string> = {};
  const join: Record<string, string[]> = {};
  for (const [field, [first, ...more]] of byField) {
    if (first === undefined) continue;
    if (more.length === 0) columns[first.column.title] = field;
    else join[field] = [first, ...more].map(({ column }) => column.title);
  }
  const split = Object.fromEntries(
    uses
      .filter(({ fields }) => fields.length > 1)
      .map(({ column, fields }) => [column.title, splitInto(column, fields, writing)]),
  );
  const unused = uses.filter(({ fields }) => fields.length === 0).map(({ column }) => column.title);
  const values: Record<string, Record<string, string | null>> = {};
  for (const { field, lines, fillers } of tables) {
    if (fillers === 'part_of_field') continue;
    // Several columns may be one field, each with its own words: the codes of banks and those of wallets.
    const said = lines.filter(({ isRead }) => !isRead).map((line) => [line.value, translated(line.meaning)]);
    if (said.length > 0) values[field] = { ...Object.fromEntries(said), ...values[field] };
  }
  const constants: Record<string, string | { from: 'institution_name' }> = { ...places.constants };
  if (typeof payeeType === 'object' && payeeType !== null)
    constants['payee_type'] = { from: 'institution_name' };
  else if (payeeType !== null && payeeType !== 'column') constants['payee_type'] = payeeType;
  for (const [id, decision] of decisions) {
    if (!id.startsWith('constant:')) continue;
    const [field, text] = [id.slice('constant:'.length), decidedText(decision)];
    if (text === undefined || text.trim() === '') delete constants[field];
    else constants[field] = text.trim();
  }
  const hidden = decidedText(decisions.get('reading:hidden'));
  const isKeepingOthers = decidedText(decisions.get('reading:non_rows')) === 'keep';
  return {
    kind,
    ...sheetsRead(sheet, grids, decisions),
    headerRows: [...sheet.header],
    ...(hidden === 'include' || hidden === 'skip' ? { hidden } : {}),
    ...bytes,
    columns,
    ...filled({ join, split, ignore: unused.filter(isLeftOutByName), constants, values }),
    ...writing.mapping,
    ...controlLineOf(sheet, writing),
    ...markedSections(decisions),
    ...filled({ phoneCountry: places.phoneCountry }),
    places: 'names',
    ...filled({ acceptTotals: [...acceptedTotals(decisions)] }),
    ...(sheet.otherLines > 0 && !isKeepingOthers ? { leaveOut: true } : {}),
  };
}

/** The sheets that are read, and the sheets that are left out with the person's knowledge. */
function sheetsRead(
  { grid }: Sheet,
  grids: Proposing['grids'],
  decisions: Decisions,
): Pick<MappingFile, 'sheet' | 'sheets' | 'leaveOutSheets'> {
  if (grid.sheet === null) return {};
  const { sheets } = grid;
  const leftOut = leftOutSheets(grid, grids).map(({ sheet }) => sheet);
  return {
    ...(sheets === undefined ? { sheet: grid.sheet } : { sheets: [...sheets] }),
    ...(leftOut.length === 0 || !decisions.has('review:first') ? {} : { leaveOutSheets: leftOut }),
  };
}

/** The file's control line, if it has one. */
function controlLineOf(
  { grid, header, titles }: Sheet,
  { amounts, mapping }: Writing,
): Pick<MappingFile, 'controlLine'> {
  if (grid.isCut) return {};
  const [first, last = first] = header;
  const lines = (rows: readonly GridRow[]): SampledLine[] =>
    rows.map(({ cells, kinds }) => ({ cells, kinds }));
  const above = lines(grid.rows.filter(({ number }) => number < first));
  const below = lines(grid.rows.filter(({ number }) => number > last));
  const found = controlLineIn(
    tellLinesApart(titles, above, below),
    readingRulesOf(mapping),
    amounts?.index ?? null,
  );
  return found === undefined ? {} : { controlLine: found };
}

/** A split into several values, into the parts of an address, or into those of a name. */
function splitInto(column: Column, fields: readonly string[], { nameOrder }: Writing) {
  const division = areDivided(fields) ? divisionInto(column, fields) : undefined;
  if (division !== undefined) {
    const { by } = division;
    const into = [...fields];
    if (!('at' in by)) return { into, number: fields[by.number] };
    return { into, at: by.at, ...(by.rest === 'first' ? { rest: by.rest } : {}) };
  }
  const ofAddress = addressParts.filter((part) => fields.includes(part));
  return ofAddress.length > 0
    ? { into: ofAddress }
    : { into: nameParts.filter((part) => fields.includes(part)), order: nameOrder };
}

/*
 * The parts of an agreed mapping that a dialogue about one file cannot produce again: parts written by hand, and
 * decisions about values and cells that this file does not have.
 */

/** The mapping of the dialogue, with all parts of the earlier mapping that no answer has changed. */
export function withKeptParts(
  mapping: MappingFile,
  earlier: MappingFile | undefined,
  decisions: Decisions,
): MappingFile {
  if (earlier === undefined) return mapping;
  const { $schema, numericIdentifiers, lineBreaks, expectRows, expectTotal, controlLine, currencySigns } =
    earlier;
  const isKeepingNonRows = decidedText(decisions.get('reading:non_rows')) === 'keep';
  const now = fieldsOf(mapping);
  const isSame = (title: string): boolean =>
    now.has(title) && now.get(title) === fieldsOf(earlier).get(title);
  const parts = {
    values: keptValues(mapping, earlier),
    empty: keptWords(mapping, earlier, isSame),
    kept: wordsByColumn(mapping.kept, without(earlier.kept, mapping.empty), isSame),
    repair: keptRepairs(mapping, earlier, isSame, decisions),
    ignore: keptIgnored(mapping, earlier, now),
  };
  const totals = [...new Set([...(earlier.acceptTotals ?? []), ...(mapping.acceptTotals ?? [])])];
  return {
    ...stated({
      $schema,
      numericIdentifiers,
      lineBreaks,
      expectRows,
      expectTotal,
      controlLine,
      currencySigns,
    }),
    ...(earlier.leaveOut === true && !isKeepingNonRows ? { leaveOut: true } : {}),
    ...mapping,
    ...filled(parts),
    ...filled({ acceptTotals: totals }),
    ...(earlier.places === undefined ? {} : { places: earlier.places }),
  };
}

function stated(parts: Partial<MappingFile>): Partial<MappingFile> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** The fields of each column of the file. */
function fieldsOf({ columns = {}, join = {}, split = {} }: MappingFile): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(columns),
    ...Object.entries(join).flatMap(([field, titles]) => titles.map((title) => [title, field] as const)),
    ...Object.entries(split).map(([title, { into }]) => [title, into.join(' ')] as const),
  ]);
}

/** Meanings of values that the next file of the series may have again. */
function keptValues(mapping: MappingFile, earlier: MappingFile): MappingFile['values'] {
  const mapped = new Set([...fieldsOf(mapping).values()].flatMap((field) => field.split(' ')));
  const before = Object.entries(earlier.values ?? {}).filter(([field]) => mapped.has(field));
  const fields = new Set([...before.map(([field]) => field), ...Object.keys(mapping.values ?? {})]);
  return Object.fromEntries(
    [...fields].map((field) => [field, { ...earlier.values?.[field], ...mapping.values?.[field] }]),
  );
}

function keptWords(
  { empty, kept }: MappingFile,
  { empty: before }: MappingFile,
  isSame: (title: string) => boolean,
): MappingFile['empty'] {
  if (before === undefined) return empty;
  if (Array.isArray(before) || Array.isArray(empty)) {
    const all = [before, empty ?? []].flatMap((words) =>
      Array.isArray(words) ? words : Object.values(words).flat(),
    );
    return [...new Set(all)];
  }
  return wordsByColumn(empty, without(before, kept), isSame);
}

type WordsByColumn = Readonly<Record<string, readonly string[]>>;

/** The words of each column, except those with a new answer. */
function without(words: WordsByColumn | undefined, now: MappingFile['empty']): WordsByColumn {
  if (Array.isArray(now)) return words ?? {};
  return Object.fromEntries(
    Object.entries(words ?? {}).flatMap(([title, all]) => {
      const left = all.filter((word) => !isMarkOf(now?.[title] ?? [], word));
      return left.length === 0 ? [] : [[title, left] as const];
    }),
  );
}

function wordsByColumn(
  now: WordsByColumn = {},
  before: WordsByColumn,
  isSame: (title: string) => boolean,
): Record<string, string[]> {
  const titles = new Set([...Object.keys(before).filter(isSame), ...Object.keys(now)]);
  return Object.fromEntries(
    [...titles].map((title) => [
      title,
      [...new Set([...(isSame(title) ? (before[title] ?? []) : []), ...(now[title] ?? [])])],
    ]),
  );
}

function keptRepairs(
  { repair = {} }: MappingFile,
  { repair: before = {} }: MappingFile,
  isSame: (title: string) => boolean,
  decisions: Decisions,
): MappingFile['repair'] {
  const kept = Object.entries(before).flatMap(([title, names]) => {
    const agreed = names.filter((name) => decisions.get(`repair:${title}:${name}`) !== 'no');
    return isSame(title) && agreed.length > 0 ? [[title, agreed] as const] : [];
  });
  const byTitle = new Map(kept);
  const titles = new Set([...byTitle.keys(), ...Object.keys(repair)]);
  return Object.fromEntries(
    [...titles].map((title) => [
      title,
      [...new Set([...(byTitle.get(title) ?? []), ...(repair[title] ?? [])])],
    ]),
  );
}

/** Ignored columns that this file lacks are kept, because they may return in the next file. */
function keptIgnored(
  { ignore = [] }: MappingFile,
  { ignore: before = [] }: MappingFile,
  now: ReadonlyMap<string, string>,
): MappingFile['ignore'] {
  return [...new Set([...before.filter((title) => !now.has(title)), ...ignore])];
}
