/* How the days of a column are written, and the offers to read those that are written in another way. */

import { dateFormatOf } from '../../kinds/fields/column-profile.ts';
import { formatsWithOtherSigns } from '../../kinds/fields/days.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { type Decisions, decidedText } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';
import { offerOf, type RepairOffer } from './repaired-values.ts';

/** How the dates of a column are written, or the possible formats if the values do not show it. */
export function dateStyle(
  column: Column | undefined,
  decisions: Decisions,
): { readonly mapping: Pick<MappingFile, 'dateFormat'>; readonly possible: readonly string[] } {
  const decided = decidedText(decisions.get('reading:date_format'));
  if (column === undefined) return { mapping: {}, possible: [] };
  if (decided !== undefined) return { mapping: { dateFormat: decided }, possible: [] };
  const texts = column.cells
    .filter(({ isDate }) => !isDate)
    .map(({ text }) => text)
    .filter((text) => /\d/.test(text));
  if (texts.length === 0) return { mapping: {}, possible: [] };
  const long = dateFormatOf(texts);
  const short = long === null ? dateFormatOf(texts, 'YY') : null;
  const [year, found] =
    short !== null
      ? (['YY', short] as const)
      : // Some years have four digits and others two: the days show together whether days or months are first.
        (['YYYY', long ?? dateFormatOf(texts.map(withWholeYear))] as const);
  if (found === 'YYYY-MM-DD' || found === null) return { mapping: {}, possible: [] };
  if (found !== 'unclear') return { mapping: { dateFormat: found }, possible: [] };
  const sign = texts.map((text) => /^\d\d?([./-])/.exec(text)?.[1]).find((each) => each !== undefined) ?? '/';
  const isPadded = texts.every((text) => /^\d\d\D\d\d\D/.test(text));
  const [day, month] = isPadded ? ['DD', 'MM'] : ['D', 'M'];
  return { mapping: {}, possible: [[day, month, year].join(sign), [month, day, year].join(sign)] };
}

/** The repairs that would help days that are written in another way than most of their column. */
export function dayOffers(column: Column | undefined, format: string | undefined): readonly RepairOffer[] {
  if (column === undefined || format === undefined) return [];
  return [...shortYearsIn(column, format), ...daySignsIn(column, format)];
}

const shortDay = /^(\d{1,2}([./-])\d{1,2}\2)(\d{2})\.?$/;

function withWholeYear(text: string): string {
  return text.replace(shortDay, '$119$3');
}

/** A year of two digits is of the last century from here on, whatever day it is today. */
const surelyLastCentury = 50;

/** The offer to read years of two digits in a column whose other days have whole years. */
function shortYearsIn(column: Column, format: string): readonly RepairOffer[] {
  if (!format.includes('YYYY')) return [];
  const short = column.cells.filter(({ isDate, text }) => !isDate && shortDay.test(text));
  const samples = short
    .filter(({ text }) => Number(shortDay.exec(text)?.[3]) >= surelyLastCentury)
    .map(({ row, text }) => ({ row, before: text, after: withWholeYear(text) }));
  return offerOf(column, 'short_years', false, samples).map((offer) => ({ ...offer, cells: short.length }));
}

const signedDay = /^\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})\.?$/;

/** The offer to read days with other signs between their parts than most days of their column. */
function daySignsIn(column: Column, format: string): readonly RepairOffer[] {
  const signIn = (text: string): string => /[./-]/.exec(text)?.[0] ?? '';
  const others = new Set(formatsWithOtherSigns(format).map(signIn));
  const found = column.cells.flatMap(({ isDate, row, text }) => {
    const [, sign = '', year = ''] = signedDay.exec(text) ?? [];
    const isOther = !isDate && others.has(sign) && (year.length === 4) === format.includes('YYYY');
    return isOther ? [{ row, before: text, after: text.replaceAll(sign, signIn(format)) }] : [];
  });
  return offerOf(column, 'day_signs', true, found);
}
