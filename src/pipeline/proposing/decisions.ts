import type { HiddenChoice, Kind } from '../../domain/batches/batch.ts';
import type { Institution } from '../../domain/institution.ts';
import type { MappingFile } from '../mapping/mapping-file.ts';
import type { DecidedColumns } from './column-groups.ts';
import type { Grid } from './grid.ts';
import type { Decision } from './questions.ts';

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

/** What a person has stated beforehand, as options of the command. */
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
