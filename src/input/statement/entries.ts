import type { CellKind, TableRow } from '../../domain/tables/table.ts';
import { isPlaceholderNumber } from '../../domain/text/similar-names.ts';

/** @returns the number or the reference, empty where the bank wrote a placeholder */
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
  'Text',
] as const;

/** One booked entry, or one payment of an entry that books several. */
export interface StatementEntry {
  readonly statement: string;
  readonly account: string;
  /** The bank's own number of the entry, one on its account; empty where it gives none. */
  readonly entry: string;
  /** The booking day, `YYYY-MM-DD`; empty where there is none. */
  readonly date: string;
  /** A plain decimal, negative for money that left the account. */
  readonly amount: string;
  readonly currency: string;
  /** As CAMT writes it: `BOOK`, `PDNG`, `INFO`. */
  readonly status: string;
  readonly isReversal: boolean;
  /** Each place where the payer's reference may stand. */
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
      ...[entry.status, entry.isReversal ? 'yes' : '', [...new Set(texts)].join('\n')],
    ],
    kinds,
  };
}

/** A plain decimal with its sign: zeros in front and a bare point at the end are taken off. */
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
