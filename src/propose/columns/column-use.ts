/*
 * Chooses the field for each column: the pair with the best score comes first. The certainty of a use, and its rival
 * column, are found in the same way for rows to import and for exports.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import { ignoredPart } from '../../domain/tables/mapping.ts';
import type { DecidedColumns } from '../decisions.ts';
import type { ColumnEvidence } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import { areDivided, divisionInto } from './divided-cells.ts';
import { isPlainNumbers } from './evidence.ts';

/** The proposed use of one column. */
export interface Use {
  readonly column: Column;
  /** One field; several if its values are split; none if it is left out. */
  readonly fields: readonly string[];
  /** The strength of the evidence, from 0 to 1. */
  readonly score: number;
  /** The evidence; null if there is no evidence and the column is left out. */
  readonly evidence: ColumnEvidence | 'decided' | null;
  /** Another column whose evidence for this field is as good, or nearly as good. */
  readonly rival?: Column;
}

/** The uses, with one for each value of cells that have several. A name or an address in parts stays one use. */
export function usesOfValues(uses: readonly Use[]): readonly Use[] {
  return uses.flatMap((use): readonly Use[] => {
    if (!areDivided(use.fields)) return [use];
    const parts = divisionInto(use.column, use.fields)?.parts ?? [];
    return use.fields.flatMap((field, place) => {
      const column = parts[place];
      return field === ignoredPart || column === undefined ? [] : [{ ...use, column, fields: [field] }];
    });
  });
}

/** The column whose values are read as a field. A column that is split into a name or an address is none. */
export function columnOfField(uses: readonly Use[], field: string): Column | undefined {
  return usesOfValues(uses).find(({ fields: [first, ...others] }) => first === field && others.length === 0)
    ?.column;
}

/** The field that a column was chosen for. */
export interface Placed {
  readonly field: string;
  readonly column: Column;
  readonly score: number;
  /** The fields, if the column's values are split into several fields. */
  readonly fields?: readonly string[];
}

export type Taken = ReadonlyMap<Column, Placed>;

/** The data by which the columns of a sheet are grouped. */
export interface Grouping {
  readonly kind: Kind;
  readonly columns: readonly Column[];
  readonly decided: DecidedColumns;
  /** Whether every row needs a field. */
  readonly isRequired: (field: string) => boolean;
}

/** A field that a column may be. */
export interface Candidate extends Placed {
  /** The evidence of its title, from 0 to 1. */
  readonly word: number;
}

/** The lowest score with which a column is taken for a field. */
export const least = 0.42;
/** A column whose score is lower is a guess. A person has to confirm it. */
export const unsure = 0.62;

/**
 * The combined evidence of a title and of values for a field, from 0 to 1.
 * @param areValuesDistinctive whether such values identify the field by themselves
 */
export function weighEvidence(word: number, value: number, areValuesDistinctive: boolean): number {
  if (value < 0.1) return word === 1 ? 0.45 : 0;
  if (word >= 0.4) return 0.6 * word + 0.4 * value;
  return areValuesDistinctive && value >= 0.7 ? 0.45 + 0.2 * value : 0.35 * word + 0.3 * value;
}

/** Fields whose values may be spread over several columns. */
const joinableFields: ReadonlySet<string> = new Set([
  ...['account_name', 'first_name', 'middle_name', 'last_name'],
  ...['address_line1', 'address_line2'],
]);

/**
 * Chooses pairs of a column and a field, the surest first. A column gets one field, and a field gets one column. A
 * person's decisions are not weighed.
 */
export function chosen(
  columns: readonly Column[],
  candidates: readonly Candidate[],
  decided: DecidedColumns,
): ReadonlyMap<Column, Candidate> {
  const taken = new Map<Column, Candidate>();
  const fields = new Set<string>();
  for (const column of columns) {
    const said = decided.get(column.title);
    // If a person says that a column is another part of a name or an address, the column is joined to the first part.
    for (const field of [said ?? []].flat()) if (!joinableFields.has(field)) fields.add(field);
  }
  for (const candidate of [...candidates].sort((left, right) => right.score - left.score)) {
    const { column, field } = candidate;
    if (decided.has(column.title) || taken.has(column) || fields.has(field)) continue;
    taken.set(column, candidate);
    fields.add(field);
  }
  return taken;
}

/** If the score of a second column is this close, it is worth a question. */
const nearlySame = 0.12;
/**
 * The same difference for two columns of amounts of which only one is written in plain numbers. Formulas, units and
 * words are no evidence against the column that is paid; the other may be a column of balances that a program wrote.
 */
const writtenOtherwise = 0.35;
/** A column that is mostly empty in comparison with the chosen one is no rival. */
const nearlyAsFull = 0.7;

/** The use of a column, and its rival for that use. */
export function useOf(
  column: Column,
  taken: Taken,
  candidates: readonly Candidate[],
  decided: DecidedColumns,
): Use {
  const said = decided.get(column.title);
  if (said !== undefined)
    return { column, fields: said === null ? [] : [said].flat(), score: 1, evidence: 'decided' };
  const own = taken.get(column);
  if (own === undefined) return { column, fields: [], score: 0, evidence: null };
  const rival = candidates.find(
    (other) =>
      other.field === own.field &&
      other.column !== column &&
      other.score > own.score - marginOf(own, other) &&
      other.column.cells.length > own.column.cells.length * nearlyAsFull &&
      !sharesField(taken, other),
  );
  return {
    column,
    fields: own.fields ?? [own.field],
    score: own.score,
    evidence: evidenceFor(column, own.field, candidates),
    ...(rival === undefined ? {} : { rival: rival.column }),
  };
}

/** How much lower than the score of the chosen column the score of a rival may be. */
function marginOf(own: Pick<Candidate, 'field' | 'column'>, other: Candidate): number {
  if (own.field !== 'amount' || isPlainNumbers(own.column) === isPlainNumbers(other.column))
    return nearlySame;
  return writtenOtherwise;
}

function sharesField(taken: Taken, { column, field }: Candidate): boolean {
  const use = taken.get(column);
  return use !== undefined && (use.field === field || use.score > 0.8);
}

function evidenceFor(column: Column, field: string, candidates: readonly Candidate[]): ColumnEvidence {
  const candidate = candidates.find((each) => each.column === column && each.field === field);
  if (candidate === undefined || candidate.word >= 0.6) return 'name_and_values';
  return candidate.word > 0 ? 'part_of_name_and_values' : 'values';
}
