import { expect, it } from 'vitest';
import { planCustomers, typeWhileSent } from '../../support/planned-batch.ts';

it('is checked as a whole up to 1,000 rows, and page by page above', async () => {
  const { engine, batch, email } = await planCustomers(1_001, () => true);
  const valid = { filter: {}, place: email, change: { kind: 'set', with: 'office@people.example' } } as const;
  const { preview } = await engine.previewEdit({ batch, ...valid }).result;
  expect(preview).toMatchObject({ rows: 1_001, unchanged: 0, leftOut: 0 });
  await engine.editDraft({ batch, edits: { ...valid, hash: preview.hash } }).result;
  const first = await engine.draft({ batch }).result;
  expect(first).toMatchObject({ size: { rows: 1_001, edits: 1_001 }, passing: null, next: 101 });
  expect(first.rows).toHaveLength(100);
  expect(first.rows.every(({ checked }) => checked?.status === 'not_sent')).toBe(true);
  const last = await engine.draft({ batch, after: 1_001 }).result;
  expect(last.rows).toMatchObject([{ row: { row: 1_002 }, checked: { status: 'not_sent' } }]);
  expect([last.next, last.passing]).toEqual([null, null]);
  await engine.discardEdits({ batch, row: 2 }).result;
  const whole = await engine.draft({ batch }).result;
  expect(whole).toMatchObject({ size: { rows: 1_000, edits: 1_000 }, passing: 1_000, next: 102 });
  expect(whole.rows).toHaveLength(100);
}, 180_000);

it('has the current findings of each row, and none of rows that can no longer be corrected', async () => {
  const { desk, engine, batch, email } = await planCustomers(3, (number) => number > 1);
  const edit = (row: number, before: string, after: string) => ({ row, place: email, before, after });
  const ofSent = edit(2, 'amina1@people.example', 'first@people.example');
  const edits = [ofSent, edit(3, 'nowhere2', 'second@people.example'), edit(4, 'nowhere3', 'still nowhere')];
  expect((await engine.editDraft({ batch, edits }).result).edited).toBe(3);
  const { rows, passing } = await engine.draft({ batch }).result;
  expect(rows.map(({ checked }) => checked?.status)).toEqual(['not_sent', 'not_sent', 'invalid']);
  expect(rows[2]?.checked?.findings).toMatchObject([{ column: 'email', code: 'invalid_email' }]);
  expect(passing).toBe(2);
  await engine.discardEdits({ batch, row: 2 }).result;
  await engine.resume({ batch }).result;
  await typeWhileSent(desk, batch, ofSent);
  const later = await engine.draft({ batch }).result;
  expect(later.rows.map(({ isCorrectable, checked }) => [isCorrectable, checked?.status])).toEqual([
    [false, undefined],
    [true, 'not_sent'],
    [true, 'invalid'],
  ]);
  expect(later.passing).toBe(1);
});

it('shows one row with every edit that was ever made of it', async () => {
  const { engine, batch, email } = await planCustomers(1, () => true);
  const say = (before: string, after: string, name: string) =>
    engine.editDraft(
      { batch, edits: [{ row: 2, place: email, before, after }] },
      { actor: { name, channel: 'test' } },
    ).result;
  await say('nowhere1', 'one', 'amina');
  await say('one', 'two', 'joseph');
  await engine.discardEdits({ batch, row: 2, place: email }, { actor: { name: 'ada', channel: 'test' } })
    .result;
  const { history, size, rows } = await engine.draft({ batch, row: 2 }).result;
  expect(size).toEqual({ rows: 0, edits: 0 });
  expect(rows).toMatchObject([{ edits: [], checked: null, isCorrectable: true }]);
  expect(history.map(({ before, after, by, end }) => [before, after, by, end?.how, end?.by])).toEqual([
    ['nowhere1', 'one', 'amina', 'replaced', 'joseph'],
    ['one', 'two', 'joseph', 'discarded', 'ada'],
  ]);
});

it('says what a plan would make of a row that passes: held, existing, or to be sent', async () => {
  const { engine, batch, email } = await planCustomers(4, (number) => number > 1);
  await engine.resume({ batch }).result;
  const { columns } = await engine.rows({ batch, limit: 1 }).result;
  const place = (title: string): number => columns.indexOf(title);
  const edit = (row: number, title: string, before: string, after: string) => ({
    ...{ row, place: title === 'email' ? email : place(title), before, after },
  });
  // Row 3 becomes the customer of row 2 with another address, row 4 the very same customer.
  const edits = [
    edit(3, 'external_id', 'C-2', 'C-1'),
    edit(3, 'email', 'nowhere2', 'other@people.example'),
    edit(4, 'external_id', 'C-3', 'C-1'),
    edit(4, 'first_name', 'Amina3', 'Amina1'),
    edit(4, 'phone', '+254712000003', '+254712000001'),
    edit(4, 'email', 'nowhere3', 'amina1@people.example'),
    edit(5, 'email', 'nowhere4', 'four@people.example'),
  ];
  expect((await engine.editDraft({ batch, edits: edits.slice(0, 2) }).result).conflicts).toEqual([]);
  const held = await engine.draft({ batch }).result;
  expect(held.rows).toMatchObject([
    { checked: { status: 'held', findings: [{ code: 'differs_from_created', column: 'first_name' }] } },
  ]);
  expect(held.passing).toBe(0);
  await engine.discardEdits({ batch }).result;
  await engine.editDraft({ batch, edits: edits.slice(2) }).result;
  const { rows, passing } = await engine.draft({ batch }).result;
  expect(rows.map(({ checked }) => checked?.status)).toEqual(['existing', 'not_sent']);
  expect(passing).toBe(1);
  const planned = await engine.planDraft({ batch }).result;
  expect(planned.batches[0]?.counts).toEqual({ existing: 1, not_sent: 1 });
});
