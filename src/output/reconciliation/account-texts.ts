import type { StatusCounts } from '../../domain/rows/row-state.ts';
import { countOf, groupedAmount, groupedNumber } from '../words/wording.ts';
import type { ComparedSum } from './comparison.ts';

/** Where every row of a batch stands, as the summary tells it. */
export interface AccountFigures {
  readonly rows: number;
  readonly counts: StatusCounts;
  readonly isComplete: boolean;
  readonly sums: readonly ComparedSum[];
  /** Null when the source file was not compared. */
  readonly source: {
    readonly rows: number;
    readonly missingRows: readonly number[];
    readonly additionalRows: readonly number[];
    readonly differingRows: readonly number[];
    readonly repeated: { readonly rows: number; readonly sums: readonly ComparedSum[] };
    readonly isEqual: boolean;
  } | null;
  readonly echoes: {
    readonly checked: number;
    readonly unchecked: number;
    readonly differing: number;
    readonly differences: readonly { readonly row: number; readonly fields: readonly string[] }[];
  };
  readonly contradictions: readonly {
    readonly kind: 'id' | 'natural_key' | 'unrecorded';
    readonly rows: readonly { readonly batch: string; readonly row: number }[];
  }[];
}

/** A row that waits for a person or for the next run. */
export interface UndecidedLine {
  readonly row: number;
  readonly status: string;
  readonly age: string;
  readonly known: string;
  readonly advice: string;
}

/** Rows that repeat another one count once, and are told with what they would add. */
export function repeatedRowsText({ rows, sums }: NonNullable<AccountFigures['source']>['repeated']): string {
  const amounts = sums.map(({ currency, amount }) => `${groupedAmount(amount, currency)} ${currency}`);
  const told = amounts.length === 0 ? '' : ` (${amounts.join(', ')})`;
  return `${countOf(rows, 'row')} of it${told} ${rows === 1 ? 'repeats another one exactly and is' : 'repeat others exactly and are'} not counted again.`;
}

/** A row that a replay sent again. */
interface ReplayLine {
  readonly row: number;
  readonly status: string;
  readonly origin: string;
}

/** What a replay came to: in numbers, and the first rows one by one. */
export interface ReplayFigures {
  readonly rows: number;
  readonly origins: readonly { readonly origin: string; readonly rows: number }[];
  readonly first: readonly ReplayLine[];
  /** Created rows whose objects have the facts again that the ledger lacked. */
  readonly filledFacts: number;
  /** Those whose objects have not, by the reason in words. */
  readonly missingFacts: readonly { readonly reason: string; readonly rows: number }[];
}

/** `2 × existed before, 1 × no conclusive answer`. */
export function replayCounts({ origins }: ReplayFigures): string {
  return origins.map(({ origin, rows }) => `${groupedNumber(rows)} × ${origin}`).join(', ');
}
