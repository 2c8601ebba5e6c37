import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCsv } from '../../support/cli-files.ts';
import { planCustomers, typeWhileSent } from '../../support/planned-batch.ts';

it('makes a correction of the edited rows alone, takes its edits over, and leaves the batch as it is', async () => {
  const { engine, batch, email, desk } = await planCustomers(4, (number) => number > 1);
  const edits = [3, 4].map((row) => ({
    row,
    place: email,
    before: `nowhere${row - 1}`,
    after: `right${row}@people.example`,
  }));
  await engine.editDraft({ batch, edits }).result;
  const { batches } = await engine.planDraft({ batch }).result;
  const [correction] = batches;
  expect(correction).toMatchObject({ rows: 2, counts: { not_sent: 2 } });
  const name = (await desk.resultNames()).find((each) => each.includes('.corrections-')) ?? '';
  const written = readCsv(await readFile(join(desk.folder, 'results', name), 'utf8'));
  expect(written.map((row) => [row['email'], row['result_row'], row['result_batch']])).toEqual(
    [3, 4].map((row) => [`right${row}@people.example`, String(row), batch]),
  );
  expect((await engine.draft({ batch }).result).size).toEqual({ rows: 0, edits: 0 });
  const { history } = await engine.draft({ batch, row: 3 }).result;
  expect(history).toMatchObject([{ end: { how: 'planned', plannedBatch: correction?.id } }]);
  const { rows } = await engine.rows({ batch, filter: { status: 'invalid' } }).result;
  expect(rows.map(({ row }) => row)).toEqual([3, 4, 5]);
  await engine.resume({ batch: correction?.id ?? '' }).result;
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(2);
});

it('refuses a draft that is empty, and names the rows that cannot be corrected any more', async () => {
  const { engine, batch, email, desk } = await planCustomers(2, (number) => number === 2);
  await expect(engine.planDraft({ batch }).result).rejects.toMatchObject({ code: 'draft_empty' });
  const edits = [{ row: 3, place: email, before: 'nowhere2', after: 'second@people.example' }];
  await engine.editDraft({ batch, edits }).result;
  await engine.resume({ batch }).result;
  const ofSent = { row: 2, place: email, before: 'amina1@people.example', after: 'first@people.example' };
  await typeWhileSent(desk, batch, ofSent);
  await expect(engine.planDraft({ batch }).result).rejects.toMatchObject({
    code: 'edit_outdated',
    message: expect.stringContaining('2 (created)'),
  });
  expect((await engine.draft({ batch }).result).size).toEqual({ rows: 2, edits: 2 });
  await engine.discardEdits({ batch, row: 2 }).result;
  const { batches } = await engine.planDraft({ batch }).result;
  expect(batches).toMatchObject([{ rows: 1, counts: { not_sent: 1 } }]);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(1);
});
