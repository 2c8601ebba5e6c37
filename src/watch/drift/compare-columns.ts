/*
 * Compares the columns of a file with those of the last file of its layout: known ones, new ones, and
 * totals among the rows.
 */

import type { ColumnContent, Counted, DriftWhat, LayoutProfile } from '../../domain/batches/last-time.ts';
import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../domain/money/money.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import { growthOf, sizeOf } from './columns.ts';
import { type Difference, distance, grownMost, type Shares } from './people.ts';
import { type ColumnWatch, numbersIn, type ProfileWatch, type Tally } from './profile.ts';

/** With fewer rows on one side, shares say nothing. */
const fewestRows = 5;

/* The share of values from which on a difference is none of honest months. The generator of the tests has measured them. */
const otherKind = 0.3;
const otherPrefixes = 0.4;
const otherLengths = 0.5;
const otherCountries = 0.3;
const otherStarts = 0.5;
const otherWords = 0.6;
const newForms = 0.03;
const manyRounded = 0.15;
const fewRounded = 0.05;
/** Ten times as large, as a logarithm. */
const muchLarger = 1;
const nearlyAll = 0.9;
const half = 0.5;
const hardlyAny = 0.1;
const vocabularyOfAnother = 0.5;

/**
 * @param placeBefore the place of each column in the earlier profile; -1 for a new one
 * @param read whether the values that are read of known people are the same, so that they are only written in another way
 */
export function compareColumns(
  before: LayoutProfile,
  watch: ProfileWatch,
  placeBefore: readonly number[],
  isReadAlike: (column: number) => boolean,
): Difference[] {
  const rows = { before: before.rows, now: watch.rows };
  return watch.columns.flatMap((now, column) => {
    const earlier = before.columns[placeBefore[column] ?? -1];
    if (earlier === undefined || !now.column.isRead) return [];
    const compared = new ComparedColumn({
      column,
      before: earlier,
      now,
      rows,
      place: placeBefore[column] ?? -1,
    });
    const found = [
      ...compared.fillings(),
      ...compared.damage(),
      ...(rows.before < fewestRows || rows.now < fewestRows
        ? []
        : [...compared.kinds(), ...compared.numbers(), ...compared.days(), ...compared.words()]),
    ];
    const others = rows.now < fewestRows ? [] : compared.otherVocabulary(before, placeBefore);
    const all = [...found, ...others];
    return isReadAlike(column) ? all.map((each) => (isDamage(each) ? each : { ...each, stops: false })) : all;
  });
}

/** Damage of some values counts, however many others are the same. */
function isDamage({ what }: Difference): boolean {
  return what === 'masked' || what === 'rounded' || what === 'decimals';
}

/** One column, before and now. */
interface BeforeAndNow {
  readonly column: number;
  readonly before: ColumnContent;
  /** Its place in the earlier profile. */
  readonly place: number;
  readonly now: ColumnWatch;
  readonly rows: { readonly before: number; readonly now: number };
}

class ComparedColumn {
  readonly #of: BeforeAndNow;

  constructor(of: BeforeAndNow) {
    this.#of = of;
  }

