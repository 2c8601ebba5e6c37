/* The result of a comparison in words and figures, for the terminal and the report. */

import type { ComparedSide, ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import { countOf, groupedAmount, groupedNumber, inCurrency } from '../../domain/money/money.ts';
import type { CurrencySum } from '../../domain/money/sums.ts';
import type { FoundDifference, RowRemedy } from '../../domain/rows/row-state.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import { printable } from '../../domain/text/characters.ts';
import { byteOrderMark, csvText } from '../files/replacement-file.ts';
import { differenceWords, rowRemedyText, type StepNames } from '../words/row-words.ts';

/** A difference that is listed on its own. */
export interface BreakLine {
  readonly state: string;
  readonly hereRow: number | null;
  readonly thereRow: number | null;
  /** Null if there is only one file. */
  readonly thereFile: string | null;
  readonly differences: readonly { readonly field: string; readonly here: string; readonly there: string }[];
  readonly evidence: string;
  readonly action: RowRemedy | null;
}

/** A state in one currency. Only the first currency of a state has counts. */
interface StateRow {
  readonly state: string;
  readonly isDifference: boolean;
  readonly counts: { readonly here: number; readonly there: number } | null;
  readonly currency: string;
  /** Empty if the side has no amount in this state and currency. */
  readonly amounts: { readonly here: string; readonly there: string };
}

/**
 * The states with their counts and sums, a row for each currency. Amounts of a currency have the same number of decimals.
 */
export function stateRows({ here, there, states }: ComparisonFigures): StateRow[] {
  const padded = decimalsAligned([...here.sums, ...there.sums]);
  const keyOf = ({ state, isDifference }: (typeof states)[number]): string => `${state} ${isDifference}`;
  const keys = new Map(states.map((each) => [keyOf(each), each]));
  return [...keys].flatMap(([key, { state, isDifference }]) => {
    const sides = states.filter((each) => keyOf(each) === key);
    const of = (side: 'here' | 'there'): (typeof states)[number] | undefined =>
      sides.find((each) => each.side === side);
    const counts = { here: of('here')?.records ?? 0, there: of('there')?.records ?? 0 };
    const currencies = [...new Set(sides.flatMap(({ sums }) => sums.map(({ currency }) => currency)))];
    const amount = (side: 'here' | 'there', currency: string): string => {
      const sum = of(side)?.sums.find((each) => each.currency === currency);
      return sum === undefined ? '' : padded(sum);
    };
    return (currencies.length === 0 ? [''] : currencies).map((currency, at) => ({
      state,
      isDifference,
      counts: at === 0 ? counts : null,
      currency,
      amounts: { here: amount('here', currency), there: amount('there', currency) },
    }));
  });
}

/**
 * Writes each amount with its currency's number of decimals, or the most that any amount of that currency needs, so that
 * they can be compared by eye.
 */
function decimalsAligned(all: readonly CurrencySum[]): (sum: CurrencySum) => string {
  const decimals = new Map<string, number>();
  for (const { currency, amount } of all) {
    const { length } = fractionOf(inCurrency(amount, currency));
    decimals.set(currency, Math.max(decimals.get(currency) ?? 0, length));
  }
  return ({ currency, amount: exact }) => {
    const amount = inCurrency(exact, currency);
    const fraction = fractionOf(amount);
    const width = decimals.get(currency) ?? 0;
    const point = fraction === '' && width > 0 ? '.' : '';
    return `${amount}${point}${'0'.repeat(Math.max(0, width - fraction.length))}`;
  };
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}

/** A state in words. Matched records are a difference if one of paybatch's own rows still needs a verdict. */
export function stateText(state: string, isDifference: boolean): string {
  if (state === 'matched_by_id') return `${state}, amounts not compared`;
  return isDifference && state.startsWith('matched') ? `${state}, to be resolved` : state;
}

/** Fields without personal data; the values of all others are only in the breaks file. */
const shownFields: ReadonlySet<string> = new Set(['id', 'reference', 'amount', 'currency', 'date', 'sum']);

/** The fields that differ; without such fields, the reason for the line's state. */
export function differenceText({
  differences,
  evidence,
}: Pick<BreakLine, 'differences' | 'evidence'>): string {
  if (differences.length === 0) return evidence;
  return differences
    .map(({ field, here, there }) =>
      shownFields.has(field)
        ? `${field}: ${here || '(empty)'} here, ${there || '(empty)'} there`
        : `${field} differs: see the breaks file`,
    )
    .join('; ');
}

/** How a field is named. */
type Naming = (field: string) => string;

const byFieldName: Naming = (field) => field;

/**
 * What a person has to know first about a comparison: what was compared, and what was not checked.
 * @param named how fields are named
 */
export function firstTexts(figures: ComparisonFigures, named: Naming = byFieldName): Message[] {
  return [
    comparedText(figures, named),
    ...amountsTexts(figures),
    ...readTexts(figures, named),
    ...unreadTexts(figures),
    ...notJudgedTexts(figures),
  ];
}

/** What was compared, by name. */
function comparedText({ compared }: ComparisonFigures, named: Naming): string {
  return compared.length === 0 ? 'Nothing was compared.' : `Compared: ${compared.map(named).join(', ')}.`;
}

function amountsTexts({ amounts, unread }: ComparisonFigures): Message[] {
  if (amounts === 'not_wanted') return ['Amounts were not compared, as somebody has said.'];
  if (amounts !== 'not_read') return [];
  const titles = unread.filter(({ hasAmounts }) => hasAmounts).map(({ title }) => title);
  const why =
    titles.length === 0
      ? 'not every file has a column that is read as the amount'
      : `nothing says whether ${titlesText(titles, 'or')} is the amount`;
  return [
    say`Amounts were not compared: ${why}. No pair counts as matched until a mapping says which column it is, or until ${{ setting: 'compare' }} leaves amounts out.`,
  ];
}

/**
 * Mentions columns that were recognised by their values or by a mapping. A column with a known title needs no mention.
 */
function readTexts({ columns }: ComparisonFigures, named: Naming): string[] {
  const byValues = columns.filter(({ by }) => by === 'values');
  const texts = new Set(byValues.map(({ title, as }) => `${printable(title)} as ${named(as)}`));
  return texts.size === 0 ? [] : [`Read by their values: ${[...texts].join(', ')}.`];
}

function unreadTexts({ unread }: ComparisonFigures): string[] {
  const titles = [...new Set(unread.map(({ title }) => title))];
  return titles.length === 0 ? [] : [`Not read: ${titlesText(titles, 'and')}.`];
}

const titlesShown = 12;

/** Titles of columns in a sentence, the first of them. */
function titlesText(all: readonly string[], word: 'and' | 'or'): string {
  const titles = [...new Set(all)].map(printable);
  const more = titles.length - titlesShown;
  if (more > 0) return `${titles.slice(0, titlesShown).join(', ')} ${word} ${countOf(more, 'more column')}`;
  return titles.length < 2 ? titles.join('') : `${titles.slice(0, -1).join(', ')} ${word} ${titles.at(-1)}`;
}

/**
 * What was left out of the comparison, or counts in another way than the files show it.
 * @param named how fields are named
 */
export function notComparedTexts(
  { here, there, onlyInSome, remarks }: ComparisonFigures,
  named: Naming = byFieldName,
): string[] {
  return [
    ...leftOutText('here', here),
    ...leftOutText('there', there),
    ...(onlyInSome.length === 0
      ? []
      : [`Not compared, since not every file has it: ${onlyInSome.map(named).join(', ')}.`]),
    ...repeatedText('here', here),
    ...repeatedText('there', there),
    ...remarks.map(printable),
  ];
}

/** What is not declared about the other side's coverage, and the settings that declare it. */
function notJudgedTexts({ isCoverageDeclared, states }: ComparisonFigures): Message[] {
  const unjudged = states.find(({ side, state }) => side === 'here' && state === 'not_covered');
  if (isCoverageDeclared || unjudged === undefined) return [];
  const amounts = unjudged.sums.map(({ currency, amount }) => `${groupedAmount(amount)} ${currency}`.trim());
  const sums = amounts.length === 0 ? '' : ` (${amounts.join(', ')})`;
  const are = unjudged.records === 1 ? 'is' : 'are';
  return [
    say`Not judged: ${countOf(unjudged.records, 'record')} here that ${are} not there${sums}: no coverage is declared. ${{ setting: 'coversFrom' }} and ${{ setting: 'coversTo' }} say of which days the other side holds everything; what is missing then is a difference.`,
  ];
}

function leftOutText(name: string, { leftOut }: ComparedSide): string[] {
  if (leftOut.length === 0) return [];
  const total = leftOut.reduce((sum, { records }) => sum + records, 0);
  const reasons = leftOut.map(({ reason, records }) => `${printable(reason)} (${groupedNumber(records)})`);
  return [`Left out ${name} by the mapping: ${countOf(total, 'record')}: ${reasons.join(', ')}.`];
}

function repeatedText(name: string, { repeated }: ComparedSide): string[] {
  if (repeated.records === 0) return [];
  const records = repeated.records === 1 ? 'record is' : 'records are';
  const counted = repeated.records === 1 ? 'counts' : 'count';
  return [
    `${groupedNumber(repeated.records)} ${records} in a second file ${name} with the same content, and ${counted} once.`,
  ];
}

/** The sentence with the proof of the comparison; without the proof there is no comparison. */
export function proofText(here: ComparedSide, there: ComparedSide): string {
  const padded = decimalsAligned([...here.sums, ...there.sums]);
  const side = (name: string, { records, sums }: ComparedSide): string => {
    const amounts = sums.map((sum) => `${groupedAmount(padded(sum))} ${sum.currency}`.trim());
    return `${countOf(records, 'record')} ${name}${sums.length > 0 ? ` (${amounts.join(', ')})` : ''}`;
  };
  const copies = here.repeated.records + there.repeated.records;
  const second = copies === 0 ? '' : ` (${groupedNumber(copies)} of them in a second file again)`;
  return (
    `Proof: each of ${side('here', here)} and ${side('there', there)} is in exactly one state${second}, ` +
    'and the states add up to what was read.'
  );
}

/* Differences as lines of a CSV file: both sides of each value in adjacent columns. */

/** Writes differences, one per line. */
interface DifferenceRecords {
  /** The line of titles, with the byte order mark that spreadsheet programs need. */
  readonly header: string;
  readonly line: (difference: FoundDifference) => string;
}

/**
 * @param names of all values in the differences
 * @param steps the channel's names for what can be done
 */
export function differenceRecords(names: readonly string[], steps: StepNames): DifferenceRecords {
  const titles = [
    ...['difference', 'here_row', 'here_status', 'there_file', 'there_row', 'differing'],
    ...names.flatMap((name) => [`${name} here`, `${name} there`]),
    ...['evidence', 'meaning', 'next_step'],
  ];
  return {
    header: byteOrderMark + csvText([titles]),
    line: ({ kind, row, status, there, values, evidence, action }) => {
      const { name: label, meaning, next } = differenceWords(kind);
      const byName = new Map(values.map((value) => [value.name, value]));
      const differing = values.filter(({ differs }) => differs).map(({ name }) => name);
      return csvText([
        [
          label,
          row === null ? '' : String(row),
          status ?? '',
          there === null ? '' : (there.file ?? 'the API'),
          there?.row == null ? '' : String(there.row),
          differing.join(', '),
          ...names.flatMap((name) => [byName.get(name)?.here ?? '', byName.get(name)?.there ?? '']),
          evidence,
          meaning,
          action === null ? next : rowRemedyText(action, steps),
        ],
      ]);
    },
  };
}
