import { describe, expect, it } from 'vitest';
import { answerIn, isLong } from '../../../src/console/pages/mapping-answers.ts';
import { answerFields } from '../../../src/console/pages/mapping-question.ts';
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
const column: DialogueQuestion = { ...asked, kind: 'column', proposal: null };
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
  [
    'a column that decides which rows are sent was left out',
    {
      ...review,
      columns: review.columns.map((one) => ({ ...one, field: null, decides_rows: true as const })),
    },
    { 'field.1': 'ignore' },
    { columns: { Note: 'decides_nothing' } },
  ],
  ['an option was chosen', reading, { answer: 'KE', text: ' ' }, 'KE'],
  ['something else was typed', reading, { answer: 'KE', text: 'UG' }, { text: 'UG' }],
  ['a constant was chosen', constant, { answer: 'KES' }, { text: 'KES' }],
  ['no constant was given', constant, { answer: '', text: '' }, null],
  ['no constant was chosen', constant, { answer: '?', text: '' }, undefined],
  ['no column was chosen', column, { answer: '' }, undefined],
  ['refused values were not decided about', refused, { 'word.0': 'EUR' }, undefined],
])('is the answer of the dialogue where %s', (_, question, fields, answer) => {
  expect(answerIn(question, fields)).toEqual(answer);
});

