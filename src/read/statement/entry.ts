/* The entries of an account statement, whatever its format, and what the formats share to read them. */

import type { CellKind, TableRow } from '../../domain/tables/table.ts';
import { isPlaceholderNumber } from '../../domain/text/characters.ts';
import { InputError, type InputErrorDetails, type InputLimits } from '../file/input-error.ts';

/** @returns the number or the reference, empty for a bank's placeholder */
export function withoutPlaceholder(text: string): string {
  return isPlaceholderNumber(text) ? '' : text.trim();
}

/** The columns of a statement's table, whatever its format. */
export const statementColumns = [
  'Statement',
  'Account',
  'Entry',
  'Date',
  'Amount',
  'Currency',
  'Status',
  'Reversal',
  'Counterparty',
  'Text',
] as const;

/** One booked entry, or one payment of an entry that books several. */
export interface StatementEntry {
  readonly statement: string;
  readonly account: string;
  /** The bank's own number of the entry, unique in its account; empty where it has none. */
  readonly entry: string;
  /** The booking day, `YYYY-MM-DD`; empty where there is none. */
  readonly date: string;
  /** A plain decimal, negative for money that left the account. */
  readonly amount: string;
  readonly currency: string;
  /** As CAMT writes it: `BOOK`, `PDNG`, `INFO`. */
  readonly status: string;
  readonly isReversal: boolean;
  /** The payer or payee, with the account; empty where the format has no field for it. */
  readonly counterparty: string;
  /** Each text that may contain the payer's reference. */
  readonly texts: readonly string[];
}

const kinds: ReadonlyMap<number, CellKind> = new Map([
  [statementColumns.indexOf('Date'), 'date'],
  [statementColumns.indexOf('Amount'), 'number'],
]);

/** @param number the entry's place in the file, from 1 */
export function rowOfEntry(entry: StatementEntry, number: number): TableRow {
  const texts = entry.texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '');
  return {
    number,
    cells: [
      ...[entry.statement, entry.account, entry.entry, entry.date, entry.amount, entry.currency],
      ...[entry.status, entry.isReversal ? 'yes' : '', entry.counterparty, [...new Set(texts)].join('\n')],
    ],
    kinds,
  };
}

/** A plain decimal with its sign: leading zeros and a bare point at the end are removed. */
export function signedAmount(text: string, isNegative: boolean): string | null {
  const match = /^0*(\d+)(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  const plain = fraction === '' ? whole : `${whole}.${fraction}`;
  return isNegative && /[1-9]/.test(plain) ? `-${plain}` : plain;
}

const sumDecimals = 10;

/** The sum of plain decimals with at most ten decimals, as a whole number of the smallest unit. */
export function unitsOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => {
    const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
    const units = BigInt(whole + fraction.slice(0, sumDecimals).padEnd(sumDecimals, '0'));
    return amount.startsWith('-') ? sum - units : sum + units;
  }, 0n);
}

/** A format of account statements: how a file of it is recognised, and its entries. */
export interface StatementFormat {
  readonly name: string;
  /** The names of its messages, for people who look for what is read. */
  readonly messages: readonly string[];
  /**
   * @param start the first bytes of a file, as text
   * @throws UnknownStatement that names a message of the same standard that is no statement
   */
  readonly recognises: (start: string) => boolean;
  /**
   * The entries of a file, in groups.
   * @throws InputError where the statement is damaged
   * @throws UnknownStatement where it contains another message
   */
  readonly entries: (
    bytes: AsyncIterable<Buffer>,
    about: { readonly start: Buffer; readonly limits: InputLimits },
  ) => AsyncIterable<readonly StatementEntry[]>;
}

/** A recognised statement in an unsupported format; `what` names it. The list of formats adds what is read instead. */
export class UnknownStatement extends Error {
  readonly advice: string;

  constructor(what: string, advice = '') {
    super(`${what}.`);
    this.advice = advice;
  }
}

/** The error of a statement that is cut off, or has an unreadable essential part. */
export function damagedStatement(what: string, details: InputErrorDetails = {}): InputError {
  return new InputError(
    'file_damaged',
    `The statement is damaged: ${what}.`,
    'get it again from the bank, and give it as the bank made it',
    details,
  );
}

const interimAdvice = 'Its entries are not final: ask the bank for the statement of the day.';

/** The error of an intraday report, whose entries may change and are not those of a statement. */
export function interimReport(name: string): UnknownStatement {
  return new UnknownStatement(`This is ${name}, an interim report, and no statement`, interimAdvice);
}
