/* What disowning an API key takes back, for a terminal: batches, rows and sums. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Disowning } from '../../domain/controls/controls.ts';
import { countOf, groupedAmount } from '../../domain/money/money.ts';

/** A line for each batch, and what stays. */
export function disowningLines({ batches, decided }: Disowning): readonly string[] {
  return [
    ...batches.map(({ id, created, sums, existing, ready }) => {
      const amounts = sums.map(({ amount, currency }) => `${groupedAmount(amount, currency)} ${currency}`);
      const parts = [
        ...(created > 0
          ? [`${countOf(created, 'created row')}${amounts.length === 0 ? '' : ` (${amounts.join(', ')})`}`]
          : []),
        ...(existing > 0 ? [countOf(existing, 'existing row')] : []),
        ...(ready > 0 ? [`${countOf(ready, 'row')} not sent yet, prepared anew`] : []),
      ];
      return `  batch ${shortBatchId(id)}: ${parts.join(', ')}`;
    }),
    ...(decided > 0
      ? [
          `  ${countOf(decided, 'row')} that a person has named as created ${decided === 1 ? 'stays' : 'stay'} so`,
        ]
      : []),
  ];
}
