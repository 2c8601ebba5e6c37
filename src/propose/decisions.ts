/*
 * The questions of the mapping dialogue and their answers, as data, which the terminal, a program and a page share.
 * The shapes are public (docs/mapping.md). The decisions so far are derived from the answers.
 */

import type { HiddenChoice, Kind } from '../domain/batches/batch.ts';
import type { Institution } from '../domain/institution.ts';
import type { Message } from '../domain/settings/message.ts';
import { foldWord, type Repair } from '../domain/tables/mapping.ts';
import type { MappingFile } from '../read/mapping/mapping-file.ts';
import type { DecidedColumns } from './columns/column-groups.ts';
import type { Grid } from './sheet/grid.ts';

/** The numbers of rows that would pass, be refused, and be left out as not being rows, without further changes. */
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
  /** What speaks for it. */
  readonly evidence?: Message;
  readonly passes: number;
  /** What it makes of values that are refused now; only of questions about refused values. */
  readonly samples?: readonly RepairSample[];
}

/** The repair that a person agrees to for one column. */
export type RepairName = Repair;

/** A value of the file, the number of rows with it, and its possible meanings. */
interface ValueLine {
  readonly value: string;
  readonly rows: number;
  /** The API's word; `""` for nothing; null where the rows are refused. */
  readonly proposal: string | null;
  readonly options: readonly { readonly id: string | null; readonly label: string }[];
}

/** The rows that would be sent by an answer about rows that are set apart. */
export interface RowsToSend {
  /** All rows of the table. */
  readonly all: number;
  /** Whether none of them passes yet for other reasons: what is counted then is what would be sent without these. */
  readonly isUntried: boolean;
  /** The rows that would be sent, by the values of the question that they have. */
  readonly groups: readonly { readonly values: readonly string[]; readonly rows: number }[];
}

/** A value that is refused, with one of its rows. */
interface RefusedLine extends ValueLine {
  readonly example_row: number;
  /** The filled cells of that row, with their titles. */
  readonly in_row: readonly string[];
}

/** What a person says about refused values of one column: how they are read from now on. */
export interface RefusedChange {
  readonly repairs?: readonly Repair[];
  readonly values?: Readonly<Record<string, string | null>>;
  /** Words that mean an empty cell. */
  readonly empty?: readonly string[];
  /** Marks that mean the value above. */
  readonly marks?: readonly string[];
  /** Words beside amounts that mean nothing but the row's currency. */
  readonly units?: readonly string[];
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

/** Why a question is asked, as data: a code with its subject. */
export type QuestionReason =
  | { readonly code: 'review' }
  /** The file does not show which encoding is right. */
  | { readonly code: 'encoding_unclear'; readonly file: string }
  | { readonly code: 'several_sheets' }
  | { readonly code: 'several_headers' }
  | { readonly code: 'several_kinds' }
  | { readonly code: 'several_payee_types' }
  /** These columns may be the amount too. */
  | { readonly code: 'several_amounts'; readonly columns: readonly string[] }
  | { readonly code: 'hidden_rows' }
  /** A total of the file is none of its rows; plain decimals. `section` is what the rows since the total before add up to. */
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
      /** The field's description, as in templates; empty where it has none. */
      readonly description: string;
      readonly neededBy: 'every_row' | 'rows_with_address';
    }
  /** The values of the column are not the words of the API. */
  | { readonly code: 'values_to_translate'; readonly field: string }
  /** The words of the column may stand for nothing, or be values. */
  | { readonly code: 'words_may_be_nothing'; readonly field: string }
  /** An export has amounts, and none of its columns is the amount. */
  | { readonly code: 'amounts_unread' }
  | { readonly code: 'decimal_unclear' }
  | { readonly code: 'date_format_unclear' }
  | { readonly code: 'whole_name' }
  | { readonly code: 'phone_country_unclear' }
  /** Rows look different from others; `explained`: lines of the file that may say why. */
  | { readonly code: 'rows_marked'; readonly explained: readonly string[] }
  /** The values of a column may say which rows are not to be sent. */
  | { readonly code: 'column_may_exclude'; readonly column: string }
  /** A person has said that the values of a column decide which rows are sent. */
  | { readonly code: 'column_decides'; readonly column: string }
  | { readonly code: 'repair'; readonly repair: RepairName }
  /** Rows are refused for one reason, and another reading of the column may make them right. */
  | { readonly code: 'values_refused'; readonly finding: string; readonly message: string };

