import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/program.ts';
import { PaybatchError } from '../../src/domain/failures/paybatch-error.ts';
import { type Block, blocksOf, commandsOf, pages, readPage } from './pages.ts';
import { openFolder, type } from './shell.ts';

/*
 * A reader types the commands of a page from its top to its bottom, in an empty folder. Blocks in `sh` are
 * walked, each command with its exit code (0, or what a comment says: `# exits with 1`). A comment in the page
 * says which block is to be saved as a file, and which one cannot be walked, and why.
 */

const blocks = pages().flatMap(blocksOf);
const isWalked = ({ language, notWalked }: Block): boolean => language === 'sh' && notWalked === null;

it('every block of commands is one that is walked, or says why not', () => {
  const others = blocks.filter(({ language, text }) => language !== 'sh' && /^\s*paybatch /m.test(text));
  expect(others.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  expect(blocks.filter(isWalked).length).toBeGreaterThan(3);
});

describe('every command that a page names is one that the program has, with those options', () => {
  it.each(pages())('%s', async (page) => {
    const inline = Array.from(readPage(page).matchAll(/`(paybatch [^`\n]+)`/g), ([, text = '']) => text);
    const fenced = blocksOf(page)
      .filter(({ language }) => language === 'sh')
      .flatMap(commandsOf);
    const wrong: string[] = [];
    for (const line of [...inline, ...fenced]) {
      const words = wordsOf(line);
      if (words === null) continue;
      const failure = await parseCommandLine(words, 100).catch((error: unknown) => error);
      // What a page leaves out ("run `paybatch import` again") is no mistake; what it makes up is.
      if (
        failure instanceof PaybatchError &&
        !/ needs |has to be|takes .* and no more: \[?[A-Z]+/.test(failure.message)
      ) {
        wrong.push(`${line}: ${failure.message}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** The words behind `paybatch`, anywhere in the line; null if there is no such command. */
function wordsOf(line: string): string[] | null {
  const [, rest] = /(?:^|\s)paybatch ((?:[^#|;&>]|#(?!\s))*)/.exec(line) ?? [];
  return rest === undefined
    ? null
    : rest
        .replaceAll(/[[\]]|\.\.\./g, '')
        .trim()
        .split(/\s+/);
}

describe('the commands of a page do what it says, one after the other, in an empty folder', () => {
  it.each(pages().filter((page) => blocksOf(page).some(isWalked)))(
    '%s',
    { timeout: 240_000 },
    async (page) => {
      const reader = await openFolder();
      for (const { file, text } of blocksOf(page)) {
        if (file !== null) await writeFile(join(reader.folder, file), text);
      }
      for (const command of blocksOf(page).filter(isWalked).flatMap(commandsOf)) {
        const expected = Number(/# exits with (\d+)/.exec(command)?.[1] ?? 0);
        const { exitCode, output } = await type(reader, command);
        expect({ command, exitCode, output }).toEqual({ command, exitCode: expected, output });
      }
    },
  );
});
