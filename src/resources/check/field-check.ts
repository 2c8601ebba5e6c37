import { readingNote } from '../../domain/rows/reading-note.ts';
import type { CellKind, EarlierValue } from '../../domain/tables/cell.ts';
import type { MappedColumn, ReadingRules } from '../../domain/tables/mapping.ts';
import { createNameSearch } from '../../domain/text/similar-names.ts';
import type { FieldType } from '../definition.ts';
import type { ChangedRule } from '../rule-changes.ts';
import { type CreateValueCheck, fieldTypes, show } from './field-types.ts';
import { findRepeatedDamage, isRepeatedError, isUndamagedNumber } from './repeated-damage.ts';
import { noOtherValues, type RowValues } from './row-values.ts';
import {
  type AcceptedNumbers,
  acceptedNumbersOf,
  findDamage,
  findSpreadsheetError,
  isAcceptedNumber,
} from './spreadsheet-damage.ts';
import {
  isRefusal,
  type NotedValue,
  type Refusal,
  type ValueCheck,
  type ValueResult,
} from './value-result.ts';
import { countCharacters, readText, tooLong } from './value-text.ts';
import { eitherOf, shorten } from './wording.ts';

/** A check of a value that already has its canonical form; a set of values, a length, a pattern. */
type FormCheck = (value: string) => ValueResult;

function nearestAdvice(value: string, allowed: readonly string[]): string {
  const [nearest] = createNameSearch(allowed)(value, 1);
  const all = allowed.length <= 10 ? `; possible are ${eitherOf(allowed)}` : '';
  return nearest === undefined ? all : ` (did you mean ${nearest}?)${all}`;
}

/** The refusal of a value outside a closed set. */
export function refuseUnknownValue(value: string, allowed: readonly string[]): Refusal {
  return {
    code: 'unknown_value',
    message: `${shorten(value)} is not possible here${nearestAdvice(value, allowed)}`,
  };
}

function createSetCheck(rule: ChangedRule): FormCheck | undefined {
  const { allowed, seen } = rule;
  const known = allowed ?? seen;
  if (known === undefined) return undefined;
  const values = new Set(known);
  const isKnown =
    rule.type === 'list'
      ? (value: string) => value.split(';').every((element) => values.has(element))
      : (value: string) => values.has(value);
  return (value) => {
    if (isKnown(value)) return value;
    return allowed === undefined ? { value, note: 'unseen value' } : refuseUnknownValue(value, allowed);
  };
}

function createLengthCheck({ type, minLength, maxLength }: ChangedRule): FormCheck | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined;
  return (value) => {
    const length = countCharacters(value);
    if (maxLength !== undefined && length > maxLength)
      return { code: 'too_long', message: tooLong(value, maxLength) };
    if (minLength === undefined || length >= minLength) return value;
    return {
      code: 'too_short',
      message: `${show(type, value)} has ${length} characters; ${minLength} is the fewest`,
    };
  };
}

function createPatternCheck({ type, pattern }: ChangedRule): FormCheck | undefined {
  if (pattern === undefined) return undefined;
  return (value) => {
    if (pattern.test(value)) return value;
    const message = `${show(type, value)} does not have the form that the rules file asks for: ${pattern.source}`;
    return { code: 'pattern_mismatch', message };
  };
}

function isCheck(check: FormCheck | undefined): check is FormCheck {
  return check !== undefined;
}

/** The type's check, followed by those of the value's form; the first that refuses or notes something counts. */
function createUsedCheck(rule: ChangedRule, ofType: ValueCheck): ValueCheck {
  const forms = [createLengthCheck(rule), createPatternCheck(rule), createSetCheck(rule)].filter(isCheck);
  const { alsoAllowed } = rule;
  if (forms.length === 0 && alsoAllowed === undefined) return ofType;
  return (text, kind, row) => {
    let result: ValueResult = alsoAllowed?.has(text) ? text : ofType(text, kind, row);
    for (const check of forms) {
      if (typeof result !== 'string' && isRefusal(result)) return result;
      const next: ValueResult = check(typeof result === 'string' ? result : result.value);
      if (typeof next !== 'string') result = withBothNotes(result, next);
    }
    return result;
  };
}

/** What a later check says of a value beside what was noted of it before. */
function withBothNotes(earlier: string | NotedValue, later: NotedValue | Refusal): ValueResult {
  if (typeof earlier === 'string' || isRefusal(later)) return later;
  return { value: later.value, note: `${earlier.note}, ${later.note}` };
}

function refuseUnexpected(type: FieldType, definitionName: string): ValueCheck {
  const payeeType = definitionName.slice(definitionName.indexOf('/') + 1);
  return (text) => ({
    code: 'unexpected_value',
    message: `${show(type, text)} stands here, but ${payeeType} does not use this column; empty it, or correct the payee type`,
  });
}

