import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandLine, shellWord } from '../../../src/cli/remedies/shell-word.ts';

it.each(['plain.csv', '-', 'two words', "it's", '$HOME `ls` "x"', 'a\nb', 'bell\u0007', '送金.csv', '%;&|*'])(
  'a word of a command is the same once a shell has read it: %j',
  (word) => {
    const read = execFileSync('bash', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
    expect(read).toBe(word);
  },
);

it('a command is quoted word by word', () => {
  expect(commandLine(['validate', "Amina's list.csv"])).toBe("paybatch validate 'Amina'\\''s list.csv'");
});
