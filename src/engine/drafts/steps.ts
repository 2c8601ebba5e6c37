/* Steps of a draft: what a person has changed at once, how much of it passes now, and undoing it. */

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
  /** The mark of the step, from its edit. */
  readonly step: string;
}

interface ShownStepRequest extends StepRequest {
  /** Rows that are shown beside it, whether the step has changed them or not; none when absent. */
  readonly rows?: readonly number[] | undefined;
}

/** What a step has changed. */
export interface StepResult extends CallResult {
  readonly cells: number;
  readonly rows: number;
  /** How many of its rows pass now; null where there are more than are checked while a person waits. */
  readonly passing: number | null;
  /** Whether the caller made it, and somebody may still undo it. */
  readonly mayUndo: boolean;
  /** The rows that were asked for, as they are in the draft now. */
  readonly draft: DraftPart;
}

/**
 * Shows what a step has changed, and how many of its rows pass now. Read only. Its rows and those that are shown are read
 * and checked once, together.
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
  /** Cells that somebody has changed since: they stay as they are. */
  readonly kept: number;
}

/**
 * Gives the cells of a caller's step the values that they had before, as a step of its own. Cells that somebody has changed
 * since stay as they are.
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

/** A column of rows that a person looks at, with what is wrong in it. */
interface EndingRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly rows: readonly number[];
  /** Index of the column in the header of the batch, from 0. */
  readonly place: number;
  /** The code of the finding. */
  readonly code: string;
}

/** An ending that could be taken off. */
interface EndingResult extends CallResult {
  /** Null where there is none, or the cells would still be faulty without it. */
  readonly ending: string | null;
}

/** A first look is enough: people see a preview of what would change, and what passes, before it counts. */
const endingsTried = 3;
const rowsTried = 5;

/** Amounts without an ending may be other amounts, and damaged numbers may lack more than their ending. */
const neverShortened = /amount|currency|damaged_number/;

/**
 * Finds an ending that most of the faulty cells of a column share, and without which the checker has nothing against them.
 * Read only.
 */
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
