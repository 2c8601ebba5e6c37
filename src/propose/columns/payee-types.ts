/* The payee types of the rows: what decides them, and the cells that are not used because of the row's payee type. */

import { type Institution, typeOfInstitution } from '../../domain/institution.ts';
import type { ResourceDefinition } from '../../kinds/definition.ts';
import { meaningOf } from '../../kinds/words-of-files.ts';
import { type Decisions, decidedText, decidedValues } from '../decisions.ts';
import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import type { Assignment } from './assignment.ts';
import type { ValueTable } from './value-tables.ts';

/**
 * The source of a row's payee type: one type for all rows, the institution, or a column. It is null for kinds without
 * payee types.
 */
export type PayeeType = string | { readonly from: 'institution_name' } | 'column' | null;

/** Whether the institution of a row decides its payee type. */
export function followsInstitutions({ definitions, uses }: Assignment): boolean {
  return (
    definitions.length > 1 &&
    definitions.every(({ institution }) => institution !== null) &&
    uses.some(({ fields }) => fields.includes('institution_name'))
  );
}

/** The payee type that a column's value means: by a person's decision, or by its own word. */
export function payeeTypeMeant(decisions: Decisions, { title }: Column, value: string): string | undefined {
  const said = decidedValues(decisions, title).get(value);
  return said === undefined ? meaningOf('payee_type', value) : (said ?? undefined);
}

/** Whether an assignment has the payee type, or its source, on which a person has decided. */
export function suits({ definitions, uses }: Assignment, payeeType: string): boolean {
  if (payeeType.startsWith('column:')) return uses.some(({ fields }) => fields.includes('payee_type'));
  if (payeeType === 'institution_name')
    return definitions.length > 1 && definitions.every(({ institution }) => institution !== null);
  return definitions.length === 1 && definitions[0]?.payeeType === payeeType;
}

/** Where the payee type of the rows comes from. */
export function payeeTypeOf(
  { definitions, uses }: Assignment,
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
  decisions: Decisions,
): PayeeType {
  if (definitions.every(({ payeeType }) => payeeType === null)) return null;
  const decided = decidedText(decisions.get('reading:payee_type'));
  if (decided === 'institution_name') return { from: 'institution_name' };
  if (uses.some(({ fields }) => fields.includes('payee_type'))) return 'column';
  const [only] = definitions;
  if (definitions.length === 1 && only?.payeeType != null) return only.payeeType;
  return kindsOfInstitutions(tables, institutions, definitions) ?? { from: 'institution_name' };
}

/** The payee type, if all institutions of the file are of one sort. */
function kindsOfInstitutions(
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
  definitions: readonly ResourceDefinition[],
): string | undefined {
  const table = tables.find(({ field }) => field === 'institution_name');
  if (table === undefined) return undefined;
  const named = table.lines.flatMap(({ meaning }) => institutions.filter(({ name }) => name === meaning));
  const isBank = new Set(named.map(({ accountNumberType }) => accountNumberType === 'bank_account_number'));
  if (isBank.size !== 1) return undefined;
  const wanted = isBank.has(true) ? 'bank' : 'mobile_money';
  return definitions.find(({ institution }) => institution?.suits({}) === wanted)?.payeeType ?? undefined;
}

/*
 * Cells of rows whose payee type has no such field, such as the phone number of a row that is paid to a bank account.
 * The author of the list fills in both, and states elsewhere in the row how it is paid.
 */

/** The columns that some payee types of the file do not use, and those of their cells that are filled nevertheless. */
export function cellsOfOtherTypes(
  assignment: Assignment,
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
): readonly { readonly column: Column; readonly cells: readonly RepairSample[] }[] {
  if (assignment.definitions.length < 2) return [];
  const definitionOf = rowDefinitions(assignment, tables, institutions);
  if (definitionOf === undefined) return [];
  return assignment.uses.flatMap(({ column, fields }) => {
    const [field, another] = fields;
    if (field === undefined || another !== undefined) return [];
    const isUnused = (definition: ResourceDefinition): boolean =>
      hasNoUse(definition, field, (other) => assignment.uses.some((use) => use.fields.includes(other)));
    if (!assignment.definitions.some((definition) => hasUse(definition, field))) return [];
    const cells = column.cells.flatMap(({ row, text }): RepairSample[] => {
      const definition = definitionOf(row);
      return definition !== undefined && isUnused(definition) ? [{ row, before: text, after: '' }] : [];
    });
    // A column whose cells are all unused does not belong to this field.
    return cells.length === 0 || cells.length === column.cells.length ? [] : [{ column, cells }];
  });
}

function hasUse({ rules }: ResourceDefinition, field: string): boolean {
  return rules.some((rule) => rule.field === field && rule.presence === 'required');
}

/** Whether a payee type refuses a field, or accepts it only in place of another field that the file has. */
function hasNoUse(
  { rules }: ResourceDefinition,
  field: string,
  isThere: (field: string) => boolean,
): boolean {
  const presence = rules.find((rule) => rule.field === field)?.presence ?? 'unused';
  if (presence === 'unused') return true;
  return presence === 'checked' && rules.some((rule) => rule.orElse === field && isThere(rule.field));
}

/** The payee type of each row, by its own column or by the institution that it names. */
function rowDefinitions(
  { uses, definitions }: Assignment,
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
): ((row: number) => ResourceDefinition | undefined) | undefined {
  const deciding = ['payee_type', 'institution_name']
    .map((field) => ({ field, column: uses.find((use) => use.fields.includes(field))?.column }))
    .find(({ column }) => column !== undefined);
  const table = tables.find(({ field }) => field === deciding?.field);
  if (deciding?.column === undefined || table === undefined) return undefined;
  const byMeaning = (meaning: string): ResourceDefinition | undefined => {
    if (deciding.field === 'payee_type') return definitions.find(({ payeeType }) => payeeType === meaning);
    const named = institutions.find(({ name }) => name === meaning);
    if (named === undefined) return undefined;
    const type = typeOfInstitution(named);
    return definitions.find(({ institution }) => institution?.suits({}) === type);
  };
  const byText = new Map(
    table.lines.flatMap(({ value, meaning }) => {
      const definition = meaning === null ? undefined : byMeaning(meaning);
      return definition === undefined ? [] : [[value, definition] as const];
    }),
  );
  const byRow = new Map(deciding.column.cells.map(({ row, text }) => [row, byText.get(text)]));
  return (row) => byRow.get(row);
}
