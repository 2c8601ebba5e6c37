import type { Environment } from '../../domain/batches/batch.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { batchIdOf, type HeldBatch, type Intake } from '../../pipeline/intake/take-in.ts';
import { withoutExpectations } from '../../pipeline/mapping/mapping-file.ts';

/** Keeps how each batch that was staged just now was read, so that its failed file is read in the same way. */
export async function keepReadings(
  verbs: Pick<LedgerVerbs, 'saveReading'>,
  held: readonly HeldBatch[],
  intakes: readonly Intake[],
  environment: Environment,
): Promise<void> {
  for (const intake of intakes) {
    const id = batchIdOf(intake, environment);
    if (!held.some(({ batch, isNew }) => isNew && batch.id === id)) continue;
    await verbs.saveReading(id, {
      mapping: JSON.stringify({
        ...withoutExpectations(intake.reading),
        ...(intake.encoding === undefined ? {} : { encoding: intake.encoding }),
      }),
      rules: JSON.stringify(intake.rules),
      hiddenRows: intake.hiddenChoice === 'skip' ? 0 : intake.hidden.count,
      hiddenChoice: intake.hiddenChoice,
    });
  }
}
