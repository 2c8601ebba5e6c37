import { describe, expect, it } from 'vitest';
import type { ColumnChange } from '../../../src/domain/batches/draft.ts';
import { planCustomers } from '../../support/planned-batch.ts';

const toOffice: ColumnChange = { kind: 'set', with: 'office@people.example' };

describe('one column of many rows', () => {
  it('changes where the change is about the value, and leaves out what cannot be corrected', async () => {
    const { engine, batch, email } = await planCustomers(5, (number) => number > 2);
    await engine.resume({ batch }).result;
    const preview = async (change: ColumnChange) =>
      (await engine.previewEdit({ batch, filter: {}, place: email, change }).result).preview;
    expect(await preview(toOffice)).toMatchObject({
      rows: 3,
      unchanged: 0,
      leftOut: 2,
      samples: [{ row: 4, before: 'nowhere3', after: 'office@people.example' }, {}, {}],
    });
    expect(await preview({ kind: 'replace', from: 'nowhere4', with: 'x@people.example' })).toMatchObject({
      rows: 1,
      unchanged: 2,
      samples: [{ row: 5 }],
    });
    expect(await preview({ kind: 'begin', from: 'nowhere', with: 'at' })).toMatchObject({
      samples: [{ after: 'at3' }, { after: 'at4' }, { after: 'at5' }],
    });
    // Looking has made nothing.
    expect((await engine.draft({ batch }).result).size).toEqual({ rows: 0, edits: 0 });
  });

  it('is refused once it would do something else than its preview', async () => {
    const { engine, batch, email } = await planCustomers(3, () => true);
    const edit = { filter: { status: 'invalid' }, place: email, change: toOffice } as const;
    const { preview } = await engine.previewEdit({ batch, ...edit }).result;
    const own = [{ row: 3, place: email, before: 'nowhere2', after: 'second@people.example' }];
    await engine.editDraft({ batch, edits: own }).result;
    const given = engine.editDraft({ batch, edits: { ...edit, hash: preview.hash } });
    await expect(given.result).rejects.toMatchObject({ code: 'edit_outdated' });
    expect((await engine.draft({ batch }).result).size).toEqual({ rows: 1, edits: 1 });
  });
});

it('makes all edits of a call, or none of them', async () => {
  const { engine, batch, email } = await planCustomers(2, () => true);
  const edits = [
    { row: 2, place: email, before: 'nowhere1', after: 'one@people.example' },
    { row: 3, place: email, before: 'something else', after: 'two@people.example' },
    { row: 9, place: email, before: '', after: 'nine@people.example' },
  ];
  const { edited, conflicts } = await engine.editDraft({ batch, edits }).result;
  expect(edited).toBe(0);
  expect(conflicts).toMatchObject([
    { row: 3, now: 'nowhere2', status: 'invalid', changedBy: null },
    { row: 9, now: '', status: null },
  ]);
  expect((await engine.draft({ batch }).result).size).toEqual({ rows: 0, edits: 0 });
});

it('refuses an edit where the file has no column, and in a result column', async () => {
  const { engine, batch, desk } = await planCustomers(2, () => true);
  await engine.results({ batch }).result;
  const failed = (await desk.resultNames()).find((name) => name.endsWith('.failed.csv')) ?? '';
  const again = await engine.plan({ files: [`${desk.folder}/results/${failed}`] }).result;
  const correction = again.batches[0]?.id ?? '';
  const { columns } = await engine.rows({ batch: correction }).result;
  const places = [columns.length, columns.indexOf('result_status')];
  expect(places[1]).toBeGreaterThan(0);
  for (const place of places) {
    const edits = [{ row: 2, place, before: '', after: 'created' }];
    await expect(engine.editDraft({ batch: correction, edits }).result).rejects.toMatchObject({
      code: 'edit_invalid',
    });
    await expect(
      engine.previewEdit({ batch: correction, filter: {}, place, change: toOffice }).result,
    ).rejects.toMatchObject({ code: 'edit_invalid' });
  }
});
