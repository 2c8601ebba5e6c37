import { shortBatchId } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
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
      'look at them in the file; then --hidden include sends them like the others, and --hidden skip leaves them out',
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
      'add --hidden include to send them like the others; to leave them out, plan the file again with --hidden skip',
    );
  }
}

function count(rows: number): string {
  return rows === 1 ? '1 row is' : `${rows} rows are`;
}