it('has one line for values that differ by case or accents only, and keeps them apart in the answer', () => {
  const options = [
    { id: 'individual', label: 'individual' },
    { id: 'business', label: 'business' },
  ];
  const lines = ['Société', 'Privé', 'SOCIETE', 'société', 'Prive'].map((value, at) => ({
    value,
    rows: at + 1,
    proposal: value === 'Prive' ? 'individual' : null,
    options: [...options, { id: value, label: value }],
  }));
  const question = { ...valuesQuestion(2), values: lines } as DialogueQuestion;
  const { text } = answerFields({ question, seen: null, table: null });
  expect(text.match(/<select/g)).toHaveLength(3);
  expect(text).toMatch(/>Société, SOCIETE<input[^>]*>, société<input[^>]*><\/th>\s*<td[^>]*>8<\/td>/);
  const fields = Object.fromEntries(
    [...text.matchAll(/name="(same-as\.\d)" value="(\d)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const chosen = { ...fields, 'value.1': 'word:individual', 'value.4': 'refuse' };
  expect(answerIn(question, { ...chosen, 'value.0': 'word:business' })).toEqual({
    values: {
      ...{ Société: 'business', SOCIETE: 'business', société: 'business' },
      ...{ Privé: 'individual', Prive: null },
    },
  });
  expect(answerIn(question, { ...chosen, 'value.0': 'word:Société' })).toMatchObject({
    values: { Société: 'Société', SOCIETE: 'SOCIETE', société: 'société' },
  });
});

it('treats a list as long before its page is too long', () => {
  expect([isLong(valuesQuestion(1_000)), isLong(valuesQuestion(2_000))]).toEqual([false, true]);
});

describe('what is chosen before a person has chosen', () => {
  const told = { ...asked, rows: 100, forecast: { pass: 2, refused: 98, left_out: 0 } };
  const markup = (question: DialogueQuestion): string =>
    answerFields({ question, seen: null, table: null }).text;
  const chosen = (text: string): readonly string[] =>
    [...text.matchAll(/value="([^"]*)" (?:checked|selected)/g)].map(([, value = '']) => value);
  const options = (passes: Readonly<Record<string, number>>): DialogueQuestion['options'] =>
    Object.entries(passes).map(([id, count]) => ({ id, label: `it is ${id}`, passes: count }));
  const ofTypes = (passes: Readonly<Record<string, number>>): DialogueQuestion => ({
    ...told,
    kind: 'reading',
    about: 'payee_type',
    proposal: 'sepa',
    options: options(passes),
  });

  it('is no answer with which nearly every row is refused, where another one helps: it has its count', () => {
    const text = markup(ofTypes({ sepa: 2, bank_account: 98 }));
    expect(chosen(text)).toEqual([]);
    expect(text).toContain('account in the euro area (SEPA), 2 rows would pass');
    expect(text).toContain('bank account, 98 rows would pass');
    expect(text).not.toContain('(proposed)');
    expect(text).toContain('required');
    expect(markup(ofTypes({ sepa: 0, bank_account: 98 }))).toContain('no row would pass');
  });

  it('is the proposal where its rows pass, and where no answer helps', () => {
    expect(chosen(markup(ofTypes({ sepa: 60, bank_account: 98 })))).toEqual(['sepa']);
    expect(chosen(markup(ofTypes({ sepa: 0, bank_account: 0 })))).toEqual(['sepa']);
  });

  it('is not that values are wrong which nearly every row has: each may mean something', () => {
    const question = { ...refused, ...told, options: options({ wrong: 2 }) };
    const text = markup(question);
    expect(chosen(text)).toEqual([]);
    expect(text).toContain('it is wrong, 2 rows would pass');
    const few = {
      ...question,
      forecast: { pass: 90, refused: 10, left_out: 0 },
      options: options({ wrong: 90 }),
    };
    expect(chosen(markup(few))).toEqual(['wrong']);
  });

  it('is to leave cells as they are if no repair is proposed, and is not called proposed', () => {
    const question = { ...told, kind: 'repair', repair: 'lost_zeros', proposal: null } as const;
    const ofMost = { ...question, forecast: { pass: 70, refused: 30, left_out: 0 } };
    const text = markup({ ...ofMost, options: options({ yes: 80, no: 70 }) });
    expect(chosen(text)).toEqual(['no']);
    expect(text).not.toContain('(proposed)');
    expect(chosen(markup({ ...question, options: options({ yes: 80, no: 2 }) }))).toEqual([]);
  });

  it('is no use of a column with which nearly every row is refused', () => {
    const question = { ...told, kind: 'column', proposal: null, about: 'Netto' } as const;
    const text = markup({ ...question, options: options({ amount: 98, ignore: 2 }) });
    expect(chosen(text)).toEqual(['']);
    expect(text).toMatch(/<select[^>]* required>/);
    expect(chosen(markup({ ...question, options: options({ amount: 2, ignore: 2 }) }))).toEqual(['ignore']);
  });

  it('is not that a field stays empty with which nearly every row is refused', () => {
    const question = {
      ...told,
      kind: 'constant',
      about: 'currency',
      proposal: null,
      free_text: true,
    } as const;
    expect(chosen(markup({ ...question, options: options({ KES: 98 }) }))).toEqual(['?']);
    expect(chosen(markup({ ...question, options: options({ KES: 2 }) }))).toEqual(['']);
    const wrong = { ...question, proposal: 'EUR', options: options({ EUR: 2, KES: 98 }) };
    expect(chosen(markup(wrong))).toEqual(['?']);
  });
});

it('offers the known values of a field where another one is typed', () => {
  const question = { ...asked, kind: 'constant', about: 'country', proposal: null, free_text: true } as const;
  const table = { place: { sheet: null, headerRows: [1], kind: 'customers' }, grids: [] } as const;
  const { text } = answerFields({ question, seen: null, table });
  expect(text).toContain('maxlength="200" list="names">');
  expect(text).toContain('<option value="KE">Kenya</option>');
});

it('has drop-downs of many options that are searched by typing, and others that are not', () => {
  const markup = (options: number): string =>
    answerFields({ question: valuesQuestion(options), seen: null, table: null }).text;
  expect(markup(20)).toContain('means" data-searched>');
  expect(markup(3)).not.toContain('data-searched');
});

it('asks what becomes of rows where nothing is proposed, with the rows that each answer sends', () => {
  const fates = ['send', 'leave_out', 'hold'].map((id) => ({ id, label: id }));
  const question: DialogueQuestion = {
    ...asked,
    ...{ kind: 'values', field: 'marked_rows', about: 'Hali', proposal: null },
    values: [
      { value: 'Bado', rows: 36, proposal: null, options: fates },
      { value: 'Paid', rows: 3, proposal: 'hold', options: fates },
      { value: 'yellow FFFF99', rows: 1, proposal: 'hold', options: fates },
      { value: 'order 123456', rows: 1, proposal: 'hold', options: fates },
    ],
    sending: { all: 39, isUntried: false, groups: [{ values: ['Bado'], rows: 34 }] },
  };
  const { text } = answerFields({ question, seen: null, table: null });
  expect(text).toContain('required><option value="" selected>Choose what becomes of them</option>');
  expect(text).toContain('<option value="word:send">send (34 rows sent)</option>');
  expect(text).toContain('<option value="word:send">send (0 rows sent)</option>');
  expect(text).toContain('<option value="word:hold" selected>hold (no row sent)</option>');
  expect(text).toContain('fill="#FFFF99"/></svg> yellow <small class="soft">FFFF99</small>');
  expect(text).toContain('>order 123456</th>');
  expect(answerIn(question, { 'value.0': '', 'value.1': 'word:hold' })).toMatchObject({
    values: { Bado: null, Paid: 'hold' },
  });
});

it('shows what an empty cell of a group would be', () => {
  const question: DialogueQuestion = {
    ...asked,
    kind: 'repair',
    repair: 'value_above',
    proposal: null,
    samples: [{ row: 6, before: '', after: 'GCB Bank' }],
    options: [{ id: 'yes', label: 'repair the column like this', passes: 2 }],
  };
  const { text } = answerFields({ question, seen: null, table: null });
  expect(text).toMatch(
    /data-title="In the file">\(empty\) <\/td><td data-title="Repaired"><span class="sample">GCB Bank/,
  );
});
