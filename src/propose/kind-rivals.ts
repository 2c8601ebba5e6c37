/*
 * Which other kinds the rows of a file may be of. Rows of payouts pass as customers as long as none of their customers is
 * known, so the columns that a kind leaves unread count beside the scores.
 */

import { columnsOf } from '../kinds/registry.ts';
import { type Assignment, constantFields, requiredGroups, unsure } from './assignment.ts';

/** A second kind is clearly worse from this difference of scores on. */
const clearlyWorse = 0.75;
/** A field that the kind does not require counts as much, of a required one. */
const optionalWeight = 0.4;

/** Whether only a person can tell if the rows are of this kind, in place of the proposed one. */
export function isRival(other: Assignment, proposed: Assignment): boolean {
  if (other.kind === proposed.kind) return false;
  if (other.score > proposed.score - clearlyWorse && lacks(other) <= lacks(proposed) + 1) return true;
  if (movesMoney(other) && movesMoney(proposed) && lacksColumns(other) === 0) return true;
  // What it lacks counts in its score already.
  const mayBe = other.score > proposed.score || lacksColumns(other) <= lacksColumns(proposed) + 1;
  return mayBe && readAlone(other, proposed) > readAlone(proposed, other);
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
      (sum, { fields }) => sum + (fields.some((field) => isTelling(own, field)) ? 1 : optionalWeight),
      0,
    );
}

/** Whether a field is required by rows of a kind, and never the same for all of them. */
function isTelling({ definitions }: Assignment, field: string): boolean {
  if (constantFields.has(field)) return false;
  return definitions.some(({ rules }) =>
    rules.some((rule) => rule.field === field && rule.presence === 'required'),
  );
}

/** How many required fields no column is. Payee types are mostly told by the other columns. */
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
