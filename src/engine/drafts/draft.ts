/* The draft of a batch's corrections: the edits, the user who made each edit, and the checker's current findings. */

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { resultLayout } from '../../account/files/failed-layout.ts';
import { replaceFile } from '../../account/files/replacement-file.ts';
import { resultStem } from '../../account/files/result-files.ts';
import { type CallResult, noBatches } from '../../account/result.ts';
import type { CallContext } from '../../call/context.ts';
import { findNamedBatch } from '../../call/ledger-access.ts';
import { requireOutFolder } from '../../disk/file-system.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { type DraftEdit, isCorrectable, type KeptEdit } from '../../domain/batches/draft.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type ResultRow, shownCells } from '../../domain/rows/result-row.ts';
import * as draftChanges from '../../ledger/after-sending/draft-changes.ts';
import * as drafts from '../../ledger/after-sending/drafts.ts';
import type { VerbsWith } from '../../ledger/verbs.ts';
import { planFiles } from '../import.ts';
import { type ShownBatch, shownBatch } from '../rows.ts';
import { type CheckedRow, checkRows, correctionText } from './check-rows.ts';

/** The part of a draft that is requested. */
interface DraftRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Only this row, with all its current and earlier edits; a page of the draft when absent. */
  readonly row?: number | undefined;
  /** Only these rows, edited or not; a page of the draft when absent. */
  readonly rows?: readonly number[] | undefined;
  /** The row number after which the page begins. */
  readonly after?: number | undefined;
  /** Number of rows in a page; 100 when absent. */
  readonly limit?: number | undefined;
  /** Whether edited rows are checked; true when absent. */
  readonly isChecked?: boolean;
}

/** A row of a draft. */
export interface DraftRow {
  /** The row with the draft's values in its edited cells, and the file's values in the others. */
  readonly row: ResultRow;
  /**
   * The cells of the file as people see them. (An edit records the previous value of the draft, which may come from an
   * earlier edit.)
   */
  readonly inFile: readonly string[];
  readonly edits: readonly DraftEdit[];
  /** Whether a correction may still replace it. */
  readonly isCorrectable: boolean;
  /** The checker's current result; null where it was not checked. */
  readonly checked: CheckedRow | null;
}

/** A draft, or a page of it. */
export interface DraftResult extends CallResult {
  readonly batch: ShownBatch;
  readonly columns: readonly string[];
  /** Total size of the draft. */
  readonly size: { readonly rows: number; readonly edits: number };
  readonly rows: readonly DraftRow[];
  /** Where the next page begins; null after the last page. */
  readonly next: number | null;
  /** Number of rows of the draft that would pass now; null if the draft has more rows than are checked for a page. */
  readonly passing: number | null;
  /** All edits of the one row that was asked for, the oldest first; empty for a page. */
  readonly history: readonly KeptEdit[];
}

const rowsOfAPage = 100;
/** Maximum of rows that are checked while a person waits for the result of an edit. */
export const mostChecked = 2_000;
/** The same maximum when a person opens a draft, since its page has to appear at once. */
const mostCheckedAtOnce = 1_000;
/** Number of rows that are read with each statement. */
export const rowsAtOnce = 1_000;

/** The files with the ledger's verbs for drafts. */
export const ofDrafts = { ...drafts, ...draftChanges };

/** The ledger's verbs, including those for drafts. */
export type DraftVerbs = VerbsWith<typeof ofDrafts>;

/**
 * Shows a draft. Read only: nothing is staged, sent or changed.
 * @throws PaybatchError (`batch_not_found`); and the errors of a check of the rows
 */
export async function showDraft(app: CallContext, request: DraftRequest): Promise<DraftResult> {
  const verbs = (await app.connections.ledger()).verbsWith(ofDrafts);
  const batch = await findNamedBatch(verbs, request.batch);
  const { row, after = 0, limit = rowsOfAPage, isChecked = true } = request;
  const size = await verbs.countDraft(batch.id);
  const named = row === undefined ? request.rows?.slice(0, mostChecked) : [row];
  const isWhole = named === undefined && size.rows <= mostCheckedAtOnce;
  const numbers =
    named ??
    (await verbs.listDraftRows(batch.id, isWhole ? 0 : after, isWhole ? mostCheckedAtOnce : limit + 1));
  const rows = await judgedRows(app, verbs, batch, numbers, isChecked);
  const page = rows.filter(({ row: own }) => named !== undefined || own.row > after);
  const shown = named === undefined ? page.slice(0, limit) : page;
  return {
    ...noBatches,
    ...partOf(batch, size, shown),
    next: page.length > shown.length ? (shown.at(-1)?.row.row ?? null) : null,
    passing: isWhole ? passingOf(rows) : null,
    history: row === undefined ? [] : await verbs.listEditsOfRow(batch.id, row),
  };
}

/** Rows of a draft, with the data that a page shows about their batch. */
export type DraftPart = Pick<DraftResult, 'batch' | 'columns' | 'size' | 'rows'>;

