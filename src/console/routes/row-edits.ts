/*
 * Cells that people typed, compared with the current cells: the edits to make, and the conflicts. Also the steps that
 * the script of the table of rows sends: typed cells, a pasted block, a filled column, or their undoing.
 */

import * as z from 'zod';
import { type Html, html } from '../../account/report/page.ts';
import { statusLabel } from '../../account/words/wording.ts';
import {
  type CellEdit,
  type EditConflict,
  isCorrectable,
  numberToConfirm,
} from '../../domain/batches/draft.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { printable, withBreaks } from '../../domain/text/characters.ts';
import type { DraftPart, DraftRow } from '../../engine/drafts/draft.ts';
import type { StepResult } from '../../engine/drafts/steps.ts';
import { actorOf } from '../access/sessions.ts';
import { columnName, quoted } from '../pages/cells.ts';
import type { Frame } from '../pages/layout.ts';
import { rowLines } from '../pages/row-table.ts';
import { draftLink, draftPlace, passingText } from '../pages/rows.ts';
import { moment } from '../pages/table.ts';
import { knownFailure, PageProblem } from '../under-way/failures.ts';
import { type At, type Routes, viewerOf } from './context.ts';
import { filterIn, rowIn, stepAddress } from './rows.ts';

/** A cell with the value that a person typed. */
export interface TypedCell {
  readonly row: number;
  /** Place of the column in the header of the batch, from 0. */
  readonly place: number;
  /** The value that the page showed. */
  readonly was: string;
  readonly text: string;
  /** Whether the person confirms that a refused number is right. */
  readonly isRight?: boolean;
}

/** A conflict, with the value that the person wanted. */
export interface ShownConflict extends EditConflict {
  /** The value that the person wanted; null if it was not stated for single cells. */
  readonly wanted: string | null;
}

/** Typed cells as edits, and conflicts for cells that no longer have the value that the page showed. */
export function comparedEdits(
  rows: readonly DraftRow[],
  typed: readonly TypedCell[],
): { readonly edits: readonly CellEdit[]; readonly outdated: readonly ShownConflict[] } {
  const known = new Map(rows.map((each) => [each.row.row, each]));
  const edits: CellEdit[] = [];
  const outdated: ShownConflict[] = [];
  for (const { row, place, was, text, isRight: isConfirmed = false } of typed) {
    const own = known.get(row);
    const before = own?.row.cells[place] ?? '';
    const edit = own?.edits.find((each) => each.place === place);
    // A number counts as confirmed only if no other value was typed.
    const confirmed = isConfirmed && was === text ? numberToConfirm(before) : undefined;
    // The page cannot show every character. If an edit is undone, the characters before the edit are restored.
    const after =
      confirmed ?? (edit !== undefined && text === printable(edit.before) ? edit.before : withBreaks(text));
    // If the answer to a step was lost, its second request finds the value already there.
    if (confirmed === undefined && (was === text || before === after)) continue;
    if (own !== undefined && printable(before) === was)
      edits.push({ row, place, before, after, ...(confirmed === undefined ? {} : { isRight: true }) });
    else
      outdated.push({
        row,
        place,
        now: before,
        status: own?.row.status ?? null,
        changedBy: edit?.by ?? null,
        changedAt: edit?.at ?? null,
        wanted: after,
      });
  }
  return { edits, outdated };
}

/** Conflicts with the values that the edits would have set. */
export function withWanted(
  conflicts: readonly EditConflict[],
  edits: readonly CellEdit[],
): readonly ShownConflict[] {
  const wantedOf = ({ row, place }: EditConflict): string | null =>
    edits.find((edit) => edit.row === row && edit.place === place)?.after ?? null;
  return conflicts.map((conflict) => ({ ...conflict, wanted: wantedOf(conflict) }));
}

/** Conflicts as the items of a list: the current value of each cell, who set it, and what the person typed. */
export function conflictItems(
  batch: string,
  columns: readonly string[],
  conflicts: readonly ShownConflict[],
): readonly Html[] {
  return conflicts.map(
    ({ row, place, now, status, changedBy, changedAt, wanted }) =>
      html`<li><a href="/batches/${batch}/rows/${row}">Row ${groupedNumber(row)}</a>, ${columnName(columns, place)}: it is ${quoted(now)} now${changedBy === null ? null : html`, by ${changedBy}`}${changedAt === null ? null : html`, ${moment(changedAt)}`}${status === null || isCorrectable({ status, code: null }) ? null : html`; the row is ${statusLabel(status)}`}.${wanted === null ? null : html` You typed ${quoted(wanted)}.`}</li>
`,
  );
}

/* The steps of the table of rows. */

/** The maximum number of cells in one step. A person does not make a larger step. */
const mostCells = 20_000;
const mostCharacters = 100_000;
const conflictsShown = 20;

