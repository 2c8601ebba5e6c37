/* Compares a file with the last one of its series, where there is one, while its rows pass by. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { SeriesComparison } from '../../domain/batches/series.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { notePayeesIn } from '../../pipeline/judging/payees-at-hand.ts';
import type { SeriesWatch } from '../../pipeline/judging/series-watch.ts';
import type { InputTable } from '../../pipeline/staging/stage-input.ts';
import { seriesIn } from '../access/ledger-access.ts';

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
