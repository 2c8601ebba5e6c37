/*
 * The questions of the mapping dialogue and their answers, as data: the terminal, a program and a page lead the
 * same dialogue. The shapes are public (docs/mapping.md). What was decided so far follows from the answers.
 */

import type { HiddenChoice, Kind } from '../domain/batches/batch.ts';
import type { Institution } from '../domain/institution.ts';
import type { Repair } from '../domain/tables/mapping.ts';
import type { MappingFile } from '../read/mapping/mapping-file.ts';
import type { DecidedColumns } from './column-groups.ts';
import type { Grid } from './grid.ts';

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

/** What a column is taken for a field by. */
export type ColumnEvidence = 'name_and_values' | 'part_of_name_and_values' | 'values';

/** Why a question is asked, as data: a code with what it is about. */
export type QuestionReason =
  | { readonly code: 'review' }
  /** Nothing in the file tells in which encoding its values are right. */
  | { readonly code: 'encoding_unclear'; readonly file: string }
  | { readonly code: 'several_sheets' }
  | { readonly code: 'several_headers' }
  | { readonly code: 'several_kinds' }
  | { readonly code: 'several_payee_types' }
  | { readonly code: 'hidden_rows' }
  /** Every row needs one of these fields, and no column is one of them. */
  | { readonly code: 'column_unused'; readonly missing: readonly string[] }
  | {
      readonly code: 'column_taken';
      readonly fields: readonly string[];
      readonly evidence: ColumnEvidence;
    }
  | {
      readonly code: 'field_missing';
      readonly field: string;
      /** The field's description, as in templates; empty where it has none. */
      readonly description: string;
      readonly neededBy: 'every_row' | 'rows_with_address';
    }
  /** The values of the column are not the words of the API. */
  | { readonly code: 'values_to_translate'; readonly field: string }
  /** An export has amounts, and none of its columns is the amount. */
  | { readonly code: 'amounts_unread' }
  | { readonly code: 'decimal_unclear' }
  | { readonly code: 'date_format_unclear' }
  | { readonly code: 'whole_name' }
  | { readonly code: 'phone_country_unclear' }
  | { readonly code: 'repair'; readonly repair: RepairName };

/** What every question has. */
interface Asked {
  readonly about: string;
  readonly sheet: string | null;
  /** How many rows it is about. */
  readonly rows: number;
  readonly samples: readonly (string | RepairSample)[];
  /** Why it is asked; each interface words it. */
  readonly why: QuestionReason;
  readonly options: readonly QuestionOption[];
  readonly free_text: boolean;
  readonly forecast: Forecast;
}

/** A question of the dialogue; `question` is its number, from 1 on. */
export type DialogueQuestion = { readonly question: number } & Asked & QuestionSubject;

/** What a column may be. */
export interface FieldOption {
  readonly id: string;
  readonly label: string;
}

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
      /** Every field that a column may be. */
      readonly fields: readonly FieldOption[];
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

/** What a reading is proposed from: the file, what is known beside it, and what a person has decided. */

/** What is known beside the file. Each question is asked of the ledger or the API once. */
export interface Facts {
  /** How many of the external ids are customers that are there, from 0 to 1. */
  readonly knownCustomers: (ids: readonly string[]) => Promise<number>;
  /** The labels of the customers' accounts, and how many of the customers have one, from 0 to 1. */
  readonly accountLabels: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The institutions of a country; empty where the API or the list cannot be reached. */
  readonly institutions: (country: string) => Promise<readonly Institution[]>;
}

/** What a person has stated beforehand, as settings of the call. */
export interface Stated {
  readonly kind?: Kind;
  readonly sheet?: string;
  readonly hidden?: HiddenChoice;
}

/** Answers by the question's id (`column:MoMo Number`, `reading:hidden`). */
export type Decisions = ReadonlyMap<string, Decision>;

/** Everything that is looked at to find a reading. */
export interface Proposing {
  readonly grids: readonly Grid[];
  readonly facts: Facts;
  readonly stated: Stated;
  /** YYYY-MM-DD in UTC. */
  readonly today: string;
  /** The encoding and delimiter that the file was read in, where they were chosen by a person. */
  readonly bytes?: Pick<MappingFile, 'encoding' | 'delimiter'>;
  /** What was agreed to before; what the dialogue does not ask about stays as it is there. */
  readonly earlier?: MappingFile;
}

/** What tells a row's payee type: one for all, the institution, or a column. Null for kinds without payee types. */
export type PayeeType = string | { readonly from: 'institution_name' } | 'column' | null;

/** What a person has said of columns, at the reviews and one by one: the last word counts. */
export function decidedColumns(decisions: Decisions): DecidedColumns {
  const decided = new Map<string, string | readonly string[] | null>();
  const say = (title: string, field: string | readonly string[]): void => {
    decided.set(title, field === 'ignore' ? null : field);
  };
  for (const [id, decision] of decisions) {
    if (id.startsWith('review:')) {
      if (typeof decision !== 'object' || decision === null || !('columns' in decision)) continue;
      for (const [title, field] of Object.entries(decision.columns)) say(title, field);
    } else if (id.startsWith('column:')) {
      const title = id.slice('column:'.length);
      if (typeof decision === 'string' || Array.isArray(decision)) say(title, decision);
      else if (decision === null) say(title, 'ignore');
    }
  }
  return decided;
}

/** The text of a decision that is one: an option's id, or what a person has typed. */
export function decidedText(decision: Decision | undefined): string | undefined {
  if (typeof decision === 'string') return decision;
  return typeof decision === 'object' &&
    decision !== null &&
    'text' in decision &&
    typeof decision.text === 'string'
    ? decision.text
    : undefined;
}

/** What a person has said of the values of a column. */
export function decidedValues(decisions: Decisions, title: string): ReadonlyMap<string, string | null> {
  const decision = decisions.get(`values:${title}`);
  return typeof decision === 'object' && decision !== null && 'values' in decision
    ? new Map(Object.entries(decision.values))
    : new Map();
}
