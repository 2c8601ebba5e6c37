import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/list.ts';
import { parseCommandLine } from '../../src/cli/program.ts';

/** A change of these texts is a change of what scripts and people rely on: look at it twice. */
describe('the help text is frozen', () => {
  const names = commands.map(({ words }) => words.split(' ', 1)[0] ?? '');

  test.each(['', ...names])('paybatch %s --help', async (name) => {
    const words = name === '' ? ['--help'] : [name, '--help'];
    const answer = await parseCommandLine(words, 110);
    await expect('text' in answer ? answer.text : '').toMatchFileSnapshot(
      `help/${name === '' ? 'paybatch' : name}.txt`,
    );
  });
});
