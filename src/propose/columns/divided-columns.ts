/* Finds columns whose cells have the values of several fields. */

import { fieldsOfWholeCells, ignoredPart } from '../../domain/tables/mapping.ts';
import type { FieldRule } from '../../kinds/definition.ts';
import { ruleOf } from '../../kinds/registry.ts';
import type { Column } from '../sheet/column.ts';
import { titleScores } from '../sheet/title-words.ts';
import type { Grouping, Taken } from './column-use.ts';
import { areDivided, type Division, divisionsOf } from './divided-cells.ts';
import { codeLikeness, isDistinctive, type KnownShares, nothingKnown, valueScore } from './evidence.ts';

/** The facts about parts of columns. */
interface PartFacts {
  /** The fields that a row of these payee types may have. */
  readonly fields: readonly string[];
  readonly known: ReadonlyMap<Column, KnownShares>;
}

/** A field that a part of a column may be. */
interface PartField {
  readonly field: string;
  readonly score: number;
  /** Whether the title, the form of the values, the ledger or the API's lists identify the field. */
  readonly isIdentified: boolean;
}

/** How well the values of a part must suit its field, from 0 to 1. */
const suits = 0.8;
/** The same for numbers that no title identifies. */
const certainlySuits = 0.95;
/** The evidence of a title that is enough for a part whose values many fields may have. */
const named = 0.4;
/** The share of values that are codes, in a part that is left out. */
const codes = 0.9;

/** Numbers that are taken for a required field without a title, beside a part that is identified. */
const numbers: ReadonlySet<FieldRule['type']> = new Set(['phone', 'account_number', 'us_account_number']);

/**
 * Divides a column if a required field is in no other one, and both parts have the values of a field: the number of a bank and
 * of an account, an operator and a phone number. A code before or behind a name is left out.
 */
export function withDividedColumns(grouping: Grouping, taken: Taken, facts: PartFacts): Taken {
  const { columns, decided } = grouping;
  const all = new Map(taken);
  for (const column of columns) {
    if (decided.has(column.title)) continue;
    const others = new Set([
      ...[...all].flatMap(([other, { field, fields }]) => (other === column ? [] : (fields ?? [field]))),
      ...[...decided.values()].flatMap((said) => said ?? []),
    ]);
    const fields = fieldsOfParts(column, all.get(column)?.field, others, grouping, facts);
    const field = fields.find((one) => one !== ignoredPart);
    if (field !== undefined) all.set(column, { column, field, fields, score: 0.7 });
  }
  return all;
}

/**
 * The fields of both parts of a column; empty if its cells are not divided.
 * @param own the field that the whole column would be
 * @param others the fields of other columns
 */
function fieldsOfParts(
  column: Column,
  own: string | undefined,
  others: ReadonlySet<string>,
  grouping: Grouping,
  facts: PartFacts,
): readonly string[] {
  let best: { readonly fields: readonly string[]; readonly score: number } = { fields: [], score: 0 };
  for (const division of divisionsOf(column, 2)) {
    const [first = [], second = []] = [0, 1].map((place) =>
      suitingFields(division, place, others, grouping, facts),
    );
    for (const one of first)
      for (const other of second) {
        const fields = [one.field, other.field];
        const isNew = fields.some((field) => field !== own && grouping.isRequired(field));
        const isSure = one.isIdentified || other.isIdentified;
        const score = one.score + other.score;
        if (isNew && isSure && one.field !== other.field && areDivided(fields) && score > best.score)
          best = { fields, score };
      }
    const withCode = isNameOf(column, own, others, grouping) ? fieldsBesideCode(division) : undefined;
    if (withCode !== undefined && best.fields.length === 0) best = { fields: withCode, score: 0 };
  }
  return best.fields;
}

/** The free fields that a part may be: those that nearly all of its values suit. */
function suitingFields(
  division: Division,
  place: number,
  others: ReadonlySet<string>,
  { kind, isRequired }: Grouping,
  { fields, known }: PartFacts,
): readonly PartField[] {
  const [part, title] = [division.parts[place], division.titles[place]];
  if (part === undefined || title === undefined) return [];
  const shares = known.get(part) ?? nothingKnown;
  const words = titleScores(kind, title);
  return fields.flatMap((field): PartField[] => {
    const rule = ruleOf(kind, field);
    if (rule === undefined || others.has(field) || fieldsOfWholeCells.includes(field)) return [];
    const value = valueScore(part, rule, shares);
    if (value < suits) return [];
    const word = words.get(field) ?? 0;
    const isIdentified = word >= named || isDistinctive(rule.type) || isKnown(field, shares);
    const isNeeded = isRequired(field) && numbers.has(rule.type) && value >= certainlySuits;
    return isIdentified || isNeeded ? [{ field, score: value + word, isIdentified }] : [];
  });
}

function isKnown(field: string, { customers, institutions }: KnownShares): boolean {
  return (
    (field === 'customer_external_id' && customers >= suits) ||
    (field === 'institution_name' && institutions >= suits)
  );
}

/** Whether a column has the names of the payees, or would have if there were no codes beside them. */
function isNameOf(
  { title }: Column,
  own: string | undefined,
  others: ReadonlySet<string>,
  { kind, isRequired }: Grouping,
): boolean {
  const field = 'account_name';
  if (own !== undefined) return own === field;
  return isRequired(field) && !others.has(field) && (titleScores(kind, title).get(field) ?? 0) >= named;
}

/** The fields of a name with a code on one side: `S1047 - Borg Bros`. */
function fieldsBesideCode({ parts: [first, second] }: Division): readonly string[] | undefined {
  if (first === undefined || second === undefined) return undefined;
  if (isCode(first) && isName(second)) return [ignoredPart, 'account_name'];
  return isCode(second) && isName(first) ? ['account_name', ignoredPart] : undefined;
}

function isCode(part: Column): boolean {
  return codeLikeness(part) >= codes && part.values.every(({ text }) => !/\s/.test(text));
}

function isName(part: Column): boolean {
  return valueScore(part, { field: 'account_name', type: 'text' }, nothingKnown) >= codes;
}
