/*
 * The effect of an answer to a question about values: the rows that would be sent, and the spellings to which it
 * applies.
 */

import { foldWord } from '../../domain/tables/mapping.ts';
import { marksOf, otherValues } from '../../domain/tables/row-marks.ts';
import { saidPrefix } from '../../read/rows/marked-rows.ts';
import { type Decision, markedField } from '../decisions.ts';
import type { RowsToSend } from '../question.ts';
import { withOther } from '../questions/marked-decisions.ts';
import type { Point } from '../questions/point.ts';
import { cellText, type GridRow } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { TriedRow } from './refused-groups.ts';

/** The answer with which all rows are sent. */
export function sendingAll({ subject }: Point): Decision {
  const values = subject.kind === 'values' ? subject.values : [];
  return { values: Object.fromEntries(values.map(({ value }) => [value, 'send'])) };
}

/**
 * The rows that would be sent, grouped by the values of the question that they have. These are the rows that pass if
 * all are sent. If no row passes yet for other reasons, such as a later question, all rows count.
 * @param tried the rows under the reading in which all are sent
 */
export function rowsToSend(
  { about, subject }: Point,
  { rows, columns, weight }: Sheet,
  tried: readonly TriedRow[],
): RowsToSend {
  const values = subject.kind === 'values' ? subject.values.map(({ value }) => value) : [];
  const index = about === markedField ? undefined : columns.find(({ title }) => title === about)?.index;
  const hasValue = (row: GridRow, value: string): boolean => {
    if (index !== undefined) {
      const own = foldWord(cellText(row, index));
      return value === otherValues
        ? !values.some((named) => foldWord(named) === own)
        : foldWord(value) === own;
    }
    if (value.startsWith(saidPrefix)) return true;
    const marks = marksOf(row.look);
    return value.split(withOther).some((mark) => marks.includes(mark));
  };
  const passed = new Set(tried.flatMap(({ row, isPassed }) => (isPassed ? [row] : [])));
  const isUntried = passed.size === 0;
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (!isUntried && !passed.has(row.number)) continue;
    const key = JSON.stringify(values.flatMap((value, at) => (hasValue(row, value) ? [at] : [])));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const ofFile = (count: number): number => Math.round(count * weight);
  const groups = [...counts].map(([key, count]) => {
    const places: readonly number[] = JSON.parse(key);
    return { values: places.flatMap((at) => values[at] ?? []), rows: ofFile(count) };
  });
  return { all: ofFile(rows.length), isUntried, groups };
}

/**
 * The number of rows that an answer sends.
 * @param meaningOf what is done with the rows that have a value; null while there is no answer
 */
export function rowsSent(
  { groups }: RowsToSend,
  meaningOf: (value: string) => string | null | undefined,
): number {
  return groups
    .filter(({ values }) => values.every((value) => meaningOf(value) === 'send'))
    .reduce((sum, { rows }) => sum + rows, 0);
}

/** The number of rows with a value that would be sent if no other reason prevented it. */
export function rowsSentOf({ groups }: RowsToSend, value: string): number {
  return groups.filter(({ values }) => values.includes(value)).reduce((sum, { rows }) => sum + rows, 0);
}

/*
 * Values of a question that differ only by case, accents and blanks. A person answers for them once. Each value keeps
 * its own entry in the mapping.
 */

interface Line {
  readonly value: string;
  readonly proposal: string | null;
  readonly options: readonly { readonly id: string | null }[];
}

/** Lines that share one answer, each with its place in the question. */
export type SpelledAlike<Own> = readonly [readonly [number, Own], ...(readonly [number, Own])[]];

/** Groups the lines of a question. Lines with the same spelling are together if they have the same proposal. */
export function spelledAlike<Own extends Line>(lines: readonly Own[]): readonly SpelledAlike<Own>[] {
  const groups = new Map<string, [readonly [number, Own], ...(readonly [number, Own])[]]>();
  for (const [at, line] of lines.entries()) {
    const { value, proposal, options } = line;
    // If a value is meant as the file has it, this is the same answer for each spelling.
    const own = (id: string | null): readonly [string | null, boolean] =>
      id === value ? [null, true] : [id, false];
    const key = JSON.stringify([plainSpelling(value), own(proposal), options.map(({ id }) => own(id))]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [[at, line]]);
    else group.push([at, line]);
  }
  return [...groups.values()];
}

function plainSpelling(value: string): string {
  return value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}
