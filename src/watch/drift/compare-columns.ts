/* Compares what the columns of a file hold with what those of the last file of its layout held. */

import type { ColumnContent, Counted, DriftWhat, LayoutProfile } from '../../domain/batches/last-time.ts';
import type { Difference } from './columns.ts';
import type { ColumnWatch, ProfileWatch, Tally } from './profile.ts';
import { growthOf, numbersIn, sizeOf } from './value-forms.ts';

/** With fewer rows on one side, shares are not compared. */
const fewestRows = 5;

/* From these shares on, a difference is too large for two correct files. Measured with files that the tests generate. */
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
 * @param isReadAlike whether the values of known people are read as the same ones, so that they are only written in another
 *   way
 */
export function compareColumns(
  before: LayoutProfile,
  watch: ProfileWatch,
  placeBefore: readonly number[],
  isReadAlike: (column: number) => boolean,
): Difference[] {
  const rows = { before: before.rows, now: watch.rows };
  return watch.columns.flatMap((now, column) => {
    const place = placeBefore[column] ?? -1;
    const earlier = before.columns[place];
    if (earlier === undefined || !now.column.isRead) return [];
    const compared = { column, before: earlier, place, now, rows };
    const all = damage(compared);
    if (rows.before >= fewestRows && rows.now >= fewestRows)
      for (const differences of [fillings, kinds, sizes, days, words]) all.push(...differences(compared));
    if (rows.now >= fewestRows) all.push(...otherVocabulary(compared, before, placeBefore));
    if (!isReadAlike(column)) return all;
    return all.map((each) => (damages.has(each.what) ? each : { ...each, stops: false }));
  });
}

/** Damage to some values counts even where all others are the same. */
const damages: ReadonlySet<DriftWhat> = new Set(['masked', 'rounded', 'decimals']);

/** One column, before and now. */
interface ComparedColumn {
  readonly column: number;
  readonly before: ColumnContent;
  /** Its place in the earlier profile. */
  readonly place: number;
  readonly now: ColumnWatch;
  readonly rows: { readonly before: number; readonly now: number };
}

/** Cells that became empty, or that are no longer empty. */
function fillings(compared: ComparedColumn): Difference[] {
  const { before, now, rows } = compared;
  const { isFirstEmpty, filled, column, samples } = now;
  const [shareBefore, shareNow] = [before.filled / rows.before, filled / rows.now];
  if (shareBefore > 0.98 && isFirstEmpty && filled >= rows.now - Math.max(1, 0.05 * rows.now)) {
    return [differs(compared, 'one_row_off', true, anyBefore(before), ['', ...samples.slice(0, 1)])];
  }
  const remark = {
    before: `${before.filled} of ${rows.before} cells are filled`,
    now: `${filled} of ${rows.now} cells are filled`,
  };
  if (shareBefore >= nearlyAll && shareNow <= half)
    return [{ ...differs(compared, 'filled', false, [], []), remark }];
  if (shareBefore <= hardlyAny && shareNow >= half) {
    const stops = column.role !== 'words' && column.role !== 'code';
    return [{ ...differs(compared, 'filled', stops, [], samples), remark }];
  }
  return [];
}

/** Numbers that are hidden, rounded, or have decimals that they never had. */
function damage(compared: ComparedColumn): Difference[] {
  const { before, now } = compared;
  const { column, classes, forms, filled, rounded, samples } = now;
  const found: Difference[] = [];
  const least = Math.max(2, newForms * filled);
  const isFresh = (tally: Tally, known: Readonly<Record<string, Counted>>, form: string): boolean =>
    known[form] === undefined && (tally.counts.get(form)?.rows ?? 0) >= least;
  if (column.role !== 'words' && isFresh(classes, before.classes, 'mask'))
    found.push(formDiffers(compared, 'masked', classes, 'mask'));
  if (isFresh(classes, before.classes, 'sci')) found.push(formDiffers(compared, 'rounded', classes, 'sci'));
  const roundedBefore = before.rounded / Math.max(before.filled, 1);
  if (rounded >= Math.max(2, manyRounded * filled) && roundedBefore <= fewRounded) {
    const remark = { now: `${rounded} of ${filled} values end in zeros` };
    found.push({ ...differs(compared, 'rounded', true, anyBefore(before), samples), remark });
  }
  if (column.role === 'amount' && isFresh(forms, before.forms, '3 decimals'))
    found.push(formDiffers(compared, 'decimals', forms, '3 decimals'));
  return found;
}

