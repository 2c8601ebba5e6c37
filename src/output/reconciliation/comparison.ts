/* The result of a comparison in words and figures, for the terminal and the report. */

import { inCurrency } from '../../domain/money/money.ts';
import { countOf, groupedAmount, groupedNumber, printable } from '../words/wording.ts';

/** Records of one currency and their exact sum. */
export interface ComparedSum {
  readonly currency: string;
  readonly rows: number;
  readonly amount: string;
}

/** What one side of a comparison holds. */
interface ComparedSide {
  readonly records: number;
  /** Copies that stand with the same content in several of its files, and count once. */
  readonly repeated: { readonly records: number; readonly sums: readonly ComparedSum[] };
  /** Records that its mapping leaves out, by reason. */
  readonly leftOut: readonly { readonly reason: string; readonly records: number }[];
  readonly sums: readonly ComparedSum[];
}

/** The result of a comparison, state by state. */
export interface ComparisonFigures {
  readonly hereName: string;
  readonly thereName: string;
  /** What was compared, by name. */
  readonly compared: readonly string[];
  /** What was not, since some of the files do not have it. */
  readonly onlyInSome: readonly string[];
  /** What somebody should know of how the files were read. */
  readonly remarks: readonly string[];
  /** Whether it was said of which days the other side holds everything. */
  readonly isCoverageDeclared: boolean;
  /** Lines that somebody has to look at. */
  readonly breakCount: number;
  readonly here: ComparedSide;
  readonly there: ComparedSide;
  readonly states: readonly {
    readonly side: 'here' | 'there';
    readonly state: string;
    readonly isDifference: boolean;
    readonly records: number;
    readonly sums: readonly ComparedSum[];
  }[];
}

/** A difference that is told one by one. */
export interface BreakLine {
  readonly state: string;
  readonly hereRow: number | null;
  readonly thereRow: number | null;
  /** Null where there is one file only. */
  readonly thereFile: string | null;
  readonly differences: readonly { readonly field: string; readonly here: string; readonly there: string }[];
  readonly evidence: string;
  readonly action: string;
}

/** A state in one currency; further currencies of a state have no counts of their own. */
interface StateRow {
  readonly state: string;
  readonly isDifference: boolean;
  readonly counts: { readonly here: number; readonly there: number } | null;
  readonly currency: string;
  /** Empty where the side has no amount in this state and currency. */
  readonly amounts: { readonly here: string; readonly there: string };
}

/** The states with their counts and sums, a row for each currency. Amounts of a currency have as many decimals. */
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
 * Writes each amount with the digits after the point that its currency has, or the most that any of that currency
 * needs, so that they can be compared by eye.
 */
function decimalsAligned(all: readonly ComparedSum[]): (sum: ComparedSum) => string {
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

/** A state in words: matched records are a difference where a row of ours still needs a verdict. */
export function stateText(state: string, isDifference: boolean): string {
  return isDifference && state.startsWith('matched') ? `${state}, to be resolved` : state;
}

/** Fields that say nothing about a person; the values of all others stand in the breaks file only. */
const shownFields: ReadonlySet<string> = new Set(['id', 'reference', 'amount', 'currency', 'date', 'sum']);

/** The fields that differ, else why the line is where it is. */
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

/** What was not compared, or not as it stands in the files: it is told before anything that was. */
export function notComparedTexts(figures: ComparisonFigures): string[] {
  const { here, there, onlyInSome, remarks } = figures;
  return [
    ...notJudgedTexts(figures),
    ...leftOutText('here', here),
    ...leftOutText('there', there),
    ...(onlyInSome.length === 0
      ? []
      : [`Not compared, since not every file has it: ${onlyInSome.join(', ')}.`]),
    ...repeatedText('here', here),
    ...repeatedText('there', there),
    ...remarks.map(printable),
  ];
}

/** What nobody has said that the other side should have, and the settings that say it. */
export function notJudgedTexts({ isCoverageDeclared, states }: ComparisonFigures): string[] {
  const unjudged = states.find(({ side, state }) => side === 'here' && state === 'not_covered');
  if (isCoverageDeclared || unjudged === undefined) return [];
  const amounts = unjudged.sums.map(({ currency, amount }) => `${groupedAmount(amount)} ${currency}`.trim());
  const told = amounts.length === 0 ? '' : ` (${amounts.join(', ')})`;
  const are = unjudged.records === 1 ? 'is' : 'are';
  return [
    `Not judged: ${countOf(unjudged.records, 'record')} here that ${are} not there${told}: no coverage is declared. ` +
      'The setting coversFrom and the setting coversTo say of which days the other side holds everything; what is missing then is a difference.',
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
  const told = repeated.records === 1 ? 'record stands' : 'records stand';
  const counted = repeated.records === 1 ? 'counts' : 'count';
  return [
    `${groupedNumber(repeated.records)} ${told} in a second file ${name} with the same content, and ${counted} once.`,
  ];
}

/** What was compared, by name. */
export function comparedText({ compared }: ComparisonFigures): string {
  return `Compared: ${compared.join(', ')}.`;
}

/** The sentence that the comparison was proven by; without the proof there is no comparison. */
export function proofText(here: ComparedSide, there: ComparedSide): string {
  const padded = decimalsAligned([...here.sums, ...there.sums]);
  const side = (name: string, { records, sums }: ComparedSide): string => {
    const amounts = sums.map((sum) => `${groupedAmount(padded(sum))} ${sum.currency}`.trim());
    return `${countOf(records, 'record')} ${name}${sums.length > 0 ? ` (${amounts.join(', ')})` : ''}`;
  };
  const copies = here.repeated.records + there.repeated.records;
  const second = copies === 0 ? '' : ` (${groupedNumber(copies)} of them in a second file again)`;
  return (
    `Proof: each of ${side('here', here)} and ${side('there', there)} stands in exactly one state${second}, ` +
    'and the states add up to what was read.'
  );
}
