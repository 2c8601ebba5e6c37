/*
 * The check of one column's cells: damage by programs, the mapping's statements about the cells, and the rule of the field.
 */

import { readAs } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import { foldWord, type MappedColumn, type ReadingRules, type Repair } from '../../domain/tables/mapping.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/table.ts';
import { type FieldType, isUsed } from '../definition.ts';
import type { ChangedRule } from '../rule-changes.ts';
import { hasMeanings, knownMeanings } from '../words-of-files.ts';
import { unitRepairs } from './amount-units.ts';
import { type AccountForm, accountForms, hasAccountForm } from './bank-numbers.ts';
import {
  createRepairingCheck,
  isTreated,
  type RepairContext,
  readingOfColumn,
  treatText,
} from './cell-repairs.ts';
import { type CreateValueCheck, fieldTypes } from './field-types.ts';
import { findRepeatedDamage, isConfirmed, isRepeatedError, isUndamagedNumber } from './number-repair.ts';
import { createPresenceCheck } from './rule-check.ts';
import {
  type AcceptedNumbers,
  acceptedNumbersOf,
  findDamage,
  findSpreadsheetError,
  isAcceptedNumber,
} from './spreadsheet-damage.ts';
import {
  type CellCheck,
  createTranslation,
  isValueRefusal,
  maskedValue,
  type NotedValue,
  noOtherValues,
  readText,
  shownValue,
  type Translate,
  type ValueCheck,
  type ValueRefusal,
  type ValueResult,
} from './value-text.ts';

/** The mapping names the value, whether or not a person has confirmed that. So no other name is proposed for it. */
function refuseWithoutCounterpart(value: string): ValueRefusal {
  return {
    code: 'unknown_value',
    message: say`the mapping has no counterpart for ${shownValue(value)}, so its rows are refused`,
  };
}

/** The mapping's translation of a value, read like a value of the file; undefined if there is none. */
function translated(
  text: string,
  translate: Translate,
  { lineBreaks }: ReadingRules,
): string | ValueRefusal | undefined {
  const meaning = translate(text);
  if (meaning === null) return refuseWithoutCounterpart(text);
  return meaning === undefined ? undefined : readText(meaning, lineBreaks);
}

/**
 * The value that a translation has put in place of the file's value. Besides other notes it gets a note of what it was read
 * as.
 */
function notedAs(result: ValueResult, isSame: boolean): ValueResult {
  if (isSame || result === '') return result;
  if (typeof result === 'string') return { value: result, notes: [readAs(result)] };
  if (isValueRefusal(result)) return result;
  const [first, second] = result.notes;
  const isOnlyUnseen = first?.kind === 'unseen_value' && second === undefined;
  return isOnlyUnseen ? { ...result, notes: [first, readAs(result.value)] } : result;
}

const noEarlierValues: readonly EarlierValue[] = [];

function findIdentifierDamage(
  text: string,
  kind: CellKind | undefined,
  earlier: readonly EarlierValue[],
  type: FieldType,
  accepted: AcceptedNumbers,
): ValueRefusal | undefined {
  if (earlier.length === 0) return findDamage(text, kind, type, accepted);
  // A text that a person typed or confirmed on a page is accepted, whatever was there before, because no program has made
  // it.
  if (isConfirmed(text, earlier)) return findDamage(text, undefined, type, accepted);
  const isAccepted = ({ text: before }: EarlierValue): boolean =>
    isAcceptedNumber(before.replace(/\.0$/, ''), accepted);
  const compared = earlier.filter((value) => value.code !== 'damaged_number' || !isAccepted(value));
  return (
    findRepeatedDamage(text, compared, type) ??
    findDamage(text, isUndamagedNumber(text, kind, earlier) ? undefined : kind, type, accepted)
  );
}

/** The repairs that change how a column's amounts or days are read. */
const repairsOfReading: readonly Repair[] = [
  'amount_marks',
  'thousands_marks',
  ...unitRepairs,
  'short_years',
  'day_signs',
];

/**
 * The checks for a column, changed by a person's agreement about the column: the form of its account numbers, or how its
 * amounts or days are read.
 */
function acceptingMarks(
  column: MappedColumn,
  reading: ReadingRules,
  checks: CreateValueCheck,
): CreateValueCheck {
  const { repairs, accountForm } = column;
  const form = accountForms.find((known) => known === accountForm);
  if (form !== undefined)
    return (type) => (type === 'account_number' ? ofForm(form, checks(type)) : checks(type));
  return repairsOfReading.some((name) => repairs?.has(name))
    ? (type) => checks(type, readingOfColumn(column, reading))
    : checks;
}

/**
 * Checks an account number in a column whose numbers have check digits. A number that does not have this form is mistyped.
 */
function ofForm(form: AccountForm, check: ValueCheck): ValueCheck {
  return (text, kind, row) => {
    const result = check(text, kind, row);
    const isRefused = typeof result !== 'string' && isValueRefusal(result);
    if (isRefused || hasAccountForm(text, form)) return result;
    const message = say`${maskedValue(text)} is mistyped: its length or its check digits are not those of the other account numbers`;
    return { code: 'invalid_account_number', message };
  };
}

