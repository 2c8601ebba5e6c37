/* What is known about a row in doubt, and what a person can do about it. */

import { inCurrency } from '../../domain/money/money.ts';
import type { NormalisedRecord, RowAdvice, UndecidedRow } from '../../domain/rows/ledger-row.ts';
import { doubtStepOf, sentAgainText } from '../../domain/rows/row-state.ts';

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
    advice:
      foundId === undefined
        ? adviceOf(row, keyLifetimeInMs)
        : `the export has it: created, with the id ${foundId}, once somebody has checked that`,
  };
}

/** A row number and a key tell nobody whose row it is. */
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

/** What the ledger knows of a row in doubt, in half a sentence. */
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

const askProvider = 'ask the provider about its key or content: created with its id, or not-created';

/** Reasons of rows that were sent: the provider knows what became of them. */
const reasonsOfSent: ReadonlySet<string> = new Set([
  'key_expired',
  'conflict',
  'contradicting_answers',
  'id_seen_before',
]);

/** What a person can do about rows that are held for one reason. @param code null where it is not known */
export function adviceOnReason(code: string | null): string {
  return code !== null && reasonsOfSent.has(code) ? askProvider : adviceOnUnsent(code);
}

function adviceOf(row: UndecidedRow, keyLifetimeInMs: number): string {
  const { state, code, firstSentAt } = row;
  const step = doubtStepOf({ ...row, isExpired: row.ageInMs >= keyLifetimeInMs });
  if (step === 'ask') return askProvider;
  if (step === 'resume') {
    if (state === 'sending') return 'another run is sending it, or ended while it did: resume the batch';
    const runsOutAt = firstSentAt === null ? null : later(firstSentAt, keyLifetimeInMs);
    const own = code === 'other_credential' ? ' with the API key that it was sent under' : '';
    return `resume${own}: ${sentAgainText(1, runsOutAt)}`;
  }
  return adviceOnUnsent(code);
}

function adviceOnUnsent(code: string | null): string {
  switch (code) {
    case 'differs_from_created':
      return 'existing if the earlier object stands, send if this is another one';
    case 'unknown_elsewhere':
      return 'resolve the row that it names first, then existing or send';
    case 'corrects_in_doubt':
      return 'resume or resolve the batch of the row that it names first: it goes on by itself once that row is refused, or not-created';
    case 'payee_details_changed':
      return 'ask the payee, by another way than this file, which account is right: existing if the earlier one stands, send if the new one is right';
    case 'account_shared':
      return 'ask whose account it is: send if it is right, else correct it in the failed file';
    case 'corrects_created':
      return 'existing if the object that is there stands, send if this one is to be created as well';
    case 'file_may_be_cut':
      return 'compare it with its source: send if it is whole, else import the whole file and close this batch';
    case 'institution_unverifiable':
      return 'resume: it goes on by itself once the list of institutions is complete; else correct it in the failed file';
    default:
      return 'check what the message says: existing with an id, or send';
  }
}

function later(time: string, byInMs: number): string {
  return new Date(Date.parse(time) + byInMs).toISOString();
}