const stepSchema = z
  .array(
    z.tuple([
      z.int().min(1).max(999_999_999),
      z.int().min(0).max(99_999),
      z.string().max(mostCharacters),
      z.string().max(mostCharacters),
    ]),
  )
  .min(1)
  .max(mostCells);

/** The data that the page's script has sent. @throws PageProblem if the data have another form */
function sentAs<Sent>(schema: z.ZodType<Sent>, text: string, what: 'cells' | 'rows'): Sent {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new PageProblem(422, `The step names no ${what}.`, 'Load the page again.');
  }
}

/** The cells of a step. @throws PageProblem */
function stepIn(text: string): readonly TypedCell[] {
  return sentAs(stepSchema, text, 'cells').map(([row, place, was, typed]) => ({
    ...{ row, place, was, text: typed.replaceAll('\0', '\uFFFD') },
  }));
}

/** The part of a block beyond the page: the columns of the block, and its lines for the rows that follow. */
const blockSchema = z.object({
  after: z.int().min(1).max(999_999_999),
  places: z.array(z.int().min(0).max(99_999)).min(1).max(1_000),
  lines: z
    .array(z.array(z.string().max(mostCharacters)).max(1_000))
    .min(1)
    .max(mostCells),
});

function blockIn(text: string): z.infer<typeof blockSchema> {
  const { lines, ...block } = sentAs(blockSchema, text, 'cells');
  return {
    ...block,
    lines: lines.map((line) => line.map((cell) => withBreaks(cell.replaceAll('\0', '\uFFFD')))),
  };
}

const shownSchema = z.array(z.int().min(1).max(999_999_999)).max(1_000);

/** The rows of an undone step that the page shows. */
const shownIn = (text: string): readonly number[] => sentAs(shownSchema, text, 'rows');

/** The size in bytes of a form with a block of 20,000 cells of some length. */
const mostBytesOfBlock = 8_388_608;

/** The routes of the table's script. They answer with a sentence, and with the rows in their current state. */
export function rowEditRoutes({ app, part, engine }: Routes): void {
  app.get<At<'batch'>>('/batches/:batch/choices', async (request, reply) => {
    const place = rowIn(request.query.place ?? '');
    const { choices } = await engine.choices({ batch: request.params.batch, place }).result;
    const items = choices.map(({ value, name }) => html`<li data-value="${value}">${name}</li>`);
    reply.header('cache-control', 'no-store');
    return part(request, reply, () => html`<ul data-choices>${items}</ul>`);
  });

  app.post<At<'batch'>>('/batches/:batch/draft/undo', async (request, reply) => {
    const { step = '', rows } = request.body;
    const [batch, actor] = [request.params.batch, actorOf(viewerOf(request))];
    const undone = await engine.undoStep({ batch, step }, { actor }).result.catch((error: unknown) => {
      if (error instanceof PaybatchError && error.code === 'edit_invalid')
        throw new PageProblem(409, error.message, 'Look at the rows as they are now.');
      throw error;
    });
    if (rows === undefined) {
      if (undone.step === null)
        throw new PageProblem(409, 'All cells of the step were changed since.', 'Look at the draft.');
      const shown = { undone: 'yes', kept: String(undone.kept) };
      return reply.redirect(stepAddress(batch, filterIn(request.body), undone.step, shown), 303);
    }
    const draft = await engine.draft({ batch, rows: shownIn(rows) }).result;
    reply.header('cache-control', 'no-store');
    return part(request, reply, (frame) => answer(frame, draft, undoneText(undone)));
  });

  app.post<At<'batch'>>('/batches/:batch/draft', { bodyLimit: mostBytesOfBlock }, async (request, reply) => {
    const typed = stepIn(request.body['edits'] ?? '');
    const block = request.body['block'] === undefined ? null : blockIn(request.body['block']);
    const rows = [...new Set(typed.map(({ row }) => row))];
    const asked = { batch: request.params.batch, rows };
    const before = await engine.draft({ ...asked, isChecked: false }).result;
    const batch = before.batch.id;
    const { edits, outdated } = comparedEdits(before.rows, typed);
    let step: string | null = null;
    const save = async (): Promise<readonly ShownConflict[]> => {
      if (outdated.length > 0 || (edits.length === 0 && block === null)) return outdated;
      const actor = actorOf(viewerOf(request));
      const wanted = block === null ? edits : { ...block, seen: edits, filter: filterIn(request.body) };
      const written = await engine.editDraft({ batch, edits: wanted }, { actor }).result;
      step = block === null ? null : written.step;
      return withWanted(written.conflicts, edits);
    };
    const saved = await save().catch((error: unknown) => {
      if (error instanceof PaybatchError && error.code === 'edit_invalid') return error;
      throw error;
    });
    reply.header('cache-control', 'no-store');
    // A person may leave the page once a long block is saved. The page requests the block's check by the id of its
    // step.
    if (step !== null && block !== null)
      return part(request, reply, () => uncheckedBlock(step ?? '', cellsOf(typed, block)));
    const draft = await engine.draft(asked).result;
    const [status, said] =
      saved instanceof PaybatchError
        ? ([422, html`<p role="alert">${knownFailure(saved).message}</p>`] as const)
        : saved.length > 0
          ? ([409, conflictsSaid(draft, saved)] as const)
          : ([200, savedText(draft, typed.length, request.body['is_undo'] === 'yes')] as const);
    reply.code(status);
    return part(request, reply, (frame) => answer(frame, draft, said));
  });

  app.post<At<'batch'>>('/batches/:batch/draft/check', async (request, reply) => {
    const { step = '', rows = '[]' } = request.body;
    const asked = { batch: request.params.batch, step, rows: shownIn(rows) };
    const result = await engine.draftStep(asked).result;
    reply.header('cache-control', 'no-store');
    return part(request, reply, (frame) => answer(frame, result.draft, savedBlockText(result)));
  });
}

