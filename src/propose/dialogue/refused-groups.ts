/*
 * Rows that a reading refuses, grouped by column and reason. No group is refused before a person was asked what its
 * values mean.
 */

import type { Finding } from '../../domain/rows/finding.ts';
import { plainText } from '../../domain/settings/message.ts';
import { usesOfValues } from '../columns/column-use.ts';
import { type Decisions, decidedValues } from '../decisions.ts';
import type { Reading } from '../reading/propose.ts';
import { idOfRefused } from '../reading/refused-answers.ts';
import type { Column } from '../sheet/column.ts';

/** A row with the validator's result under a reading. */
export interface TriedRow {
  readonly row: number;
  /** Whether an import would create the row, or find it existing. */
  readonly isPassed: boolean;
  /** The values as they would be sent, by field. */
  readonly record: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
}

/** The rows of a column that are refused for one reason, with their values, the most frequent first. */
export interface RefusedGroup {
  readonly column: Column;
  readonly field: string;
  readonly code: string;
  /** The finding of the first row of the group. */
  readonly message: string;
  readonly values: readonly { readonly text: string; readonly rows: readonly number[] }[];
  readonly rows: number;
}

/** Reasons that another reading of the same value can remove. All other reasons concern the meaning of the value. */
const changeable: ReadonlySet<string> = new Set([
  ...['damaged_number', 'spreadsheet_error', 'invalid_characters', 'unknown_value', 'required', 'too_long'],
  ...['invalid_phone', 'invalid_date', 'date_in_future', 'date_too_early', 'invalid_country'],
  'invalid_state',
  ...['invalid_currency', 'invalid_uuid', 'invalid_amount', 'too_many_decimals', 'invalid_iban'],
  ...['invalid_routing_number', 'invalid_postal_code', 'invalid_account_number', 'invalid_email'],
  ...['currency_mismatch', 'country_mismatch', 'institution_unknown', 'institution_type_mismatch'],
  // Cells that their row's payee type does not have may be left out.
  'unexpected_value',
]);

/**
 * A question is asked before rows of one column and reason are refused, if there are at least this many, or this share
 * of all rows.
 */
const fewestRows = 5;
const leastShare = 0.02;

/** The groups about which a person has to be asked, the largest first. */
export function refusedGroups(
  reading: Reading,
  rows: readonly TriedRow[],
  decisions: Decisions,
): readonly RefusedGroup[] {
  const texts = new Map<Column, ReadonlyMap<number, string>>();
  const textOf = (column: Column, row: number): string | undefined => {
    const known = texts.get(column) ?? new Map(column.cells.map((cell) => [cell.row, cell.text]));
    texts.set(column, known);
    return known.get(row);
  };
  const groups = new Map<
    string,
    Place & Pick<RefusedGroup, 'code' | 'message'> & { readonly rows: Map<string, number[]> }
  >();
  for (const { row, findings, isPassed } of rows) {
    if (isPassed) continue;
    for (const { field, code, message: said } of findings) {
      const isFilled = (column: Column): boolean => textOf(column, row) !== undefined;
      const isAsked = changeable.has(code) || code === customerUnknown;
      const place = isAsked ? placeOf(field, code, reading, isFilled) : undefined;
      const text = place === undefined ? undefined : textOf(place.column, row);
      // An empty cell has no value that could be read in another way.
      if (place === undefined || text === undefined) continue;
      if (code === customerUnknown ? !hasZeros(reading, place.column, text) : !isChangeable(code, text))
        continue;
      // A question about the column, before its rows were tried, already asked whether such cells are left out.
      if (code === 'unexpected_value' && decisions.has(`repair:${place.column.title}:only_where_used`))
        continue;
      const id = idOfRefused(place.column.title, code);
      if (decisions.has(id) || isDecided(text, place.column, reading, decisions)) continue;
      const group = groups.get(id) ?? {
        ...place,
        code,
        message: plainText(said),
        rows: new Map<string, number[]>(),
      };
      groups.set(id, group);
      const own = group.rows.get(text) ?? [];
      if (own.at(-1) !== row) own.push(row);
      group.rows.set(text, own);
    }
  }
  const { rows: all, weight } = reading.sheet;
  const least = Math.max(fewestRows, all.length * weight * leastShare);
  return [...groups.values()]
    .map(({ rows: byText, ...group }): RefusedGroup => {
      const values = [...byText].map(([text, own]) => ({ text, rows: own }));
      return {
        ...group,
        values: values.sort((left, right) => right.rows.length - left.rows.length),
        rows: values.reduce((sum, { rows: own }) => sum + own.length, 0),
      };
    })
    .filter(({ rows: count }) => count * weight >= least)
    .sort((left, right) => right.rows - left.rows);
}

/** Only the customers in the ledger show whether another reading of a customer's number helps. */
const customerUnknown = 'customer_unknown';

function hasZeros({ customerZeros }: Reading, { title }: Column, text: string): boolean {
  return customerZeros?.title === title && customerZeros.values.has(text);
}

/** Whether another reading of a value could remove the reason for its refusal. */
export function isChangeable(code: string, text: string): boolean {
  return changeable.has(code) && !(code === 'invalid_amount' && isNothingToPay(text));
}

/** A plain number that is zero or less is no amount under any reading. */
function isNothingToPay(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) <= 0;
}

/** The column that holds the values, and the field that it is read as. */
type Place = Pick<RefusedGroup, 'column' | 'field'>;

/**
 * The column whose cell a finding is about. If several columns are joined, it is the first one that is filled in the
 * row. It is undefined if the field has no column.
 */
function placeOf(
  field: string,
  code: string,
  { uses, assignment }: Reading,
  isFilled: (column: Column) => boolean,
): Place | undefined {
  const own = usesOfValues(uses).filter(({ fields }) => fields.includes(field));
  const first = own.find(({ column }) => isFilled(column)) ?? own[0];
  if (first !== undefined) return { column: first.column, field };
  if (code !== 'required') return undefined;
  // The value of a missing field may be in a column that replaces it, in a form that cannot be read.
  const rules = assignment.definitions.flatMap((definition) => definition.rules);
  const replaced = rules.find((rule) => rule.field === field && rule.orElse !== undefined)?.orElse;
  const [other, second] = uses.filter(({ fields }) => replaced !== undefined && fields.includes(replaced));
  return other === undefined || second !== undefined || replaced === undefined
    ? undefined
    : { column: other.column, field: replaced };
}

/** Whether a person was already asked about the meaning of exactly this value. */
function isDecided(text: string, { title }: Column, { tables }: Reading, decisions: Decisions): boolean {
  if (!decisions.has(`values:${title}`)) return false;
  const lines = tables.flatMap(({ column, lines: own }) => (column.title === title ? own : []));
  return decidedValues(decisions, title).has(text) || lines.some(({ value }) => value === text);
}
