/*
 * The check of a value by the rule of its field: whether the field is used, its type, and its allowed values, length and
 * form.
 */

import { say } from '../../domain/settings/message.ts';
import { countCharacters, createNameSearch } from '../../domain/text/characters.ts';
import type { FieldType } from '../definition.ts';
import type { ChangedRule } from '../rule-changes.ts';
import { type CreateValueCheck, shownAs } from './field-types.ts';
import {
  eitherOf,
  isValueRefusal,
  type NotedValue,
  shownValue,
  tooLong,
  type ValueCheck,
  type ValueRefusal,
  type ValueResult,
} from './value-text.ts';

/** The check of a value in its canonical form: a set of values, a length, or a pattern. */
type FormCheck = (value: string) => ValueResult;

function nearestAdvice(value: string, allowed: readonly string[]): string {
  const [nearest] = createNameSearch(allowed)(value, 1);
  const all = allowed.length <= 10 ? `; possible are ${eitherOf(allowed)}` : '';
  return nearest === undefined ? all : ` (did you mean ${nearest}?)${all}`;
}

/** The refusal of a value outside a closed set. */
export function refuseUnknownValue(value: string, allowed: readonly string[]): ValueRefusal {
  return {
    code: 'unknown_value',
    message: say`${shownValue(value)} is not possible here${nearestAdvice(value, allowed)}`,
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
    return allowed === undefined
      ? { value, notes: [{ kind: 'unseen_value' }] }
      : refuseUnknownValue(value, allowed);
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
      message: say`${shownAs(type, value)} has ${length} characters; ${minLength} is the fewest`,
    };
  };
}

function createPatternCheck({ type, pattern }: ChangedRule): FormCheck | undefined {
  if (pattern === undefined) return undefined;
  return (value) => {
    if (pattern.test(value)) return value;
    const message = say`${shownAs(type, value)} does not have the form that the rules file asks for: ${pattern.source}`;
    return { code: 'pattern_mismatch', message };
  };
}

/** The check of the type, followed by the checks of the value's form. The first one with a refusal or a note counts. */
function createUsedCheck(rule: ChangedRule, ofType: ValueCheck): ValueCheck {
  const forms = [createLengthCheck(rule), createPatternCheck(rule), createSetCheck(rule)].filter(
    (check) => check !== undefined,
  );
  const { alsoAllowed } = rule;
  if (forms.length === 0 && alsoAllowed === undefined) return ofType;
  return (text, kind, row) => {
    let result: ValueResult = alsoAllowed?.has(text) ? text : ofType(text, kind, row);
    for (const check of forms) {
      if (typeof result !== 'string' && isValueRefusal(result)) return result;
      const next: ValueResult = check(typeof result === 'string' ? result : result.value);
      if (typeof next !== 'string') result = withBothNotes(result, next);
    }
    return result;
  };
}

/** Adds the note of a later check to the notes of a value. */
function withBothNotes(earlier: string | NotedValue, later: NotedValue | ValueRefusal): ValueResult {
  if (typeof earlier === 'string' || isValueRefusal(later)) return later;
  return { ...earlier, value: later.value, notes: [...earlier.notes, ...later.notes] };
}

function refuseUnexpected(type: FieldType, definitionName: string): ValueCheck {
  const payeeType = definitionName.slice(definitionName.indexOf('/') + 1);
  return (text) => ({
    code: 'unexpected_value',
    message: say`${shownAs(type, text)} is here, but ${payeeType} does not use this column; empty it, or correct the payee type`,
  });
}

const notSent: NotedValue = { value: '', notes: [{ kind: 'not_sent' }] };

/**
 * An amount that is not sent, but that is part of the sums of the file and of the statuses. An amount that is not above zero
 * is refused, because a row with zero or a negative amount is not meant to be paid.
 */
function keepAmount(check: ValueCheck): ValueCheck {
  return (text, kind, row) => {
    const result = check(text, kind, row);
    if (typeof result === 'string') return { ...notSent, value: result };
    return isValueRefusal(result) ? result : { ...notSent, value: result.value };
  };
}

/** The treatment of a value that is not empty, by the presence in the field's rule. */
export function createPresenceCheck(
  rule: ChangedRule | undefined,
  definitionName: string,
  checks: CreateValueCheck,
): ValueCheck {
  // A column of only another payee type may contain anything. So its value is masked like an account number.
  if (rule === undefined) return refuseUnexpected('account_number', definitionName);
  if (rule.presence === 'unused') return refuseUnexpected(rule.type, definitionName);
  if (rule.presence === 'not_sent')
    return rule.type === 'amount' ? keepAmount(checks('amount')) : () => notSent;
  return createUsedCheck(rule, checks(rule.type));
}
