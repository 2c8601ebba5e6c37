/*
 * What a file says about rows in other ways than by their values: how they look, a line that explains this, or a column
 * that shows whether a row is to be sent. Only a person knows what it means.
 */

import { foldWord } from '../../domain/tables/mapping.ts';
import { type FoundMark, otherValues, type RowMeaning, rowMeanings } from '../../domain/tables/row-marks.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import {
  asksWhetherToSend,
  explainsValue,
  isAnswer,
  saidPrefix,
  saysNotToSend,
} from '../../read/rows/marked-rows.ts';
import { columnsSaid, decidesNothing, decidingColumns, markedField } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';
import { linesAboutMarks, linesAboutValues } from '../sheet/explanations.ts';
import { cellText, type GridRow } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import {
  hasFewRecentDays,
  hasRareWords,
  isRemark,
  maySayWhatIsSent,
  mostAnswers,
} from './deciding-columns.ts';
import { markedPrefix, saidOf, withOther } from './marked-decisions.ts';
import { nearlyNone, type Point, type ReadingParts } from './point.ts';

/** The questions about columns whose values may mark rows, if no person has answered them yet. */
export function markedPoints({ sheet, assignment, decisions }: ReadingParts): Point[] {
  const said = saidOf(decisions);
  const deciding = decidingColumns(decisions);
  const plain = columnsSaid(decisions, decidesNothing);
  return assignment.uses
    .filter(({ column, fields }) => fields.length === 0 && !plain.has(column.title))
    .flatMap(({ column }) =>
      columnPoint(column, sheet, said.values.get(column.title) ?? {}, deciding.has(column.title)),
    );
}

type Line = Extract<Point['subject'], { readonly kind: 'values' }>['values'][number];

const labels: Readonly<Record<RowMeaning, string>> = {
  send: 'send them like the others',
  leave_out: 'leave them out',
  hold: 'hold them until a person decides about each',
};

function lineOf(value: string, rows: number, proposal: RowMeaning | null, ids: readonly RowMeaning[]): Line {
  return { value, rows, proposal, options: ids.map((id) => ({ id, label: labels[id] })) };
}

/**
 * The question about rows that look different from others, or that the file says are different.
 * @param found the marks that the import does not know under the reading: it would refuse the file because of them
 */
export function rowsPoint(
  { sheet, mapping }: { readonly sheet: Sheet; readonly mapping: MappingFile },
  found: readonly FoundMark[],
): Point[] {
  const { grid, weight } = sheet;
  const said = mapping.markedRows ?? {};
  const explained = linesAboutMarks(sheet, new Set([...Object.keys(said), ...found.map(({ mark }) => mark)]));
  const isAnyMark = found.length > 0 || Object.keys(said).some((mark) => !mark.startsWith(saidPrefix));
  // The file explains colours that another program has removed, so no row has them any more.
  const lost = isAnyMark
    ? []
    : explained.map((text) => `${saidPrefix}${text}`).filter((key) => !(key in said));
  const lines = [
    ...together(found).map(([{ mark, rows }, ...others]) =>
      lineOf(
        [mark, ...others.map((other) => other.mark)].join(withOther),
        grid.marks?.get(mark) ?? rows,
        'hold',
        rowMeanings,
      ),
    ),
    ...lost.map((key) => lineOf(key, Math.round(sheet.rows.length * weight), 'hold', ['send', 'hold'])),
  ];
  if (lines.length === 0) return [];
  const all = Math.round(sheet.rows.length * weight);
  const others = Math.max(0, all - lines.reduce((sum, { rows }) => sum + rows, 0));
  const first = found.flatMap(({ first: numbers }) => numbers.slice(0, samplesOfMark));
  const byNumber = new Map(sheet.rows.map((row) => [row.number, row]));
  const samples = first.slice(0, mostSamples).flatMap((number) => sampleOf(byNumber.get(number)));
  return [
    pointOf(['rows'], markedField, withoutPoorProposal(lines, others), samples, {
      code: 'rows_marked',
      explained,
    }),
  ];
}

/**
 * If the proposals of all lines together would send almost no rows, the lines get no proposal, so that a person has to
 * choose. A value that itself says that its rows are not to be sent keeps its proposal.
 * @param sentBeside the rows of other lines that are sent
 */
function withoutPoorProposal(lines: readonly Line[], sentBeside: number): readonly Line[] {
  const sent = lines.filter(({ proposal }) => proposal === 'send').reduce((sum, { rows }) => sum + rows, 0);
  const all = lines.reduce((sum, { rows }) => sum + rows, 0);
  if (sentBeside + sent > (sentBeside + all) * nearlyNone) return lines;
  return lines.map((line) => (saysNotToSend(line.value) ? line : { ...line, proposal: null }));
}

/** Marks that appear in the same rows mean the same. */
function together(found: readonly FoundMark[]): readonly (readonly [FoundMark, ...FoundMark[]])[] {
  const groups = new Map<string, [FoundMark, ...FoundMark[]]>();
  for (const mark of found) {
    const key = JSON.stringify([mark.rows, mark.first]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [mark]);
    else group.push(mark);
  }
  return [...groups.values()];
}

