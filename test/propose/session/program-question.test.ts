import { describe, expect, it } from 'vitest';
import { say } from '../../../src/domain/settings/message.ts';
import type { DialogueQuestion } from '../../../src/propose/question.ts';
import { forProgram } from '../../../src/propose/session/program-question.ts';

type Refused = Extract<DialogueQuestion, { readonly kind: 'refused' }>;

const forecast = { pass: 30, refused: 10, left_out: 0 };

function refusedQuestion(changes: Partial<Refused>): Refused {
  return {
    kind: 'refused',
    question: 4,
    sheet: null,
    about: 'Currency',
    field: 'currency',
    code: 'invalid_currency',
    rows: 10,
    samples: ['US Dollar'],
    values: [
      { value: 'US Dollar', rows: 8, proposal: null, options: [], example_row: 3, in_row: [] },
      { value: 'our money', rows: 2, proposal: null, options: [], example_row: 5, in_row: [] },
    ],
    more: 0,
    proposal: 'wrong',
    why: { code: 'values_refused', finding: 'invalid_currency', message: 'No currency.' },
    options: [{ id: 'wrong', label: 'they are wrong', passes: 30 }],
    free_text: false,
    forecast,
    ...changes,
  };
}

const meanings = {
  id: 'meanings',
  label: '"US Dollar" is USD',
  passes: 38,
  samples: [{ row: 3, before: 'US Dollar', after: 'USD' }],
};
const asTheyAre = {
  id: 'as_they_are',
  label: 'they are right as they are',
  passes: 40,
  samples: [{ row: 3, before: '712995032', after: '712995032' }],
};

describe('a question about refused values, as a program gets it', () => {
  it('leaves rows out only where a person says so, as one more answer', () => {
    const leaveOut = { id: 'leave_out', label: 'leave these rows out', passes: 30, samples: [] };
    const { options } = refusedQuestion({});
    const alone = forProgram(refusedQuestion({ options: [...options, leaveOut] }));
    expect(alone.answerOf('accept')).toBe('wrong');
    const besideRepair = forProgram(
      refusedQuestion({ code: 'damaged_number', options: [...options, asTheyAre, leaveOut] }),
    );
    expect(besideRepair.question.options.map(({ id }) => id)).toEqual(['yes', 'no', 'leave_out']);
    expect(besideRepair.answerOf('leave_out')).toBe('leave_out');
  });

  it('is never a repair of words, even if that would let more rows pass', () => {
    const above = {
      id: 'above',
      label: 'the same as above',
      passes: 40,
      samples: [{ row: 3, before: 'Dolar', after: 'USD' }],
    };
    const question = refusedQuestion({});
    const { question: asked, answerOf } = forProgram({ ...question, options: [...question.options, above] });
    expect(asked).toMatchObject({ kind: 'values', finding: 'invalid_currency' });
    expect(answerOf('accept')).toBe('wrong');
  });

  it('is one about their meanings, with what would be made of each', () => {
    const question = refusedQuestion({});
    const { question: asked, answerOf } = forProgram({
      ...question,
      options: [...question.options, meanings],
    });
    expect(asked).toMatchObject({ kind: 'values', field: 'currency', finding: 'invalid_currency' });
    expect(asked.kind === 'values' ? asked.values.map(({ proposal }) => proposal) : []).toEqual([
      'USD',
      null,
    ]);
    expect(answerOf('accept')).toBe('meanings');
    // Values that are not named keep their proposal.
    expect(answerOf({ values: { 'our money': 'KES' } })).toEqual({
      values: { 'US Dollar': 'USD', 'our money': 'KES' },
    });
    expect(answerOf({ values: { 'US Dollar': null } })).toBe('wrong');
    expect(answerOf('back')).toBe('back');
  });

  it('is one about their meanings where nothing would be made of them', () => {
    const { question: asked, answerOf } = forProgram(refusedQuestion({}));
    expect(asked).toMatchObject({ kind: 'values', proposal: null });
    expect(answerOf('accept')).toBe('wrong');
  });

  it('is one about the repair with which most rows pass', () => {
    const question = refusedQuestion({ code: 'damaged_number', about: 'Account' });
    const zeros = { ...asTheyAre, id: 'lost_zeros', passes: 35 };
    const { question: asked, answerOf } = forProgram({
      ...question,
      options: [...question.options, zeros, asTheyAre],
    });
    expect(asked).toMatchObject({
      kind: 'repair',
      repair: 'as_it_is',
      proposal: null,
      finding: 'damaged_number',
      samples: asTheyAre.samples,
      options: [
        { id: 'yes', passes: 40 },
        { id: 'no', passes: 30 },
      ],
    });
    expect([answerOf('yes'), answerOf('no'), answerOf('accept')]).toEqual(['as_they_are', 'wrong', 'wrong']);
  });

  it('leaves every other question and its answer as they are', () => {
    const { kind: _, field: __, values: ___, more: ____, code: _____, ...all } = refusedQuestion({});
    const question: DialogueQuestion = { ...all, kind: 'column', proposal: 'ignore' };
    const asked = forProgram(question);
    expect([asked.question, asked.answerOf('amount')]).toEqual([question, 'amount']);
  });
});

describe('texts in parts, as a program gets them', () => {
  const common = { question: 1, sheet: null, rows: 10, samples: [], free_text: false, forecast };

  it('are plain: what speaks for a kind is in its label', () => {
    const { question } = forProgram({
      ...{ ...common, kind: 'reading', about: 'kind', proposal: null, why: { code: 'several_kinds' } },
      options: [
        { id: 'customers', label: 'customers', evidence: say`"Ort" is ${{ field: 'city' }}`, passes: 30 },
        { id: 'accounts', label: 'accounts', evidence: '', passes: 0 },
      ],
    });
    expect(question.options).toEqual([
      { id: 'customers', label: 'customers: "Ort" is city', passes: 30 },
      { id: 'accounts', label: 'accounts', passes: 0 },
    ]);
  });

  it('are plain: the reasons of a review', () => {
    const message = say`${{ value: '“…3001”', isMasked: true }} is not an IBAN`;
    const { question } = forProgram({
      ...{ ...common, kind: 'review', about: 'recipients', proposal: 'accept', why: { code: 'review' } },
      ...{ options: [], columns: [], fields: [] },
      reasons: [{ code: 'invalid_iban', column: 'IBAN', rows: 10, example_row: 2, message }],
    });
    expect(question).toMatchObject({ reasons: [{ message: '“…3001” is not an IBAN' }] });
  });
});
