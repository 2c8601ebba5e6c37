/* A definition's rules prepared for one header, and how they read a row's cells. */

import { readAs } from '../../domain/rows/finding.ts';
import type { FieldPart } from '../../domain/settings/message.ts';
import type { ColumnPlace, MappedColumn, ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { CellKind, Cells } from '../../domain/tables/table.ts';
import { isUsed, type ResourceDefinition } from '../definition.ts';
import { type RuleChanges, rulesWith } from '../rule-changes.ts';
import { isDittoMark, refuseDitto, treatText, wordForNothing } from './cell-repairs.ts';
import { type ColumnContext, createCellCheck, createPlainCellCheck } from './field-check.ts';
import { type CreateValueCheck, type DependentValueCheck, fieldTypes } from './field-types.ts';
import { type BankCodes, institutionColumns, institutionOf } from './number-repair.ts';
import { createCountryCheck } from './places.ts';
import {
  type CellCheck,
  createTranslation,
  passedValue,
  type RowValues,
  type Translate,
  type ValueCheck,
  type ValueResult,
} from './value-text.ts';

/** Columns of the file are first, then constants, then columns that the file does not have. */
const constantsFollow = 1_000_000;
const absentColumnsFollow = 2_000_000;

/** One column of the table, with the check of its cells. */
export interface FieldPlan {
  readonly field: string;
  readonly title: string;
  readonly index: number | null;
  readonly constant: string;
  /** The columns that are joined, where the field has several; else undefined. */
  readonly joined: readonly ColumnPlace[] | undefined;
  /** Whether an empty cell needs no check; a mapping may translate it to a value. */
  readonly emptyIsEmpty: boolean;
  /** The position of its findings among the row's. */
  readonly order: number;
  readonly check: CellCheck;
}

/** A value that has to be there: always, or once one of the `when` columns is filled in. */
export interface Requirement {
  /** One of these is enough; the first one gets the finding. */
  readonly fields: readonly string[];
  /** The title of the first, and the others as a message names them. */
  readonly title: string;
  readonly others: readonly (string | FieldPart)[];
  readonly order: number;
  readonly when: readonly string[] | null;
}

/** A value that can be judged only together with another one. */
interface DependentCheck {
  readonly field: string;
  readonly title: string;
  readonly order: number;
  readonly on: string;
  readonly check: DependentValueCheck;
}

/** A definition's table of rules, prepared for one header. */
export interface DefinitionPlan {
  readonly definition: ResourceDefinition | null;
  readonly fields: readonly FieldPlan[];
  readonly requirements: readonly Requirement[];
  readonly defaults: readonly (readonly [field: string, value: string])[];
  readonly dependents: readonly DependentCheck[];
}

export function planColumn(column: MappedColumn, position: number, check: CellCheck): FieldPlan {
  return {
    field: column.field,
    title: column.title,
    index: column.index,
    constant: column.constant ?? '',
    joined: column.joined,
    emptyIsEmpty: !column.values?.has(''),
    order: column.index ?? constantsFollow + position,
    check,
  };
}

/** A derived value gets the note of a value read in another form; it has no cell. */
function givesPayeeType({ payeeType }: ResourceDefinition): CellCheck {
  const verdict = payeeType === null ? '' : { value: payeeType, notes: [readAs(payeeType)] };
  return () => verdict;
}

export interface PlanContext {
  readonly mapping: TableMapping;
  readonly reading: ReadingRules;
  readonly checks: CreateValueCheck;
  readonly rules: RuleChanges | undefined;
  readonly bankCodesOf: BankCodes;
}

/** Prepares a definition's rules for one header, so that each row only runs through arrays of checks. */
export function planDefinition(definition: ResourceDefinition, context: PlanContext): DefinitionPlan {
  const { mapping, reading, checks, bankCodesOf } = context;
  const rules = rulesWith(context.rules, definition);
  const inTable = new Set(mapping.columns.map(({ field }) => field));
  const columnContext: ColumnContext = {
    reading,
    checks,
    isTextOnly: mapping.isTextOnly === true,
    numbers: { accountLengths: mapping.accountLengths, bankCodesOf },
    substitutedBy: (field) => rules.find((rule) => rule.orElse === field && inTable.has(rule.field))?.field,
  };
  const rulesByField = new Map(rules.map((rule) => [rule.field, rule]));
  const fields = mapping.columns.map((column, position) => {
    const check =
      column.derivedFrom === undefined
        ? createCellCheck(column, rulesByField.get(column.field), definition.name, columnContext)
        : givesPayeeType(definition);
    return planColumn(column, position, check);
  });
  const planned = new Map(fields.map((plan) => [plan.field, plan]));
  const titleOf = (field: string) => planned.get(field)?.title ?? field;
  const orderOf = (field: string) =>
    planned.get(field)?.order ?? absentColumnsFollow + rules.findIndex((rule) => rule.field === field);
  return {
    definition,
    fields,
    requirements: rules.flatMap((rule) => {
      const isRequired = rule.presence === 'required' && rule.whenEmpty === undefined;
      if (!isRequired && rule.requiredWith === undefined) return [];
      const alternatives = rule.orElse === undefined ? [rule.field] : [rule.field, rule.orElse];
      // The column that the file has is the one to fill in.
      const inFile = [...alternatives].sort(
        (left, right) => Number(planned.has(right)) - Number(planned.has(left)),
      );
      return [
        {
          fields: inFile,
          title: titleOf(inFile[0] ?? rule.field),
          others: inFile.slice(1).map((field) => planned.get(field)?.title ?? { field }),
          order: orderOf(inFile[0] ?? rule.field),
          when: isRequired ? null : (rule.requiredWith ?? null),
        },
      ];
    }),
    defaults: rules.flatMap((rule) =>
      rule.whenEmpty === undefined || !isUsed(rule) ? [] : [[rule.field, rule.whenEmpty] as const],
    ),
    dependents: rules.flatMap((rule) => {
      const dependent = fieldTypes[rule.type].dependsOn;
      // A rules file that states its own form decides about postal codes.
      const isStated = rule.type === 'postal_code' && rule.pattern !== undefined;
      if (dependent === null || isStated || !isUsed(rule) || !planned.has(rule.field)) return [];
      return [
        {
          field: rule.field,
          title: titleOf(rule.field),
          order: orderOf(rule.field),
          on: dependent.field,
          check: dependent.check,
        },
      ];
    }),
  };
}

/** Reads a field of a row: '' where its cells are empty, else the result of its check. */
export function readCell(row: Cells, plan: FieldPlan, values: RowValues): ValueResult {
  if (plan.joined !== undefined) return readJoined(row, plan, plan.joined, values);
  if (plan.index === null) return plan.check(plan.constant, undefined, undefined, values);
  const raw = row.cells[plan.index] ?? '';
  const kind: CellKind | undefined = row.kinds?.get(plan.index);
  if (raw === '' && kind === undefined && plan.emptyIsEmpty) return '';
  return plan.check(raw, kind, row.earlier?.get(plan.index), values);
}

/** Cells that are joined by a space, without empty ones. A fault in one of them is a fault of all. */
function readJoined(
  row: Cells,
  plan: FieldPlan,
  places: readonly ColumnPlace[],
  values: RowValues,
): ValueResult {
  const treated = places.map((place) => treatText(row.cells[place.index] ?? '', place));
  const texts = treated.map(({ text }) => text.trim()).filter((text) => text !== '');
  const done = [...new Set(treated.flatMap((part) => part.done))];
  const ditto = places.findIndex(
    ({ repairs, marks }, at) => repairs?.has('ditto') === true && isDittoMark(treated[at]?.text ?? '', marks),
  );
  if (ditto !== -1) return refuseDitto(treated[ditto]?.text ?? '');
  const damaged = places.find(
    ({ index }, at) =>
      treated[at]?.done.includes(wordForNothing) !== true && isDamagedKind(row.kinds?.get(index)),
  );
  if (damaged !== undefined) {
    return plan.check(row.cells[damaged.index] ?? '', row.kinds?.get(damaged.index), undefined, values);
  }
  const text = texts.join(' ');
  const result = text === '' ? '' : plan.check(text, undefined, undefined, values);
  if (typeof result !== 'string') return result;
  const notes = result === '' || texts.length < 2 ? [] : [readAs(result)];
  if (done.length > 0) return { value: result, notes, repaired: done.join(', ') };
  return notes.length === 0 ? result : { value: result, notes };
}

function isDamagedKind(kind: CellKind | undefined): boolean {
  return kind === 'error' || kind === 'formula_without_value';
}

/** The values of the row that is being read. One object serves all rows, since they are read completely one by one. */
export class ValuesOfRow implements RowValues {
  readonly #phoneCountry: TableMapping['phoneCountry'];
  readonly #translateCountry: Translate;
  readonly #checkCountry: ValueCheck;
  #row: Cells = { cells: [] };
  #fields: readonly FieldPlan[] = [];

  constructor({ phoneCountry, columns }: TableMapping) {
    this.#phoneCountry = phoneCountry;
    // The column is usually the row's country as well; a mapping may translate its values.
    const index = phoneCountry === undefined || 'country' in phoneCountry ? null : phoneCountry.index;
    const column = index === null ? undefined : columns.find((other) => other.index === index);
    this.#translateCountry = createTranslation(column?.values);
    this.#checkCountry = createCountryCheck('names');
  }

  begin(row: Cells, fields: readonly FieldPlan[]): void {
    this.#row = row;
    this.#fields = fields;
  }

  valueOf(field: string): string | undefined {
    const plan = this.#fields.find((other) => other.field === field);
    return plan === undefined ? undefined : passedValue(readCell(this.#row, plan, this));
  }

  phoneCountry(): string | null | undefined {
    const declared = this.#phoneCountry;
    if (declared === undefined) return null;
    if ('country' in declared) return declared.country;
    const cell = this.#row.cells[declared.index]?.trim() ?? '';
    const meant = this.#translateCountry(cell);
    if (meant === null) return undefined;
    const text = meant ?? cell;
    return text === '' ? undefined : passedValue(this.#checkCountry(text, undefined, this));
  }
}

/** How many account numbers of one length are needed to infer the length of an institution's numbers. */
const enoughNumbers = 3;
const digits = /^\d{4,20}$/;

/** How many numbers there are of each length: in cells that may have lost zeros, and in others. */
interface Lengths {
  readonly open: Map<number, number>;
  readonly sure: Map<number, number>;
}

/** Whether a mapping repairs account numbers, which needs data from the whole file. */
export function needsAccountLengths({ columns }: TableMapping): boolean {
  return columns.some(
    ({ field, repairs }) =>
      field === 'account_number' &&
      (repairs?.has('lost_zeros') === true || repairs?.has('number_cells') === true),
  );
}

/**
 * Makes the collection of a file's account numbers: `add` takes every row, `result` has the one length of each
 * institution whose numbers have one, using numbers from which no spreadsheet can have removed zeros.
 */
export function createAccountLengths(
  mapping: TableMapping,
  reading: ReadingRules,
): { readonly add: (row: Cells) => void; readonly result: () => ReadonlyMap<string, number> } {
  const index = mapping.columns.find(({ field }) => field === 'account_number')?.index ?? -1;
  const plans = mapping.columns
    .filter(({ field }) => institutionColumns.includes(field))
    .map((column, position) => planColumn(column, position, createPlainCellCheck(column, reading)));
  const values = new ValuesOfRow(mapping);
  const seen = new Map<string, Lengths>();
  return {
    add: (row) => {
      const text = row.cells[index]?.trim() ?? '';
      if (!digits.test(text)) return;
      values.begin(row, plans);
      const institution = institutionOf(values);
      if (institution === undefined) return;
      const lengths = seen.get(institution) ?? { open: new Map(), sure: new Map() };
      seen.set(institution, lengths);
      const isOpen = mapping.isTextOnly === true || row.kinds?.get(index) === 'number';
      const counts = isOpen ? lengths.open : lengths.sure;
      counts.set(text.length, (counts.get(text.length) ?? 0) + 1);
    },
    result: () =>
      new Map(
        [...seen].flatMap(([institution, lengths]) => {
          const length = oneLength(lengths);
          return length === undefined ? [] : [[institution, length] as const];
        }),
      ),
  };
}

/** The longest, if every certain number has it, and more numbers have it than are shorter. */
function oneLength({ open, sure }: Lengths): number | undefined {
  const longest = Math.max(...open.keys(), ...sure.keys());
  if ([...sure.keys()].some((length) => length !== longest)) return undefined;
  const full = (open.get(longest) ?? 0) + (sure.get(longest) ?? 0);
  const shorter = [...open].reduce((sum, [length, count]) => (length < longest ? sum + count : sum), 0);
  return full >= enoughNumbers && full > shorter ? longest : undefined;
}