/**
 * The question about a column whose values may say which rows are sent.
 * @param isDeciding whether a person has said that they do
 */
function columnPoint(
  column: Column,
  sheet: Sheet,
  said: Readonly<Record<string, RowMeaning>>,
  isDeciding: boolean,
): Point[] {
  const { rows, weight } = sheet;
  const known = new Map(Object.entries(said).map(([value, meaning]) => [foldWord(value), meaning]));
  const meaningBefore = (value: string): RowMeaning | undefined => known.get(foldWord(value));
  const lines = linesAboutValues(column, sheet);
  const areEnds = hasFewRecentDays(column);
  const excludes = (value: string): boolean =>
    (areEnds && value !== '') ||
    saysNotToSend(value) ||
    lines.some((line) => explainsValue(line, column.title, value));
  if (known.size === 0 && !isDeciding && !maySayWhatIsSent(column, excludes)) return [];
  // An answer about all other values also counts for new values.
  const areRemarks = isRemark(column) && !areEnds && (!isDeciding || known.has(foldWord(otherValues)));
  // An import does not distinguish `Bado` from `bado`. They are one line, with the more frequent spelling.
  const counts = new Map<string, number>();
  const spelled = new Map<string, string>();
  for (const { text, rows: count } of column.values) {
    const value = spelled.get(foldWord(text)) ?? text;
    spelled.set(foldWord(text), value);
    counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const empty = rows.length - column.cells.length;
  if (empty > 0) counts.set('', Math.round(empty * weight));
  const all = [...counts].sort(([, left], [, right]) => right - left);
  const fresh = linesOf(all, excludes, areRemarks).filter(([value]) => meaningBefore(value) === undefined);
  if (fresh.length === 0) return [];
  const isStatus = spelled.size > mostAnswers;
  const sentBeside = all
    .filter(([value]) => meaningBefore(value) === 'send')
    .reduce((sum, [, count]) => sum + count, 0);
  const isUsual = (value: string): boolean => value === all[0]?.[0];
  const isAsked =
    (isDeciding || asksWhetherToSend(column.title) || hasRareWords(column)) &&
    !isRemark(column) &&
    lines.length === 0;
  const proposalFor = (value: string): RowMeaning | null => {
    if (excludes(value)) return 'hold';
    if (!isStatus) return isUsual(value) ? 'send' : 'hold';
    // Only a person can say what a status means that is neither known nor explained in the file.
    return isAsked && value !== '' && !isUsual(value) && !isAnswer(value) ? null : 'send';
  };
  const meanings = fresh.map(([value, count]) => lineOf(value, count, proposalFor(value), rowMeanings));
  const rare = all.findLast(([value]) => excludes(value))?.[0] ?? all.at(-1)?.[0];
  const samples = rows.filter((row) => cellText(row, column.index) === rare).slice(0, samplesOfMark);
  return [
    pointOf(
      ['values', column.title],
      column.title,
      withoutPoorProposal(meanings, sentBeside),
      [...lines, ...samples.flatMap(sampleOf)],
      isDeciding
        ? { code: 'column_decides', column: column.title }
        : { code: 'column_may_exclude', column: column.title },
    ),
  ];
}

/**
 * The values that are asked about. For remarks they are the values that say whether a row is sent. If there are too
 * many values, they are the first ones. All other values share one line.
 */
function linesOf(
  all: readonly (readonly [value: string, rows: number])[],
  excludes: (value: string) => boolean,
  areRemarks: boolean,
): readonly (readonly [value: string, rows: number])[] {
  if (!areRemarks && all.length <= mostLines) return all;
  const said = all.filter(([value]) => excludes(value));
  const others = areRemarks ? [] : all.filter(([value]) => !excludes(value));
  const named = [...said, ...others].slice(0, mostLines);
  const rows = (lines: typeof all): number => lines.reduce((sum, [, count]) => sum + count, 0);
  return named.length === 0 ? [] : [...named, [otherValues, rows(all) - rows(named)]];
}

const mostLines = 40;
const samplesOfMark = 2;
const mostSamples = 6;
const cellsShown = 3;

function sampleOf(row: GridRow | undefined): string[] {
  if (row === undefined) return [];
  const texts = row.cells.map((_, index) => cellText(row, index)).filter((text) => text !== '');
  return [`row ${row.number}: ${texts.slice(0, cellsShown).join(', ')}`];
}

function pointOf(
  place: readonly ['rows'] | readonly ['values', string],
  about: string,
  lines: readonly Line[],
  samples: readonly string[],
  why: Point['why'],
): Point {
  return {
    id: `${markedPrefix}${JSON.stringify([...place, lines.map(({ value }) => value)])}`,
    about,
    rows: lines.filter(({ proposal }) => proposal !== 'send').reduce((sum, { rows }) => sum + rows, 0),
    samples,
    why,
    options: [],
    freeText: false,
    isNeeded: true,
    stage: 2,
    subject: { kind: 'values', field: markedField, proposal: null, values: lines },
  };
}
