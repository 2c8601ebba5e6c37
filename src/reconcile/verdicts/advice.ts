/* What is known of a row in doubt, and what a person can do about it. */

import { inCurrency } from '../../domain/money/money.ts';
import type { NormalisedRecord, RowAdvice, UndecidedRow } from '../../domain/rows/ledger-row.ts';
import { doubtStepOf, type RowRemedy, remedyOfUnsent } from '../../domain/rows/row-state.ts';

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
  const runsOutAt = firstSentAt === null ? null : later(firstSentAt, keyLifetimeInMs);
  return { action: 'resume', needsOwnApiKey: code === 'other_credential', runsOutAt };
}

function later(time: string, byInMs: number): string {
  return new Date(Date.parse(time) + byInMs).toISOString();
}
