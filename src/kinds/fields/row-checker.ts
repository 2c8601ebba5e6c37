/* Checks the rows of one table: every cell, required fields, fields that depend on each other, and repeated headers. */

import {
  type Finding,
  headerAgain,
  noteOnColumn,
  type RowNote,
  repairNote,
} from '../../domain/rows/finding.ts';
import { joined, type Message, say } from '../../domain/settings/message.ts';
import type { TableMapping } from '../../domain/tables/mapping.ts';
import type { Cells } from '../../domain/tables/table.ts';
import { type ColumnTitles, columnTitles, type ResourceDefinition } from '../definition.ts';
import { definitionsOf, isNameOf, mostDigitsInNames, normaliseHeader } from '../registry.ts';
import type { CheckedRow, Lookups, RowChecker } from '../row-check.ts';
import { type DefinitionPlan, type FieldPlan, readCell, ValuesOfRow } from './definition-plan.ts';
import type { FindingCode } from './finding-codes.ts';
import { phoneIn } from './phone.ts';
import {
  createPlanChooser,
  type PlanOptions,
  payeeTypeByInstitution,
  withoutPayeeType,
} from './plan-choice.ts';
import { checkReferences, needLookups } from './references.ts';
import { createKeptCells } from './spreadsheet-damage.ts';
import { isValueRefusal, type ValueResult } from './value-text.ts';

export interface RowCheckerOptions extends PlanOptions {
  /** The number of cells in the header. Text in a cell beyond them is a finding. */
  readonly headerWidth: number;
}

interface LocatedFinding {
  readonly order: number;
  readonly finding: Finding;
}

/** The state of a row during its checks. Lists are created only when needed, since hardly any row needs one. */
interface Progress {
  readonly record: Record<string, string>;
  located: LocatedFinding[] | undefined;
  /** Fields that are refused without a finding, because another field of their cell has it. */
  repeated: ReadonlySet<string> | undefined;
  notes: RowNote[] | undefined;
  /** The form of repaired cells in result files, by column. */
  mended: Map<number, string> | undefined;
}

const noFindings: readonly Finding[] = Object.freeze([]);
const noNotes: readonly RowNote[] = Object.freeze([]);

const betweenFields = Number.MAX_SAFE_INTEGER;

function report(
  progress: Progress,
  place: { readonly field: string; readonly title: string; readonly order: number },
  code: FindingCode,
  message: Message,
): void {
  const { field, title: column, order } = place;
  progress.located ??= [];
  progress.located.push({ order, finding: { severity: 'invalid', field, column, code, message } });
}

function note(progress: Progress, added: RowNote): void {
  progress.notes ??= [];
  progress.notes.push(added);
}

function take(
  progress: Progress,
  place: Pick<FieldPlan, 'field' | 'title' | 'order'> & { readonly index?: number | null },
  result: ValueResult,
): void {
  if (typeof result === 'string') {
    if (result !== '') progress.record[place.field] = result;
  } else if (isValueRefusal(result)) {
    if (result.isOfCell === true && isReported(progress, place.title, result.code))
      progress.repeated = new Set([...(progress.repeated ?? []), place.field]);
    else report(progress, place, result.code, result.message);
  } else {
    if (result.value !== '') progress.record[place.field] = result.value;
    if (result.repaired !== undefined) note(progress, repairNote(place.title, result.repaired));
    if (result.notes.length > 0) note(progress, noteOnColumn(place.title, result.notes));
    if (result.cell === undefined || place.index === undefined || place.index === null) return;
    progress.mended ??= new Map();
    progress.mended.set(place.index, result.cell);
  }
}

function isReported({ located }: Progress, title: string, code: FindingCode): boolean {
  return located?.some(({ finding }) => finding.column === title && finding.code === code) ?? false;
}

function hasFinding(progress: Progress, field: string): boolean {
  if (progress.repeated?.has(field)) return true;
  return progress.located?.some(({ finding }) => finding.field === field) ?? false;
}

