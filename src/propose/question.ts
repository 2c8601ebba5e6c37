/*
 * The questions of the mapping dialogue as data, which the terminal, programs and pages share. Their shapes are public
 * (docs/mapping.md).
 */

import type { Message } from '../domain/settings/message.ts';
import type { Repair } from '../domain/tables/mapping.ts';

/**
 * The numbers of rows that would pass, would be refused, and would be left out because they are not rows, without
 * further changes.
 */
export interface Forecast {
  readonly pass: number;
  readonly refused: number;
  readonly left_out: number;
}

/** Why rows would be refused: the reason, their number, and one of them. */
export interface RefusalReason {
  readonly code: string;
  readonly column: string | null;
  readonly rows: number;
  readonly example_row: number;
  readonly message: Message;
}

/** One possible answer. `passes` is the number of rows that would pass with it. */
export interface QuestionOption {
  readonly id: string;
  readonly label: string;
  /** The evidence for this answer. */
  readonly evidence?: Message;
  readonly passes: number;
  /** The results for values that are refused now. Only questions about refused values have them. */
  readonly samples?: readonly RepairSample[];
}

/** A value of the file, the number of rows with it, and its possible meanings. */
interface ValueLine {
  readonly value: string;
  readonly rows: number;
  /** The API's word; `""` means nothing; null means that the rows are refused. */
  readonly proposal: string | null;
  readonly options: readonly { readonly id: string | null; readonly label: string }[];
}

/** The rows that an answer about marked rows would send. */
export interface RowsToSend {
  /** All rows of the table. */
  readonly all: number;
  /** Whether no row passes yet for other reasons. Then the counts ignore these reasons. */
  readonly isUntried: boolean;
  /** The rows that would be sent, grouped by the values of the question that they have. */
  readonly groups: readonly { readonly values: readonly string[]; readonly rows: number }[];
}

/** A value that is refused, with one of its rows. */
interface RefusedLine extends ValueLine {
  readonly example_row: number;
  /** The filled cells of that row, with their titles. */
  readonly in_row: readonly string[];
}

