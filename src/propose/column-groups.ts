import type { Kind } from '../domain/batches/batch.ts';
import { columnsOf } from '../kinds/registry.ts';
import { type Column, nothingKnown, valueScore } from './evidence.ts';
import { hasUnit, isOtherThanPaid, lowerTitle, titleScores, wordsOf } from './title-words.ts';

/**
 * Columns that belong together: the parts of a name, a house number after its street, a second surname; and the only
 * column of amounts.
 */

/** A person's decision about a column: a field, several fields to split it into, or null to leave it out. */
export type DecidedColumns = ReadonlyMap<string, string | readonly string[] | null>;

/** Fields whose values may be spread over several columns. */
export const joinableFields: ReadonlySet<string> = new Set([
  ...['account_name', 'first_name', 'middle_name', 'last_name'],
  ...['address_line1', 'address_line2'],
]);

/** The field that a column was chosen for. */
interface Placed {
  readonly field: string;
  readonly column: Column;
  readonly score: number;
  /** Where its values are split into several fields. */
  readonly fields?: readonly string[];
}

export type Taken = ReadonlyMap<Column, Placed>;

/** A field that a column may be. */
export interface Candidate extends Placed {
  /** The evidence of its title, from 0 to 1. */
  readonly word: number;
}

/** The fields of the chosen columns, extended by columns that belong to one of them. */
export function withTogether(
  kind: Kind,
  columns: readonly Column[],
  taken: Taken,
  candidates: readonly Candidate[],
  decided: DecidedColumns,
  isRequired: (field: string) => boolean,
): Taken {
  const called = isRequired('phone_number')
    ? withPhoneOfAccount(taken, decided)
    : isRequired('account_number')
      ? taken
      : kind === 'recipients'
        ? withAccountOfBoth(taken, decided)
        : taken;
  const dialled = isRequired('phone_number') ? withOnlyPhone(columns, called, decided) : called;
  const paid = withOnlyAmount(kind, columns, dialled, decided, isRequired('amount'));
  const numbered = withFurtherLine(columns, withHouseNumber(columns, paid), decided);
  const whole = withSecondSurname(columns, numbered, decided);
  return withNameParts(kind, columns, whole, candidates, decided);
}

const houseNumberWords = /^(?:no|haus(?:nr|nummer|no)?|house|street no|civico|huis(?:nr|nummer)?|numero)\b/;

/** A column of house numbers directly after the street belongs to it. */
function withHouseNumber(columns: readonly Column[], taken: Taken): Taken {
  const street = [...taken.values()].find(({ field }) => field === 'address_line1');
  const next = street === undefined ? undefined : columns[columns.indexOf(street.column) + 1];
  if (street === undefined || next === undefined || taken.has(next)) return taken;
  const isNumbered = houseNumberWords.test(wordsOf(lowerTitle(next.title)).join(' '));
  const isShort = next.cells.filter(({ text }) =>
    /^(?:\d{1,5}\s?[\p{L}/-]{0,4}\d{0,3}|s\/?n)$/iu.test(text),
  ).length;
  if (!isNumbered || isShort < next.cells.length * 0.7) return taken;
  return new Map<Column, Placed>([...taken, [next, { field: 'address_line1', column: next, score: 0.85 }]]);
}

/** The column of the title that certainly names a second line of the address, besides the one that was taken for it. */
function withFurtherLine(columns: readonly Column[], taken: Taken, decided: DecidedColumns): Taken {
  const field = 'address_line2';
  const isTaken = [...taken.values()].some((placed) => placed.field === field);
  const further = columns.filter(
    (column) =>
      column.cells.length > 0 &&
      !taken.has(column) &&
      !decided.has(column.title) &&
      (titleScores('customers', column.title).get(field) ?? 0) >= certainlyNamed,
  );
  if (!isTaken) return taken;
  return new Map<Column, Placed>([
    ...taken,
    ...further.map((column): [Column, Placed] => [column, { field, column, score: 0.85 }]),
  ]);
}

const certainlyNamed = 0.95;
const nearlyAsFull = 0.9;

/** For mobile money the account is a phone number, even under a title for accounts. */
function withPhoneOfAccount(taken: Taken, decided: DecidedColumns): Taken {
  const all = [...taken.values()];
  const own = all.find(({ field }) => field === 'account_number');
  const isThere =
    all.some(({ field }) => field === 'phone_number') ||
    [...decided.values()].flat().includes('phone_number');
  if (own === undefined || isThere) return taken;
  if (valueScore(own.column, { field: 'phone_number', type: 'phone' }, nothingKnown) < 0.7) return taken;
  return new Map<Column, Placed>([...taken, [own.column, { ...own, field: 'phone_number' }]]);
}