export function partOf(batch: BatchRecord, size: DraftResult['size'], rows: readonly DraftRow[]): DraftPart {
  return { batch: shownBatch(batch), columns: batch.header, size, rows };
}

/** The number of rows that would pass now. */
export function passingOf(rows: readonly DraftRow[]): number {
  return rows.filter(({ checked }) => checked?.status === 'not_sent').length;
}

/** Rows with the values of the draft. Those that are edited and can still be corrected are checked together. */
export async function judgedRows(
  app: CallContext,
  verbs: DraftVerbs,
  batch: BatchRecord,
  numbers: readonly number[],
  isChecked = true,
): Promise<readonly DraftRow[]> {
  const rows = await draftRows(verbs, batch, numbers);
  const open = rows.filter(({ row, edits }) => isChecked && edits.length > 0 && isCorrectable(row));
  const checked = await checkRows(
    app,
    batch,
    open.map(({ row }) => row),
  );
  return rows.map(({ row, shown, inFile, edits }) => ({
    row: shown,
    inFile,
    edits,
    isCorrectable: isCorrectable(row),
    checked: checked.get(row.row) ?? null,
  }));
}

/** A row of a batch with its current edits. */
interface EditedRow {
  /** The row with the values that the file of corrections contains. */
  readonly row: ResultRow;
  /** The row as people see it: unedited cells show the file's values. */
  readonly shown: ResultRow;
  readonly inFile: readonly string[];
  readonly edits: readonly DraftEdit[];
}

/** Rows with the values of the draft, and their current edits. */
export async function draftRows(
  verbs: Pick<DraftVerbs, 'findResultRows' | 'findDraftEdits'>,
  { id }: Pick<BatchRecord, 'id'>,
  numbers: readonly number[],
): Promise<readonly EditedRow[]> {
  if (numbers.length === 0) return [];
  const edits = await verbs.findDraftEdits(id, numbers);
  const byRow = new Map<number, DraftEdit[]>();
  for (const edit of edits) byRow.set(edit.row, [...(byRow.get(edit.row) ?? []), edit]);
  return (await verbs.findResultRows(id, numbers)).map((row) => {
    const own = byRow.get(row.row) ?? [];
    const inFile = shownCells(row);
    const shown = withEdits({ ...row, cells: inFile }, own);
    return { row: withEdits(row, own), shown, inFile, edits: own };
  });
}

/** A row with the values of its edits in its cells. */
function withEdits(row: ResultRow, edits: readonly DraftEdit[]): ResultRow {
  if (edits.length === 0) return row;
  const cells = [...row.cells];
  for (const { place, after } of edits) {
    while (cells.length < place) cells.push('');
    cells[place] = after;
  }
  return { ...row, cells };
}

/* Turns a draft into a correction: a file with only the edited rows, which is planned like any corrected file. */

const rowsNamed = 10;

/**
 * Plans the corrections of a draft. Their file is kept in the result folder: this file and the run log are enough to
 * rebuild the correction. The edits become part of the correction, and the draft is empty afterwards.
 * @throws PaybatchError (`draft_empty`); (`edit_outdated`) with the rows that cannot be corrected any more; and the errors
 *   of `plan`
 */
export async function planDraft(
  app: CallContext,
  request: { readonly batch: string },
): Promise<Awaited<ReturnType<typeof planFiles>>> {
  const { output } = app.settings;
  await requireOutFolder(output);
  const verbs = (await app.connections.ledger()).verbsWith(ofDrafts);
  const batch = await findNamedBatch(verbs, request.batch);
  const { rows, edits } = await wholeDraft(verbs, batch);
  if (rows.length === 0) throw empty();
  const outdated = rows.filter((row) => !isCorrectable(row));
  if (outdated.length > 0) throw outdatedRows(outdated);
  const text = await correctionText(resultLayout(batch.header, batch.id), rows);
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const stem = resultStem({ ...batch, batchId: batch.id });
  const path = join(resolve(output.out), `${stem}.corrections-${mark}.csv`);
  await replaceFile(path, (file) => file.write(text));
  const planned = await planFiles(app, { files: [path] });
  const [correction] = planned.batches;
  if (correction !== undefined) await verbs.endPlannedEdits(batch.id, app.actor.name, edits, correction.id);
  return planned;
}

async function wholeDraft(
  verbs: DraftVerbs,
  batch: BatchRecord,
): Promise<{ readonly rows: readonly ResultRow[]; readonly edits: readonly DraftEdit[] }> {
  const rows: ResultRow[] = [];
  const edits: DraftEdit[] = [];
  for (let after = 0; ; ) {
    const numbers = await verbs.listDraftRows(batch.id, after, rowsAtOnce);
    for (const each of await draftRows(verbs, batch, numbers)) {
      // If the edits of a row were discarded meanwhile, the row has the values of its file.
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
