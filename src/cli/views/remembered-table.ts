import type { Kind } from '../../domain/batches/batch.ts';
import { alignedTable } from './aligned-table.ts';
import { colourIf } from './terminal-text.ts';

/** A remembered mapping, as a list has it. */
export interface RememberedLine {
  readonly name: string;
  readonly kind: Kind;
  readonly header: readonly string[];
  /** ISO 8601 in UTC. */
  readonly rememberedAt: string;
  readonly mapping: { readonly sheet?: string | undefined };
}

/** The remembered mappings for a terminal, the newest first. */
export function rememberedTable(
  mappings: readonly RememberedLine[],
  useColour: boolean,
  terminalColumns?: number,
): string {
  if (mappings.length === 0) return 'No mapping is remembered.';
  const records = mappings.map(({ name, kind, header, rememberedAt, mapping }) => [
    ...[name, kind, mapping.sheet ?? '', rememberedAt.slice(0, 10)],
    header.filter((title) => title !== '').join(', '),
  ]);
  const columns = [
    { title: 'name' },
    { title: 'kind' },
    { title: 'sheet' },
    { title: 'since' },
    { title: 'header', mayShrink: true },
  ];
  return alignedTable(columns, records, colourIf(useColour), '', terminalColumns).join('\n');
}