/** The common part of all questions. */
interface Asked {
  readonly about: string;
  readonly sheet: string | null;
  /** The number of rows that it is about. */
  readonly rows: number;
  readonly samples: readonly (string | RepairSample)[];
  /** Why it is asked; each interface writes its own text. */
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

/** The subject of a question, without its options and forecast. */
export type QuestionSubject =
  | {
      readonly kind: 'review';
      readonly proposal: 'accept';
      readonly columns: readonly {
        readonly column: string;
        readonly field: string | readonly string[] | null;
        /** Whether its values decide which rows are sent; such a column is no field. */
        readonly decides_rows?: true;
        readonly samples: readonly string[];
        /** The repairs that make its values readable. */
        readonly repairs: readonly RepairName[];
        /** Its values as they would be sent: all of them if they are few, else the rarest and the oddest. */
        readonly sent: readonly SentValue[];
      }[];
      /** Every field that a column may be. */
      readonly fields: readonly FieldOption[];
      readonly reasons: readonly RefusalReason[];
      /** Sheets with rows that are not read; absent for none. */
      readonly left_out_sheets?: readonly { readonly sheet: string; readonly rows: number }[];
    }
  | { readonly kind: 'column'; readonly proposal: string | readonly string[] | null }
  | {
      readonly kind: 'values';
      readonly field: string;
      readonly values: readonly ValueLine[];
      readonly proposal: null;
      /** The rows that would be sent with an answer; only of questions about rows that are set apart. */
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
      readonly repair: RepairName;
      readonly proposal: 'yes' | null;
    }
  | { readonly kind: 'reading'; readonly proposal: string | null };

/**
 * The field of questions about marked rows: it is none of a row, but what becomes of it. As the use of a column: its values
 * decide that.
 */
export const markedField = 'marked_rows';

/**
 * The use of a column of which a person has said that its values do not decide which rows are sent, so that they are not
 * asked about. That it is no field (`ignore`) does not say that: programs compare the columns with what they know.
 */
export const decidesNothing = 'decides_nothing';

const noFields: ReadonlySet<string | readonly string[]> = new Set(['ignore', markedField, decidesNothing]);

/** How a person leaves out a column of a review. */
export function leavingOut({ decides_rows: decides }: { readonly decides_rows?: true }): string {
  return decides === true ? decidesNothing : 'ignore';
}

/** The decision on one question: a validated answer. */
export type Decision =
  | { readonly columns: Readonly<Record<string, string | readonly string[]>> }
  | { readonly values: Readonly<Record<string, string | null>> }
  | { readonly text: string }
  | { readonly change: RefusedChange }
  | string
  | readonly string[]
  | null;

/** What a decision says of columns, of values, as a text, or of how a column is read from now on. */
interface Said {
  readonly columns?: Readonly<Record<string, string | readonly string[]>>;
  readonly values?: Readonly<Record<string, string | null>>;
  readonly text?: string;
  readonly change?: RefusedChange;
}

export function saidIn(decision: Decision | undefined): Said {
  return isSaid(decision) ? decision : {};
}

function isSaid(
  decision: Decision | undefined,
): decision is Exclude<Decision, string | readonly string[] | null> {
  return typeof decision === 'object' && decision !== null && !Array.isArray(decision);
}

/** The input of a proposal: the file, facts from elsewhere, and a person's decisions. */

/** Facts from outside the file. Each query goes to the ledger or the API once. */
export interface Facts {
  /** The share of the external ids that are existing customers, from 0 to 1. */
  readonly knownCustomers: (ids: readonly string[]) => Promise<number>;
  /** The labels of the customers' accounts, and the share of the customers that have one, from 0 to 1. */
  readonly accountLabels: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The institutions of a country; empty where the API or the list cannot be reached. */
  readonly institutions: (country: string) => Promise<readonly Institution[]>;
}

/** The reading settings of the call, stated beforehand. */
export interface Stated {
  readonly kind?: Kind;
  readonly sheet?: string;
  readonly hidden?: HiddenChoice;
}

/** Answers by the question's id (`column:MoMo Number`, `reading:hidden`). */
export type Decisions = ReadonlyMap<string, Decision>;

/** All input for finding a reading. */
export interface Proposing {
  readonly grids: readonly Grid[];
  readonly facts: Facts;
  readonly stated: Stated;
  /** YYYY-MM-DD in UTC. */
  readonly today: string;
  /** The encoding and delimiter that the file was read in, where they were chosen by a person. */
  readonly bytes?: Pick<MappingFile, 'encoding' | 'delimiter'>;
  /** The mapping agreed to before. Parts that the dialogue does not ask about stay unchanged. */
  readonly earlier?: MappingFile;
}

/**
 * The source of a row's payee type: one for all, the institution, or a column. Null for kinds without payee types.
 */
export type PayeeType = string | { readonly from: 'institution_name' } | 'column' | null;

/** A person's decisions on columns, in reviews and one by one; the latest counts. */
export function decidedColumns(decisions: Decisions): DecidedColumns {
  const decided = new Map<string, string | readonly string[] | null>();
  const say = (title: string, field: string | readonly string[]): void => {
    decided.set(title, noFields.has(field) ? null : field);
  };
  for (const [id, decision] of decisions) {
    if (id.startsWith('review:')) {
      for (const [title, field] of Object.entries(saidIn(decision).columns ?? {})) say(title, field);
    } else if (id.startsWith('column:')) {
      const title = id.slice('column:'.length);
      if (typeof decision === 'string' || Array.isArray(decision)) say(title, decision);
      else if (decision === null) say(title, 'ignore');
    }
  }
  return decided;
}

/** The columns of which a person has said last that their values decide which rows are sent. */
export function decidingColumns(decisions: Decisions): ReadonlySet<string> {
  return columnsSaid(decisions, markedField);
}

/** The columns of which a person has said last that they are used in this way. */
export function columnsSaid(decisions: Decisions, use: string): ReadonlySet<string> {
  const titles = new Set<string>();
  for (const decision of decisions.values()) {
    for (const [title, field] of Object.entries(saidIn(decision).columns ?? {})) {
      if (field === use) titles.add(title);
      else titles.delete(title);
    }
  }
  return titles;
}

/** The text of a text decision: an option's id, or a typed value. */
export function decidedText(decision: Decision | undefined): string | undefined {
  return typeof decision === 'string' ? decision : saidIn(decision).text;
}

/** A person's decisions on the values of a column. */
export function decidedValues(decisions: Decisions, title: string): ReadonlyMap<string, string | null> {
  return new Map(Object.entries(saidIn(decisions.get(`values:${title}`)).values ?? {}));
}

/** Totals, as plain decimals, of which a person has said that the rows are right nevertheless. */
export function acceptedTotals(decisions: Decisions): readonly string[] {
  const decision = decisions.get(totalsId);
  return Array.isArray(decision) ? decision.map(String) : [];
}

/** The key of the decision on totals that differ from the rows. */
export const totalsId = 'reading:totals';

/** The words of a column that a person has said to mean the value above, or nothing. */
export function decidedWords(decisions: Decisions, title: string): ReadonlySet<string> {
  const words = [...decisions].flatMap(([id, decision]) => {
    const { marks = [], empty = [] } = saidIn(decision).change ?? {};
    return id.startsWith(`refused:${title}:`) ? [...marks, ...empty] : [];
  });
  return new Set(words.map(foldWord));
}

/** The words, in small letters, that a person has said to mean nothing in any column. */
export function saidToMeanNothing(decisions: Decisions): ReadonlySet<string> {
  const words = [...decisions.values()].flatMap((decision) => {
    const { change, values = {} } = saidIn(decision);
    const meaningNothing = Object.entries(values).filter(([, meaning]) => meaning === '');
    return change?.empty ?? meaningNothing.map(([value]) => value);
  });
  return new Set(words.map((word) => word.toLowerCase()));
}