/** A cell before and after a repair. */
export interface RepairSample {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

/** The evidence for a column's field. */
export type ColumnEvidence = 'name_and_values' | 'part_of_name_and_values' | 'values';

/** A value as it would be sent, with the number of rows that have it, and one of them. */
export interface SentValue {
  /** As the file has it. */
  readonly value: string;
  readonly sent: string;
  readonly rows: number;
  readonly example_row: number;
}

/** Why a question is asked, as data: a code and the subject of the question. */
export type QuestionReason =
  | { readonly code: 'review' }
  /** The file does not show which encoding is right. */
  | { readonly code: 'encoding_unclear'; readonly file: string }
  | { readonly code: 'several_sheets' }
  | { readonly code: 'several_headers' }
  | { readonly code: 'several_kinds' }
  | { readonly code: 'several_payee_types' }
  /** These columns may also be the amount. */
  | { readonly code: 'several_amounts'; readonly columns: readonly string[] }
  | { readonly code: 'hidden_rows' }
  /**
   * A total of the file is none of its rows. Amounts are plain decimals. `section` is the sum of the rows since the
   * previous total.
   */
  | {
      readonly code: 'total_differs';
      readonly row: number;
      readonly total: string;
      readonly section: string;
      readonly all: string;
      /** The number of further totals that differ. */
      readonly more: number;
    }
  /** Every row needs one of these fields, but no column has one. */
  | { readonly code: 'column_unused'; readonly missing: readonly string[] }
  | {
      readonly code: 'column_taken';
      readonly fields: readonly string[];
      readonly evidence: ColumnEvidence;
    }
  | {
      readonly code: 'field_missing';
      readonly field: string;
      /** The field's description, as in templates; empty if it has none. */
      readonly description: string;
      readonly neededBy: 'every_row' | 'rows_with_address';
    }
  /** The values of the column are not the words of the API. */
  | { readonly code: 'values_to_translate'; readonly field: string }
  /** The words of the column may mean nothing, or be values. */
  | { readonly code: 'words_may_be_nothing'; readonly field: string }
  /** An export has amounts, and none of its columns is the amount. */
  | { readonly code: 'amounts_unread' }
  | { readonly code: 'decimal_unclear' }
  | { readonly code: 'date_format_unclear' }
  | { readonly code: 'whole_name' }
  | { readonly code: 'phone_country_unclear' }
  /** Rows look different from others. `explained` has lines of the file that may explain it. */
  | { readonly code: 'rows_marked'; readonly explained: readonly string[] }
  /** The values of a column may say which rows are not to be sent. */
  | { readonly code: 'column_may_exclude'; readonly column: string }
  /** A person has said that the values of a column decide which rows are sent. */
  | { readonly code: 'column_decides'; readonly column: string }
  | { readonly code: 'repair'; readonly repair: Repair }
  /** Rows are refused for one reason. Another reading of the column may make them right. */
  | { readonly code: 'values_refused'; readonly finding: string; readonly message: string };

/** The common part of all questions. */
interface Asked {
  readonly about: string;
  readonly sheet: string | null;
  /** The number of rows that the question is about. */
  readonly rows: number;
  readonly samples: readonly (string | RepairSample)[];
  /** The reason for the question. Each interface writes its own text. */
  readonly why: QuestionReason;
  readonly options: readonly QuestionOption[];
  readonly free_text: boolean;
  readonly forecast: Forecast;
}

/** A question of the dialogue; `question` is its number, from 1 on. */
export type DialogueQuestion = { readonly question: number } & Asked & QuestionSubject;

/** A field that a column may be. */
export interface FieldOption {
  readonly id: string;
  readonly label: string;
}

/** A column that an answer may divide into any fields. */
export interface DividedCells {
  /** How many values nearly every cell has at most; absent if it has one. */
  readonly values_per_cell?: number;
}

/** The subject of a question, without its options and forecast. */
export type QuestionSubject =
  | {
      readonly kind: 'review';
      readonly proposal: 'accept';
      readonly columns: readonly (DividedCells & {
        readonly column: string;
        readonly field: string | readonly string[] | null;
        /** Whether the column's values decide which rows are sent. Such a column is no field. */
        readonly decides_rows?: true;
        readonly samples: readonly string[];
        /** The repairs that make the column's values readable. */
        readonly repairs: readonly Repair[];
        /**
         * The column's values as they would be sent: all of them if they are few, else the rarest and most unusual
         * ones.
         */
        readonly sent: readonly SentValue[];
      })[];
      /** Every field that a column may be. */
      readonly fields: readonly FieldOption[];
      readonly reasons: readonly RefusalReason[];
      /** Sheets with rows that are not read; absent if there are none. */
      readonly left_out_sheets?: readonly { readonly sheet: string; readonly rows: number }[];
    }
  | ({ readonly kind: 'column'; readonly proposal: string | readonly string[] | null } & DividedCells)
  | {
      readonly kind: 'values';
      readonly field: string;
      readonly values: readonly ValueLine[];
      readonly proposal: null;
      /** The rows that an answer would send. Only questions about marked rows have it. */
      readonly sending?: RowsToSend;
    }
  | {
      readonly kind: 'refused';
      readonly field: string;
      /** The code of the finding. */
      readonly code: string;
      /** The values, the most frequent first. */
      readonly values: readonly RefusedLine[];
      /** The number of further values. */
      readonly more: number;
      readonly proposal: string;
    }
  | { readonly kind: 'constant'; readonly proposal: string | null }
  | {
      readonly kind: 'repair';
      readonly repair: Repair;
      readonly proposal: 'yes' | null;
    }
  | { readonly kind: 'reading'; readonly proposal: string | null };
