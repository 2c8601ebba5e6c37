import { columnsOf } from '../../kinds/registry.ts';
import type { Column } from '../sheet/column.ts';
import {
  hasUnit,
  inBrackets,
  isOtherThanPaid,
  lowerTitle,
  titleScores,
  wordsOf,
} from '../sheet/title-words.ts';
import { withAddressParts } from './address-columns.ts';
import type { Candidate, Grouping, Placed, Taken } from './column-use.ts';
import { withDayParts } from './day-parts.ts';
import { nothingKnown, valueScore } from './evidence.ts';

/**
 * Columns that belong together: the parts of a name or of a day, a house number after its street, a second surname. It also handles
 * the only column of amounts.
 */

/** The fields of the chosen columns, extended by columns that belong to one of them. */
export function withTogether(grouping: Grouping, taken: Taken, candidates: readonly Candidate[]): Taken {
  const { isRequired, kind } = grouping;
  const called = isRequired('phone_number')
    ? withOnlyPhone(grouping, withPhoneOfAccount(grouping, taken))
    : isRequired('account_number') || kind !== 'recipients'
      ? taken
      : withAccountOfBoth(grouping, taken);
  const paid = withOnlyAmount(grouping, called);
  const numbered = withFurtherLine(grouping, withHouseNumber(grouping, paid));
  return withNameParts(
    grouping,
    withSecondSurname(grouping, withAddressParts(grouping, withDayParts(grouping, numbered))),
    candidates,
  );
}

function placedIn(taken: Taken, field: string): Placed | undefined {
  return [...taken.values()].find((placed) => placed.field === field);
}

/** The fields so far, with these columns added for one more field. */
function withColumns(
  taken: Iterable<readonly [Column, Placed]>,
  columns: readonly Column[],
  placed: Omit<Placed, 'column'>,
): Taken {
  return new Map([...taken, ...columns.map((column) => [column, { ...placed, column }] as const)]);
}

/** Whether a column is the field, or a person has said that a column is. */
function isThere(taken: Taken, { decided }: Grouping, field: string): boolean {
  const isPlaced = [...taken.values()].some((placed) => placed.fields?.includes(field));
  return isPlaced || placedIn(taken, field) !== undefined || [...decided.values()].flat().includes(field);
}

/** The columns that are no field, according to titles, values and the person's decisions. */
function freeColumns(taken: Taken, { columns, decided }: Grouping): readonly Column[] {
  return columns.filter((column) => !taken.has(column) && !decided.has(column.title));
}

const houseNumberWords = /^(?:no|haus(?:nr|nummer|no)?|house|street no|civico|huis(?:nr|nummer)?|numero)\b/;

/** A column of house numbers directly after the street belongs to the street. */
function withHouseNumber({ columns }: Grouping, taken: Taken): Taken {
  const street = placedIn(taken, 'address_line1');
  const next = street === undefined ? undefined : columns[columns.indexOf(street.column) + 1];
  if (next === undefined || taken.has(next)) return taken;
  const isNumbered = houseNumberWords.test(wordsOf(lowerTitle(next.title)).join(' '));
  const isShort = next.cells.filter(({ text }) =>
    /^(?:\d{1,5}\s?[\p{L}/-]{0,4}\d{0,3}|s\/?n)$/iu.test(text),
  ).length;
  if (!isNumbered || isShort < next.cells.length * 0.7) return taken;
  return withColumns(taken, [next], { field: 'address_line1', score: 0.85 });
}

/** Adds columns whose title certainly names a second line of the address to the column that was taken for that line. */
function withFurtherLine(grouping: Grouping, taken: Taken): Taken {
  const field = 'address_line2';
  if (placedIn(taken, field) === undefined) return taken;
  const further = freeColumns(taken, grouping).filter(
    ({ cells, title }) =>
      cells.length > 0 && (titleScores('customers', title).get(field) ?? 0) >= certainlyNamed,
  );
  return withColumns(taken, further, { field, score: 0.85 });
}

const certainlyNamed = 0.95;
const nearlyAsFull = 0.9;

/** For mobile money the account is a phone number, even under a title for accounts. */
function withPhoneOfAccount(grouping: Grouping, taken: Taken): Taken {
  const own = placedIn(taken, 'account_number');
  if (own === undefined || isThere(taken, grouping, 'phone_number')) return taken;
  return phoneScore(own.column) < 0.7
    ? taken
    : withColumns(taken, [own.column], { ...own, field: 'phone_number' });
}

