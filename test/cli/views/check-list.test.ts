import { expect, it } from 'vitest';
import { checkList } from '../../../src/cli/views/check-list.ts';
import { typedWords } from '../../support/words.ts';

it('gives each check a line, and the next command where something is not in order', () => {
  const list = checkList(
    [
      { level: 'ok', what: 'API', finding: 'answers', remedies: [] },
      {
        level: 'problem',
        what: 'database',
        finding: 'is not there '.repeat(12).trim(),
        remedies: [{ action: 'doctor' }],
      },
    ],
    typedWords,
    false,
  ).split('\n');
  expect(list[0]).toBe('ok       API       answers');
  expect(list[1]).toMatch(/^problem {2}database {2}is not there/);
  expect(list.at(-1)).toBe(`${' '.repeat(19)}next: paybatch doctor`);
  expect(Math.max(...list.map((line) => line.length))).toBeLessThanOrEqual(100);
});
