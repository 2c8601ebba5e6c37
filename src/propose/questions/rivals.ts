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
 * The other kinds that the rows of a file may be. Rows of payouts pass as customers as long as the ledger knows none of
 * their customers. So the columns that a kind leaves unread count besides the scores.
 */

/** With this difference of scores or more, a second kind is clearly worse. */
const clearlyWorse = 0.75;
/** The weight of a field that the kind does not require, as a share of the weight of a required field. */
const optionalWeight = 0.4;

/** Whether only a person can decide if the rows are of this kind instead of the proposed kind. */
export function isRival(other: Assignment, proposed: Assignment): boolean {
  if (other.kind === proposed.kind || !mayPass(other)) return false;
  if (other.score > proposed.score - clearlyWorse && lacks(other) <= lacks(proposed) + 1) return true;
  if (movesMoney(other) && movesMoney(proposed) && lacksColumns(other) === 0) return true;
  // The score already counts the columns that the kind lacks.
  const mayBe = other.score > proposed.score || lacksColumns(other) <= lacksColumns(proposed) + 1;
  return mayBe && readAlone(other, proposed) > readAlone(proposed, other);
}

/** The minimum share of rows that fill a column of a value that every row needs. */
const mostlyFilled = 0.5;
/** With a lower score, the values of a column are not values of a field. */
const leastLikely = 0.2;
/**
 * A column with more values, or with a different value in every second row, may be names or numbers of people and
 * things.
 */
const fewValues = 8;

/**
 * Whether rows of a kind can pass at all. For each value that every row needs, a column must be read as it, or an
 * unread column may have it. No answer can provide a column that the file does not have.
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

/** Whether a column may have a value that every row needs, judging by its values alone. */
function mayBeOf(kind: Kind, field: string, column: Column): boolean {
  const rule = ruleOf(kind, field);
  const { values, cells, rows } = column;
  const isDistinguishing = values.length > fewValues || values.length * 2 > cells.length;
  if (rule === undefined || !isDistinguishing || cells.length < rows * mostlyFilled) return false;
  return valueScore(column, rule, nothingKnown) >= leastLikely;
}

/**
 * Whether the direction of the money is open: nothing in the file shows it, and a wrong guess would pay what was to be
 * collected.
 */
export function isDirectionOpen(others: readonly Assignment[], proposed: Assignment): boolean {
  return movesMoney(proposed) && others.some((other) => movesMoney(other) && isRival(other, proposed));
}

/** Whether rows have amounts and are paid out or collected. No column shows the direction of the money. */
function movesMoney({ uses }: Assignment): boolean {
  return uses.some(({ fields }) => fields.includes('amount'));
}

/** The weight of the columns that only one of two kinds reads, because the other kind has no such field. */
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

/** Whether rows of a kind require a field, and never all have the same value in it. */
function isDistinctive({ definitions }: Assignment, field: string): boolean {
  if (constantFields.has(field)) return false;
  return definitions.some(({ rules }) =>
    rules.some((rule) => rule.field === field && rule.presence === 'required'),
  );
}

/**
 * Number of required fields without a column. The payee type does not count, because the other columns mostly show it.
 */
function lacks(assignment: Assignment): number {
  return missingOf(assignment, (group) => !group.includes('payee_type'));
}

/** Number of required fields without a column that need one, because they never have the same value in all rows. */
function lacksColumns(assignment: Assignment): number {
  return missingOf(assignment, (group) => !group.some((field) => constantFields.has(field)));
}

/**
 * Number of required fields without a column, for the payee type that lacks fewest: a row is of only one payee type.
 */
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

/* Finds which of several columns with amounts may be the one that is paid or collected. */

/** The minimum share of each way of writing in a column that people fill in. */
const leastMixed = 0.1;
const formula = /^=.*\d/;

/**
 * The columns that may be the amount instead of the chosen column, as long as no person has confirmed the chosen one.
 * The result is empty for another use, and if the use is certain. If a person says that another column is not the
 * amount, the choice among the rest is still a guess.
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
 * Columns that may be the amount instead of this column. If this column has plain numbers, such as balances that a
 * program wrote, a column of numbers, units and formulas is a candidate: people filled it in for this file, whatever
 * its title is.
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

/** The columns with amounts that no field is read from. */
export function otherAmounts(uses: readonly Use[]): readonly Column[] {
  return uses
    .filter(({ fields, column }) => fields.length === 0 && column.cells.length > 0 && !isRunning(column))
    .map(({ column }) => column)
    .filter(mayBeAmount);
}

/** Whether a person has said that a column is no field. */
function isDenied(decision: Decision | undefined): boolean {
  return decision === null || decision === 'ignore';
}