/** The data that determines how a column's cells are checked, besides the column. */
export interface ColumnContext {
  readonly reading: ReadingRules;
  readonly checks: CreateValueCheck;
  readonly isTextOnly: boolean;
  readonly numbers: RepairContext['numbers'];
  /** The field that a field may replace, if the table has both. */
  readonly substitutedBy: (field: string) => string | undefined;
}

/** The check of all cells of a column under one definition. */
export function createCellCheck(
  column: MappedColumn,
  rule: ChangedRule | undefined,
  definitionName: string,
  context: ColumnContext,
): CellCheck {
  const { reading, checks } = context;
  const check = createValueCheck(
    column,
    rule,
    definitionName,
    reading,
    acceptingMarks(column, reading, checks),
  );
  if (!isTreated(column)) return check;
  const type = rule !== undefined && isUsed(rule) ? rule.type : null;
  const isIdentifier = type !== null && fieldTypes[type].isIdentifier;
  const repairing = createRepairingCheck(check, { column, type, isIdentifier, ...context });
  return leavingOut(column, rule, repairing, context) ?? repairing;
}

const notOfThisType: NotedValue = { value: '', notes: [], repaired: 'not of this payee type' };

/**
 * The check of a column that, as a person has agreed, is used only in rows whose payee type uses it. In other rows its cells
 * are ignored. If the column replaces another one, it is also ignored in rows in which that one has a value.
 */
function leavingOut(
  column: MappedColumn,
  rule: ChangedRule | undefined,
  check: CellCheck,
  { substitutedBy }: ColumnContext,
): CellCheck | undefined {
  if (column.repairs?.has('only_where_used') !== true) return undefined;
  if (rule === undefined || rule.presence === 'unused')
    return (raw) => (raw.trim() === '' ? '' : notOfThisType);
  const replaced = substitutedBy(column.field);
  if (replaced === undefined || rule.presence !== 'checked') return undefined;
  return (raw, kind, earlier, row = noOtherValues) =>
    raw.trim() !== '' && row.valueOf(replaced) !== undefined ? notOfThisType : check(raw, kind, earlier, row);
}

/**
 * Refuses a value that no person has explained, in a column whose other values a person has explained. A later file may
 * contain new values. Words of the API, and usual words, need no explanation. Undefined for other columns and fields.
 */
function createExplainedCheck(
  { field, values }: MappedColumn,
  rule: ChangedRule | undefined,
): ((text: string) => ValueRefusal | undefined) | undefined {
  // A closed set defines its values itself.
  const isOpen = rule !== undefined && rule.allowed === undefined && rule.type !== 'list';
  if (values === undefined || !isOpen || !hasMeanings(field)) return undefined;
  const own = [...(rule.seen ?? []), ...(rule.alsoAllowed ?? []), ...knownMeanings(field)];
  const meanings = [...values.values()].filter((meaning) => meaning !== null);
  const known = new Set([...own, ...meanings].map(foldWord));
  return (text) =>
    known.has(foldWord(text))
      ? undefined
      : {
          code: 'unknown_value',
          message: say`the mapping explains the values of this column, and not ${shownValue(text)}; say what it means`,
        };
}

function createValueCheck(
  column: MappedColumn,
  rule: ChangedRule | undefined,
  definitionName: string,
  reading: ReadingRules,
  checks: CreateValueCheck,
): CellCheck {
  const check = createPresenceCheck(rule, definitionName, checks);
  const used = rule !== undefined && isUsed(rule) ? rule : undefined;
  const isIdentifier = used !== undefined && fieldTypes[used.type].isIdentifier;
  const { lineBreaks } = reading;
  const accepted = acceptedNumbersOf(column.field, reading.numericIdentifiers);
  const translate = createTranslation(column.values);
  const refuseUnexplained = createExplainedCheck(column, used);
  return (raw, kind, earlier = noEarlierValues, row = noOtherValues) => {
    const text = readText(raw, lineBreaks);
    if (typeof text !== 'string') return text;
    // If the mapping translates a value, the value no longer comes from the file, so the file cannot have damaged it.
    const meant = translated(text, translate, reading);
    if (meant !== undefined) {
      if (typeof meant !== 'string' || meant === '') return meant;
      return notedAs(check(meant, undefined, row), meant === text);
    }
    if (text === '' && kind === undefined) return '';
    const damage =
      findSpreadsheetError(text, isRepeatedError(text, earlier) ? 'error' : kind) ??
      (isIdentifier && text !== ''
        ? findIdentifierDamage(text, kind, earlier, used.type, accepted)
        : undefined);
    if (damage !== undefined) return damage;
    return text === '' ? '' : (refuseUnexplained?.(text) ?? check(text, kind, row));
  };
}

/** The check of a column while the row's payee type is not known. It has only the rules that are valid for every value. */
export function createPlainCellCheck(column: MappedColumn, reading: ReadingRules): CellCheck {
  const { lineBreaks } = reading;
  const translate = createTranslation(column.values);
  const hasTreatment = isTreated(column);
  return (raw, kind) => {
    const text = readText(hasTreatment ? treatText(raw, column).text : raw, lineBreaks);
    if (typeof text !== 'string') return text;
    return translated(text, translate, reading) ?? findSpreadsheetError(text, kind) ?? text;
  };
}
