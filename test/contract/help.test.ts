import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/definitions/commands.ts';
import { parseCommandLine } from '../../src/cli/program.ts';
import { manualPage } from '../support/manual-page.ts';

async function answerTo(words: readonly string[], columns = 110): Promise<string> {
  const answer = await parseCommandLine(words, columns);
  return 'text' in answer ? answer.text : '';
}

/** A change of these texts is a change of what scripts and people rely on: look at it twice. */
describe('the help text is frozen', () => {
  const names = commands.map(({ name }) => name);

  it.each(['', ...names])('paybatch %s --help', async (name) => {
    const words = name === '' ? ['--help'] : [name, '--help'];
    await expect(await answerTo(words)).toMatchFileSnapshot(`help/${name === '' ? 'paybatch' : name}.txt`);
  });

  it('paybatch --help-all', async () => {
    await expect(await answerTo(['--help-all'])).toMatchFileSnapshot('help/help-all.txt');
  });

  it('and so is the manual page of the package, which is made of the same data', async () => {
    await expect(await manualPage()).toMatchFileSnapshot('../../man/paybatch.1');
  });
});

describe('help', () => {
  const spellings = [
    ['import', '-h'],
    ['-h', 'import'],
    ['import', 'a.csv', '--help'],
    ['help', 'import'],
  ];

  it.each(spellings)('is asked for with %s %s', async (...words) => {
    expect(await answerTo(words)).toBe(await answerTo(['import', '--help']));
  });

  it('is there for a command line without words, and for one that is wrong', async () => {
    expect(await answerTo([])).toBe(await answerTo(['-h']));
    expect(await answerTo(['import', '--colour', '-h'])).toContain('paybatch import FILE...');
  });

  it("has a command's own options first, two examples, and the shared options behind --help-all", async () => {
    const brief = await answerTo(['status', '--help']);
    expect(brief.indexOf('--row N')).toBeLessThan(brief.indexOf('--ledger-dir'));
    expect(brief).not.toContain('--concurrency');
    expect(await answerTo(['status', '--help-all'])).toContain('--concurrency');
    for (const { name, examples } of commands)
      expect({ name, examples: examples.length }).toEqual({ name, examples: 2 });
  });

  it.each([40, 60, 80, 200])('fits into %i columns, but for lines that are to be copied', async (columns) => {
    for (const words of [['-h'], ['--help-all'], ['import', '-h'], ['sandbox', '-h']]) {
      const lines = (await answerTo(words, columns))
        .split('\n')
        .filter((line) => !/^ {2}(paybatch|--)/.test(line));
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(Math.min(columns, 100));
    }
  });

  it('has examples that are command lines of this program', async () => {
    for (const { line } of commands.flatMap(({ examples }) => examples)) {
      const words = line
        .replace(/ > .*/, '')
        .replace(/"[^"]*"/, 'text')
        .split(' ')
        .slice(1);
      await expect(parseCommandLine(words, 100), line).resolves.toHaveProperty('work');
    }
  });
});
