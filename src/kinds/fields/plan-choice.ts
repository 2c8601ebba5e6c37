/* Chooses the rules by which a row is checked: the rules of its payee type, or the common rules if the type is not known. */

import { typeOfInstitution } from '../../domain/institution.ts';
import type { Finding } from '../../domain/rows/finding.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { Cells } from '../../domain/tables/table.ts';
import {
  type ColumnTitles,
  type FieldRule,
  isUsed,
  type Presence,
  type ResourceDefinition,
} from '../definition.ts';
import { codesOfBank } from '../institutions/directory.ts';
import { definitionsOf } from '../registry.ts';
import type { CheckedRow, Lookups } from '../row-check.ts';
import type { RuleChanges } from '../rule-changes.ts';
import {
  type DefinitionPlan,
  type FieldPlan,
  type PlanContext,
  planColumn,
  planDefinition,
  readCell,
  type ValuesOfRow,
} from './definition-plan.ts';
import { createPlainCellCheck } from './field-check.ts';
import { valueChecks } from './field-types.ts';
import { countryToLookIn, institutionFields, institutionUseOf } from './institution-of-row.ts';
import type { BankCodes } from './number-repair.ts';
import { refuseUnknownValue } from './rule-check.ts';

/** The settings that determine how the rows of a table are checked. */
export interface PlanOptions {
  readonly mapping: TableMapping;
  readonly reading: ReadingRules;
  /** YYYY-MM-DD in UTC. */
  readonly today: string;
  /** The changes of a rules file, as `parseRules` returns them. */
  readonly rules?: RuleChanges;
  /** The codes by which an institution's account numbers are checked; by default the codes in the country's table. */
  readonly bankCodesOf?: BankCodes;
}

/** Chooses the rules for a row. */
type ChoosePlan = (row: Cells) => DefinitionPlan;

/**
 * The plans for rows of an unknown payee type, which are invalid. A row that names an institution can only have a payee type
 * with an institution, so the rules that these types share are checked. For other rows, the rules that are valid for every
 * value are checked.
 */
function choosePlanWithoutType(
  { mapping, reading }: PlanOptions,
  definitions: readonly ResourceDefinition[],
  context: PlanContext,
): ChoosePlan {
  const payeeTypes = definitions.map(({ payeeType }) => payeeType ?? '');
  const fields = mapping.columns.map((column, position) =>
    planColumn(column, position, createPlainCellCheck(column, reading)),
  );
  const plain = withUnknownPayeeType({ ...noRules, fields }, fields, payeeTypes);
  const named = fields.filter(({ field }) => institutionFields.includes(field));
  if (named.length === 0 || definitions.every(({ institution }) => institution === null)) return () => plain;
  const common = planDefinition(undeterminedDefinition(definitions), context);
  const withInstitution = withUnknownPayeeType(common, fields, payeeTypes);
  return ({ cells }) =>
    named.some(({ index, constant }) => (index === null ? constant : cells[index]?.trim()))
      ? withInstitution
      : plain;
}

const noRules = { definition: null, requirements: [], defaults: [], dependents: [] } as const;

/** A plan that refuses the payee type's cell, whatever its value is, and also if it is empty. */
function withUnknownPayeeType(
  plan: DefinitionPlan,
  plainFields: readonly FieldPlan[],
  payeeTypes: readonly string[],
): DefinitionPlan {
  const own = plainFields.find(({ field }) => field === 'payee_type');
  const refusing: FieldPlan | undefined = own && {
    ...own,
    check: (...cell) => {
      const result = own.check(...cell);
      return typeof result === 'string' && result !== '' ? refuseUnknownValue(result, payeeTypes) : result;
    },
  };
  const fields = plan.fields.map((field) => (field.field === 'payee_type' ? (refusing ?? field) : field));
  const { title = 'payee_type', order = Number.MAX_SAFE_INTEGER } = own ?? {};
  const requirement = { fields: ['payee_type'], title, others: [], order, when: null };
  return { ...plan, fields, requirements: [requirement, ...plan.requirements] };
}