/**
 * Where rows go to banks and to phones, the only column for both is the account, which may also hold a phone number.
 */
function withAccountOfBoth(taken: Taken, decided: DecidedColumns): Taken {
  const all = [...taken.values()];
  const own = all.find(({ field }) => field === 'phone_number');
  const isThere =
    all.some(({ field }) => field === 'account_number') ||
    [...decided.values()].flat().includes('account_number');
  if (own === undefined || isThere) return taken;
  return new Map<Column, Placed>([...taken, [own.column, { ...own, field: 'account_number' }]]);
}

/** The only column of phone numbers is the mobile money account, whatever its title. */
function withOnlyPhone(columns: readonly Column[], taken: Taken, decided: DecidedColumns): Taken {
  const isThere = (field: string): boolean =>
    [...taken.values()].some((placed) => placed.field === field) ||
    [...decided.values()].flat().includes(field);
  if (isThere('phone_number') || isThere('account_number')) return taken;
  const [only, another] = columns.filter(
    (column) =>
      !taken.has(column) &&
      !decided.has(column.title) &&
      isDialled(column) &&
      valueScore(column, { field: 'phone_number', type: 'phone' }, nothingKnown) >= 0.9,
  );
  if (only === undefined || another !== undefined) return taken;
  return new Map<Column, Placed>([...taken, [only, { field: 'phone_number', column: only, score: 0.5 }]]);
}

/** The only column of amounts is the amount to pay, whatever its title, if one is needed or it has a currency. */
function withOnlyAmount(
  kind: Kind,
  columns: readonly Column[],
  taken: Taken,
  decided: DecidedColumns,
  isNeeded: boolean,
): Taken {
  const isThere = [...taken.values()].some(({ field }) => field === 'amount');
  const isDecided = [...decided.values()].some((said) => [said ?? []].flat().includes('amount'));
  if (isThere || isDecided || !columnsOf(kind).includes('amount')) return taken;
  const amounts = columns.filter(
    (column) =>
      !taken.has(column) &&
      !decided.has(column.title) &&
      valueScore(column, { field: 'amount', type: 'amount' }, nothingKnown) >= 0.8 &&
      !isCounter(column) &&
      !isDialled(column),
  );
  const [only, another] = amounts.filter(({ title }) => isNeeded || hasUnit(title));
  if (only === undefined || another !== undefined || isOtherThanPaid(only.title, kind)) return taken;
  if (isNeeded && amounts.length > 1) return taken;
  return new Map<Column, Placed>([...taken, [only, { field: 'amount', column: only, score: 0.5 }]]);
}

/** Phone numbers and codes begin with a zero or a plus, amounts do not. */
function isDialled({ values }: Column): boolean {
  return values.filter(({ text }) => /^(?:\+|0\d)/.test(text)).length * 2 > values.length;
}

/** Years, quantities and the like: whole numbers of up to four digits. */
function isCounter({ values }: Column): boolean {
  return values.every(({ text }) => /^\d{1,4}$/.test(text));
}

const surnameWords = /\b(?:apellidos?|paterno|materno|sobrenomes?|surnames?|family name)\b/;

/** Where surnames are in two columns, as in Spain and Latin America, the second belongs to the first. */
function withSecondSurname(columns: readonly Column[], taken: Taken, decided: DecidedColumns): Taken {
  const own = [...taken.values()].find(({ field }) => field === 'last_name')?.column;
  if (own === undefined) return taken;
  const isSurname = ({ title }: Column): boolean => surnameWords.test(wordsOf(title).join(' '));
  const next = columns.find(
    (column) =>
      column !== own &&
      !taken.has(column) &&
      !decided.has(column.title) &&
      isSurname(column) &&
      isSurname(own),
  );
  if (next === undefined || next.cells.length === 0) return taken;
  return new Map<Column, Placed>([...taken, [next, { field: 'last_name', column: next, score: 0.8 }]]);
}

