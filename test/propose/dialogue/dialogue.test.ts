import { expect, it } from 'vitest';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport } from '../../../src/propose/dialogue/reading-source.ts';
import type { DialogueQuestion } from '../../../src/propose/question.ts';
import { everyRowPasses, gridOf, proposingOf } from '../grids.ts';

const lines = [
  ['Code', 'Name', 'IBAN', 'Bank', 'Street', 'City', 'ZIP', 'Country', 'Art'],
  ['C-1', 'Lukas Schneider', 'DE89370400440532013000', 'ING', 'Allee 5', 'Berlin', '10115', 'DE', 'Privat'],
  ['C-2', 'Dubois SARL', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'Paris', '75001', 'FR', 'Firma'],
];

function dialogue(): MappingDialogue {
  return new MappingDialogue(rowsToImport(proposingOf([gridOf(lines)])), everyRowPasses);
}

async function nextOf(own: MappingDialogue): Promise<DialogueQuestion> {
  const question = await own.next();
  if (question === null) throw new Error('there is no question');
  return question;
}

it('begins with the whole reading, asks what changes something, and ends with the reading again', async () => {
  const own = dialogue();
  const asked: string[] = [];
  for (let question = await own.next(); question !== null; question = await own.next()) {
    asked.push(`${question.kind} ${question.about}`);
    expect(own.answer(question.question, 'accept')).toBeUndefined();
  }
  expect(asked).toEqual(['review recipients', 'values Art', 'review recipients']);
  expect((await own.reading()).forecast.pass).toBe(2);
});

it('refuses an impossible answer with a sentence, and the question stays open', async () => {
  const own = dialogue();
  const review = await nextOf(own);
  expect(own.answer(review.question, { columns: { Nobody: 'iban' } })).toContain('no column "Nobody"');
  expect(own.answer(review.question, { columns: { Art: 'shoe_size' } })).toContain('is no field');
  expect(own.answer(review.question + 1, 'accept')).toContain('is not open');
  expect(await nextOf(own)).toBe(review);
});

it('asks for a value of all rows once no column is what every row needs', async () => {
  const own = dialogue();
  own.answer((await nextOf(own)).question, { columns: { Art: 'ignore' } });
  expect(await nextOf(own)).toMatchObject({ kind: 'constant', about: 'account_owner_type', free_text: true });
});

it('reads another table where a person says so, and begins anew with it', async () => {
  const title = [['Payments of May'], ['Code', 'Name'], ...lines.map((line) => ['x', ...line])];
  const grids = [gridOf(lines, 'Old'), gridOf(title, 'New')];
  const own = new MappingDialogue(rowsToImport(proposingOf(grids)), everyRowPasses);
  own.answer((await nextOf(own)).question, 'accept');
  await own.next();
  expect(own.canGoBack).toBe(true);
  const place = { sheet: 'New', headerRows: [3], kind: 'recipients' } as const;
  expect(own.readFrom({ ...place, sheet: 'Nowhere' })).toBe('there is no such sheet');
  expect(own.readFrom({ ...place, headerRows: [9] })).toBe('there is no such row');
  expect(own.readFrom({ ...place, headerRows: [2, 4] })).toBe('there is no such row');
  expect(own.canGoBack).toBe(true);
  expect(own.readFrom(place)).toBeUndefined();
  expect([own.canGoBack, (await nextOf(own)).kind, await own.place()]).toEqual([false, 'review', place]);
  expect((await own.reading()).mapping).toMatchObject({ sheet: 'New', headerRows: [3], kind: 'recipients' });
});

it('takes no typed answer that no mapping can say', async () => {
  const phones = [1, 2, 3].map((at) => [`C-${at}`, 'Amina', `Otieno${at}`, `071234500${at}`]);
  const grid = gridOf([['Code', 'First name', 'Last name', 'Mobile'], ...phones]);
  const own = new MappingDialogue(
    rowsToImport(proposingOf([grid], { stated: { kind: 'customers' } })),
    everyRowPasses,
  );
  own.answer((await nextOf(own)).question, 'accept');
  const asked = await nextOf(own);
  expect(asked).toMatchObject({ kind: 'reading', about: 'phone_country' });
  for (const text of ['Kenya', 'ke', 'ZZ']) {
    expect(own.answer(asked.question, { text }), text).toContain('its two letters');
  }
  expect(own.answer(asked.question, { text: 'KE' })).toBeUndefined();
});

it('goes back to the question before, with its number and without its answer', async () => {
  const own = dialogue();
  own.answer((await nextOf(own)).question, 'accept');
  const values = await nextOf(own);
  expect(own.answer(values.question, 'back')).toBeUndefined();
  const first = await nextOf(own);
  expect(first).toMatchObject({ kind: 'review', question: 1 });
  expect(own.answer(first.question, 'back')).toContain('no question before');
});

it('keeps the proposal of values that an answer does not name', async () => {
  const own = dialogue();
  own.answer((await nextOf(own)).question, 'accept');
  const values = await nextOf(own);
  expect(values).toMatchObject({ kind: 'values', field: 'account_owner_type', rows: 1 });
  expect(own.answer(values.question, { values: { Firma: 'company' } })).toBeUndefined();
  const { mapping } = await own.reading();
  expect(mapping.values).toEqual({ account_owner_type: { Privat: 'individual', Firma: null } });
  own.answer((await nextOf(own)).question, 'accept');
  await own.next();
  expect((await own.reading()).mapping.values).toEqual({
    account_owner_type: { Privat: 'individual', Firma: 'company' },
  });
});

it('takes what is changed at the last look too, and shows the whole again', async () => {
  const own = dialogue();
  own.answer((await nextOf(own)).question, 'accept');
  own.answer((await nextOf(own)).question, 'accept');
  own.answer((await nextOf(own)).question, { columns: { Bank: 'ignore' } });
  const again = await nextOf(own);
  expect(again.kind === 'review' && again.columns.find(({ column }) => column === 'Bank')?.field).toBeNull();
  own.answer((await nextOf(own)).question, 'accept');
  expect(await own.next()).toBeNull();
  expect((await own.reading()).mapping.ignore).toContain('Bank');
});

it('joins what a person says to be another part of a name or an address to the part that was shown', async () => {
  const grid = gridOf([
    ['Code', 'Name', 'Trading as', 'IBAN', 'Bank', 'Street', 'Flat', 'City', 'ZIP', 'Country'],
    ['C-1', 'Lukas Roth', 'LR', 'DE89370400440532013000', 'ING', 'Allee 5', 'III', 'Berlin', '10115', 'DE'],
    ['C-2', 'Ute Dubois', 'UD', 'FR1420041010050500013M02606', 'LCL', 'Foch 2', 'IV', 'Paris', '75001', 'FR'],
  ]);
  const own = new MappingDialogue(rowsToImport(proposingOf([grid])), everyRowPasses);
  own.answer((await nextOf(own)).question, { columns: { Flat: 'address_line1' } });
  await own.next();
  expect((await own.reading()).mapping.join).toEqual({ address_line1: ['Street', 'Flat'] });
});
