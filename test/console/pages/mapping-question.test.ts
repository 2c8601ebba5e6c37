import { expect, it } from 'vitest';
import { answerIn, isLong } from '../../../src/console/pages/mapping-question.ts';
import type { DialogueQuestion } from '../../../src/propose/session/session.ts';

const asked = {
  question: 1,
  about: 'recipients',
  sheet: null,
  rows: 2,
  samples: [],
  why: { code: 'review' },
  options: [],
  free_text: false,
  forecast: { pass: 1, refused: 1, left_out: 0 },
} as const;

const review: DialogueQuestion = {
  ...asked,
  kind: 'review',
  proposal: 'accept',
  columns: [
    { column: 'Name', field: ['first_name', 'last_name'], samples: [], repairs: [], sent: [] },
    { column: 'Note', field: null, samples: [], repairs: [], sent: [] },
  ],
  fields: [],
  reasons: [],
};

function valuesQuestion(options: number): Extract<DialogueQuestion, { kind: 'values' }> {
  const all = Array.from({ length: options }, (_, at) => ({ id: `bank ${at}`, label: `bank ${at}` }));
  const line = { rows: 1, proposal: 'bank 0', options: [...all, { id: null, label: 'none' }] };
  return {
    ...asked,
    kind: 'values',
    field: 'institution_name',
    proposal: null,
    values: ['A', 'B', 'C'].map((value) => ({ value, ...line })),
  };
}

const refused: DialogueQuestion = {
  ...asked,
  kind: 'refused',
  field: 'currency',
  code: 'invalid_currency',
  proposal: 'wrong',
  more: 0,
  values: ['Taler', 'Batzen', 'Heller'].map((value, at) => ({
    value,
    rows: 6,
    proposal: null,
    options: [],
    example_row: at + 2,
    in_row: [],
  })),
};
const reading: DialogueQuestion = { ...asked, kind: 'reading', proposal: null, free_text: true };
const constant: DialogueQuestion = { ...asked, kind: 'constant', proposal: null };

it.each([
  ['refused values are wrong', refused, { answer: 'wrong', 'word.0': 'EUR' }, 'wrong'],
  [
    'refused values were given a meaning',
    refused,
    { answer: 'values', 'word.0': 'EUR', 'empty.1': 'yes' },
    { values: { Taler: 'EUR', Batzen: '', Heller: null } },
  ],
  ['nothing was changed', review, { 'field.0': 'first_name+last_name', 'field.1': 'ignore' }, 'accept'],
  [
    'a column was changed',
    review,
    { 'field.0': 'first_name+last_name', 'field.1': 'city' },
    { columns: { Note: 'city' } },
  ],
  [
    'a column was split',
    review,
    { 'field.1': 'first_name+last_name' },
    { columns: { Note: ['first_name', 'last_name'] } },
  ],
  [
    'values were chosen',
    valuesQuestion(2),
    { 'value.0': 'word:bank 1', 'value.1': 'refuse', 'value.2': 'word:' },
    { values: { A: 'bank 1', B: null, C: '' } },
  ],
  [
    'another word was typed',
    valuesQuestion(2),
    { 'value.0': 'word:bank 1', 'word.0': ' Bank X ' },
    { values: { A: 'Bank X', B: 'bank 0', C: 'bank 0' } },
  ],
  [
    'values of long lists were typed',
    valuesQuestion(2_000),
    { 'word.0': 'bank 7', 'word.1': '' },
    { values: { A: 'bank 7', B: null, C: null } },
  ],
  ['an option was chosen', reading, { answer: 'KE', text: ' ' }, 'KE'],
  ['something else was typed', reading, { answer: 'KE', text: 'UG' }, { text: 'UG' }],
  ['a constant was chosen', constant, { answer: 'KES' }, { text: 'KES' }],
  ['no constant was given', constant, { answer: '', text: '' }, null],
])('is the answer of the dialogue where %s', (_, question, fields, answer) => {
  expect(answerIn(question, fields)).toEqual(answer);
});

it('takes lists for long before their page is', () => {
  expect([isLong(valuesQuestion(1_000)), isLong(valuesQuestion(2_000))]).toEqual([false, true]);
});
