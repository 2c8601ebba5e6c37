/*
 * The rows that wait for a verdict: what is known of each and what a person can do about it, and the grammar that
 * selects many of them: conditions `name = value`, joined by `and`.
 */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { inCurrency } from '../../domain/money/money.ts';
import type { NormalisedRecord, RowAdvice, UndecidedRow } from '../../domain/rows/ledger-row.ts';
import { doubtStepOf, type RowRemedy, remedyOfUnsent } from '../../domain/rows/row-state.ts';
import { normaliseHeader } from '../../kinds/registry.ts';

const unitsInMs = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** An age in its largest whole unit: `3 days`. */
function ageText(ageInMs: number): string {
  for (const [unit, unitInMs] of unitsInMs) {
    const count = Math.floor(ageInMs / unitInMs);
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return 'less than a second';
}

/**
 * What is known about a doubtful row, and what a person can do about it.
 * @param keyLifetimeInMs how long after its first sending a key may be sent again
 * @param foundId the id under which an export of the other side has it
 */
export function adviceOn(row: UndecidedRow, keyLifetimeInMs: number, foundId: string | undefined): RowAdvice {
  return {
    row: row.row,
    status: row.state === 'held' ? 'held' : 'unknown',
    key: row.idempotencyKey,
    ...whatItIsAbout(row.record),
    age: ageText(row.ageInMs),
    attempts: row.attempts,
    known: evidenceOf(row),
    advice: foundId === undefined ? remedyOf(row, keyLifetimeInMs) : { action: 'confirm_found', id: foundId },
  };
}

/** The details that show a person whose row it is, which a row number and a key do not. */
export function whatItIsAbout(record: NormalisedRecord): Pick<RowAdvice, 'name' | 'amount' | 'reference'> {
  const person = [record['first_name'], record['middle_name'], record['last_name']];
  const joined = (...parts: readonly (string | undefined)[]): string =>
    parts.filter((part) => part !== undefined && part !== '').join(' ');
  const amount = record['amount'] ?? '';
  return {
    name: record['account_name'] ?? (joined(...person) || (record['label'] ?? '')),
    amount: amount === '' ? '' : joined(inCurrency(amount, record['currency'] ?? null), record['currency']),
    reference:
      record['client_reference'] ??
      record['external_id'] ??
      record['customer_external_id'] ??
      record['customer_id'] ??
      '',
  };
}

/** `1 request`, `2 requests`. */
export function countOfRequests(attempts: number): string {
  return attempts === 1 ? '1 request' : `${attempts} requests`;
}

/** The ledger's facts about a row in doubt, in half a sentence. */
export function evidenceOf({
  code,
  message,
  attempts,
  httpStatus,
  firstSentAt,
}: Pick<UndecidedRow, 'code' | 'message' | 'attempts' | 'httpStatus' | 'firstSentAt'>): string {
  const sent =
    firstSentAt === null
      ? 'never sent'
      : `first sent ${firstSentAt.slice(0, 19).replace('T', ' ')} UTC, ${countOfRequests(attempts)}`;
  const status = httpStatus === null ? [] : [`last HTTP status ${httpStatus}`];
  const reason = message ?? code;
  return [...(reason === null ? [] : [reason.replace(/[.;]$/, '')]), sent, ...status].join('; ');
}

function remedyOf(row: UndecidedRow, keyLifetimeInMs: number): RowRemedy {
  const { state, code, firstSentAt } = row;
  const step = doubtStepOf({ ...row, isExpired: row.ageInMs >= keyLifetimeInMs });
  if (step === 'ask') return { action: 'ask_provider' };
  if (step === 'decide') return remedyOfUnsent(code);
  if (state === 'sending') return { action: 'resume_interrupted' };
  const runsOutAt =
    firstSentAt === null ? null : new Date(Date.parse(firstSentAt) + keyLifetimeInMs).toISOString();
  return { action: 'resume', needsOwnApiKey: code === 'other_credential', runsOutAt };
}

/** One condition on a row. Values are compared in the form of `comparable`. */
export type Condition =
  | { readonly part: 'status' | 'code'; readonly value: string }
  | {
      readonly part: 'column';
      /** As in the file's header. */
      readonly title: string;
      /** The column's index in the header, from 0. */
      readonly index: number;
      readonly value: string;
    };

/** The parts of a row that conditions test. */
export interface JudgedRow {
  readonly state: 'held' | 'unknown';
  readonly code: string | null;
  /** As in the file. */
  readonly cells: readonly string[];
}

/** A value without invisible differences: with composed letters, single spaces, and trimmed. */
function comparable(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** Whether a row meets all conditions. */
export function meets(row: JudgedRow, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => valueAt(row, condition) === condition.value);
}

/** The value of a row that a condition tests. */
export function valueAt(row: JudgedRow, condition: Condition): string {
  switch (condition.part) {
    case 'status':
      return row.state;
    case 'code':
      return row.code ?? '';
    case 'column':
      return comparable(row.cells[condition.index] ?? '');
  }
}

/** A condition as it is written; the file may have no such column. */
export interface WrittenCondition {
  readonly name: string;
  /** A quoted name is always a column of the file. */
  readonly isQuoted: boolean;
  readonly value: string;
}

/**
 * Reads conditions: `status=held and code=key_expired and "Bank name"="Equity and Sons"`. The bare words `status` and
 * `code` are the row's own; a quoted name is always a column of the file, matched as headers are. A quotation mark
 * inside quotes is doubled.
 * @throws PaybatchError (`selection_invalid`) that says what is wrong
 */
export function readConditions(text: string): readonly WrittenCondition[] {
  const conditions: WrittenCondition[] = [];
  let rest = text.trim();
  for (;;) {
    const name = readName(rest);
    const value = readValue(name.rest);
    conditions.push({ name: name.text, isQuoted: name.isQuoted, value: comparable(value.text) });
    if (value.rest === null) return conditions;
    rest = value.rest;
  }
}

/**
 * The conditions for the rows of a file.
 * @param text as `readConditions` reads it
 * @throws PaybatchError (`selection_invalid`) that says what is wrong, and lists the columns if one is not known
 */
export function parseWhere(text: string, header: readonly string[]): readonly Condition[] {
  return readConditions(text).map((condition) => conditionOf(condition, header));
}

/** Whether a condition tests the row's own status or reason, and not a column of the file. */
export function ownPartOf({ name, isQuoted }: WrittenCondition): 'status' | 'code' | null {
  const word = name.toLowerCase();
  return !isQuoted && (word === 'status' || word === 'code') ? word : null;
}

interface ReadName {
  readonly text: string;
  readonly isQuoted: boolean;
  /** The text after the `=`. */
  readonly rest: string;
}

function readName(text: string): ReadName {
  const quoted = readQuoted(text);
  if (quoted !== null) {
    if (!quoted.rest.startsWith('=')) throw invalid(`"=" is missing behind ${shown(quoted.text)}`);
    return { text: quoted.text, isQuoted: true, rest: quoted.rest.slice(1).trim() };
  }
  const at = text.indexOf('=');
  const name = text.slice(0, at).trim();
  if (at < 0 || name === '') throw invalid(`${shown(text)} is no condition: it has to be NAME=VALUE`);
  if (/[!<>~"']/.test(name)) {
    throw invalid(
      `${shown(name)} is no name: only "=" compares, and a name with such characters needs quotes`,
    );
  }
  return { text: name, isQuoted: false, rest: text.slice(at + 1).trim() };
}

/** The value, and the text after the `and`; null for none. */
function readValue(text: string): { readonly text: string; readonly rest: string | null } {
  const quoted = readQuoted(text);
  if (quoted !== null) {
    if (quoted.rest === '') return { text: quoted.text, rest: null };
    const next = /^and\s+(.*)$/isu.exec(quoted.rest);
    if (next === null) throw invalid(`"and" is missing before ${shown(quoted.rest)}`);
    return { text: quoted.text, rest: next[1] ?? '' };
  }
  const next = /^(.*?)\s+and(?:\s+(.*))?$/isu.exec(text);
  const value = next === null ? text : (next[1] ?? '');
  if (value === '' || /[="]/.test(value) || /^and\s/i.test(value)) {
    throw invalid(value === '' ? 'a value is missing: an empty one is ""' : `${shown(value)} needs quotes`);
  }
  if (next !== null && next[2] === undefined) throw invalid('nothing follows the last "and"');
  return { text: value, rest: next?.[2] ?? null };
}

/** A quoted text at the beginning, and the text after it; null where there are no quotes. */
function readQuoted(text: string): { readonly text: string; readonly rest: string } | null {
  const mark = text[0];
  if (mark !== '"' && mark !== "'") return null;
  const found = (mark === '"' ? /^"((?:[^"]|"")*)"(.*)$/su : /^'((?:[^']|'')*)'(.*)$/su).exec(text);
  if (found === null) throw invalid(`a quotation mark is not closed: ${shown(text)}`);
  return { text: (found[1] ?? '').replaceAll(mark + mark, mark), rest: (found[2] ?? '').trim() };
}

function conditionOf(condition: WrittenCondition, header: readonly string[]): Condition {
  const { name, value } = condition;
  const part = ownPartOf(condition);
  if (part !== null) return { part, value: value.toLowerCase() };
  const wanted = normaliseHeader(name);
  const found = header.flatMap((title, index) =>
    normaliseHeader(title) === wanted ? [{ title, index }] : [],
  );
  const [only, second] = found;
  if (second !== undefined) throw invalid(`several columns are called ${shown(name)}`);
  if (only === undefined) {
    const titles = header.filter((title) => title !== '').map(shown);
    throw invalid(`there is no column ${shown(name)}; there are status, code, ${titles.join(', ')}`);
  }
  return { part: 'column', ...only, value };
}

function shown(text: string): string {
  return `"${text}"`;
}

function invalid(problem: string): PaybatchError {
  return new PaybatchError('selection_invalid', `The conditions cannot be used: ${problem}.`, {
    action: 'advice',
    text: 'write NAME=VALUE and NAME=VALUE: status, code, or a column of the file; other names and values in quotes',
  });
}
