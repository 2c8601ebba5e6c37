/* Other readings that are nearly as likely: another kind of the rows, or another column for the amount. */

import type { Kind } from '../../domain/batches/batch.ts';
import { looksLikeAmount } from '../../kinds/fields/amount.ts';
import { columnsOf, ruleOf } from '../../kinds/registry.ts';
import { type Assignment, constantFields, requiredGroups } from '../columns/assignment.ts';
import { type Use, unsure } from '../columns/column-use.ts';
import {
  isPlainNumbers,
  isRunning,
  mayBeAmount,
  mostAmounts,
  nothingKnown,
  plainShare,
  valueScore,
} from '../columns/evidence.ts';
import type { Decision } from '../decisions.ts';
import { type Column, share } from '../sheet/column.ts';
import { isOtherThanPaid } from '../sheet/title-words.ts';
import type { ReadingParts } from './point.ts';

/*
 * Which other kinds the rows of a file may be of. Rows of payouts pass as customers as long as none of their customers is
 * known, so the columns that a kind leaves unread count beside the scores.
 */

/** A second kind is clearly worse from this difference of scores on. */
const clearlyWorse = 0.75;
/** A field that the kind does not require counts as much, of a required one. */
const optionalWeight = 0.4;

/** Whether only a person can tell if the rows are of this kind, in place of the proposed one. */
export function isRival(other: Assignment, proposed: Assignment): boolean {
  if (other.kind === proposed.kind || !mayPass(other)) return false;
  if (other.score > proposed.score - clearlyWorse && lacks(other) <= lacks(proposed) + 1) return true;
  if (movesMoney(other) && movesMoney(proposed) && lacksColumns(other) === 0) return true;
  // What it lacks counts in its score already.
  const mayBe = other.score > proposed.score || lacksColumns(other) <= lacksColumns(proposed) + 1;
  return mayBe && readAlone(other, proposed) > readAlone(proposed, other);
}

/** Rows fill a column of what every row needs at least in this share. */
const mostlyFilled = 0.5;
/** With a lower score, the values of a column are none of a field. */
const leastLikely = 0.2;
/** A column with more values, or of which each second one differs, may be names or numbers of people and things. */
const fewValues = 8;

/**
 * Whether rows of a kind can pass at all: each column that every row needs is there, or may be one that is not read as such.
 * No answer makes a column of what the file does not have.
 */
function mayPass({ kind, definitions, uses }: Assignment): boolean {
  return definitions.some((definition) => {
    const needed = requiredGroups([definition]).filter(
      (group) => !group.some((field) => constantFields.has(field)),
    );
    const isNeeded = (field: string): boolean => needed.flat().includes(field);
    const free = uses.filter(({ fields }) => !fields.some(isNeeded)).map(({ column }) => column);
    return needed.every((group) =>
      group.some(
        (field) =>
          uses.some(({ fields }) => fields.includes(field)) ||
          free.some((column) => mayBeOf(kind, field, column)),
      ),
    );
  });
}

/** Whether a column may have what every row needs, by its values alone. */
function mayBeOf(kind: Kind, field: string, column: Column): boolean {
  const rule = ruleOf(kind, field);
  const { values, cells, rows } = column;
  const isDistinguishing = values.length > fewValues || values.length * 2 > cells.length;
  if (rule === undefined || !isDistinguishing || cells.length < rows * mostlyFilled) return false;
  return valueScore(column, rule, nothingKnown) >= leastLikely;
}

/** Whether money may go either way with the rows: nothing in the file says it, and a wrong guess pays what was to be collected. */
export function isDirectionOpen(others: readonly Assignment[], proposed: Assignment): boolean {
  return movesMoney(proposed) && others.some((other) => movesMoney(other) && isRival(other, proposed));
}

/** Rows with amounts are paid out or collected: no column says which way the money goes. */
function movesMoney({ uses }: Assignment): boolean {
  return uses.some(({ fields }) => fields.includes('amount'));
}

