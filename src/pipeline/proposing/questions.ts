import type { Repair } from '../../domain/tables/mapping.ts';

/**
 * The questions of the mapping dialogue and their answers, as data: the terminal, a program and a page lead the same
 * dialogue. The shapes are public (docs/mapping.md).
 */

/** How many rows would pass, be refused, and be left out as no rows, if nothing more was changed. */
export interface Forecast {
  readonly pass: number;
  readonly refused: number;
  readonly left_out: number;
}

/** Why rows would be refused: the reason, how many, and one of them. */
export interface RefusalReason {
  readonly code: string;
  readonly column: string | null;
  readonly rows: number;
  readonly example_row: number;
  readonly message: string;
}

/** One possible answer. `passes` is how many rows would pass with it. */
export interface QuestionOption {
  readonly id: string;
  readonly label: string;
  readonly passes: number;
}

/** What a person agrees to for one column. */
export type RepairName = Repair;

/** A value of the file, how many rows have it, and what it may mean. */
interface ValueLine {
  readonly value: string;
  readonly rows: number;
  /** The API's word; `""` for nothing; null where the rows are refused. */
  readonly proposal: string | null;
  readonly options: readonly { readonly id: string | null; readonly label: string }[];
}

/** A cell before and after a repair. */
export interface RepairSample {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

/** What every question has. */
interface Asked {
  readonly about: string;
  readonly sheet: string | null;
  /** How many rows it is about. */
  readonly rows: number;
  readonly samples: readonly (string | RepairSample)[];
  readonly why: string;
  readonly options: readonly QuestionOption[];
  readonly free_text: boolean;
  readonly forecast: Forecast;
}

/** A question of the dialogue; `question` is its number, from 1 on. */
export type DialogueQuestion = { readonly question: number } & Asked & QuestionSubject;

/** What a question is about, without its options and forecast. */
export type QuestionSubject =
  | {
      readonly kind: 'review';
      readonly proposal: 'accept';
      readonly columns: readonly {
        readonly column: string;
        readonly field: string | readonly string[] | null;
        readonly samples: readonly string[];
        /** What is done to its values so that they can be read. */
        readonly repairs: readonly RepairName[];
      }[];
      readonly reasons: readonly RefusalReason[];
    }
  | { readonly kind: 'column'; readonly proposal: string | readonly string[] | null }
  | {
      readonly kind: 'values';
      readonly field: string;
      readonly values: readonly ValueLine[];
      readonly proposal: null;
    }
  | { readonly kind: 'constant'; readonly proposal: string | null }
  | {
      readonly kind: 'repair';
      readonly repair: RepairName;
      readonly proposal: 'yes' | null;
    }
  | { readonly kind: 'reading'; readonly proposal: string | null };

/** What was decided about one question: a checked answer. */
export type Decision =
  | { readonly columns: Readonly<Record<string, string | readonly string[]>> }
  | { readonly values: Readonly<Record<string, string | null>> }
  | { readonly text: string }
  | string
  | readonly string[]
  | null;
