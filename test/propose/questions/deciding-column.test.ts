import { expect, it } from 'vitest';
import { type Decisions, decidesNothing, markedField } from '../../../src/propose/decisions.ts';
import { MappingDialogue } from '../../../src/propose/dialogue/dialogue.ts';
import { rowsToImport } from '../../../src/propose/dialogue/reading-source.ts';
import { decisionsOf, type RememberedReading } from '../../../src/propose/dialogue/remembered.ts';
import type { DialogueQuestion } from '../../../src/propose/question.ts';
import { everyRowPasses, gridOf, proposingOf } from '../grids.ts';

const words = ['Berlin desk', 'Paris desk', 'Rome desk'];

/** A column that no word of the program's knows. */
function linesOf(remark: (at: number) => string): readonly (readonly string[])[] {
  const rows = Array.from({ length: 60 }, (_, at) => [
    `C-${at}`,
    `Name ${at}`,
    'DE89370400440532013000',
    'EUR',
    remark(at),
  ]);
  return [['Ref', 'Account name', 'IBAN', 'Currency', 'Desk'], ...rows];
}

function dialogueOf(remark: (at: number) => string, remembered?: RememberedReading): MappingDialogue {
  return new MappingDialogue(
    rowsToImport(proposingOf([gridOf(linesOf(remark))])),
    everyRowPasses,
    remembered,
  );
}

async function nextOf(own: MappingDialogue): Promise<DialogueQuestion> {
  const question = await own.next();
  if (question === null) throw new Error('there is no question');
  return question;
}

/** The next look at the whole reading, with all questions before it accepted. */
async function untilReview(own: MappingDialogue): Promise<Extract<DialogueQuestion, { kind: 'review' }>> {
  for (;;) {
    const question = await nextOf(own);
    if (question.kind === 'review') return question;
    expect(own.answer(question.question, 'accept')).toBeUndefined();
  }
}

/** The first question about what becomes of rows, with all others accepted. */
async function untilMarked(own: MappingDialogue): Promise<Extract<DialogueQuestion, { kind: 'values' }>> {
  for (;;) {
    const question = await nextOf(own);
    if (question.kind === 'values' && question.field === markedField) return question;
    expect(own.answer(question.question, 'accept')).toBeUndefined();
  }
}

async function acceptAll(own: MappingDialogue): Promise<readonly DialogueQuestion[]> {
  const asked: DialogueQuestion[] = [];
  for (let question = await own.next(); question !== null; question = await own.next()) {
    asked.push(question);
    expect(own.answer(question.question, 'accept')).toBeUndefined();
  }
  return asked;
}

const byDesk = (at: number): string => words[at % 3] ?? '';
const decided = { columns: { Desk: markedField } };

it('is asked about value by value once a person says that its values decide', async () => {
  const own = dialogueOf(byDesk);
  const review = await untilReview(own);
  expect(review.fields.some(({ id }) => id === markedField)).toBe(true);
  expect(own.answer(review.question, { columns: { Desk: ['iban', markedField] } })).toContain('is no field');
  own.answer(review.question, decided);
  const question = await untilMarked(own);
  expect(question).toMatchObject({ about: 'Desk', why: { code: 'column_decides', column: 'Desk' } });
  expect(question.values.map(({ value, rows }) => [value, rows])).toEqual(words.map((word) => [word, 20]));
  const values = { 'Berlin desk': 'send', 'Paris desk': 'leave_out', 'Rome desk': 'hold' };
  expect(own.answer(question.question, { values })).toBeUndefined();
  const last = (await acceptAll(own)).at(-1);
  expect(last?.kind === 'review' && last.columns.find(({ column }) => column === 'Desk')).toMatchObject({
    field: null,
    decides_rows: true,
  });
  expect((await own.reading()).mapping).toMatchObject({
    markedValues: { Desk: values },
    ignore: expect.arrayContaining(['Desk']),
  });
});