/** How much the columns weigh that only one of two kinds reads, since the other one has no such field. */
function readAlone(own: Assignment, other: Assignment): number {
  const fieldsOfOther = new Set(columnsOf(other.kind));
  const isReadByOther = new Set(
    other.uses.flatMap(({ column, fields }) => (fields.length === 0 ? [] : [column])),
  );
  return own.uses
    .filter(({ column, fields, score }) => {
      const isSure = fields.length > 0 && score >= unsure;
      return isSure && !isReadByOther.has(column) && !fields.some((field) => fieldsOfOther.has(field));
    })
    .reduce(
      (sum, { fields }) => sum + (fields.some((field) => isDistinctive(own, field)) ? 1 : optionalWeight),
      0,
    );
}

/** Whether a field is required by rows of a kind, and never the same for all of them. */
function isDistinctive({ definitions }: Assignment, field: string): boolean {
  if (constantFields.has(field)) return false;
  return definitions.some(({ rules }) =>
    rules.some((rule) => rule.field === field && rule.presence === 'required'),
  );
}

/** How many required fields no column is. The other columns mostly show the payee type. */
function lacks(assignment: Assignment): number {
  return missingOf(assignment, (group) => !group.includes('payee_type'));
}

/** How many of them need a column, since they are never the same for all rows. */
function lacksColumns(assignment: Assignment): number {
  return missingOf(assignment, (group) => !group.some((field) => constantFields.has(field)));
}

/** How many of the required fields have no column, for the payee type that lacks fewest: no row is of all of them. */
function missingOf(
  { definitions, uses }: Assignment,
  isCounted: (group: readonly string[]) => boolean,
): number {
  const there = new Set(uses.flatMap(({ fields }) => fields));
  const ofEach = definitions.map(
    (definition) =>
      requiredGroups([definition]).filter(
        (group) => isCounted(group) && !group.some((field) => there.has(field)),
      ).length,
  );
  return Math.min(...ofEach);
}

/* Which of several columns with amounts may be the one that is paid or collected. */

/** The least share of either way of writing in a column that people fill in. */
const leastMixed = 0.1;
const formula = /^=.*\d/;

/**
 * The columns that may be the amount in place of the one that is taken for it, as long as no person has said that it is; none for
 * another use, and where it is certain. After a person has said that another column is not the amount, what is left is only a
 * guess too.
 */
export function otherPossibleAmounts(
  use: Use,
  { assignment, decisions }: Pick<ReadingParts, 'assignment' | 'decisions'>,
): readonly Column[] {
  if (use.evidence === 'decided' || !use.fields.includes('amount')) return [];
  const denied = otherAmounts(assignment.uses).filter(({ title }) =>
    isDenied(decisions.get(`column:${title}`)),
  );
  const rivals = rivalsOf(use, assignment);
  return rivals.length === 0 && denied.length === 0
    ? []
    : [...new Set([...rivals, ...otherAmounts(assignment.uses)])];
}

/**
 * Columns that may be the amount in place of this one. Beside plain numbers, such as the balances that a program wrote, a column
 * of numbers, units and formulas was filled in by people for this file, whatever its title.
 */
function rivalsOf({ column, rival }: Use, { uses, kind }: Assignment): readonly Column[] {
  const typed = isPlainNumbers(column)
    ? uses
        .filter(({ fields, column: other }) => fields.length === 0 && isTyped(other))
        .map((other) => other.column)
        .filter(({ title }) => !isOtherThanPaid(title, kind))
    : [];
  return [...(rival === undefined ? [] : [rival]), ...typed];
}

/** Whether some amounts are plain numbers, and others have a unit or are a formula. */
function isTyped(column: Column): boolean {
  const plain = plainShare(column);
  const amounts = share(column, (text) => looksLikeAmount(text) || formula.test(text));
  return amounts >= mostAmounts && plain >= leastMixed && plain <= 1 - leastMixed;
}

/** The columns with amounts that are read as no field. */
export function otherAmounts(uses: readonly Use[]): readonly Column[] {
  return uses
    .filter(({ fields, column }) => fields.length === 0 && column.cells.length > 0 && !isRunning(column))
    .map(({ column }) => column)
    .filter(mayBeAmount);
}

/** Whether a person has said of a column that it is read as nothing. */
function isDenied(decision: Decision | undefined): boolean {
  return decision === null || decision === 'ignore';
}
