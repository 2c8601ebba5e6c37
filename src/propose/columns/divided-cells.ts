/* The values of cells that have several: `323803081 / 0012345678`, `GTBank 0123456789`. */

import { isSplit, type SignSplit } from '../../domain/tables/mapping.ts';
import { divideAtSign, divideByNumber } from '../../kinds/fields/split-values.ts';
import { kinds, ruleOf } from '../../kinds/registry.ts';
import type { DividedCells } from '../question.ts';
import { type Column, isDayInFigures, isDayWithWords, share } from '../sheet/column.ts';
import { nothingKnown, valueScore } from './evidence.ts';

/** How the values are told apart: by a sign between them, or by the one that is a number, at this place among the two. */
type Separation = Pick<SignSplit, 'at' | 'rest'> | { readonly number: 0 | 1 };

/** A way to divide the cells of a column, and the columns that their values would be. */
export interface Division {
  readonly by: Separation;
  /** The columns of the values, under the title of the whole column. */
  readonly parts: readonly Column[];
  /** The title of each part: a part of the column's title if that has as many parts, or else the whole title. */
  readonly titles: readonly string[];
}

/** Signs between values, the surest first: with blanks around them they are hardly a part of a value. */
const signs = [' / ', ' | ', ' - ', ' – ', ' — ', ' : ', ' (', '/', '|', ';', ': ', ', '];

/** The share of a column's cells that must be divided. */
const nearlyAll = 0.9;
/** The share of cells that must have a number, and of those that must have words, where some have only one of them. */
const many = 0.5;

/** With this share of days, a column has days: their signs divide no values. */
const someDays = 0.1;

/** What separates the names of several values in a title. */
const betweenNames = /\s*(?:[/|&+;,–—]|\s-\s|\s(?:and|und|et|y|e|i|na)\s)\s*/u;

const kept = new WeakMap<Column, Map<number, readonly Division[]>>();

/** Every way to divide the cells of a column into this number of values, the surest first. Days are not divided. */
export function divisionsOf(column: Column, count: number): readonly Division[] {
  const ofColumn = kept.get(column) ?? new Map<number, readonly Division[]>();
  kept.set(column, ofColumn);
  const found = ofColumn.get(count) ?? findDivisions(column, count);
  ofColumn.set(count, found);
  return found;
}

function findDivisions(column: Column, count: number): readonly Division[] {
  const isDay = (text: string): boolean => isDayInFigures(text) || isDayWithWords(text);
  const areDays = column.cells.some(({ isDate }) => isDate) || share(column, isDay) >= someDays;
  if (column.cells.length === 0 || areDays) return [];
  const names = column.title.split(betweenNames);
  const titles = names.length === count ? names : Array.from({ length: count }, () => column.title);
  const all = [...atSigns(column, count), ...(count === 2 ? byNumber(column) : [])];
  return all.map((by): Division => ({ by, titles, parts: partsOf(column, count, by) }));
}

function atSigns(column: Column, count: number): readonly Separation[] {
  return signs.flatMap((at): readonly Separation[] => {
    const hasSigns = (further: number) => (text: string) => text.split(at).length >= count + further;
    if (share(column, hasSigns(0)) < nearlyAll) return [];
    const hasMore = share(column, hasSigns(1)) > 0;
    return [{ at, rest: 'last' }, ...(hasMore ? [{ at, rest: 'first' } as const] : [])];
  });
}

function byNumber(column: Column): readonly Separation[] {
  const shareOf = (place: 0 | 1): number =>
    share(column, (text) => (divideByNumber(text, 0)?.[place] ?? '') !== '');
  const areDivided = share(column, (text) => divideByNumber(text, 0) !== undefined) >= nearlyAll;
  return areDivided && shareOf(0) >= many && shareOf(1) >= many ? [{ number: 1 }, { number: 0 }] : [];
}

function divide(text: string, count: number, by: Separation): readonly string[] {
  return ('at' in by ? divideAtSign(text, count, by) : divideByNumber(text, by.number)) ?? [];
}

function partsOf(column: Column, count: number, by: Separation): readonly Column[] {
  const ofCells = column.cells.map((cell) => ({ cell, texts: divide(cell.text, count, by) }));
  const ofValues = column.values.map(({ text, rows }) => ({ rows, texts: divide(text, count, by) }));
  return Array.from({ length: count }, (_, place): Column => {
    const cells = ofCells.flatMap(({ cell: { row }, texts }) => {
      const text = texts[place] ?? '';
      return text === '' ? [] : [{ text, row, isNumber: false, isDate: false }];
    });
    const counts = new Map<string, number>();
    for (const { texts, rows } of ofValues) {
      const text = texts[place] ?? '';
      if (text !== '') counts.set(text, (counts.get(text) ?? 0) + rows);
    }
    const values = [...counts].map(([text, rows]) => ({ text, rows })).sort((a, b) => b.rows - a.rows);
    return { ...column, cells, values };
  });
}

/** More values in a cell are hardly divided by one sign. */
const mostValues = 4;

/** What a question says of a column whose cells have several values. */
export function dividedCells(column: Column): DividedCells {
  for (let count = mostValues; count > 1; count -= 1)
    if (divisionsOf(column, count).length > 0) return { values_per_cell: count };
  return {};
}

/** The division of a column into these fields whose parts suit them best; undefined if its cells have one value. */
export function divisionInto(column: Column, fields: readonly string[]): Division | undefined {
  const scored = divisionsOf(column, fields.length).map((division) => ({
    division,
    score: division.parts.reduce((sum, part, place) => sum + scoreFor(part, fields[place] ?? ''), 0),
  }));
  return scored.sort((left, right) => right.score - left.score)[0]?.division;
}

function scoreFor(part: Column, field: string): number {
  const [rule] = kinds.flatMap((kind) => ruleOf(kind, field) ?? []);
  return rule === undefined ? 0 : valueScore(part, rule, nothingKnown);
}

/** Whether these are the fields of cells with several values, and not the parts of one name or address. */
export function areDivided(fields: readonly string[]): boolean {
  return fields.length > 1 && !isSplit(fields);
}
