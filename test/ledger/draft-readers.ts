import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { CellEdit } from '../../src/domain/rows/draft.ts';
import * as drafts from '../../src/ledger/after-sending/drafts.ts';
import { execute } from '../../src/ledger/query/sql.ts';
import type { LargeBatch } from './large-batch.ts';

/** So many of the last rows of a large batch are not edited. */
const uneditedRows = 2_000;

/** Edits a cell of most of the rows that are not prepared yet, twice: the first edit was replaced by the second one. */
export async function editStagedRows(
  database: Knex,
  { batch, lastRow }: LargeBatch,
  openRows: number,
): Promise<void> {
  for (const [before, after, end] of [
    ['""', '"one"', 'replaced'],
    ['"one"', '"two"', null],
  ] as const) {
    await execute(
      database,
      `INSERT INTO draft_edits (batch_id, row_number, place, before, after, made_by, ended_as, ended_by, ended_at)
       SELECT ?, n, 0, ?, ?, 'amina', ?::text, CASE WHEN ?::text IS NULL THEN NULL ELSE 'amina' END,
         CASE WHEN ?::text IS NULL THEN NULL ELSE now() END
       FROM generate_series(?::int, ?::int) n`,
      [batch.id, before, after, end, end, end, lastRow - openRows + 1, lastRow - uneditedRows],
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
      await drafts.endPlannedEdits(database, large.batch.id, 'amina', taken, randomUUID());
      return taken.length;
    },
  ],
];

async function write(database: Knex, { batch }: LargeBatch, edits: readonly CellEdit[]): Promise<number> {
  expect((await drafts.writeEdits(database, batch.id, 'joseph', edits)).conflicts).toEqual([]);
  return edits.length;
}

/** The last of the edited rows. */
function editedRows({ lastRow }: Pick<LargeBatch, 'lastRow'>, count: number): number[] {
  return numbersTo(lastRow - uneditedRows, count);
}

function numbersTo(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => last - count + at + 1);
}
