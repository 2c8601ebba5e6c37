/* Says in a sentence how a column differs from last time. */

import type { Drift, DriftWhat } from '../../domain/batches/last-time.ts';
import { shorten } from '../../kinds/fields/value-text.ts';

const sentences: Readonly<Record<DriftWhat, string>> = {
  kind_of_value: 'has another kind of value',
  country: 'has numbers of another country',
  prefix: 'has values that begin in another way',
  length: 'has values of another length',
  masked: 'has values of which a part is hidden',
  rounded: 'has numbers whose last digits are lost',
  decimals: 'has decimals that it never had',
  date_order: 'has its days in another order',
  values: 'has other words than before',
  filled: 'is filled in another way',
  size: 'has amounts of another size',
  by_person: 'has other values for known people',
  swapped: 'holds what another column held',
  names_exchanged: 'has its names in another order',
  one_row_off: 'is one row too low or too high',
  total_row: 'has a total among its rows',
  new_column: 'is new',
};

/** What is different, as the second half of a sentence. */
export function driftSentence({ what }: Pick<Drift, 'what'>): string {
  return sentences[what];
}

/** One difference in a sentence, without its full stop. */
export function driftText({ column, what, before, now }: Drift): string {
  const sides = [...(before === '' ? [] : [`before ${before}`]), ...(now === '' ? [] : [`now ${now}`])];
  return `${shorten(column)} ${sentences[what]}${sides.length === 0 ? '' : `: ${sides.join('; ')}`}`;
}
