/* The rules of a definition, prepared for one header, and how they read a row's cells. */

import { readAs } from '../../domain/rows/finding.ts';
import type { FieldPart } from '../../domain/settings/message.ts';
import type { ColumnPlace, MappedColumn, ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { CellKind, Cells } from '../../domain/tables/table.ts';
import { isUsed, type ResourceDefinition } from '../definition.ts';
import { type RuleChanges, rulesWith } from '../rule-changes.ts';
import { isDittoMark, refuseDitto, treatText, wordForNothing } from './cell-repairs.ts';
import { type ColumnContext, createCellCheck } from './field-check.ts';
import { type CreateValueCheck, type DependentValueCheck, fieldTypes } from './field-types.ts';
import type { BankCodes } from './number-repair.ts';
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

/** Columns of the file come first, then constants, then columns that the file does not have. */
const constantsFollow = 1_000_000;
const absentColumnsFollow = 2_000_000;

/** One column of the table, with the check of its cells. */
export interface FieldPlan {
  readonly field: string;
  readonly title: string;
  readonly index: number | null;
  readonly constant: string;
  /** The columns that are joined, if the field has several; else undefined. */
  readonly joined: readonly ColumnPlace[] | undefined;
  /** Whether an empty cell needs no check. It needs one if a mapping translates it to a value. */
  readonly emptyIsEmpty: boolean;
  /** The position of its findings among the findings of the row. */
  readonly order: number;
  readonly check: CellCheck;
}

/** A value that is required, always or once one of the `when` columns is filled in. */
interface Requirement {
  /** One of these fields is enough. The first one gets the finding. */
  readonly fields: readonly string[];
  /** The title of the first field, and the others as a message names them. */
  readonly title: string;
  readonly others: readonly (string | FieldPart)[];
  readonly order: number;
  readonly when: readonly string[] | null;
}

/** The check of a value together with another value. */
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

/** Adds the note that a value was read in another form. A derived value gets it because it has no cell. */
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

/** Prepares a definition's rules for one header, so that each row only has to run through arrays of checks. */
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
      // The column in the file is named first, because a person has to fill in that one.
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
      // If a rules file states a form for postal codes, the country's form is not checked.
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

/** Reads a field of a row: '' if its cells are empty, else the result of its check. */
export function readCell(row: Cells, plan: FieldPlan, values: RowValues): ValueResult {
  if (plan.joined !== undefined) return readJoined(row, plan, plan.joined, values);
  if (plan.index === null) return plan.check(plan.constant, undefined, undefined, values);
  const raw = row.cells[plan.index] ?? '';
  const kind: CellKind | undefined = row.kinds?.get(plan.index);
  if (raw === '' && kind === undefined && plan.emptyIsEmpty) return '';
  return plan.check(raw, kind, row.earlier?.get(plan.index), values);
}

/** The text of cells that are joined by a space, without empty ones. A fault in one of them is a fault of the whole text. */
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

/**
 * The values of the row that is being read. One object serves all rows, because each row is read completely before the next.
 */
export class ValuesOfRow implements RowValues {
  readonly #phoneCountry: TableMapping['phoneCountry'];
  readonly #translateCountry: Translate;
  readonly #checkCountry: ValueCheck;
  #row: Cells = { cells: [] };
  #fields: readonly FieldPlan[] = [];

  constructor({ phoneCountry, columns }: TableMapping) {
    this.#phoneCountry = phoneCountry;
    // Usually this column is also the row's country, for which a mapping may translate the values.
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
