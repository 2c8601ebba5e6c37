/* Compares a file with the last one of its series, where there is one, while its rows pass by. */

import type { BatchRecord } from '../domain/batches/batch.ts';
import type { SeriesComparison } from '../domain/batches/series.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { notePayeesIn } from './payees-at-hand.ts';
import { SeriesWatch } from './series-watch.ts';

/**
 * The groups of a table that is being staged, compared. What was found is noted for its batch; so is the series itself,
 * for the next file.
 */
export async function* comparedWithSeries(
  verbs: LedgerVerbs,
  { id, environmentId }: Pick<BatchRecord, 'id' | 'environmentId'>,
  inputTable: InputTable,
  groups: AsyncIterable<StagedRow[]>,
): AsyncGenerator<StagedRow[]> {
  const found: { comparison: SeriesComparison | null } = { comparison: null };
  yield* followed(groups, await seriesIn(verbs, environmentId)(inputTable), (comparison) => {
    found.comparison = comparison;
  });
  if (inputTable.series !== undefined) await verbs.noteSeries(id, inputTable.series, found.comparison);
}

/** The same groups; `onEnd` is told how they compare, where there is anything to compare them with. */
export async function* followed(
  groups: AsyncIterable<StagedRow[]>,
  watch: SeriesWatch | undefined,
  onEnd: (comparison: SeriesComparison) => void,
): AsyncGenerator<StagedRow[]> {
  if (watch === undefined) {
    yield* groups;
    return;
  }
  yield* watch.follow(groups);
  onEnd(await watch.result());
}

/** The groups of a table that is staged again, which is compared with nothing: only the next file is compared with it. */
export async function* notedForSeries(
  verbs: Pick<LedgerVerbs, 'noteSeries'>,
  batchId: string,
  inputTable: InputTable,
  groups: AsyncIterable<StagedRow[]>,
): AsyncGenerator<readonly StagedRow[]> {
  for await (const group of groups) {
    notePayeesIn(group);
    yield group;
  }
  if (inputTable.series !== undefined) await verbs.noteSeries(batchId, inputTable.series, null);
}

/** Looks for the file that a table is compared with; undefined where there is none. */
export type FindSeries = (
  inputTable: Pick<InputTable, 'series' | 'contentHash' | 'mapping'>,
) => Promise<SeriesWatch | undefined>;

/** The last files of series, within one environment. */
export function seriesIn(verbs: LedgerVerbs, environmentId: number): FindSeries {
  return async ({ series: keys, contentHash, mapping: { kind } }) => {
    if (keys === undefined) return undefined;
    const earlier = await verbs.findSeriesBatch({ environmentId, kind, contentHash, keys });
    if (earlier === undefined) return undefined;
    return new SeriesWatch({ readPayees: verbs.readSeriesPayees, sumRows: verbs.sumRows }, earlier);
  };
}
