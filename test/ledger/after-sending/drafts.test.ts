import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/domain/batches/batch.ts';
import type { CellEdit, WantedEdit } from '../../../src/domain/batches/draft.ts';
import {
  discardEdits,
  endPlannedEdits,
  writeEdits,
} from '../../../src/ledger/after-sending/draft-changes.ts';
import {
  countDraft,
  findDraftEdits,
  findStep,
  listDraftRows,
  listEditsOfRow,
} from '../../../src/ledger/after-sending/drafts.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import { stagedBatch, stagedRow } from '../../support/ledger-rows.ts';
import { explained, rowsHandledBy } from '../plan-nodes.ts';

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const reason = { code: 'invalid_email', field: 'email', message: 'Bad.' };

  /** Rows 2 to 5: three that are invalid, and one that exists. */
  function batchToCorrect(): Promise<BatchRecord> {
    return stagedBatch(database, [
      ...[2, 3, 4].map((row) => stagedRow(row, { state: 'invalid', reason, cells: [`c-${row}`, 'bad'] })),
      stagedRow(5, { state: 'existing', objectId: 'object-5', cells: ['c-5', 'bad'] }),
    ]);
  }

  function edit(row: number, after: string, before = 'bad'): CellEdit {
    return { row, place: 1, before, after };
  }

  it('writes and finds a block with as many statements as a cell, however many cells it has', async () => {
    const numbers = Array.from({ length: 900 }, (_, at) => at + 2);
    const faulty = numbers.map((row) => stagedRow(row, { state: 'invalid', reason, cells: ['c', 'bad'] }));
    const batch = await stagedBatch(database, faulty);
    let statements = 0;
    const count = (): void => {
      statements += 1;
    };
    const statementsOf = async (rows: readonly number[], after: string, before: string): Promise<number> => {
      statements = 0;
      database.on('query', count);
      const edits = rows.map((row) => edit(row, after, before));
      const { step } = await writeEdits(database, batch.id, 'mo', edits);
      expect(await findStep(database, batch.id, step ?? '')).toHaveLength(rows.length);
      database.removeListener('query', count);
      return statements;
    };
    const ofACell = await statementsOf([2], 'one', 'bad');
    expect(await statementsOf(numbers.slice(1), 'one', 'bad')).toBe(ofACell);
    expect(await statementsOf(numbers, 'two', 'one')).toBe(ofACell);
  });

  it('finds what a step has made without looking through all that its cells had before', async () => {
    const numbers = Array.from({ length: 200 }, (_, at) => at + 2);
    const faulty = numbers.map((row) => stagedRow(row, { state: 'invalid', reason, cells: ['c', 'bad'] }));
    const batch = await stagedBatch(database, faulty);
    let step: string | null = null;
    for (let round = 1; round <= 12; round += 1) {
      const edits = numbers.map((row) => edit(row, `${round}`, round === 1 ? 'bad' : `${round - 1}`));
      ({ step } = await writeEdits(database, batch.id, 'mo', edits));
    }
    const plans = await explained(database, () => findStep(database, batch.id, step ?? ''));
    expect(Math.max(...plans.flat().map(rowsHandledBy))).toBeLessThan(4 * numbers.length);
  });

  it('keeps what was typed, whatever it is, and leaves the row as it is', async () => {
    const batch = await batchToCorrect();
    const strange = 'a\u0000b "\\ \u{1F600} \ud800';
    expect(
      (await writeEdits(database, batch.id, 'amina', [edit(2, strange), edit(4, 'x')])).conflicts,
    ).toEqual([]);
    expect(await findDraftEdits(database, batch.id, [2, 3])).toEqual([
      { ...edit(2, strange), by: 'amina', at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(await countDraft(database, batch.id)).toEqual({ rows: 2, edits: 2 });
    expect(await listDraftRows(database, batch.id, 2, 10)).toEqual([4]);
    const [cells] = (
      await database.raw('SELECT cells FROM row_inputs WHERE batch_id = ? AND row_number = 2', [batch.id])
    ).rows;
    expect(cells).toEqual({ cells: '["c-2","bad"]' });
  });

  it('replaces what a cell has that was not seen, and edits none that has the value already', async () => {
    const batch = await batchToCorrect();
    const unseen = (row: number, after: string): WantedEdit => ({ ...edit(row, after), before: null });
    await writeEdits(database, batch.id, 'amina', [edit(2, 'hers')]);
    const written = await writeEdits(database, batch.id, 'joseph', [
      unseen(2, 'his'),
      unseen(3, 'bad'),
      unseen(4, 'his'),
      unseen(5, 'bad'),
    ]);
    expect([written.edited, written.conflicts]).toEqual([2, []]);
    expect(await findStep(database, batch.id, written.step ?? '')).toMatchObject([
      { row: 2, before: 'hers', after: 'his' },
      { row: 4, before: 'bad', after: 'his' },
    ]);
    const again = [unseen(2, 'his'), unseen(3, 'bad'), unseen(4, 'his')];
    expect(await writeEdits(database, batch.id, 'joseph', again)).toEqual({
      conflicts: [],
      edited: 0,
      step: written.step,
    });
    expect((await writeEdits(database, batch.id, 'amina', again)).step).toBe(null);
    const refused = await writeEdits(database, batch.id, 'joseph', [unseen(3, 'x'), unseen(5, 'x')]);
    expect([refused.edited, refused.conflicts]).toMatchObject([0, [{ row: 5, now: 'bad' }]]);
  });

  it('refuses an edit of a cell that somebody else has edited since, and all that came with it', async () => {
    const batch = await batchToCorrect();
    await writeEdits(database, batch.id, 'amina', [edit(2, 'hers')]);
    const { conflicts } = await writeEdits(database, batch.id, 'joseph', [edit(2, 'his'), edit(3, 'his')]);
    expect(conflicts).toEqual([
      {
        row: 2,
        place: 1,
        now: 'hers',
        status: 'invalid',
        changedBy: 'amina',
        changedAt: expect.any(String),
      },
    ]);
    expect(await countDraft(database, batch.id)).toEqual({ rows: 1, edits: 1 });
    expect((await writeEdits(database, batch.id, 'joseph', [edit(2, 'his', 'hers')])).conflicts).toEqual([]);
    expect(
      (await listEditsOfRow(database, batch.id, 2)).map(({ after, by, end }) => [
        after,
        by,
        end?.how,
        end?.by,
      ]),
    ).toEqual([
      ['hers', 'amina', 'replaced', 'joseph'],
      ['his', 'joseph', undefined, undefined],
    ]);
  });

  it('lets one of two people edit a cell at the same moment, and shows the other what it is now', async () => {
    const batch = await batchToCorrect();
    const ends = await Promise.all([
      writeEdits(database, batch.id, 'amina', [edit(2, 'hers'), edit(3, 'hers')]),
      writeEdits(database, batch.id, 'joseph', [edit(3, 'his'), edit(2, 'his')]),
    ]);
    const made = ends.filter(({ conflicts }) => conflicts.length === 0);
    expect(made).toHaveLength(1);
    const edits = await findDraftEdits(database, batch.id, [2, 3]);
    expect(new Set(edits.map(({ by }) => by)).size).toBe(1);
    expect(ends.flatMap(({ conflicts }) => conflicts.map(({ now }) => now))).toEqual(
      edits.map(({ after }) => after),
    );
  });

  it('knows what each step has changed, and which of its cells somebody has changed since', async () => {
    const batch = await batchToCorrect();
    const first = await writeEdits(database, batch.id, 'amina', [edit(2, 'hers'), edit(3, 'hers')]);
    const second = await writeEdits(database, batch.id, 'joseph', [edit(3, 'bad', 'hers'), edit(4, 'his')]);
    expect(await findStep(database, batch.id, first.step ?? '')).toEqual([
      { row: 2, place: 1, before: 'bad', after: 'hers', by: 'amina', isCurrent: true },
      { row: 3, place: 1, before: 'bad', after: 'hers', by: 'amina', isCurrent: false },
    ]);
    expect(await findStep(database, batch.id, second.step ?? '')).toEqual([
      { row: 3, place: 1, before: 'hers', after: null, by: 'joseph', isCurrent: true },
      { row: 4, place: 1, before: 'bad', after: 'his', by: 'joseph', isCurrent: true },
    ]);
    await writeEdits(database, batch.id, 'amina', [edit(3, 'again')]);
    expect((await findStep(database, batch.id, second.step ?? '')).map(({ isCurrent }) => isCurrent)).toEqual(
      [false, true],
    );
    expect(await findStep(database, batch.id, '1')).toEqual([]);
  });

  it('takes back that a number is right as it is', async () => {
    const batch = await batchToCorrect();
    await writeEdits(database, batch.id, 'amina', [{ ...edit(2, 'bad'), isRight: true }]);
    expect(await countDraft(database, batch.id)).toEqual({ rows: 1, edits: 1 });
    await writeEdits(database, batch.id, 'amina', [{ ...edit(2, 'bad'), isRight: false }]);
    expect(await countDraft(database, batch.id)).toEqual({ rows: 0, edits: 0 });
  });

  it('refuses to edit a row that exists, or that the batch does not have', async () => {
    const batch = await batchToCorrect();
    const { conflicts } = await writeEdits(database, batch.id, 'amina', [edit(5, 'x'), edit(9, 'x')]);
    expect(conflicts.map(({ row, status }) => [row, status])).toEqual([
      [5, 'existing'],
      [9, null],
    ]);
  });

  it('makes no edit of a value that the cell has in its file, and ends the one before', async () => {
    const batch = await batchToCorrect();
    await writeEdits(database, batch.id, 'amina', [edit(2, 'x')]);
    const written = await writeEdits(database, batch.id, 'joseph', [edit(2, 'bad', 'x'), edit(3, 'bad')]);
    expect(written.conflicts).toEqual([]);
    expect(await countDraft(database, batch.id)).toEqual({ rows: 0, edits: 0 });
    expect((await listEditsOfRow(database, batch.id, 2)).map(({ end }) => [end?.how, end?.by])).toEqual([
      ['replaced', 'joseph'],
    ]);
  });

  it('discards edits of a cell, of a row and of all, and keeps them', async () => {
    const batch = await batchToCorrect();
    const own = { place: 0, before: 'c-2', after: 'other' };
    await writeEdits(database, batch.id, 'amina', [
      edit(2, 'x'),
      { row: 2, ...own },
      edit(3, 'x'),
      edit(4, 'x'),
    ]);
    expect(await discardEdits(database, batch.id, 'joseph', { row: 2, place: 0 })).toBe(1);
    expect(await discardEdits(database, batch.id, 'joseph', { row: 2 })).toBe(1);
    expect(await discardEdits(database, batch.id, 'joseph', {})).toBe(2);
    expect(await countDraft(database, batch.id)).toEqual({ rows: 0, edits: 0 });
    expect(await listEditsOfRow(database, batch.id, 2)).toHaveLength(2);
  });

  it('ends the edits that were taken over, and not one that was changed meanwhile', async () => {
    const batch = await batchToCorrect();
    await writeEdits(database, batch.id, 'amina', [edit(2, 'x'), edit(3, 'x')]);
    const taken = await findDraftEdits(database, batch.id, [2, 3]);
    await writeEdits(database, batch.id, 'joseph', [edit(3, 'y', 'x')]);
    await endPlannedEdits(database, batch.id, 'amina', taken, batch.id);
    expect(await listDraftRows(database, batch.id, 0, 10)).toEqual([3]);
    expect((await listEditsOfRow(database, batch.id, 2))[0]?.end).toMatchObject({
      how: 'planned',
      plannedBatch: batch.id,
    });
  });

  it('never changes or removes an edit', async () => {
    const batch = await batchToCorrect();
    await writeEdits(database, batch.id, 'amina', [edit(2, 'x')]);
    for (const sql of [
      `UPDATE draft_edits SET after = '"y"' WHERE batch_id = ?`,
      'DELETE FROM draft_edits WHERE batch_id = ?',
    ]) {
      await expect(execute(database, sql, [batch.id]), sql).rejects.toMatchObject({ code: '23001' });
    }
    await discardEdits(database, batch.id, 'amina', {});
    const revived =
      'UPDATE draft_edits SET ended_as = NULL, ended_by = NULL, ended_at = NULL WHERE batch_id = ?';
    await expect(execute(database, revived, [batch.id])).rejects.toMatchObject({ code: '23001' });
  });
});
