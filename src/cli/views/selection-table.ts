/* The rows that a verdict for many is for, as a person reads them before agreeing. */

import type { Selection } from '../../domain/batches/selection.ts';
import { countOf, groupedAmount, groupedNumber } from '../../domain/money/figures.ts';
import { alignedTable, colourIf } from './terminal-text.ts';

/** Count, sums, the first rows and the hash, for a terminal: several lines, without a newline at the end. */
export function selectionTable(selection: Selection, useColour: boolean): string {
  const { verdict, rows, sums, samples, sentRepeatedly, hash } = selection;
  const colour = colourIf(useColour);
  const more = rows - samples.length;
  const lines = [
    colour('bold', `${verdict}: ${countOf(rows, 'row')}`),
    ...sums.map(
      ({ currency, amount, rows: summed }) =>
        `  ${currency} ${groupedAmount(amount, currency)} in ${countOf(summed, 'row')}`,
    ),
    ...(sentRepeatedly === 0 ? [] : [`  sent more than once: ${groupedNumber(sentRepeatedly)}`]),
    '',
    ...alignedTable(
      [
        { title: 'row', isFigure: true },
        { title: 'status' },
        { title: 'code' },
        { title: 'name', mayShrink: true },
        { title: 'amount', isFigure: true },
        { title: 'reference', mayShrink: true },
        { title: 'requests', isFigure: true },
      ],
      samples.map(({ row, status, code, name, amount, reference, attempts }) => [
        String(row),
        status,
        code ?? '',
        name,
        amount,
        reference,
        String(attempts),
      ]),
      colour,
    ),
    ...(more === 0 ? [] : [`  and ${countOf(more, 'more row', 'more rows')}`]),
    '',
    `  selection  ${hash}`,
  ];
  return lines.join('\n');
}
