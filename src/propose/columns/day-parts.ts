/* A day of birth whose day, month and year are in three columns beside each other. */

import { dayInWords } from '../../kinds/fields/days-in-words.ts';
import { columnsOf } from '../../kinds/registry.ts';
import { type Column, share } from '../sheet/column.ts';
import { titleScores } from '../sheet/title-words.ts';
import { type Grouping, least, type Placed, type Taken, type Use } from './column-use.ts';

const field = 'date_of_birth';

/** The parts of a day, as `dateFormat` has them. */
type DayPart = 'D' | 'M' | 'MMM' | 'YYYY';

const months: readonly DayPart[] = ['M', 'MMM'];
const orders = months.flatMap((month): DayPart[][] => [
  ['D', month, 'YYYY'],
  [month, 'D', 'YYYY'],
  ['YYYY', month, 'D'],
]);

/** A few values may be mistakes. */
const nearlyAll = 0.9;

/** With fewer years, the days are those of something that happened at one time. */
const fewestYears = 5;

/** The share of the years that must be those of adults, unless a title names the birth. */
const mostAdults = 0.8;
const youngestAdult = 2010;

const isPart: Readonly<Record<DayPart, (text: string) => boolean>> = {
  D: (text) => /^(?:0?[1-9]|[12]\d|3[01])$/.test(text),
  M: (text) => /^(?:0?[1-9]|1[0-2])$/.test(text),
  MMM: (text) => /^\p{L}/u.test(text) && dayInWords(`1 ${text} 1990`) !== undefined,
  YYYY: (text) => /^(?:19|20)\d\d$/.test(text),
};

/**
 * The format of days whose parts are in these columns, joined by a blank: `D M YYYY`. Undefined where the columns are not the
 * parts of days, or where days and months cannot be distinguished.
 */
export function formatOfDayParts(columns: readonly Column[]): string | undefined {
  const [only, another] = orders.filter(
    (order) =>
      columns.length === order.length &&
      order.every((part, at) => {
        const column = columns[at];
        return column !== undefined && share(column, isPart[part]) >= nearlyAll;
      }),
  );
  return another === undefined ? only?.join(' ') : undefined;
}

/** The columns that are read as the day of birth, where it is in several. */
export function columnsOfBirth(uses: readonly Use[]): readonly Column[] {
  const own = uses.filter(({ fields }) => fields.length === 1 && fields[0] === field);
  return own.length > 1 ? own.map(({ column }) => column) : [];
}

/** Takes three columns for the day of birth, if no column has it. */
export function withDayParts({ kind, columns, decided }: Grouping, taken: Taken): Taken {
  const isThere =
    [...taken.values()].some((placed) => placed.field === field) ||
    [...decided.values()].flat().includes(field);
  if (isThere || !columnsOf(kind).includes(field)) return taken;
  const isFree = (column: Column): boolean =>
    column.cells.length > 0 && !decided.has(column.title) && (taken.get(column)?.score ?? 0) < least;
  const parts = columns.flatMap((_, at) => {
    const three = columns.slice(at, at + 3);
    return three.length === 3 && three.every(isFree) && isOfBirth(three) ? [three] : [];
  });
  const [only, another] = parts;
  if (only === undefined || another !== undefined) return taken;
  const placed = only.map((column): [Column, Placed] => [column, { field, column, score: least }]);
  return new Map([...taken, ...placed]);
}

/** Whether three columns are the parts of days, and these are days of birth by a title or by their years. */
function isOfBirth(columns: readonly Column[]): boolean {
  if (formatOfDayParts(columns) === undefined) return false;
  if (columns.some(({ title }) => (titleScores('customers', title).get(field) ?? 0) >= least)) return true;
  const years = columns.find((column) => share(column, isPart.YYYY) >= nearlyAll);
  if (years === undefined || years.values.length < fewestYears) return false;
  return share(years, (text) => Number(text) <= youngestAdult) >= mostAdults;
}
