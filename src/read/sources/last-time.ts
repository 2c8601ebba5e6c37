/* What a reading is compared with of last time: the payees of its series, and what the columns of its layout held. */

import type { Kind } from '../../domain/batches/batch.ts';
import { seriesName } from '../../domain/batches/last-time.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import { definitionsOf } from '../../kinds/registry.ts';
import type { InputTable } from '../rows/input-table.ts';
import { nameOf } from './open-file.ts';
import type { TableReading } from './readings.ts';

/** Nothing for the rows of another file, and for a file in paybatch's own columns, which say themselves what they hold. */
export function layoutUseOf(
  { source }: TableReading,
  { mapping, acceptDrift }: ReadingProfile,
): Pick<InputTable, 'layout'> {
  const isMapped =
    source.from === 'remembered' ||
    source.from === 'content' ||
    (source.from === 'stated' && mapping !== undefined);
  if (!isMapped) return {};
  const remembered = source.from === 'remembered' ? source : null;
  const accepted = (acceptDrift ?? '').split(',').map((code) => code.trim());
  return { layout: { remembered, isAgreed: remembered?.isAgreed === true, accepted } };
}

/** The earlier files whose payees are compared with these; nothing for a kind that pays nobody. */
export function seriesUseOf(
  { file, table: { sheet }, source }: TableReading,
  kind: Kind,
): Pick<InputTable, 'series'> {
  if (definitionsOf(kind).every(({ payee }) => payee === undefined)) return {};
  const mapping = source.from === 'remembered' ? source.headerKey : null;
  return { series: { name: seriesName(nameOf(file), sheet), mapping } };
}
