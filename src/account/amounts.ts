/* What the rows of a batch add up to in money, by status and currency, as a table with its total. */

import type { InputAccount } from '../domain/batches/account.ts';
import { AmountSums, type CurrencySum } from '../domain/money/expectation.ts';
import { countOf, groupedNumber } from '../domain/money/figures.ts';
import type { StatusCounts } from '../domain/rows/row-state.ts';
import { figure, type Line, type Table } from './table/table.ts';
import { occurring, statusLabel } from './words/wording.ts';

type Sums = NonNullable<InputAccount['sums']>;

/** The amounts of a batch; null where no row has one, or they are not added up. */
export function amountsTable(account: Pick<InputAccount, 'sums' | 'counts' | 'repeats'>): Table | null {
  const { sums, counts, repeats } = account;
  if (sums === null || sums.length === 0) return null;
  const left = leftOut(sums, counts, repeats);
  return {
    title: 'Amounts',
    ...(left.length === 0 ? {} : { introduction: `${left.join('; ')}.` }),
    columns: ['Status', 'Currency', figure('Rows'), figure('Sum')],
    rows: sums.map(({ status, currency, rows, amount }) => [
      { status },
      currency,
      rows,
      { amount, currency },
    ]),
    totals: addedUp(sums).map(
      ({ currency, rows, amount }): Line => ['all', currency, rows, { amount, currency }],
    ),
  };
}

/** Sums of the same currency together, by currency. */
export function addedUp(sums: readonly CurrencySum[]): readonly CurrencySum[] {
  const added = new AmountSums();
  for (const { currency, amount, rows } of sums) added.add(currency, amount, rows);
  return added.result();
}

/**
 * Where a sum is not that of all rows of its status: `created: 2 of 3 rows have an amount`. Only an invalid row may have one
 * that cannot be read.
 */
function leftOut(sums: Sums, counts: StatusCounts, repeats: StatusCounts): readonly string[] {
  return occurring(counts).flatMap(([status, all]) => {
    const repeated = repeats[status] ?? 0;
    const rows = all - repeated;
    const summed = sums.filter((sum) => sum.status === status).reduce((sum, each) => sum + each.rows, 0);
    const have = `${groupedNumber(summed)} of ${countOf(rows, 'row')} ${summed === 1 || rows === 1 ? 'has' : 'have'}`;
    const readable = status === 'invalid' ? ' that can be read' : '';
    return [
      ...(summed < rows ? [`${statusLabel(status)}: ${have} an amount${readable}`] : []),
      ...(repeated > 0 ? [`${statusLabel(status)}: ${repeatedText(repeated)}`] : []),
    ];
  });
}

function repeatedText(rows: number): string {
  return rows === 1
    ? '1 row more repeats an earlier one, and is not counted again'
    : `${groupedNumber(rows)} rows more repeat earlier ones, and are not counted again`;
}
