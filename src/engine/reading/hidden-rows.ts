import { shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Remedy } from '../../domain/failures/remedy.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { placeOf } from '../../pipeline/mapping/table-mapping.ts';
import type { InputTable, LeasedBatch } from '../../pipeline/staging/stage-input.ts';

/**
 * Refuses files whose hidden rows nobody has said anything about: what a filter hides is not in anybody's mind.
 * Asked once every table was read to its end.
 * @throws PaybatchError (`file_refused`)
 */
export function refuseHiddenRows(inputTables: readonly InputTable[]): void {
  for (const { hidden, hiddenChoice, table, fileName } of inputTables) {
    if (hidden.count === 0 || hiddenChoice !== null) continue;
    throw new PaybatchError(
      'hidden_rows',
      `${placeOf(table, fileName)}: ${count(hidden.count)} hidden, and nobody has said what is meant: ${hidden.numbers}.`,
      [
        { action: 'advice', text: 'look at them in the file', next: including('sends them like the others') },
        skipping('leaves them out'),
      ],
    );
  }
}

/**
 * The same for batches that were planned: before they are sent, somebody has to have said that their hidden rows
 * are meant.
 * @throws PaybatchError (`file_refused`)
 */
export async function requireHiddenChoice(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch' | 'chooseHidden'>,
  held: readonly LeasedBatch[],
  { hidden }: Pick<ReadingProfile, 'hidden'>,
): Promise<void> {
  for (const { batch } of held) {
    const reading = (await verbs.findOriginalBatch(batch.id))?.reading ?? null;
    if (reading === null || reading.hiddenRows === 0 || reading.hiddenChoice !== null) continue;
    if (hidden === 'include') {
      await verbs.chooseHidden(batch.id, 'include');
      continue;
    }
    throw new PaybatchError(
      'hidden_rows',
      `Of batch ${shortBatchId(batch.id)} (${batch.fileName}), ${count(reading.hiddenRows)} hidden in the file, and nobody has said what is meant.`,
      [
        including('sends them like the others'),
        { ...skipping('leaves them out'), purpose: 'plan the file again' },
      ],
    );
  }
}

function count(rows: number): string {
  return rows === 1 ? '1 row is' : `${rows} rows are`;
}

function including(effect: string): Remedy {
  return { action: 'set', oneOf: [{ setting: 'hidden', value: 'include' }], effect };
}

function skipping(effect: string): Remedy {
  return { action: 'set', oneOf: [{ setting: 'hidden', value: 'skip' }], effect };
}