const notSent: NotedValue = { value: '', note: 'not sent' };

/** What happens to a value that is not empty, by the presence that the rule gives its field. */
function createPresenceCheck(
  rule: ChangedRule | undefined,
  definitionName: string,
  checks: CreateValueCheck,
): ValueCheck {
  // A column that only another payee type has may hold anything, so its value is masked like an account number.
  if (rule === undefined) return refuseUnexpected('account_number', definitionName);
  if (rule.presence === 'unused') return refuseUnexpected(rule.type, definitionName);
  if (rule.presence === 'not_sent') return () => notSent;
  return createUsedCheck(rule, checks(rule.type));
}

/** A person has looked at the value, so that no other name is proposed for it. */
function refuseWithoutCounterpart(value: string): Refusal {
  return {
    code: 'unknown_value',
    message: `a person has said that ${shorten(value)} has no counterpart: the mapping refuses it`,
  };
}

/** What the mapping means by a value, read as a file's own would be; undefined where it says nothing of it. */
function translate(
  text: string,
  { values }: MappedColumn,
  { lineBreaks }: ReadingRules,
): string | Refusal | undefined {
  const translated = values?.get(text);
  if (translated === null) return refuseWithoutCounterpart(text);
  return translated === undefined ? undefined : readText(translated, lineBreaks);
}

/** A value that a translation has put in the place of the file's, with a note of it. */
function notedAs(result: ValueResult, isSame: boolean): ValueResult {
  if (isSame || typeof result !== 'string' || result === '') return result;
  return { value: result, note: readingNote(result) };
}

/** Reads one cell: '' for an empty one, else what the checks made of its value. */
export type CellCheck = (
  raw: string,
  kind: CellKind | undefined,
  /** What the cell held in earlier rounds of a corrected row. */
  earlier?: readonly EarlierValue[],
  row?: RowValues,
) => ValueResult;

const noEarlierValues: readonly EarlierValue[] = [];

function findIdentifierDamage(
  text: string,
  kind: CellKind | undefined,
  earlier: readonly EarlierValue[],
  type: FieldType,
  accepted: AcceptedNumbers,
): Refusal | undefined {
  if (earlier.length === 0) return findDamage(text, kind, type, accepted);
  const isAccepted = ({ text: before }: EarlierValue): boolean =>
    isAcceptedNumber(before.replace(/\.0$/, ''), accepted);
  const compared = earlier.filter((value) => value.code !== 'damaged_number' || !isAccepted(value));
  return (
    findRepeatedDamage(text, compared, type) ??
    findDamage(text, isUndamagedNumber(text, kind, earlier) ? undefined : kind, type, accepted)
  );
}

/** The check of all of a column's cells under one definition. */
export function createCellCheck(
  column: MappedColumn,
  rule: ChangedRule | undefined,
  definitionName: string,
  reading: ReadingRules,
  checks: CreateValueCheck,
): CellCheck {
  const check = createPresenceCheck(rule, definitionName, checks);
  const isUsed = rule !== undefined && rule.presence !== 'unused' && rule.presence !== 'not_sent';
  const isIdentifier = isUsed && fieldTypes[rule.type].isIdentifier;
  const { lineBreaks } = reading;
  const accepted = acceptedNumbersOf(column.field, reading.numericIdentifiers);
  return (raw, kind, earlier = noEarlierValues, row = noOtherValues) => {
    const text = readText(raw, lineBreaks);
    if (typeof text !== 'string') return text;
    // A value that the mapping translates is no longer the file's own, so the file cannot have damaged it.
    const translated = translate(text, column, reading);
    if (translated !== undefined) {
      if (typeof translated !== 'string' || translated === '') return translated;
      return notedAs(check(translated, undefined, row), translated === text);
    }
    if (text === '' && kind === undefined) return '';
    const damage =
      findSpreadsheetError(text, isRepeatedError(text, earlier) ? 'error' : kind) ??
      (isIdentifier && text !== ''
        ? findIdentifierDamage(text, kind, earlier, rule.type, accepted)
        : undefined);
    if (damage !== undefined) return damage;
    return text === '' ? '' : check(text, kind, row);
  };
}

/** The check of a column while the row's payee type is not known: only what holds for every value. */
export function createPlainCellCheck(column: MappedColumn, reading: ReadingRules): CellCheck {
  const { lineBreaks } = reading;
  return (raw, kind) => {
    const text = readText(raw, lineBreaks);
    if (typeof text !== 'string') return text;
    return translate(text, column, reading) ?? findSpreadsheetError(text, kind) ?? text;
  };
}
