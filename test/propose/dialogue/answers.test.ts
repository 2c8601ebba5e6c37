import { describe, expect, it } from 'vitest';
import { decisionOf } from '../../../src/propose/dialogue/answers.ts';
import type { DialogueQuestion } from '../../../src/propose/question.ts';

/** The question about one value for all rows. */
function constantOf(field: string): DialogueQuestion {
  return {
    ...{ question: 1, kind: 'constant', proposal: null, sheet: null, about: field, rows: 3, samples: [] },
    why: { code: 'field_missing', field, description: '', neededBy: 'every_row' },
    ...{ options: [], free_text: true, forecast: { pass: 0, refused: 0, left_out: 0 } },
  };
}

describe('a typed value for all rows', () => {
  it.each([
    ['currency', 'kes', 'KES'],
    ['currency', 'KSh', 'KES'],
    ['currency', ' euro ', 'EUR'],
    ['country', 'Kenya', 'KE'],
    ['institution_country', 'ke', 'KE'],
    ['destination_label', 'Main account', 'Main account'],
  ])('as %s, %j is %s', (field, typed, text) => {
    expect(decisionOf(constantOf(field), { text: typed })).toEqual({ text });
    expect(decisionOf(constantOf(field), typed)).toEqual({ text });
  });

  it.each([
    ['currency', 'FCFA', 'XOF'],
    ['currency', '$', 'USD'],
    ['currency', 'money', 'KES or EUR'],
    ['country', 'Nowhere', 'two letters'],
  ])('as %s, %j is asked about again, with the way to write it', (field, typed, way) => {
    expect(decisionOf(constantOf(field), { text: typed })).toEqual({ error: expect.stringContaining(way) });
  });
});

describe('several fields for one column', () => {
  const ids = ['first_name', 'last_name', 'email', 'city', 'postal_code'];
  const question: DialogueQuestion = {
    ...{ question: 1, kind: 'column', proposal: null, sheet: null, about: 'Contact', rows: 3, samples: [] },
    why: { code: 'whole_name' },
    options: ids.map((id) => ({ id, label: id, passes: 0 })),
    ...{ free_text: false, forecast: { pass: 0, refused: 0, left_out: 0 } },
  };

  it.each([[['first_name', 'last_name']], [['city', 'postal_code']]])(
    '%j are parts of one text',
    (fields) => {
      expect(decisionOf(question, fields)).toEqual(fields);
    },
  );

  it.each([[['city', 'email']], [['first_name', 'city']], [['last_name', 'email']], [['city', 'nothing']]])(
    '%j are none, so the question is asked again',
    (fields) => {
      expect(decisionOf(question, fields)).toEqual({ error: expect.stringContaining('parts of a name') });
    },
  );

  it('any fields, and a part that is left out, are as many as the cells have values', () => {
    const options = [...question.options, { id: 'ignore', label: 'leave the column out', passes: 0 }];
    const divided: DialogueQuestion = {
      ...question,
      ...{ kind: 'column', proposal: null, options, values_per_cell: 2 },
    };
    expect(decisionOf(divided, ['city', 'email'])).toEqual(['city', 'email']);
    expect(decisionOf(divided, ['ignore', 'email'])).toEqual(['ignore', 'email']);
    const wrong = [
      ['city', 'email', 'first_name'],
      ['email', 'email'],
      ['ignore', 'ignore'],
    ];
    for (const fields of wrong)
      expect(decisionOf(divided, fields)).toEqual({ error: expect.stringContaining('as many values') });
  });
});