/** Whether a column is filled in, even with a value that did not pass. */
function isGiven(progress: Progress, field: string): boolean {
  return progress.record[field] !== undefined || hasFinding(progress, field);
}

function isAnyGiven(progress: Progress, fields: readonly string[]): boolean {
  for (const field of fields) if (isGiven(progress, field)) return true;
  return false;
}

function checkRequirements(progress: Progress, plan: DefinitionPlan): void {
  for (const { fields, title, others, order, when } of plan.requirements) {
    if (isAnyGiven(progress, fields) || (when !== null && !isAnyGiven(progress, when))) continue;
    // An empty cell that is split into several fields gets one finding.
    if (isReported(progress, title, 'required')) continue;
    const [field = ''] = fields;
    const elsewhere = others.length === 0 ? '' : say`, here or in ${joined(others, ' or ')}`;
    const reason = when === null ? '' : ' once any part of the address is given';
    const message = say`is empty; a value is required${elsewhere}${reason}`;
    report(progress, { field, title, order }, 'required', message);
  }
}

function checkDependents(progress: Progress, plan: DefinitionPlan): void {
  for (const dependent of plan.dependents) {
    const value = progress.record[dependent.field];
    const other = progress.record[dependent.on];
    if (value === undefined || other === undefined) continue;
    const result = dependent.check(value, other);
    if (result !== value) take(progress, dependent, result);
  }
}

function checkCellsBeyond(progress: Progress, row: Cells, headerWidth: number): void {
  for (let index = headerWidth; index < row.cells.length; index += 1) {
    if (row.cells[index]?.trim() === '' && !row.kinds?.has(index)) continue;
    const title = `column ${index + 1}`;
    const message = `there is something in a cell beyond the header's ${headerWidth} columns; an unquoted separator inside a value may have caused it`;
    report(progress, { field: title, title, order: index }, 'unexpected_value', message);
  }
}

/** A row of titles would pass in columns that allow any text, so it needs this check. */
function reportHeaderAgain(progress: Progress, { fields }: DefinitionPlan): void {
  const [first] = [...fields]
    .filter(({ index }) => index !== null)
    .sort((left, right) => left.order - right.order);
  if (first !== undefined) report(progress, first, 'unexpected_value', headerAgain);
}

/** Sorts findings by the order of the file's columns. Sorting is stable, so findings of one column stay in their order. */
function inFileOrder(located: LocatedFinding[] | undefined): readonly Finding[] {
  if (located === undefined) return noFindings;
  if (located.length > 1) located.sort((left, right) => left.order - right.order);
  return located.map(({ finding }) => finding);
}

function checkBetweenFields(
  progress: Progress,
  definition: ResourceDefinition,
  titles: ColumnTitles,
  values: ValuesOfRow,
): void {
  const result = definition.checkRecord?.(progress.record, titles, (text) => phoneIn(text, values));
  if (result === undefined) return;
  for (const { field, code, message } of result.findings ?? []) {
    if (hasFinding(progress, field)) continue;
    report(progress, { field, title: titles.of(field), order: betweenFields }, code, message);
  }
  for (const text of result.notes ?? []) note(progress, text);
  if (result.fills !== undefined) Object.assign(progress.record, result.fills);
}

/**
 * Makes the check of one table's rows. The rules are prepared here, once, so that each row only has to run through arrays of
 * checks.
 * @throws Error if the reading rules declare a date format that `isDateFormat` does not accept
 */