/** First and last name are parts of an account holder's name; a full name is split into a customer's. */
function withNameParts(
  kind: Kind,
  columns: readonly Column[],
  taken: Taken,
  candidates: readonly Candidate[],
  decided: DecidedColumns,
): Taken {
  const fields = columnsOf(kind);
  // Who confirms that a part of a name is the name of the holder does not say that its other parts are left out.
  const isSaidPart = (column: Column): boolean =>
    decided.get(column.title) === 'account_name' && isPartOfName(column);
  const free = (column: Column): boolean =>
    (!decided.has(column.title) || isSaidPart(column)) &&
    column.cells.length > 0 &&
    (!taken.has(column) || nameFields.has(taken.get(column)?.field ?? ''));
  const unconfirmed = columns.filter((column) => !isSaidPart(column));
  const saidSo = new Set(unconfirmed.flatMap(({ title }) => decided.get(title) ?? []));
  if (fields.includes('account_name') && !saidSo.has('account_name')) {
    const current = candidates.find((one) => one.field === 'account_name' && taken.get(one.column) === one);
    const parts = partsOfName.flatMap((part) => bestNamed(part, columns.filter(free)) ?? []);
    const surnames = columns.filter(
      (column) => free(column) && surnameWords.test(wordsOf(column.title).join(' ')),
    );
    const distinct = [...new Set([...parts, ...surnames])];
    const isNamed = [...taken.values()].some(({ field }) => field === 'account_name');
    const only = distinct.length === 0 && !isNamed ? onlyNames(columns.filter(free)) : undefined;
    if (only !== undefined)
      return new Map<Column, Placed>([...taken, [only, { field: 'account_name', column: only, score: 0.5 }]]);
    const isBeside = current !== undefined && !distinct.includes(current.column);
    if (distinct.length < 2) return taken;
    if (isBeside && areOfOtherRows(distinct, current.column))
      return new Map<Column, Placed>([
        ...taken,
        ...distinct.map((column): [Column, Placed] => [column, { ...current, column }]),
      ]);
    if (isBeside && current.word >= 0.9) return taken;
    const others = [...taken].filter(([, { field }]) => field !== 'account_name');
    const holder = candidates.find(
      (one) =>
        one.field === 'account_name' &&
        one.word >= certainlyNamed &&
        !taken.has(one.column) &&
        !decided.has(one.column.title) &&
        !distinct.includes(one.column) &&
        distinct.every(({ cells }) => one.column.cells.length >= cells.length * nearlyAsFull),
    );
    // The holder of an account may be another person than the one whose first and last names are in the file.
    if (holder !== undefined) return new Map<Column, Placed>([...others, [holder.column, holder]]);
    return new Map<Column, Placed>([
      ...others,
      ...distinct.map((column): [Column, Placed] => [column, { field: 'account_name', column, score: 0.8 }]),
    ]);
  }
  if (fields.includes('first_name') && !saidSo.has('first_name')) {
    const there = new Set([...taken.values()].map(({ field }) => field));
    if (there.has('first_name') && there.has('last_name')) return taken;
    const isNamed = there.has('first_name') || there.has('last_name');
    const whole =
      columns.filter(free).find((column) => isWholeName(column)) ??
      (isNamed ? undefined : onlyNames(columns.filter(free)));
    if (whole === undefined) return taken;
    const others = [...taken].filter(([column, { field }]) => column !== whole && !nameFields.has(field));
    return new Map<Column, Placed>([
      ...others,
      [whole, { field: 'first_name', column: whole, score: 0.7, fields: ['first_name', 'last_name'] }],
    ]);
  }
  return taken;
}

/** Whether columns are filled in rows in which another one is empty: names of persons beside those of businesses. */
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

/** The only column whose values look like personal names: two words or more, no digits, hardly repeated. */
function onlyNames(columns: readonly Column[]): Column | undefined {
  const [only, another] = columns.filter(({ values, cells }) => {
    const names = values.filter(
      ({ text }) => /^\p{Lu}[^@]*[\s,]\p{L}[^@]*$/u.test(text) && !/\d{3}/.test(text) && text.length <= 60,
    );
    return cells.length > 1 && names.length >= values.length * 0.9 && values.length >= cells.length * 0.6;
  });
  return another === undefined ? only : undefined;
}

/** Whether a column has the title of a personal name, and values of two words or more. */
function isWholeName({ title, values, cells }: Column): boolean {
  const word = Math.max(
    titleScores('recipients', title).get('account_name') ?? 0,
    titleScores('customers', title).get('last_name') ?? 0,
  );
  const several = values.filter(({ text }) => /\p{L}+[\s,]+\p{L}/u.test(text)).length;
  return word >= 0.6 && cells.length > 0 && several >= values.length * 0.6;
}
