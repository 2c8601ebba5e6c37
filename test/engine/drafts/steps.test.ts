import { describe, expect, it } from 'vitest';
import { planCustomers } from '../../support/planned-batch.ts';

const office = 'office@people.example';

describe('a step of a draft', () => {
  it('reports how many of its rows pass now, and is undone as one', async () => {
    const { engine, batch, email } = await planCustomers(4, (number) => number > 1);
    const edits = [
      { row: 3, place: email, before: 'nowhere2', after: office },
      { row: 4, place: email, before: 'nowhere3', after: 'still nowhere' },
    ];
    const { step } = await engine.editDraft({ batch, edits }).result;
    const shown = await engine.draftStep({ batch, step: step ?? '' }).result;
    expect(shown).toMatchObject({ cells: 2, rows: 2, passing: 1, mayUndo: true });
    // The rows that are shown are those that were asked for, and only those of the step are counted.
    const { draft, passing } = await engine.draftStep({ batch, step: step ?? '', rows: [2, 4] }).result;
    expect(draft.rows.map(({ row, checked }) => [row.row, checked?.status ?? null])).toEqual([
      [2, null],
      [4, 'invalid'],
    ]);
    expect([passing, draft.size.edits]).toEqual([1, 2]);
    const undone = await engine.undoStep({ batch, step: step ?? '' }).result;
    expect(undone).toMatchObject({ edited: 2, kept: 0, conflicts: [] });
    expect((await engine.draft({ batch }).result).size).toEqual({ rows: 0, edits: 0 });
    // Undoing is a step as well, which restores the edits.
    await engine.undoStep({ batch, step: undone.step ?? '' }).result;
    const { rows } = await engine.draft({ batch }).result;
    expect(rows.map(({ row }) => row.cells[email])).toEqual([office, 'still nowhere']);
  });

  it('leaves what was changed since, and says how much that is', async () => {
    const { engine, batch, email } = await planCustomers(3, () => true);
    const { step } = await engine.editDraft({
      batch,
      edits: [2, 3].map((row) => ({ row, place: email, before: `nowhere${row - 1}`, after: office })),
    }).result;
    const later = [{ row: 3, place: email, before: office, after: 'later@people.example' }];
    await engine.editDraft({ batch, edits: later }).result;
    const undone = await engine.undoStep({ batch, step: step ?? '' }).result;
    expect(undone).toMatchObject({ edited: 1, kept: 1 });
    const { rows } = await engine.draft({ batch }).result;
    expect(rows.map(({ row }) => [row.row, row.cells[email]])).toEqual([[3, 'later@people.example']]);
  });

  it.each(['0', '1', '', 'x', '99999999999999999999'])('is not found by %j', async (step) => {
    const { engine, batch } = await planCustomers(1, () => true);
    await expect(engine.undoStep({ batch, step }).result).rejects.toMatchObject({ code: 'edit_invalid' });
    expect(await engine.draftStep({ batch, step }).result).toMatchObject({ cells: 0, mayUndo: false });
  });
});

describe('a block that goes on beyond its page', () => {
  it('is written into the rows that follow under the filter, as one step', async () => {
    const { engine, batch, email } = await planCustomers(6, (number) => number % 2 === 0);
    const seen = [{ row: 3, place: email, before: 'nowhere2', after: 'a@people.example' }];
    const block = { filter: { status: 'invalid' }, after: 3, places: [email] } as const;
    const lines = [['b@people.example'], ['=1+1']];
    const { step, edited } = await engine.editDraft({ batch, edits: { seen, ...block, lines } }).result;
    expect(edited).toBe(3);
    const { rows } = await engine.draft({ batch }).result;
    expect(rows.map(({ row }) => [row.row, row.cells[email]])).toEqual([
      [3, 'a@people.example'],
      [5, 'b@people.example'],
      [7, '=1+1'],
    ]);
    expect(await engine.draftStep({ batch, step: step ?? '' }).result).toMatchObject({ rows: 3, passing: 2 });
    await engine.undoStep({ batch, step: step ?? '' }).result;
    expect((await engine.draft({ batch }).result).size.edits).toBe(0);
  });

  it('changes nothing if fewer rows follow than it has lines', async () => {
    const { engine, batch, email } = await planCustomers(3, () => true);
    const lines = [['a'], ['b'], ['c']];
    const edits = { seen: [], filter: {}, after: 2, places: [email], lines };
    await expect(engine.editDraft({ batch, edits }).result).rejects.toMatchObject({ code: 'edit_invalid' });
    expect((await engine.draft({ batch }).result).size.edits).toBe(0);
  });
});

describe('an ending that faulty cells share', () => {
  const endingOf = async (email: (number: number) => string): Promise<string | null> => {
    const planned = await planCustomers(5, (number) => number > 1, {}, email);
    const asked = { rows: [2, 3, 4, 5, 6], place: planned.email, code: 'invalid_email' };
    return (await planned.engine.findEnding({ batch: planned.batch, ...asked }).result).ending;
  };

  it('is found if the cells are right without it', async () => {
    expect(await endingOf((number) => `p${number}@people.example (old)`)).toBe(' (old)');
  });

  it('is none if they would still be faulty', async () => {
    expect(await endingOf((number) => `p ${number}@people.example`)).toBe(null);
  });
});