export function createRowChecker(options: RowCheckerOptions): RowChecker {
  const { mapping, headerWidth } = options;
  const values = new ValuesOfRow(mapping);
  const choosePlan = createPlanChooser(options, values);
  const isHeaderAgain = createHeaderAgainCheck(mapping);
  const titles = columnTitles(new Map(mapping.columns.map(({ field, title }) => [field, title])));

  const checkFields = (row: Cells): CheckedRow => {
    const plan = choosePlan(row);
    values.begin(row, plan.fields);
    const progress: Progress = {
      record: {},
      located: undefined,
      repeated: undefined,
      notes: undefined,
      mended: undefined,
    };
    for (const field of plan.fields) {
      const result = readCell(row, field, values);
      if (result !== '') take(progress, field, result);
    }
    if (row.cells.length > headerWidth) checkCellsBeyond(progress, row, headerWidth);
    if (isHeaderAgain(row)) reportHeaderAgain(progress, plan);
    checkRequirements(progress, plan);
    for (const [field, value] of plan.defaults) {
      if (!isGiven(progress, field)) progress.record[field] = value;
    }
    checkDependents(progress, plan);
    if (plan.definition !== null) checkBetweenFields(progress, plan.definition, titles, values);
    return {
      definition: plan.definition,
      record: progress.record,
      findings: inFileOrder(progress.located),
      notes: progress.notes ?? noNotes,
      ...(progress.mended === undefined ? {} : { mended: progress.mended }),
    };
  };

  const hasPayeeTypes = definitionsOf(mapping.kind).some(({ payeeType }) => payeeType !== null);
  const isDerived = mapping.columns.some(({ derivedFrom }) => derivedFrom !== undefined);
  return {
    checkFields,
    keptCells: createKeptCells(mapping, options.reading),
    needs: needLookups,
    checkReferences: (row, lookups) => {
      const stated = options.rules?.[row.definition?.name ?? '']?.['account_number'];
      const checked = checkReferences(row, lookups, titles, stated?.pattern !== undefined);
      return hasPayeeTypes && checked.definition?.payeeType === null
        ? withoutPayeeType(checked, titles)
        : checked;
    },
    ...(isDerived
      ? {
          payeeTypeOf: (row: CheckedRow, lookups: Lookups) =>
            payeeTypeByInstitution(row, lookups, definitionsOf(mapping.kind)),
        }
      : {}),
  };
}

const fewestCells = 2;
/** An explanation below a title: `(as in the passport)`. */
const isBracketed = /^(?:\(.*\)|\[.*\])$/su;

/** A column of the file that is a field, or a part of one. */
interface NamedColumn {
  readonly index: number;
  readonly field: string;
  readonly plainTitle: string;
  /** The maximum number of digits in the title and in any name of the field. */
  readonly mostDigits: number;
}

function digitsIn(text: string): number {
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) digits += 1;
  }
  return digits;
}

/**
 * Makes the check whether a row repeats the header, in the same or in other words. It does if every value in it is a known
 * name of its own column, in any supported language, or an explanation in brackets.
 */
export function createHeaderAgainCheck({ kind, columns }: TableMapping): (row: Cells) => boolean {
  const namedColumn = (field: string, index: number, title: string): NamedColumn => {
    const plainTitle = normaliseHeader(title);
    return {
      field,
      index,
      plainTitle,
      mostDigits: Math.max(digitsIn(plainTitle), mostDigitsInNames(kind, field)),
    };
  };
  const named = columns.flatMap(({ field, title, index, joined = [], split }): NamedColumn[] => [
    // Only the first part of a split column is tested.
    ...(index === null || (split !== undefined && split.part !== split.into[0])
      ? []
      : [namedColumn(field, index, title)]),
    ...joined.map((part) => namedColumn(field, part.index, part.title)),
  ]);
  // References and numbers have more digits than any name. Comparing the number of digits is much faster than comparing
  // names.
  const isName = ({ field, plainTitle, mostDigits }: NamedColumn, text: string): boolean =>
    isBracketed.test(text) ||
    (digitsIn(text) <= mostDigits && (normaliseHeader(text) === plainTitle || isNameOf(kind, field, text)));
  return ({ cells }) => {
    let names = 0;
    for (const column of named) {
      const text = cells[column.index]?.trim() ?? '';
      if (text === '') continue;
      // For nearly all rows the first value already decides.
      if (!isName(column, text)) return false;
      names += 1;
    }
    return names >= fewestCells;
  };
}