/** Says that a block is saved and not checked yet. @param step its id, for checking and undoing it */
function uncheckedBlock(step: string, cells: number): Html {
  return html`<div data-said data-step="${step}"><p>Saved: ${countOf(cells, 'cell')}. Checking …</p></div>`;
}

function cellsOf(typed: readonly TypedCell[], { lines }: z.infer<typeof blockSchema>): number {
  return lines.reduce((cells, line) => cells + line.length, typed.length);
}

/** The answer to a step: a sentence, the current rows, and the link to the draft, whose size has changed. */
function answer(frame: Frame, draft: DraftPart, said: Html): Html {
  const { columns } = draft;
  const table = { batch: draft.batch, columns, rows: draft.rows.map(({ row }) => row) };
  const drafts = new Map(draft.rows.map((each) => [each.row.row, each]));
  return html`<div data-said>${said}</div>${draftPlace(draft.batch.id, draft.size)}<table><tbody>${rowLines(frame, table, drafts)}</tbody></table>`;
}

function savedBlockText(step: StepResult): Html {
  return html`<p>Saved: ${countOf(step.cells, 'cell')} in ${countOf(step.rows, 'row')}${passingText(step)}. ${draftLink(step.draft.batch.id, step.draft.size)}</p>`;
}

function asBefore(cells: number): string {
  return `Undone: ${countOf(cells, 'cell')} ${cells === 1 ? 'is' : 'are'} as before`;
}

function undoneText({ edited, kept }: { readonly edited: number; readonly kept: number }): Html {
  const others =
    kept === 0
      ? ''
      : ` ${countOf(kept, 'cell')} stayed, since somebody has changed ${kept === 1 ? 'it' : 'them'} meanwhile.`;
  return html`<p>${asBefore(edited)}.${others}</p>`;
}

/** @param isUndo whether the step undoes an earlier one */
function savedText(draft: DraftPart, cells: number, isUndo: boolean): Html {
  const { rows } = draft;
  const [checked, faulty, passing] = [
    rows.filter((row) => row.checked !== null).length,
    rows.filter((row) => row.checked?.status === 'invalid').length,
    rows.filter((row) => row.checked?.status === 'not_sent').length,
  ];
  const kept = checked - faulty - passing;
  const done = isUndo ? asBefore(cells) : `Saved: ${countOf(cells, 'cell')}`;
  const parts = [
    ...(passing === 0 ? [] : [`${countOf(passing, 'row')} ${passing === 1 ? 'passes' : 'pass'} now`]),
    ...(faulty === 0 ? [] : [`${countOf(faulty, 'row')} ${faulty === 1 ? 'is' : 'are'} still faulty`]),
    ...(kept === 0 ? [] : [`${countOf(kept, 'row')} would not be sent by the plan`]),
  ];
  return html`<p>${done}${parts.length === 0 ? '' : `; ${parts.join(', ')}`}. ${draftLink(draft.batch.id, draft.size)}</p>`;
}

function conflictsSaid(draft: DraftPart, conflicts: readonly ShownConflict[]): Html {
  const { batch, columns } = draft;
  const more = conflicts.length - conflictsShown;
  return html`<div role="alert"><p><b>Nothing of this step was saved</b>, since what you saw is out of date. The table shows it as it is now. ${draftLink(draft.batch.id, draft.size)}</p>
<ul>${conflictItems(batch.id, columns, conflicts.slice(0, conflictsShown))}</ul>${more <= 0 ? null : html`<p>And ${countOf(more, 'more cell')}.</p>`}</div>`;
}
