/* Writes a proposed reading as a mapping. */

import { type MappingFile, readingRulesOf } from '../read/mapping/mapping-file.ts';
import { controlLineIn, type SampledLine, tellLinesApart } from '../read/mapping/non-rows.ts';
import type { Use } from './assignment.ts';
import { acceptedTotals, type Decisions, decidedText, type Proposing } from './decisions.ts';
import type { GridRow } from './grid.ts';
import { translated } from './left-out-values.ts';
import { markedSections } from './marked-rows.ts';
import type { ReadingParts } from './point.ts';
import { leftOutSheets, type Sheet } from './sheet.ts';
import type { Writing } from './writing.ts';

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
      .map(({ column, fields }) => [
        column.title,
        { into: fields.filter(isNamePart), order: writing.nameOrder },
      ]),
  );
  const named = uses.filter(({ fields }) => fields.length === 0).map(({ column }) => column.title);
  const values = Object.fromEntries(
    tables.flatMap(({ field, lines, fillers }) => {
      if (fillers === 'part_of_field') return [];
      const said = lines
        .filter(({ isRead }) => !isRead)
        .map(({ value, meaning }) => [value, translated(meaning)] as const);
      return said.length === 0 ? [] : [[field, Object.fromEntries(said)] as const];
    }),
  );
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
  const { headerRows, hidden } = {
    headerRows: [...sheet.header],
    hidden: decidedText(decisions.get('reading:hidden')),
  };
  return {
    kind,
    ...sheetsRead(sheet, grids, decisions),
    headerRows,
    ...(hidden === 'include' || hidden === 'skip' ? { hidden } : {}),
    ...bytes,
    columns,
    ...(Object.keys(join).length === 0 ? {} : { join }),
    ...(Object.keys(split).length === 0 ? {} : { split }),
    ...(named.length === 0 ? {} : { ignore: named }),
    ...(Object.keys(constants).length === 0 ? {} : { constants }),
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...writing.mapping,
    ...controlLineOf(sheet, writing),
    ...markedSections(decisions),
    ...(places.phoneCountry === null ? {} : { phoneCountry: places.phoneCountry }),
    places: 'names',
    ...(acceptedTotals(decisions).length === 0 ? {} : { acceptTotals: [...acceptedTotals(decisions)] }),
    ...(sheet.otherLines > 0 && decidedText(decisions.get('reading:non_rows')) !== 'keep'
      ? { leaveOut: true }
      : {}),
  };
}

/** The sheets that are read, and those that the person has seen to be left out. */
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

function isNamePart(field: string): field is 'first_name' | 'middle_name' | 'last_name' {
  return field === 'first_name' || field === 'middle_name' || field === 'last_name';
}
