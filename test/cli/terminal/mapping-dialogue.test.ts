import { expect, it } from 'vitest';
import { leadOnTerminal } from '../../../src/cli/terminal/mapping-dialogue.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import type { DialogueQuestion, MappingSession } from '../../../src/propose/session/session.ts';

const forecast = { pass: 20, refused: 12, left_out: 0 };

const refused: DialogueQuestion = {
  question: 3,
  kind: 'refused',
  about: 'Paid in',
  field: 'currency',
  code: 'invalid_currency',
  sheet: null,
  rows: 12,
  samples: ['Taler', 'Batzen'],
  why: { code: 'values_refused', finding: 'invalid_currency', message: '"Taler" is not a currency in use' },
  values: [
    {
      value: 'Taler',
      rows: 9,
      proposal: null,
      options: [],
      example_row: 4,
      in_row: ['Ref: A-3', 'Paid in: Taler'],
    },
    { value: 'Batzen', rows: 3, proposal: null, options: [], example_row: 7, in_row: ['Ref: A-6'] },
  ],
  more: 2,
  proposal: 'wrong',
  options: [
    { id: 'wrong', label: 'they are wrong: refuse their rows', passes: 20 },
    {
      id: 'above',
      label: '"Batzen": the same as above',
      passes: 23,
      samples: [{ row: 7, before: 'Batzen', after: 'EUR' }],
    },
  ],
  free_text: false,
  forecast,
};

const fates = ['send', 'leave_out', 'hold'].map((id) => ({ id, label: id }));

const setApart: DialogueQuestion = {
  ...{ question: 3, kind: 'values', about: 'Hali', field: 'marked_rows', sheet: null, rows: 39, samples: [] },
  ...{ why: { code: 'column_may_exclude', column: 'Hali' }, options: [], free_text: false, forecast },
  proposal: null,
  values: [
    { value: 'Bado', rows: 36, proposal: null, options: fates },
    { value: 'Paid', rows: 3, proposal: 'hold', options: fates },
  ],
  sending: { all: 39, isUntried: false, groups: [{ values: ['Bado'], rows: 34 }] },
};

const kind: DialogueQuestion = {
  ...{ question: 3, kind: 'reading', about: 'kind', proposal: null, sheet: null, rows: 39, samples: [] },
  ...{ why: { code: 'several_kinds' }, free_text: false, forecast },
  options: ['recipients', 'collections'].map((id) => ({ id, label: id, passes: 0 })),
};

/** What the terminal shows of the question about refused values, and the answer that the typed lines give. */
async function asked(...typed: readonly string[]) {
  return askedOf(refused, typed);
}

/** What the terminal shows of a question, and the answer that the typed lines give. */
async function askedOf(
  question: DialogueQuestion,
  typed: readonly string[],
): Promise<{ readonly shown: string; readonly answer: unknown }> {
  let answer: unknown;
  const shown: string[] = [];
  const session = {
    dialogue: {
      next: async () => (answer === undefined ? question : null),
      answer: (_: number, given: unknown) => {
        answer = given;
        return undefined;
      },
      reading: async () => ({ forecast }),
      place: async () => ({ sheet: null, headerRows: [1], kind: 'recipients' }),
    },
    freeName: () => 'x.mapping.json',
  } as unknown as MappingSession;
  const terminal = {
    complain: (text: string) => shown.push(text),
    useColour: false,
    columns: 100,
  } as unknown as Terminal;
  const lines = [...typed, ''];
  await leadOnTerminal(session, terminal, async () => lines.shift() ?? '');
  return { shown: shown.join('\n'), answer };
}

it('shows refused values in their rows, and what each answer makes of them', async () => {
  const { shown } = await asked('');
  expect(shown).toContain('What do these values of "Paid in" mean? (currency, 12 rows)');
  expect(shown).toContain('row 4: Ref: A-3; Paid in: Taler');
  expect(shown).toContain('and 2 further values');
  expect(shown).toMatch(/ {2}2 {2}above: "Batzen": the same as above, 23 rows would pass\n +Batzen → EUR/);
});

it.each([
  ['Enter takes the proposal', [''], 'accept'],
  ['a number is an answer', ['2'], 'above'],
  ['the name of an answer too', ['wrong'], 'wrong'],
  ['single meanings are typed', ['taler = EUR', 'Batzen =', ''], { values: { Taler: 'EUR', Batzen: '' } }],
  ['another value is not known', ['Heller = EUR', '2'], 'above'],
])('%s', async (_, typed, answer) => {
  expect((await asked(...typed)).answer).toEqual(answer);
});

it('reports how many rows each answer about marked rows would send, and does not accept an empty line', async () => {
  const { shown, answer } = await askedOf(setApart, ['1', '1', '']);
  expect(shown).toContain('say what becomes of them');
  expect(shown).toContain('As shown, 0 of 39 rows would be sent.');
  expect(shown).toContain('As shown, 34 of 39 rows would be sent.');
  expect(shown.match(/would pass/g)).toHaveLength(1);
  expect(answer).toEqual({ values: { Bado: 'send' } });
  expect((await askedOf(setApart, [''])).answer).toEqual({ values: {} });
});

it('takes no empty line for the kind where it decides which way money goes', async () => {
  const { answer, shown } = await askedOf(kind, ['', '2']);
  expect(answer).toBe('collections');
  expect(shown).toContain('2  amounts that customers pay (collections)');
});

it('has the words of people for fields and payee types, with the names of the API behind them', async () => {
  const values: DialogueQuestion = {
    ...{ question: 3, kind: 'values', about: 'Mtandao', field: 'institution_name', sheet: null, rows: 3 },
    ...{ why: { code: 'values_to_translate', field: 'institution_name' }, options: [], free_text: false },
    ...{ samples: [], forecast, proposal: null },
    values: [{ value: 'Voda', rows: 3, proposal: null, options: [] }],
  };
  const { shown } = await askedOf(values, ['']);
  expect(shown).toContain('mean? (bank or mobile money provider (institution_name), 3 rows)');
  expect(shown).toContain('say which bank or mobile money provider (institution_name) each value means');
  const types: DialogueQuestion = {
    ...kind,
    ...{ kind: 'reading', about: 'payee_type', proposal: 'sepa', why: { code: 'several_payee_types' } },
    options: [{ id: 'bank_account_us', label: 'all rows are bank_account_us', passes: 0 }],
  };
  expect((await askedOf(types, [''])).shown).toContain('1  US bank account (bank_account_us)');
});

it('shows what an empty cell of a group would be', async () => {
  const repair: DialogueQuestion = {
    ...{
      question: 4,
      kind: 'repair',
      repair: 'value_above',
      about: 'Bank',
      proposal: null,
      sheet: null,
      rows: 9,
    },
    samples: [{ row: 6, before: '', after: 'GCB Bank' }],
    ...{ why: { code: 'repair', repair: 'value_above' }, free_text: false, forecast },
    options: [{ id: 'yes', label: 'repair the column like this', passes: 32 }],
  };
  const { shown } = await askedOf(repair, ['']);
  expect(shown).toContain('Repair "Bank"? (value above, 9 rows)');
  expect(shown).toContain('row 6: (empty) → GCB Bank');
});
