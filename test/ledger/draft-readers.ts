import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { CellEdit, StepCell } from '../../src/domain/batches/draft.ts';
import { endPlannedEdits, writeEdits } from '../../src/ledger/after-sending/draft-changes.ts';
import * as drafts from '../../src/ledger/after-sending/drafts.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import type { LargeBatch } from './large-batch.ts';

/** This number of the last rows of a large batch is not edited. */
const uneditedRows = 2_000;

/** Edits a cell of most of the rows that are not prepared yet, twice: the second step replaced the edits of the first one. */
export async function editStagedRows(
  database: Knex,
  { batch, lastRow }: LargeBatch,
  openRows: number,
): Promise<void> {
  const made = await query<{ now: string; earlier: string }>(
    database,
    "SELECT now()::text AS now, (now() - interval '1 hour')::text AS earlier",
  );
  const [{ now, earlier } = { now: '', earlier: '' }] = made;
  for (const [before, after, end, at] of [
    ['""', '"one"', 'replaced', earlier],
    ['"one"', '"two"', null, now],
  ] as const) {
    await execute(
      database,
      `INSERT INTO draft_edits (batch_id, row_number, place, before, after, made_by, made_at, ended_as, ended_by, ended_at)
       SELECT ?, n, 0, ?, ?, 'amina', ?::timestamptz, ?::text, CASE WHEN ?::text IS NULL THEN NULL ELSE 'amina' END,
         CASE WHEN ?::text IS NULL THEN NULL ELSE ?::timestamptz END
       FROM generate_series(?::int, ?::int) n`,
      [batch.id, before, after, at, end, end, end, now, lastRow - openRows + 1, lastRow - uneditedRows],
    );
  }
}

/** What is read of a draft for a group of rows, or page by page. */
export const draftReaders: readonly [string, (database: Knex, large: LargeBatch) => Promise<unknown>][] = [
  [
    'listDraftRows',
    async (database, { batch, lastRow }) =>
      expect(await drafts.listDraftRows(database, batch.id, lastRow - 8_000, 1_000)).toHaveLength(1_000),
  ],
  [
    'findDraftEdits',
    async (database, large) =>
      expect(await drafts.findDraftEdits(database, large.batch.id, editedRows(large, 1_000))).toHaveLength(
        1_000,
      ),
  ],
  [
    'listEditsOfRow',
    async (database, large) =>
      expect(
        await drafts.listEditsOfRow(database, large.batch.id, editedRows(large, 1)[0] ?? 0),
      ).toHaveLength(2),
  ],
  [
    'findStep of a step beside many others',
    async (database, { batch }) => expect(await drafts.findStep(database, batch.id, '1')).toEqual([]),
  ],
];

/** Changes of a draft: how many edits each of them is about. */
export const draftChanges: readonly [string, (large: LargeBatch) => (database: Knex) => Promise<number>][] = [
  [
    'writeEdits of cells that nobody has edited',
    (large) => (database) =>
      write(
        database,
        large,
        numbersTo(large.lastRow, 1_000).map((row) => ({ row, place: 0, before: '', after: 'new' })),
      ),
  ],
  [
    'writeEdits of cells that were edited',
    (large) => (database) =>
      write(
        database,
        large,
        editedRows(large, 1_000).map((row) => ({ row, place: 0, before: 'two', after: 'three' })),
      ),
  ],
  [
    'endPlannedEdits',
    (large) => async (database) => {
      const taken = await drafts.findDraftEdits(database, large.batch.id, editedRows(large, 2_000));
      await endPlannedEdits(database, large.batch.id, 'amina', taken, randomUUID());
      return taken.length;
    },
  ],
];

/** The cells of the last step of a draft, which replaced the edits of the one before. */
export async function stepOverEdits(database: Knex, large: LargeBatch): Promise<readonly StepCell[]> {
  const { id } = large.batch;
  const [made] = await query<{ step: string }>(
    database,
    `SELECT (extract(epoch FROM made_at) * 1000000)::bigint::text AS step FROM draft_edits
     WHERE batch_id = ? AND row_number = ? AND ended_at IS NULL`,
    [id, editedRows(large, 1)[0] ?? 0],
  );
  return drafts.findStep(database, id, made?.step ?? '');
}

async function write(database: Knex, { batch }: LargeBatch, edits: readonly CellEdit[]): Promise<number> {
  expect((await writeEdits(database, batch.id, 'joseph', edits)).conflicts).toEqual([]);
  return edits.length;
}

/** The last of the edited rows. */
function editedRows({ lastRow }: Pick<LargeBatch, 'lastRow'>, count: number): number[] {
  return numbersTo(lastRow - uneditedRows, count);
}

function numbersTo(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => last - count + at + 1);
}
