/* Editing a draft: single cells, one column of many rows at once, and discarding edits. */

import { createHash } from 'node:crypto';
import { isResultColumn } from '../../account/files/failed-layout.ts';
import { type CallResult, noBatches } from '../../account/result.ts';
import type { CallContext } from '../../call/context.ts';
import { findNamedBatch } from '../../call/ledger-access.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import {
  type CellEdit,
  type ColumnChange,
  changedValue,
  type EditConflict,
  isCorrectable,
  numberToConfirm,
  type WantedEdit,
} from '../../domain/batches/draft.ts';
import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { RowFilter } from '../../domain/rows/search-terms.ts';
import * as rowSearch from '../../ledger/after-sending/row-search.ts';
import type { BoundVerbs } from '../../ledger/verbs.ts';
import { type ShownBatch, shownBatch } from '../rows.ts';
import { type DraftVerbs, draftRows, ofDrafts, rowsAtOnce } from './draft.ts';

/** An edit of one column in all rows that match a filter: how its values change. */
interface GroupEdit {
  readonly filter: RowFilter;
  /** Index of the column in the header of the batch, from 0. */
  readonly place: number;
  readonly change: ColumnChange;
}

/** The effect of an edit of many rows. */
export interface EditPreview {
  /** Hash over every row with its values before and after. A different hash means that something has changed. */
  readonly hash: string;
  /** How many rows would change. */
  readonly rows: number;
  /** Number of rows that already have the new value, or whose value the change does not apply to. */
  readonly unchanged: number;
  /** Number of rows that cannot be corrected: they exist, may exist, or are corrected elsewhere. */
  readonly leftOut: number;
  /** The first changed cells. */
  readonly samples: readonly CellEdit[];
}

interface PreviewRequest extends GroupEdit {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
}

/** The preview of an edit of many rows. */
export interface PreviewResult extends CallResult {
  readonly batch: ShownBatch;
  readonly columns: readonly string[];
  readonly preview: EditPreview;
}

/** A block of pasted cells that is longer than the page on which it was pasted. */
interface BlockEdit {
  /** The edits of the rows on the page. */
  readonly seen: readonly CellEdit[];
  readonly filter: RowFilter;
  /** The last row of the page. The rest of the block applies to the rows that follow it under the filter. */
  readonly after: number;
  /** The columns of the block: their index in the header of the batch, from 0. */
  readonly places: readonly number[];
  /** The lines of the block after the page. Lines may have different lengths. */
  readonly lines: readonly (readonly string[])[];
}

/** A request to make edits. */
interface EditRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly edits:
    | readonly CellEdit[]
    | (GroupEdit & { /** Of the preview. */ readonly hash: string })
    | BlockEdit;
}

/** The result of edits: all of them were made, or none. */
export interface EditResult extends CallResult {
  /** Number of edited cells; 0 if there are conflicts. */
  readonly edited: number;
  /** Cells that differ from what the person saw. */
  readonly conflicts: readonly EditConflict[];
  /**
   * The id by which the step is shown and undone; null if nothing was edited, now or by an earlier call of the same step.
   */
  readonly step: string | null;
}

/** Maximum of edits in one step. A larger number of edits belongs in a corrected file. */
const mostEdits = 20_000;
const samplesShown = 10;
/** The verbs of drafts, with those that find rows. */
type EditVerbs = DraftVerbs & BoundVerbs<typeof rowSearch>;

/**
 * Shows what an edit of many rows would do. Read only.
 * @throws PaybatchError (`edit_invalid`) for a column that cannot be edited, and for too many rows
 */
export async function previewEdit(app: CallContext, request: PreviewRequest): Promise<PreviewResult> {
  const verbs = (await app.connections.ledger()).verbsWith({ ...ofDrafts, ...rowSearch });
  const batch = await findNamedBatch(verbs, request.batch);
  const { preview } = await editsOf(verbs, batch, request);
  return {
    ...noBatches,
    batch: shownBatch(batch),
    columns: batch.header,
    preview,
  };
}

/**
 * Makes edits in the draft of a batch, all of them or none. Rows and files are not changed.
 * @throws PaybatchError (`edit_invalid`) for a column that cannot be edited, and for too many rows; (`edit_outdated`) where
 *   an edit of many rows would differ from its preview
 */
export async function editDraft(app: CallContext, request: EditRequest): Promise<EditResult> {
  const verbs = (await app.connections.ledger()).verbsWith({ ...ofDrafts, ...rowSearch });
  const batch = await findNamedBatch(verbs, request.batch);
  const wanted = request.edits;
  const edits =
    'hash' in wanted
      ? await agreedEdits(verbs, batch, wanted)
      : 'seen' in wanted
        ? await editsOfBlock(verbs, batch, wanted)
        : wanted;
  return writeStep(app, verbs, batch, edits);
}

/** Makes edits, all of them or none, as one step. */
export async function writeStep(
  app: CallContext,
  verbs: DraftVerbs,
  batch: BatchRecord,
  edits: readonly WantedEdit[],
): Promise<EditResult> {
  for (const place of new Set(edits.map((edit) => edit.place))) requireOwnColumn(batch, place);
  if (edits.length > mostEdits) throw tooMany();
  const { conflicts, edited, step } = await verbs.writeEdits(batch.id, app.actor.name, edits);
  return { ...noBatches, edited, conflicts, step };
}

