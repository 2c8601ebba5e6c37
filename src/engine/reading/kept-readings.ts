import type { Environment } from '../../domain/batches/batch.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { withoutExpectations } from '../../pipeline/mapping/mapping-file.ts';
import { batchIdOf, type InputTable, type LeasedBatch } from '../../pipeline/staging/stage-input.ts';

/** Keeps how each batch that was staged just now was read, so that its failed file is read in the same way. */
export async function keepReadings(
  verbs: Pick<LedgerVerbs, 'saveReading'>,
  held: readonly LeasedBatch[],
  inputTables: readonly InputTable[],
  environment: Environment,
): Promise<void> {
  for (const inputTable of inputTables) {
    const id = batchIdOf(inputTable, environment);
    if (!held.some(({ batch, isNew }) => isNew && batch.id === id)) continue;
    await verbs.saveReading(id, {
      mapping: JSON.stringify({
        ...withoutExpectations(inputTable.reading),
        ...(inputTable.encoding === undefined ? {} : { encoding: inputTable.encoding }),
      }),
      rules: JSON.stringify(inputTable.rules),
      hiddenRows: inputTable.hiddenChoice === 'skip' ? 0 : inputTable.hidden.count,
      hiddenChoice: inputTable.hiddenChoice,
    });
  }
}
