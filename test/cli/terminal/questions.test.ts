import { expect, it } from 'vitest';
import { answerAboutMapping } from '../../../src/cli/terminal/questions.ts';
import type { AnswerOfPerson, MappingQuestion } from '../../../src/engine/running/events.ts';

const column: MappingQuestion = {
  kind: 'mapping_column',
  title: 'Mobile No.\u001b[2J',
  samples: ['0712 345 678'],
  proposal: 'phone',
  fields: ['phone', 'external_id'],
};

async function answer(
  question: MappingQuestion,
  ...words: (string | null)[]
): Promise<[AnswerOfPerson, string]> {
  const said: string[] = [];
  const put = async (): Promise<string | null> => words.shift() ?? null;
  const given = await answerAboutMapping({ complain: (text) => said.push(text) }, put, question);
  return [given, said.join('\n')];
}

it.each<[string, AnswerOfPerson]>([
  ['', 'yes'],
  ['y', 'yes'],
  ['Yes', 'yes'],
  ['ignore', 'no'],
  ['n', 'no'],
  ['External ID', { text: 'external_id' }],
])('the answer %j about a column is %j', async (word, expected) => {
  expect((await answer(column, word))[0]).toEqual(expected);
});

it('shows values and proposal without their control characters, and says what is possible', async () => {
  const [given, said] = await answer(column, 'phon', 'phone');
  expect(given).toEqual({ text: 'phone' });
  expect(said).toContain('0712 345 678');
  expect(said).toContain('proposed: phone');
  expect(said).toContain('possible are phone, external_id');
  expect(said).not.toContain('\u001b');
});

it('stops at the end of the input', async () => {
  expect((await answer(column, null))[0]).toBe('stop');
});