async function editsOfBlock(
  verbs: EditVerbs,
  { id }: BatchRecord,
  { seen, filter, after, places, lines }: BlockEdit,
): Promise<readonly WantedEdit[]> {
  if (seen.length + lines.length > mostEdits) throw tooMany();
  const start = { row: after, direction: 'after' } as const;
  const size = { limit: lines.length, most: Number.MAX_SAFE_INTEGER };
  const { rows } = await verbs.findRows(id, filter, start, size);
  if (rows.length < lines.length) {
    throw refused(
      'edit_invalid',
      `The block has ${countOf(lines.length, 'line')} for the rows behind the page, of which there ${rows.length === 1 ? 'is' : 'are'} ${groupedNumber(rows.length)}. Nothing was changed.`,
      'paste fewer lines',
    );
  }
  const further = rows.flatMap((row, down) =>
    (lines[down] ?? []).map((after, across) => ({ row, place: places[across] ?? -1, before: null, after })),
  );
  return [...seen, ...further];
}

async function agreedEdits(
  verbs: EditVerbs,
  batch: BatchRecord,
  wanted: GroupEdit & { readonly hash: string },
): Promise<readonly CellEdit[]> {
  const { preview, edits } = await editsOf(verbs, batch, wanted);
  if (preview.hash === wanted.hash) return edits;
  throw refused(
    'edit_outdated',
    'The rows, or their values, are not those of the preview any more. Nothing was changed.',
    'look at the preview again',
  );
}

async function editsOf(
  verbs: EditVerbs,
  batch: BatchRecord,
  { filter, place, change }: GroupEdit,
): Promise<{ readonly preview: EditPreview; readonly edits: readonly CellEdit[] }> {
  requireOwnColumn(batch, place);
  const hash = createHash('sha256').update(`${JSON.stringify(['group edit', 1, batch.id, place])}\n`);
  const edits: CellEdit[] = [];
  let [unchanged, leftOut] = [0, 0];
  let from: number | null = 0;
  while (from !== null) {
    const start = { row: from, direction: 'after' } as const;
    const size = { limit: rowsAtOnce, most: Number.MAX_SAFE_INTEGER };
    const found: Awaited<ReturnType<EditVerbs['findRows']>> = await verbs.findRows(
      batch.id,
      filter,
      start,
      size,
    );
    for (const edited of await draftRows(verbs, batch, found.rows)) {
      const edit = editOf(edited, batch.header, place, change);
      if (!isCorrectable(edited.row)) leftOut += 1;
      else if (edit === null) unchanged += 1;
      else {
        edits.push(edit);
        hash.update(`${JSON.stringify([edit.row, edit.before, edit.after])}\n`);
      }
    }
    if (edits.length > mostEdits) throw tooMany();
    from = found.next;
  }
  const counts = { rows: edits.length, unchanged, leftOut };
  const samples = edits.slice(0, samplesShown);
  return { edits, preview: { hash: hash.digest('hex').slice(0, 16), ...counts, samples } };
}

/** The edit that a change makes in one row; null where nothing changes. */
function editOf(
  { shown, edits }: Awaited<ReturnType<typeof draftRows>>[number],
  header: readonly string[],
  place: number,
  change: ColumnChange,
): CellEdit | null {
  const { row, cells, findings = [] } = shown;
  const before = cells[place] ?? '';
  if (change.kind !== 'confirm') {
    const after = changedValue(before, change);
    return after === before ? null : { row, place, before, after };
  }
  const isRefused =
    !edits.some((edit) => edit.place === place) &&
    findings.some(({ column, code }) => column === header[place] && code === 'damaged_number');
  const after = isRefused ? numberToConfirm(before) : undefined;
  return after === undefined ? null : { row, place, before, after, isRight: true };
}

/** Edits to discard: of one cell, of one row, or of the whole draft. */
interface DiscardRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly row?: number | undefined;
  readonly place?: number | undefined;
}

/** The number of discarded edits. */
interface DiscardResult extends CallResult {
  readonly discarded: number;
}

/** Discards edits. They stay in the ledger, marked as discarded. */
export async function discardEdits(
  app: CallContext,
  { batch: named, row, place }: DiscardRequest,
): Promise<DiscardResult> {
  const verbs = (await app.connections.ledger()).verbsWith({ ...ofDrafts, ...rowSearch });
  const batch = await findNamedBatch(verbs, named);
  const discarded = await verbs.discardEdits(batch.id, app.actor.name, { row, place });
  return { ...noBatches, discarded };
}

/** Refuses a column that result files have added, and a cell whose column has no title. */
function requireOwnColumn({ header }: BatchRecord, place: number): void {
  const title = header[place];
  if (title !== undefined && !isResultColumn(title)) return;
  throw refused(
    'edit_invalid',
    'There is no such column to edit. Nothing was changed.',
    'choose a column of the file',
  );
}

function tooMany(): PaybatchError {
  return refused(
    'edit_invalid',
    `More than ${mostEdits} cells would be edited at once. Nothing was changed.`,
    'choose fewer rows, or correct the failed file',
  );
}

/** The error of an edit that cannot be made. */
export function refused(code: ErrorCode, message: string, text: string): PaybatchError {
  return new PaybatchError(code, message, { action: 'advice', text });
}