it('is asked about no more once a person says that it is left out, or is a field', async () => {
  for (const use of ['ignore', 'label']) {
    const own = dialogueOf(byDesk);
    own.answer((await untilReview(own)).question, decided);
    const question = await untilMarked(own);
    own.answer(question.question, { values: Object.fromEntries(words.map((word) => [word, 'hold'])) });
    const review = await untilReview(own);
    expect(own.answer(review.question, { columns: { Desk: use } })).toBeUndefined();
    const asked = await acceptAll(own);
    expect(asked.every((one) => one.kind !== 'values' || one.field !== markedField)).toBe(true);
    expect((await own.reading()).mapping.markedValues).toBeUndefined();
  }
});

it('is asked about no more once a person leaves out a column that the dialogue had asked about by itself', async () => {
  const lines = linesOf((at) => (at % 9 === 0 ? 'Paid' : 'Open'));
  const own = new MappingDialogue(rowsToImport(proposingOf([gridOf(lines)])), everyRowPasses);
  const question = await untilMarked(own);
  expect(question.why).toMatchObject({ code: 'column_may_exclude', column: 'Desk' });
  own.answer(question.question, { values: { Paid: 'leave_out', Open: 'send' } });
  const review = await untilReview(own);
  expect(review.columns.find(({ column }) => column === 'Desk')).toMatchObject({ decides_rows: true });
  expect(own.answer(review.question, { columns: { Desk: decidesNothing } })).toBeUndefined();
  const asked = await acceptAll(own);
  expect(asked.map(({ kind }) => kind)).toEqual(['review']);
  expect(asked[0]).toMatchObject({
    columns: expect.arrayContaining([expect.objectContaining({ column: 'Desk', field: null })]),
  });
  const { mapping } = await own.reading();
  expect(mapping).toMatchObject({ ignore: expect.arrayContaining(['Desk']) });
  expect(mapping.markedValues).toBeUndefined();
});

it('has a line for each of the most frequent values, and one for all others', async () => {
  const own = dialogueOf((at) => (at === 59 ? 'HOLD - clearance' : `note ${at}`));
  own.answer((await untilReview(own)).question, decided);
  const question = await untilMarked(own);
  expect(question.values).toHaveLength(41);
  expect(question.values[0]).toMatchObject({ value: 'HOLD - clearance', proposal: 'hold' });
  expect(question.values.at(-1)).toMatchObject({ value: '*', rows: 20, proposal: 'send' });
});

it('is asked about again for new values only, and with the earlier answers where the reading is edited', async () => {
  const own = dialogueOf(byDesk);
  own.answer((await untilReview(own)).question, decided);
  const first = await untilMarked(own);
  const values = { 'Berlin desk': 'send', 'Paris desk': 'leave_out', 'Rome desk': 'hold' };
  own.answer(first.question, { values });
  await acceptAll(own);
  const decisions: Decisions = decisionsOf((await own.reading()).mapping, [null]);
  const next = dialogueOf((at) => (at % 4 === 3 ? 'Oslo desk' : byDesk(at)), { decisions, isEdited: false });
  const fresh = await untilMarked(next);
  expect(fresh.values.map(({ value }) => value)).toEqual(['Oslo desk']);
  const edited = await untilMarked(dialogueOf(byDesk, { decisions, isEdited: true }));
  expect(Object.fromEntries(edited.values.map(({ value, proposal }) => [value, proposal]))).toEqual(values);
  const left = dialogueOf(byDesk, { decisions, isEdited: true });
  const marked = await untilMarked(left);
  left.answer(marked.question, 'accept');
  expect(left.answer((await untilReview(left)).question, { columns: { Desk: 'ignore' } })).toBeUndefined();
  await acceptAll(left);
  expect((await left.reading()).mapping.markedValues).toBeUndefined();
});

it('keeps what was said of a column that was asked about by itself, where a program says that it is no field', async () => {
  const status = (at: number): string => (at % 20 === 3 ? 'Paid' : 'Open');
  const own = dialogueOf(status);
  const question = await untilMarked(own);
  own.answer(question.question, { values: { Paid: 'leave_out', Open: 'send' } });
  const review = await untilReview(own);
  // As before its values were asked about: programs compare it with what they know.
  expect(review.columns.find(({ column }) => column === 'Desk')).toMatchObject({
    field: null,
    decides_rows: true,
  });
  own.answer(review.question, { columns: { Desk: 'ignore' } });
  await acceptAll(own);
  expect((await own.reading()).mapping.markedValues).toEqual({ Desk: { Paid: 'leave_out', Open: 'send' } });
});
