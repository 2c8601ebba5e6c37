/* Turns a draft into a correction: a file with only the edited rows, planned as every corrected file is. */

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { writePrivateFile } from '../../account/files/replacement-file.ts';
import { resultStem } from '../../account/files/result-files.ts';
import type { CallContext } from '../../call/context.ts';
import { findNamedBatch } from '../../call/ledger-access.ts';
import { requireOutFolder } from '../../disk/file-system.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type DraftEdit, isCorrectable } from '../../domain/rows/draft.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { planFiles } from '../plan.ts';
import { correctionText, draftRows } from './draft.ts';

const rowsAtOnce = 1_000;
const rowsNamed = 10;

/**
 * Plans the corrections of a draft. Their file stays in the folder of results: this file and the run log are enough to
 * rebuild the correction. The edits move into the correction, and the draft is empty.
 * @throws PaybatchError (`draft_empty`); (`edit_outdated`) that names rows which cannot be corrected any more; and those
 *   of `plan`
 */
export async function planDraft(
  app: CallContext,
  request: { readonly batch: string },
): Promise<Awaited<ReturnType<typeof planFiles>>> {
  const { output } = app.settings;
  await requireOutFolder(output);
  const { verbs } = await app.connections.ledger();
  const batch = await findNamedBatch(verbs, request.batch);
  const { rows, edits } = await wholeDraft(verbs, batch);
  if (rows.length === 0) throw empty();
  const outdated = rows.filter((row) => !isCorrectable(row));
  if (outdated.length > 0) throw outdatedRows(outdated);
  const text = correctionText(batch, rows);
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const stem = resultStem({ ...batch, batchId: batch.id });
  const path = join(resolve(output.out), `${stem}.corrections-${mark}.csv`);
  await writePrivateFile(path, text);
  const planned = await planFiles(app, { files: [path] });
  const [correction] = planned.batches;
  if (correction !== undefined) await verbs.endPlannedEdits(batch.id, app.actor.name, edits, correction.id);
  return planned;
}

async function wholeDraft(
  verbs: LedgerVerbs,
  batch: BatchRecord,
): Promise<{ readonly rows: readonly ResultRow[]; readonly edits: readonly DraftEdit[] }> {
  const rows: ResultRow[] = [];
  const edits: DraftEdit[] = [];
  for (let after = 0; ; ) {
    const numbers = await verbs.listDraftRows(batch.id, after, rowsAtOnce);
    for (const each of await draftRows(verbs, batch, numbers)) {
      // A row whose edits were discarded meanwhile has the values of its file.
      if (each.edits.length === 0) continue;
      rows.push(each.row);
      edits.push(...each.edits);
    }
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < rowsAtOnce) return { rows, edits };
    after = last;
  }
}

function empty(): PaybatchError {
  return new PaybatchError('draft_empty', 'The draft has no edits: there is nothing to plan.', {
    action: 'advice',
    text: 'correct cells first',
  });
}

function outdatedRows(rows: readonly ResultRow[]): PaybatchError {
  const named = rows.slice(0, rowsNamed).map(({ row, status }) => `${row} (${status})`);
  const more = rows.length > rowsNamed ? `, and ${rows.length - rowsNamed} more` : '';
  return new PaybatchError(
    'edit_outdated',
    `Rows of the draft cannot be corrected any more: ${named.join(', ')}${more}. Nothing was planned.`,
    { action: 'advice', text: 'discard their edits, then plan the others' },
  );
}