/** Another kind of value, or numbers that begin in another way or have another length. */
function kinds(compared: ComparedColumn): Difference[] {
  const { before, now } = compared;
  const { column, classes, forms, lengths } = now;
  const found: Difference[] = [];
  if (distance(sharesOf(before.classes), nowOf(classes)) >= otherKind)
    found.push(grown(compared, 'kind_of_value', classes, before.classes));
  const hasPrefixes = column.role === 'reference' || column.role === 'account';
  if (hasPrefixes && distance(sharesOf(before.forms), nowOf(forms)) >= otherPrefixes)
    found.push({ ...grown(compared, 'prefix', forms, before.forms), stops: column.isLasting });
  if (distance(sharesOf(before.lengths), nowOf(lengths)) >= otherLengths)
    found.push(grown(compared, 'length', lengths, before.lengths));
  if (column.role === 'phone') found.push(...phones(compared));
  return found;
}

function phones(compared: ComparedColumn): Difference[] {
  const { before, now } = compared;
  const [sharesBefore, sharesNow] = [sharesOf(before.starts), nowOf(now.starts)];
  const countries = [partOf(sharesBefore, 'country'), partOf(sharesNow, 'country')] as const;
  if (distance(...countries) >= otherCountries)
    return [grown(compared, 'country', now.starts, before.starts, 'country')];
  let unknown = 0;
  for (const [start, count] of partOf(sharesNow, 'start')) if (!sharesBefore.has(start)) unknown += count;
  if (before.filled < 12 || unknown < otherStarts * now.filled) return [];
  return [grown(compared, 'prefix', now.starts, before.starts, 'start')];
}

/** Amounts of another size. */
function sizes(compared: ComparedColumn): Difference[] {
  const { before, now } = compared;
  const [amountsBefore, amountsNow] = [before.amounts, now.sizes];
  if (now.column.role !== 'amount' || amountsBefore === null || amountsNow === null) return [];
  const growth = growthOf(sizeOf(amountsBefore.median), sizeOf(amountsNow.median));
  if (Math.abs(growth) < muchLarger) return [];
  const remark = {
    before: `half of them up to ${amountsBefore.median}`,
    now: `half of them up to ${amountsNow.median}`,
  };
  return [{ ...differs(compared, 'size', true, anyBefore(before), now.samples), remark }];
}

/** Dates whose order of day and month is certain, and was another one before. */
function days(compared: ComparedColumn): Difference[] {
  const { before, now } = compared;
  if (now.column.role !== 'day') return [];
  const [sharesBefore, sharesNow] = [sharesOf(before.forms), nowOf(now.forms)];
  const rowsIn = (counts: Shares, order: string): number => sumOf(partOf(counts, order));
  const isCertain = ['day', 'month', 'year'].some((order) => rowsIn(sharesBefore, order) > 0);
  for (const order of ['month', 'day']) {
    if (isCertain && rowsIn(sharesBefore, order) === 0 && rowsIn(sharesNow, order) >= 2)
      return [grown(compared, 'date_order', now.forms, before.forms)];
  }
  return [];
}

/** Other words in a column of few words. */
function words(compared: ComparedColumn): Difference[] {
  const { column, values, filled } = compared.now;
  const known = compared.before.values;
  if (!column.isClosed || known === null || values === null) return [];
  if (compared.before.filled < 2 * Object.keys(known).length || filled === 0) return [];
  const fresh = [...values].filter(([mark]) => known[mark] === undefined);
  const rows = fresh.reduce((sum, [, each]) => sum + each.rows, 0);
  if (rows < otherWords * filled) return [];
  const rowsBefore = Object.values(known).map(([, firstRow]) => firstRow);
  const samples = fresh.slice(0, 2).map(([, { sample }]) => sample);
  const remark = { now: `${rows} of ${filled} values are new` };
  return [{ ...differs(compared, 'values', true, rowsBefore.slice(0, 2), samples), remark }];
}