  /** Cells that are empty, or no longer so. */
  fillings(): Difference[] {
    const [before, now] = [
      this.#of.before.filled / Math.max(this.#of.rows.before, 1),
      this.#of.now.filled / Math.max(this.#of.rows.now, 1),
    ];
    if (Math.min(this.#of.rows.before, this.#of.rows.now) < fewestRows) return [];
    const { isFirstEmpty, filled, column } = this.#of.now;
    if (
      before > 0.98 &&
      isFirstEmpty &&
      filled >= this.#of.rows.now - Math.max(1, 0.05 * this.#of.rows.now)
    ) {
      return [
        this.#differs('one_row_off', true, this.#anyBefore(), ['', ...this.#of.now.samples.slice(0, 1)]),
      ];
    }
    const remark = {
      before: `${this.#of.before.filled} of ${this.#of.rows.before} cells are filled`,
      now: `${filled} of ${this.#of.rows.now} cells are filled`,
    };
    if (before >= nearlyAll && now <= half) return [{ ...this.#differs('filled', false, [], []), remark }];
    if (before <= hardlyAny && now >= half) {
      const stops = column.role !== 'words' && column.role !== 'code';
      return [{ ...this.#differs('filled', stops, [], this.#of.now.samples), remark }];
    }
    return [];
  }

  /** Numbers that are hidden, rounded, or have decimals that they never had. */
  damage(): Difference[] {
    const { role } = this.#of.now.column;
    const found: Difference[] = [];
    const fresh = (tally: Tally, forms: Readonly<Record<string, Counted>>, form: string): number =>
      forms[form] === undefined ? (tally.counts.get(form)?.rows ?? 0) : 0;
    const least = Math.max(2, newForms * this.#of.now.filled);
    const { classes, forms } = this.#of.now;
    if (role !== 'words' && fresh(classes, this.#of.before.classes, 'mask') >= least)
      found.push(this.#formDiffers('masked', classes, 'mask'));
    if (fresh(classes, this.#of.before.classes, 'sci') >= least)
      found.push(this.#formDiffers('rounded', classes, 'sci'));
    const rounded = this.#of.now.rounded;
    if (rounded >= Math.max(2, manyRounded * this.#of.now.filled) && this.#roundedBefore() <= fewRounded) {
      const remark = { now: `${rounded} of ${this.#of.now.filled} values end in zeros` };
      found.push({ ...this.#differs('rounded', true, this.#anyBefore(), this.#of.now.samples), remark });
    }
    if (role === 'amount' && fresh(forms, this.#of.before.forms, '3 decimals') >= least)
      found.push(this.#formDiffers('decimals', forms, '3 decimals'));
    return found;
  }

  #roundedBefore(): number {
    return this.#of.before.rounded / Math.max(this.#of.before.filled, 1);
  }

  /** Another kind of value, or numbers that begin in another way or have another length. */
  kinds(): Difference[] {
    const { role } = this.#of.now.column;
    const { classes, forms, lengths } = this.#of.now;
    const found: Difference[] = [];
    if (distance(sharesOf(this.#of.before.classes), nowOf(classes)) >= otherKind)
      found.push(this.#grown('kind_of_value', classes, this.#of.before.classes));
    const hasPrefixes = role === 'reference' || role === 'account';
    if (hasPrefixes && distance(sharesOf(this.#of.before.forms), nowOf(forms)) >= otherPrefixes)
      found.push({
        ...this.#grown('prefix', forms, this.#of.before.forms),
        stops: this.#of.now.column.isLasting,
      });
    if (distance(sharesOf(this.#of.before.lengths), nowOf(lengths)) >= otherLengths)
      found.push(this.#grown('length', lengths, this.#of.before.lengths));
    if (role === 'phone') found.push(...this.#phones());
    return found;
  }

  #phones(): Difference[] {
    const { starts } = this.#of.now;
    const part = (counts: Shares, word: string): Shares =>
      new Map([...counts].filter(([form]) => form.startsWith(word)));
    const [before, now] = [sharesOf(this.#of.before.starts), nowOf(starts)];
    const countries = [part(before, 'country'), part(now, 'country')] as const;
    if (distance(...countries) >= otherCountries) {
      return [this.#grown('country', starts, this.#of.before.starts, 'country')];
    }
    const [known, fresh] = [part(before, 'start'), part(now, 'start')];
    let unknown = 0;
    for (const [start, count] of fresh) if (!known.has(start)) unknown += count;
    if (this.#of.before.filled < 12 || unknown < otherStarts * this.#of.now.filled) return [];
    return [this.#grown('prefix', starts, this.#of.before.starts, 'start')];
  }

  /** Amounts of another size. */
  numbers(): Difference[] {
    if (this.#of.now.column.role !== 'amount') return [];
    const [before, now] = [this.#of.before.amounts, this.#of.now.sizes];
    if (before === null || now === null) return [];
    const growth = growthOf(sizeOf(before.median), sizeOf(now.median));
    if (Math.abs(growth) < muchLarger) return [];
    const remark = { before: `half of them up to ${before.median}`, now: `half of them up to ${now.median}` };
    return [{ ...this.#differs('size', true, this.#anyBefore(), this.#of.now.samples), remark }];
  }

  /** Days whose order is certain and was another one. */
  days(): Difference[] {
    if (this.#of.now.column.role !== 'day') return [];
    const orders = (counts: Shares, order: RegExp): number =>
      [...counts].reduce((sum, [form, count]) => sum + (order.test(form) ? count : 0), 0);
    const [before, now] = [sharesOf(this.#of.before.forms), nowOf(this.#of.now.forms)];
    const certain = orders(before, /^(?:day|month|year)/);
    for (const order of [/^month/, /^day/]) {
      if (certain > 0 && orders(before, order) === 0 && orders(now, order) >= 2)
        return [this.#grown('date_order', this.#of.now.forms, this.#of.before.forms)];
    }
    return [];
  }

  /** Other words in a column of few words. */
  words(): Difference[] {
    const { column, values, filled } = this.#of.now;
    if (!column.isClosed || this.#of.before.values === null || values === null) return [];
    const known = Object.keys(this.#of.before.values).length;
    if (this.#of.before.filled < 2 * known || filled === 0) return [];
    const fresh = [...values].filter(([mark]) => this.#of.before.values?.[mark] === undefined);
    const rows = fresh.reduce((sum, [, each]) => sum + each.rows, 0);
    if (rows < otherWords * filled) return [];
    const rowsBefore = Object.values(this.#of.before.values).map(([, firstRow]) => firstRow);
    const samples = fresh.slice(0, 2).map(([, { sample }]) => sample);
    const remark = { now: `${rows} of ${filled} values are new` };
    return [{ ...this.#differs('values', true, rowsBefore.slice(0, 2), samples), remark }];
  }

  /** Words that another column had last time, and this one had not: such as first names among last names. */
  otherVocabulary(before: LayoutProfile, placeBefore: readonly number[]): Difference[] {
    if (this.#of.now.column.role !== 'words') return [];
    const own = sharedWith(this.#of.before, this.#of.now);
    for (const place of placeBefore) {
      const other = before.columns[place];
      if (other === undefined || other === this.#of.before) continue;
      const { compared, shared } = sharedWith(other, this.#of.now);
      if (compared < fewestRows || shared < vocabularyOfAnother * compared) continue;
      if (own.shared / Math.max(own.compared, 1) > (0.5 * shared) / compared) continue;
      const remark = { before: `they stood under ${other.title}` };
      return [{ ...this.#differs('swapped', true, this.#anyBefore(), this.#of.now.samples), remark }];
    }
    return [];
  }

  #anyBefore(): number[] {
    return Object.values(this.#of.before.classes)
      .sort(([one], [other]) => other - one)
      .slice(0, 1)
      .map(([, row]) => row);
  }

  #grown(
    what: DriftWhat,
    tally: Tally,
    before: Readonly<Record<string, Counted>>,
    beginning = '',
  ): Difference {
    const now = new Map([...nowOf(tally)].filter(([form]) => form.startsWith(beginning)));
    return this.#formDiffers(what, tally, grownMost(sharesOf(before), now) ?? '', before);
  }

  #formDiffers(
    what: DriftWhat,
    tally: Tally,
    form: string,
    before: Readonly<Record<string, Counted>> = this.#of.before.classes,
  ): Difference {
    const { rows = 0, sample = '' } = tally.counts.get(form) ?? {};
    const [, firstRow] =
      Object.values(before)
        .filter((counted) => counted !== before[form])
        .sort(([one], [other]) => other - one)[0] ?? [];
    const remark = { now: `${rows} of ${this.#of.now.filled} values` };
    const rowsBefore = firstRow === undefined ? this.#anyBefore() : [firstRow];
    return { ...this.#differs(what, true, rowsBefore, [sample]), remark };
  }

  #differs(
    what: DriftWhat,
    stops: boolean,
    rowsBefore: readonly number[],
    now: readonly string[],
  ): Difference {
    const earlier = rowsBefore.length === 0 ? null : { rows: rowsBefore, column: this.#of.place };
    return { column: this.#of.column, what, stops, earlier, now };
  }
}

function sharesOf(counts: Readonly<Record<string, Counted>>): Shares {
  return new Map(Object.entries(counts).map(([form, [rows]]) => [form, rows]));
}

function nowOf({ counts }: Tally): Shares {
  return new Map([...counts].map(([form, { rows }]) => [form, rows]));
}

/** How many of the values that both sides would have kept are in both. */
function sharedWith(
  { vocabulary, isWhole }: ColumnContent,
  { marks }: ColumnWatch,
): { readonly compared: number; readonly shared: number } {
  const before = numbersIn(vocabulary);
  const limit = isWhole ? 0xffffffff : (before.at(-1) ?? 0);
  const known = new Set(before);
  let [compared, shared] = [0, 0];
  for (const mark of marks.values.keys()) {
    if (mark > limit) continue;
    compared += 1;
    if (known.has(mark)) shared += 1;
  }
  return { compared, shared };
}

/* Judges a column that the remembered mapping does not know: whether it could mean something. */

const meaningfulShare = 0.3;
const longText = 16;
const fewValues = 12;

/**
 * Whether a new column may say something about whom or what its rows pay: amounts, days, accounts, names, or a few words
 * again and again. Sentences and empty columns do not.
 * @param isOwnName whether its title is a name of one of our fields
 */
export function mayMeanSomething(
  { filled, classes, names, fullNames, characters, values }: ColumnWatch,
  rows: number,
  isOwnName: boolean,
): boolean {
  if (filled === 0) return false;
  if (isOwnName) return true;
  const ofClass = (name: string): number => classes.counts.get(name)?.rows ?? 0;
  if (filled - ofClass('words') - ofClass('mixed') >= meaningfulShare * filled) return true;
  // A remark may be one word with a capital; where every row has one, they are names.
  if (fullNames >= meaningfulShare * filled || (names >= half * filled && filled >= half * rows)) return true;
  const isSentences = characters / filled >= longText;
  return !isSentences && values !== null && values.size <= fewValues && filled >= 2 * values.size;
}

/* Finds rows whose amount is the sum of the others: totals that are taken for rows. */

const zero: Decimal = { units: 0n, scale: 0 };

/** With fewer rows, an amount is the sum of the others by chance. */
const fewestRowsOfTotal = 4;

/** A row whose amount is the sum of all rows above it, of those since the last total, or of all below it. */
interface TotalRow {
  readonly row: number;
  readonly amount: string;
}

/** Adds up the amounts of a table, whatever their currency: a file with several has no total of all. */
export class TotalWatch {
  #sum = zero;
  /** Since the last total. */
  #section = zero;
  #rowsOfSection = 0;
  #mostOfSection = zero;
  #rows = 0;
  #first: TotalRow | null = null;
  readonly #found: TotalRow[] = [];

  take({ row, state, record: { amount } }: StagedRow): void {
    const value = amount === undefined ? undefined : parseDecimal(amount);
    if (amount === undefined || value === undefined) return;
    this.#rows += 1;
    const isSumOf = (sum: Decimal, rows: number): boolean =>
      rows >= fewestRowsOfTotal && compareDecimals(value, sum) === 0;
    const isSum = isSumOf(this.#sum, this.#rows - 1) || isSumOf(this.#section, this.#rowsOfSection);
    if (isSum && compareDecimals(value, this.#mostOfSection) > 0 && state !== 'invalid') {
      this.#found.push({ row, amount });
      this.#section = zero;
      this.#mostOfSection = zero;
      this.#rowsOfSection = 0;
      return;
    }
    this.#section = addDecimals(this.#section, value);
    this.#rowsOfSection += 1;
    if (this.#rows === 1 && state !== 'invalid') this.#first = { row, amount };
    this.#sum = addDecimals(this.#sum, value);
    if (compareDecimals(value, this.#mostOfSection) > 0) this.#mostOfSection = value;
  }

  result(): readonly TotalRow[] {
    const first = this.#first;
    const value = first === null ? undefined : parseDecimal(first.amount);
    if (first === null || value === undefined || this.#rows <= fewestRowsOfTotal) return this.#found;
    const isSum =
      compareDecimals(value, zero) > 0 && compareDecimals(addDecimals(value, value), this.#sum) === 0;
    return isSum ? [first, ...this.#found] : this.#found;
  }
}