function phoneScore(column: Column): number {
  return valueScore(column, { field: 'phone_number', type: 'phone' }, nothingKnown);
}

/**
 * If rows go to banks and to phones, a column that is the only one for both is the account. The account may also hold a
 * phone number.
 */
function withAccountOfBoth(grouping: Grouping, taken: Taken): Taken {
  const own = placedIn(taken, 'phone_number');
  if (own === undefined || isThere(taken, grouping, 'account_number')) return taken;
  return withColumns(taken, [own.column], { ...own, field: 'account_number' });
}

/** The only column of phone numbers is the mobile money account, whatever its title is. */
function withOnlyPhone(grouping: Grouping, taken: Taken): Taken {
  if (['phone_number', 'account_number'].some((field) => isThere(taken, grouping, field))) return taken;
  const [only, another] = freeColumns(taken, grouping).filter(
    (column) => isDialled(column) && phoneScore(column) >= 0.9,
  );
  if (only === undefined || another !== undefined) return taken;
  return withColumns(taken, [only], { field: 'phone_number', score: 0.5 });
}

/**
 * The only column of amounts is the amount to pay, whatever its title is, if an amount is needed or the column has a
 * currency.
 */
function withOnlyAmount(grouping: Grouping, taken: Taken): Taken {
  const { kind } = grouping;
  if (isThere(taken, grouping, 'amount') || !columnsOf(kind).includes('amount')) return taken;
  const isNeeded = grouping.isRequired('amount');
  const amounts = freeColumns(taken, grouping).filter(
    (column) =>
      valueScore(column, { field: 'amount', type: 'amount' }, nothingKnown) >= 0.8 &&
      !isCounter(column) &&
      !isDialled(column),
  );
  const [only, another] = amounts.filter(({ title }) => isNeeded || hasUnit(title));
  if (only === undefined || another !== undefined || isOtherThanPaid(only.title, kind)) return taken;
  if (isNeeded && amounts.length > 1) return taken;
  return withColumns(taken, [only], { field: 'amount', score: 0.5 });
}

/** Phone numbers and codes begin with a zero or a plus sign. Amounts do not. */
function isDialled({ values }: Column): boolean {
  return values.filter(({ text }) => /^(?:\+|0\d)/.test(text)).length * 2 > values.length;
}

/** Years, quantities and the like: whole numbers of up to four digits. */
function isCounter({ values }: Column): boolean {
  return values.every(({ text }) => /^\d{1,4}$/.test(text));
}

/** Whether a title names a surname. */
function isSurname({ title }: Column): boolean {
  const words = /\b(?:apellidos?|paterno|materno|sobrenomes?|surnames?|family name)\b/;
  return words.test(wordsOf(title).join(' '));
}

/** If surnames are in two columns, as in Spain and Latin America, the second column belongs to the first. */
function withSecondSurname(grouping: Grouping, taken: Taken): Taken {
  const own = placedIn(taken, 'last_name')?.column;
  if (own === undefined || !isSurname(own)) return taken;
  const next = freeColumns(taken, grouping).find(isSurname);
  if (next === undefined || next.cells.length === 0) return taken;
  return withColumns(taken, [next], { field: 'last_name', score: 0.8 });
}

/** First and last name are joined to an account holder's name. A full name is split into the names of a customer. */
function withNameParts(grouping: Grouping, taken: Taken, candidates: readonly Candidate[]): Taken {
  const { kind, columns, decided } = grouping;
  const fields = columnsOf(kind);
  // A person who confirms that a part of a name is the holder's name does not thereby leave out its other parts.
  const isSaidPart = (column: Column): boolean =>
    decided.get(column.title) === 'account_name' && isPartOfName(column);
  const free = columns.filter(
    (column) =>
      (!decided.has(column.title) || isSaidPart(column)) &&
      column.cells.length > 0 &&
      (!taken.has(column) || nameFields.has(taken.get(column)?.field ?? '')),
  );
  const unconfirmed = columns.filter((column) => !isSaidPart(column));
  const saidSo = new Set(unconfirmed.flatMap(({ title }) => decided.get(title) ?? []));
  if (fields.includes('account_name') && !saidSo.has('account_name'))
    return withHolder(grouping, taken, candidates, free);
  if (!fields.includes('first_name') || saidSo.has('first_name')) return taken;
  const named = ['first_name', 'last_name'].filter((field) => placedIn(taken, field) !== undefined);
  if (named.length === 2) return taken;
  const whole = free.find(isWholeName) ?? (named.length > 0 ? undefined : onlyNames(free));
  if (whole === undefined) return taken;
  const others = [...taken].filter(([column, { field }]) => column !== whole && !nameFields.has(field));
  return withColumns(others, [whole], {
    field: 'first_name',
    score: 0.7,
    fields: ['first_name', 'last_name'],
  });
}

