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

/** What the terminal shows of the question, and the answer that the typed lines give. */
async function asked(
  ...typed: readonly string[]
): Promise<{ readonly shown: string; readonly answer: unknown }> {
  let answer: unknown;
  const shown: string[] = [];
  const session = {
    dialogue: {
      next: async () => (answer === undefined ? refused : null),
      answer: (_: number, given: unknown) => {
        answer = given;
        return undefined;
      },
      reading: async () => ({ forecast }),
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
