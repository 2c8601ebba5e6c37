/* Steps of a draft: the cells that a person has changed at once, how many of their rows pass now, and undoing a step. */

import { type CallResult, noBatches } from '../../account/result.ts';
import type { CallContext } from '../../call/context.ts';
import { findNamedBatch } from '../../call/ledger-access.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { type CellEdit, type StepCell, sharedEndings } from '../../domain/batches/draft.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import { checkRows } from './check-rows.ts';
import {
  type DraftPart,
  type DraftVerbs,
  draftRows,
  judgedRows,
  mostChecked,
  ofDrafts,
  partOf,
  passingOf,
  rowsAtOnce,
} from './draft.ts';
import { type EditResult, refused, writeStep } from './edit.ts';

/** A step of a draft. */
interface StepRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** The id of the step, from the result of its edit. */
  readonly step: string;
}

interface ShownStepRequest extends StepRequest {
  /** Further rows to return, whether the step has changed them or not; none when absent. */
  readonly rows?: readonly number[] | undefined;
}

/** The changes of a step. */
export interface StepResult extends CallResult {
  readonly cells: number;
  readonly rows: number;
  /** Number of its rows that would pass now; null if it has more rows than are checked while a person waits. */
  readonly passing: number | null;
  /** Whether the caller made any part of the step that can still be undone. */
  readonly mayUndo: boolean;
  /** The requested rows, with their current values in the draft. */
  readonly draft: DraftPart;
}

/**
 * Shows what a step has changed, and how many of its rows would pass now. Read only. The rows of the step and the requested
 * rows are read and checked together, in one pass.
 */
export async function showStep(
  app: CallContext,
  { batch: named, step, rows: shown = [] }: ShownStepRequest,
): Promise<StepResult> {
  const verbs = (await app.connections.ledger()).verbsWith(ofDrafts);
  const batch = await findNamedBatch(verbs, named);
  const cells = await stepCells(verbs, batch, step);
  const changed = new Set(cells.map(({ row }) => row));
  const isCounted = changed.size <= mostChecked;
  const asked = new Set(shown.slice(0, mostChecked));
  const judged = await judgedRows(app, verbs, batch, [...new Set([...asked, ...(isCounted ? changed : [])])]);
  return {
    ...noBatches,
    cells: cells.length,
    rows: changed.size,
    passing: isCounted ? passingOf(judged.filter(({ row }) => changed.has(row.row))) : null,
    mayUndo: cells.some(({ by, isCurrent }) => isCurrent && by === app.actor.name),
    draft: partOf(
      batch,
      await verbs.countDraft(batch.id),
      judged.filter(({ row }) => asked.has(row.row)),
    ),
  };
}

/** The result of undoing a step. */
interface UndoResult extends EditResult {
  /** Number of cells that were changed again after the step. They keep their current values. */
  readonly kept: number;
}

/**
 * Restores the previous values of the cells in a step of the caller. This is a new step. Cells that were changed again
 * after the step keep their current values.
 * @throws PaybatchError (`edit_invalid`) where the caller made no such step
 */
export async function undoStep(app: CallContext, { batch: named, step }: StepRequest): Promise<UndoResult> {
  const verbs = (await app.connections.ledger()).verbsWith(ofDrafts);
  const batch = await findNamedBatch(verbs, named);
  const own = (await stepCells(verbs, batch, step)).filter(({ by }) => by === app.actor.name);
  if (own.length === 0) {
    throw refused('edit_invalid', 'You have made no such step. Nothing was changed.', 'look at the draft');
  }
  const open = own.filter(({ isCurrent }) => isCurrent);
  const unedited = open.filter(({ after }) => after === null);
  const inFile = await cellsInFile(verbs, batch, unedited);
  const edits = open.map(({ row, place, before, after }): CellEdit => {
    const now = after ?? inFile(row, place);
    return { row, place, before: now, after: before, ...(now === before ? { isRight: false } : {}) };
  });
  return { ...(await writeStep(app, verbs, batch, edits)), kept: own.length - open.length };
}

async function stepCells(
  verbs: Pick<DraftVerbs, 'findStep'>,
  { id }: BatchRecord,
  step: string,
): Promise<readonly StepCell[]> {
  return /^\d{1,16}$/.test(step) ? verbs.findStep(id, step) : [];
}

/** The values of cells without an edit. */
async function cellsInFile(
  verbs: DraftVerbs,
  batch: BatchRecord,
  cells: readonly StepCell[],
): Promise<(row: number, place: number) => string> {
  const values = new Map<number, readonly string[]>();
  const rows = [...new Set(cells.map(({ row }) => row))];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    for (const { shown } of await draftRows(verbs, batch, rows.slice(at, at + rowsAtOnce)))
      values.set(shown.row, shown.cells);
  }
  return (row, place) => values.get(row)?.[place] ?? '';
}

/** A column in rows that a person looks at, and the finding in it. */
interface EndingRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly rows: readonly number[];
  /** Index of the column in the header of the batch, from 0. */
  readonly place: number;
  /** The code of the finding. */
  readonly code: string;
}

/** An ending that could be removed from the cells. */
interface EndingResult extends CallResult {
  /** Null if the cells share no ending, or would still be faulty without it. */
  readonly ending: string | null;
}

/**
 * A few tries are enough: people see a preview of the changes, and of the rows that would pass, before anything is edited.
 */
const endingsTried = 3;
const rowsTried = 5;

/**
 * Findings and fields whose values are never shortened: a shortened amount is another amount, and damaged numbers may lack
 * more than their ending.
 */
const neverShortened = /amount|currency|damaged_number/;

/** Finds an ending that most faulty cells of a column share, and without which the checker accepts them. Read only. */
export async function findEnding(
  app: CallContext,
  { batch: named, rows: numbers, place, code }: EndingRequest,
): Promise<EndingResult> {
  const verbs = (await app.connections.ledgerToRead()).verbsWith(ofDrafts);
  const batch = await findNamedBatch(verbs, named);
  const rows = await draftRows(verbs, batch, numbers.slice(0, rowsAtOnce));
  const isFaulty = ({ findings = [] }: ResultRow): boolean =>
    findings.some((each) => each.code === code && each.column === batch.header[place]);
  const unedited = rows.filter(({ edits }) => edits.length === 0).map(({ shown }) => shown);
  const faulty = unedited.filter(isFaulty);
  const cellOf = ({ cells }: ResultRow): string => cells[place] ?? '';
  const about = faulty[0]?.findings?.find((each) => each.code === code)?.field ?? '';
  const isShortened = !neverShortened.test(code) && !neverShortened.test(about);
  const others = unedited.filter((row) => !isFaulty(row));
  const endings = isShortened ? sharedEndings(faulty.map(cellOf), others.map(cellOf)) : [];
  for (const ending of endings.slice(0, endingsTried)) {
    const tried = faulty.filter((row) => cellOf(row).endsWith(ending)).slice(0, rowsTried);
    if (await isRightWithout(app, batch, tried, place, ending)) return { ...noBatches, ending };
  }
  return { ...noBatches, ending: null };
}

async function isRightWithout(
  app: CallContext,
  batch: BatchRecord,
  rows: readonly ResultRow[],
  place: number,
  ending: string,
): Promise<boolean> {
  const shortened = rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, at) => (at === place ? cell.slice(0, -ending.length) : cell)),
  }));
  const checked = await checkRows(app, batch, shortened);
  const title = batch.header[place];
  const right = [...checked.values()].filter(({ findings }) =>
    findings.every(({ column }) => column !== title),
  );
  return right.length * 2 > rows.length;
}