/** The name of the holder of an account, in one column or in parts. */
function withHolder(
  { decided }: Grouping,
  taken: Taken,
  candidates: readonly Candidate[],
  free: readonly Column[],
): Taken {
  const ofHolder = candidates.filter(({ field }) => field === 'account_name');
  const current = ofHolder.find((one) => taken.get(one.column) === one);
  const parts = partsOfName.flatMap((part) => bestNamed(part, free) ?? []);
  const distinct = [...new Set([...parts, ...free.filter(isSurname)])];
  const isNamed = placedIn(taken, 'account_name') !== undefined;
  const only = distinct.length === 0 && !isNamed ? onlyNames(free) : undefined;
  if (only !== undefined) return withColumns(taken, [only], { field: 'account_name', score: 0.5 });
  if (distinct.length < 2) return taken;
  if (current !== undefined && !distinct.includes(current.column)) {
    if (areOfOtherRows(distinct, current.column)) return withColumns(taken, distinct, current);
    if (current.word >= 0.9) return taken;
  }
  const others = [...taken].filter(([, { field }]) => field !== 'account_name');
  const holder = ofHolder.find(
    ({ word, column }) =>
      word >= certainlyNamed &&
      !taken.has(column) &&
      !decided.has(column.title) &&
      !distinct.includes(column) &&
      distinct.every(({ cells }) => column.cells.length >= cells.length * nearlyAsFull),
  );
  // The holder of an account may be another person than the one whose first and last names are in the file.
  if (holder !== undefined) return new Map<Column, Placed>([...others, [holder.column, holder]]);
  return withColumns(others, distinct, { field: 'account_name', score: 0.8 });
}

/**
 * Whether columns are filled only in rows in which another column is empty, such as names of persons beside names of
 * businesses.
 */
function areOfOtherRows(columns: readonly Column[], other: Column): boolean {
  const rows = new Set(other.cells.map(({ row }) => row));
  return columns.every(({ cells }) => cells.every(({ row }) => !rows.has(row)));
}

const nameFields: ReadonlySet<string> = new Set(['account_name', 'first_name', 'middle_name', 'last_name']);

const partsOfName = ['first_name', 'middle_name', 'last_name'];

function isPartOfName(column: Column): boolean {
  return partsOfName.some((part) => bestNamed(part, [column]) !== undefined);
}

function bestNamed(part: string, columns: readonly Column[]): Column | undefined {
  const scored = columns
    .map((column) => ({ column, score: titleScores('customers', column.title).get(part) ?? 0 }))
    .filter(({ score }) => score >= 0.55)
    .sort((left, right) => right.score - left.score);
  return scored[0]?.column;
}

/** The only column whose values look like personal names: two words or more, no digits, and few repetitions. */
function onlyNames(columns: readonly Column[]): Column | undefined {
  const [only, another] = columns.filter(({ values, cells }) => {
    const names = values.filter(
      ({ text }) => /^\p{Lu}[^@]*[\s,]\p{L}[^@]*$/u.test(text) && !/\d{3}/.test(text) && text.length <= 60,
    );
    return cells.length > 1 && names.length >= values.length * 0.9 && values.length >= cells.length * 0.6;
  });
  return another === undefined ? only : undefined;
}

/** Whether a column has the title of a personal name, and values of two words or more. `Customer (surname, first name)` is one. */
function isWholeName({ title, values, cells }: Column): boolean {
  const word = Math.max(
    titleScores('recipients', title).get('account_name') ?? 0,
    ...[title, ...inBrackets(title)].map((text) => titleScores('customers', text).get('last_name') ?? 0),
  );
  const several = values.filter(({ text }) => /\p{L}+[\s,]+\p{L}/u.test(text)).length;
  return word >= 0.6 && cells.length > 0 && several >= values.length * 0.6;
}
