/* Numbers and amounts as people read them. */

import { inCurrency } from './money.ts';

/** A whole number as people read it: `20,000`. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 row`, `20,000 rows`; `2 batches`, where the plural is more than an s. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${groupedNumber(value)} ${value === 1 ? noun : plural}`;
}

/**
 * A plain decimal as people read it: `1,234,567.50`.
 * @param currency whose digits after the point it is shown with; absent where it is quoted as somebody else wrote it
 */
export function groupedAmount(amount: string, currency: string | null = null): string {
  const [whole = '', fraction] = inCurrency(amount, currency).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