/** Chooses the plan of each row by its payee type, if the kind has payee types. */
export function createPlanChooser(options: PlanOptions, values: ValuesOfRow): ChoosePlan {
  const { mapping, reading, rules, bankCodesOf = codesOfBank } = options;
  const definitions = definitionsOf(mapping.kind);
  const context = { mapping, reading, checks: valueChecks(reading, options.today), rules, bankCodesOf };
  const plans = definitions.map((definition) => planDefinition(definition, context));
  const [only] = plans;
  if (plans.length === 1 && only?.definition?.payeeType === null) return () => only;
  const plansByPayeeType = new Map(plans.map((plan) => [plan.definition?.payeeType ?? '', plan]));
  const position = mapping.columns.findIndex(({ field }) => field === 'payee_type');
  const column = mapping.columns[position];
  if (column?.derivedFrom !== undefined) {
    const undetermined = planDefinition(undeterminedDefinition(definitions), context);
    return ({ payeeType = '' }) => plansByPayeeType.get(payeeType) ?? undetermined;
  }
  const chooseUnknown = choosePlanWithoutType(options, definitions, context);
  if (column === undefined) return chooseUnknown;
  const payeeTypePlan = planColumn(column, position, createPlainCellCheck(column, reading));
  return (row) => {
    const payeeType = readCell(row, payeeTypePlan, values);
    return (
      (typeof payeeType === 'string' ? plansByPayeeType.get(payeeType) : undefined) ?? chooseUnknown(row)
    );
  };
}

/**
 * The rules for a row that names an institution and whose payee type is not known (yet). They are the rules of all payee
 * types with an institution. A column that only one of them uses is read, and gets no finding.
 */
function undeterminedDefinition(definitions: readonly ResourceDefinition[]): ResourceDefinition {
  const possible = definitions.filter(({ institution }) => institution !== null);
  const [first] = possible;
  if (first?.institution == null) throw new Error('no payee type of this kind has an institution');
  const { checkRecord: _, ...common } = first;
  const uses = possible.flatMap(({ institution }) => institution ?? []);
  return {
    ...common,
    payeeType: null,
    rules: first.rules
      .filter(({ field }) => field !== 'payee_type')
      .map((rule) => commonRule(rule, possible)),
    institution: {
      ...first.institution,
      suits: () => 'any',
      countryFields: [...new Set(uses.flatMap(({ countryFields }) => countryFields))],
      phoneField: uses.find(({ phoneField }) => phoneField !== null)?.phoneField ?? null,
    },
  };
}

function commonRule(rule: FieldRule, possible: readonly ResourceDefinition[]): FieldRule {
  const rules = possible.flatMap(({ rules: own }) => own.filter(({ field }) => field === rule.field));
  const presences = new Set<Presence>(rules.map(({ presence }) => presence));
  const presence = presences.size === 1 ? rule.presence : 'checked';
  const used = rules.find(isUsed) ?? rule;
  const { requiredWith: _, ...plain } = used;
  return { ...plain, presence };
}

/** The payee type that fits the institutions with the row's name; undefined unless exactly one does. */
export function payeeTypeByInstitution(
  row: CheckedRow,
  lookups: Lookups,
  definitions: readonly ResourceDefinition[],
): string | undefined {
  const use = institutionUseOf(row);
  const country = use === undefined ? undefined : countryToLookIn(row, use, lookups);
  const list = country === undefined ? undefined : lookups.institutions(country);
  if (list === undefined) return undefined;
  const { institution_id: id, institution_name: name } = row.record;
  const byId = id === undefined ? undefined : list.byId(id);
  const found = byId === undefined ? list.byName(name ?? '') : [byId];
  const types = new Set(found.map(typeOfInstitution));
  const suiting = definitions.filter(({ institution }) => {
    const suits = institution?.suits(row.record);
    return suits !== undefined && [...types].some((type) => suits === type || suits === 'any');
  });
  return suiting.length === 1 ? (suiting[0]?.payeeType ?? undefined) : undefined;
}

/**
 * A row without a known payee type, with the findings about the reason. It belongs to no definition. If the row is held
 * until its institution is known, it is then checked again from its cells.
 */
export function withoutPayeeType(row: CheckedRow, titles: ColumnTitles): CheckedRow {
  const undetermined: Finding = {
    severity: 'invalid',
    field: 'payee_type',
    column: titles.of('payee_type'),
    code: 'required',
    message: 'does not follow from the institution of this row; a value is required',
  };
  return { ...row, definition: null, findings: row.findings.length === 0 ? [undetermined] : row.findings };
}
