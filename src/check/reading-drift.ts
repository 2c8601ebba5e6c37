/* Refuses a file that differs from the last one of its layout in a way that its mapping cannot be right for. */

import type { Drift } from '../domain/batches/drift.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { fieldForHeader } from '../kinds/registry.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { noLongerFits } from '../read/sources/remembered-mappings.ts';
import { driftText } from '../watch/drift/drift-text.ts';
import { acceptanceOf, type DriftResult } from '../watch/drift/drift-watch.ts';

/**
 * The refusal of a file whose values contradict what its columns held last time.
 * @returns null where nothing does, or a person has accepted it for this content
 */
export function driftRefusal(
  inputTable: InputTable,
  { stops }: Pick<DriftResult, 'stops'>,
  place: string,
): PaybatchError | null {
  const { layout, path, mapping, table } = inputTable;
  if (stops.length === 0 || layout?.isAgreed === true) return null;
  // Our own names of columns are read where no mapping leaves them out, so the mapping has to say what they mean.
  const isOurs = ({ what, column }: Drift): boolean =>
    what === 'new_column' && fieldForHeader(mapping.kind, column) !== undefined;
  if (layout?.remembered != null && stops.some(isOurs))
    return noLongerFits(table.header, layout.remembered, place, path);
  const code = acceptanceOf(inputTable, stops);
  if (layout?.accepted.includes(code) === true) return null;
  return new PaybatchError(
    'reading_drifted',
    `${place}: it differs from the last file that was read like this, so nothing of it is sent. ${stops.map((drift) => `${driftText(drift)}.`).join(' ')}`,
    [
      { action: 'mapping', file: path, effect: 'asks how it is read' },
      {
        action: 'set',
        oneOf: [{ setting: 'acceptDrift', value: code }],
        effect: 'takes this file as it is, if it is right',
      },
    ],
  );
}
