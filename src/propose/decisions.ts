/*
 * The input for proposing a reading: a person's decisions, as the answers of the dialogue contain them; the file; and
 * facts.
 */

import type { HiddenChoice, Kind } from '../domain/batches/batch.ts';
import type { Institution } from '../domain/institution.ts';
import { foldWord, type Repair } from '../domain/tables/mapping.ts';
import type { MappingFile } from '../read/mapping/mapping-schema.ts';
import type { Grid } from './sheet/grid.ts';

/**
 * The field of questions about marked rows. It is not a field of a row: the answers decide what is done with the row.
 * As the use of a column, it means that the column's values decide that.
 */
export const markedField = 'marked_rows';

/**
 * The use of a column of which a person has said that its values do not decide which rows are sent, so that no question
 * is asked about them. The use `ignore` does not say that: a program may choose it only because it knows no field for
 * the column.
 */
export const decidesNothing = 'decides_nothing';

const noFields: ReadonlySet<string | readonly string[]> = new Set(['ignore', markedField, decidesNothing]);

/** The use with which a person leaves out a column in a review. */
export function leavingOut({ decides_rows: decides }: { readonly decides_rows?: true }): string {
  return decides === true ? decidesNothing : 'ignore';
}

/** The answer of a person about refused values of one column: how they are read from now on. */
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

/**
 * The content of a decision. It has one of these parts: columns, values, a text, or a change in how a column is read.
 */
interface Said {
  readonly columns?: Readonly<Record<string, string | readonly string[]>>;
  readonly values?: Readonly<Record<string, string | null>>;
  readonly text?: string;
  readonly change?: RefusedChange;
}

/** The decision on one question: a validated answer. */
export type Decision = Said | string | readonly string[] | null;

/** Answers by the question's id (`column:MoMo Number`, `reading:hidden`). */
export type Decisions = ReadonlyMap<string, Decision>;

export function saidIn(decision: Decision | undefined): Said {
  return isSaid(decision) ? decision : {};
}

function isSaid(decision: Decision | undefined): decision is Said {
  return typeof decision === 'object' && decision !== null && !Array.isArray(decision);
}

/** A person's decision about a column: a field, several fields to split it into, or null to leave it out. */
export type DecidedColumns = ReadonlyMap<string, string | readonly string[] | null>;

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

/** The columns of which a person's last answer says that their values decide which rows are sent. */
export function decidingColumns(decisions: Decisions): ReadonlySet<string> {
  return columnsSaid(decisions, markedField);
}

/** The columns for which a person's last answer states this use. */
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

/** Totals, as plain decimals. A person has said that the rows are right although these totals differ. */
export function acceptedTotals(decisions: Decisions): readonly string[] {
  const decision = decisions.get(totalsId);
  return Array.isArray(decision) ? decision.map(String) : [];
}

/** The key of the decision about totals that differ from the rows. */
export const totalsId = 'reading:totals';
/** The decision about such totals to refuse the file. */
export const refuseFile = 'refuse';

/** The words of a column that mean the value above, or nothing, according to a person. */
export function decidedWords(decisions: Decisions, title: string): ReadonlySet<string> {
  const words = [...decisions].flatMap(([id, decision]) => {
    const { marks = [], empty = [] } = saidIn(decision).change ?? {};
    return id.startsWith(`refused:${title}:`) ? [...marks, ...empty] : [];
  });
  return new Set(words.map(foldWord));
}

/** The words, in small letters, that mean nothing in any column, according to a person. */
export function saidToMeanNothing(decisions: Decisions): ReadonlySet<string> {
  const words = [...decisions.values()].flatMap((decision) => {
    const { change, values = {} } = saidIn(decision);
    const meaningNothing = Object.entries(values).filter(([, meaning]) => meaning === '');
    return change?.empty ?? meaningNothing.map(([value]) => value);
  });
  return new Set(words.map((word) => word.toLowerCase()));
}

/* The input of a proposal: the file, facts from elsewhere, and the settings of the call. */

/** Facts from outside the file. Each query goes to the ledger or the API once. */
export interface Facts {
  /** The share of the external ids that are existing customers, from 0 to 1. */
  readonly knownCustomers: (ids: readonly string[]) => Promise<number>;
  /** The labels of the customers' accounts, and the share of the customers that have one, from 0 to 1. */
  readonly accountLabels: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The institutions of a country; empty if the API or the list cannot be reached. */
  readonly institutions: (country: string) => Promise<readonly Institution[]>;
}

/** The settings for reading that the call states in advance. */
export interface Stated {
  readonly kind?: Kind;
  readonly sheet?: string;
  readonly hidden?: HiddenChoice;
}

/** All input for finding a reading. */
export interface Proposing {
  readonly grids: readonly Grid[];
  readonly facts: Facts;
  readonly stated: Stated;
  /** The encoding and delimiter with which the file was read, if a person chose them. */
  readonly bytes?: Pick<MappingFile, 'encoding' | 'delimiter'>;
  /** The mapping agreed to before. Parts that the dialogue does not ask about stay unchanged. */
  readonly earlier?: MappingFile;
}