/** Words that another column had last time and this one did not have, such as first names among last names. */
function otherVocabulary(
  compared: ComparedColumn,
  profile: LayoutProfile,
  placeBefore: readonly number[],
): Difference[] {
  const { before, now } = compared;
  if (now.column.role !== 'words') return [];
  const own = sharedWith(before, now);
  for (const place of placeBefore) {
    const other = profile.columns[place];
    if (other === undefined || other === before) continue;
    const { compared: all, shared } = sharedWith(other, now);
    if (all < fewestRows || shared < vocabularyOfAnother * all) continue;
    if (own.shared / Math.max(own.compared, 1) > (0.5 * shared) / all) continue;
    const remark = { before: `they stood under ${other.title}` };
    return [{ ...differs(compared, 'swapped', true, anyBefore(before), now.samples), remark }];
  }
  return [];
}

/** A row with the most frequent class of value. */
function anyBefore({ classes }: ColumnContent): number[] {
  return byFrequency(Object.values(classes)).slice(0, 1);
}

/** The first row of each form, that of the most frequent form first. */
function byFrequency(counts: readonly Counted[]): number[] {
  return counts.toSorted(([one], [other]) => other - one).map(([, firstRow]) => firstRow);
}

/** A difference that shows the form whose share has grown most, among those with this beginning. */
function grown(
  compared: ComparedColumn,
  what: DriftWhat,
  tally: Tally,
  counts: Readonly<Record<string, Counted>>,
  beginning = '',
): Difference {
  const [before, now] = [sharesOf(counts), partOf(nowOf(tally), beginning)];
  const [allBefore, allNow] = [Math.max(sumOf(before), 1), Math.max(sumOf(now), 1)];
  const growth = (form: string): number =>
    (now.get(form) ?? 0) / allNow - (before.get(form) ?? 0) / allBefore;
  const [form = ''] = [...now.keys()].sort((one, other) => growth(other) - growth(one));
  return formDiffers(compared, what, tally, form, counts);
}

function formDiffers(
  compared: ComparedColumn,
  what: DriftWhat,
  tally: Tally,
  form: string,
  before: Readonly<Record<string, Counted>> = compared.before.classes,
): Difference {
  const { rows = 0, sample = '' } = tally.counts.get(form) ?? {};
  const [firstRow] = byFrequency(Object.values(before).filter((counted) => counted !== before[form]));
  const remark = { now: `${rows} of ${compared.now.filled} values` };
  const rowsBefore = firstRow === undefined ? anyBefore(compared.before) : [firstRow];
  return { ...differs(compared, what, true, rowsBefore, [sample]), remark };
}

function differs(
  { column, place }: ComparedColumn,
  what: DriftWhat,
  stops: boolean,
  rowsBefore: readonly number[],
  now: readonly string[],
): Difference {
  const earlier = rowsBefore.length === 0 ? null : { rows: rowsBefore, column: place };
  return { column, what, stops, earlier, now };
}

/** The counts of the forms with this beginning. */
function partOf(counts: Shares, beginning: string): Shares {
  return new Map([...counts].filter(([form]) => form.startsWith(beginning)));
}

function sharesOf(counts: Readonly<Record<string, Counted>>): Shares {
  return new Map(Object.entries(counts).map(([form, [rows]]) => [form, rows]));
}

function nowOf({ counts }: Tally): Shares {
  return new Map([...counts].map(([form, { rows }]) => [form, rows]));
}

/** How many values both sides would have kept, and how many of these are in both. */
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

/** Counts of one kind of thing before and now. */
type Shares = ReadonlyMap<string, number>;

/** Half the sum of the differences of shares: 0 for the same, 1 for nothing in common. */
function distance(before: Shares, now: Shares): number {
  const [allBefore, allNow] = [sumOf(before), sumOf(now)];
  if (allBefore === 0 || allNow === 0) return 0;
  let sum = 0;
  for (const form of new Set([...before.keys(), ...now.keys()])) {
    sum += Math.abs((before.get(form) ?? 0) / allBefore - (now.get(form) ?? 0) / allNow);
  }
  return sum / 2;
}

function sumOf(counts: Shares): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
