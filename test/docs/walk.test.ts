import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/program.ts';
import { Failure } from '../../src/domain/failure.ts';
import { programWords } from '../support/cli.ts';
import { copyEmbeddedLedger } from '../support/ledger.ts';
import { type Block, blocksOf, commandsOf, pages, readPage } from './pages.ts';

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
        failure instanceof Failure &&
        !/ needs |has to be|takes .* and no more: \[?[A-Z]+/.test(failure.message)
      ) {
        wrong.push(`${line}: ${failure.message}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** The words behind `paybatch`, wherever in the line it stands; null where there is no such command. */
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

interface Reader {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** An empty folder, a shell that finds `paybatch`, and a ledger that is made already, which saves seconds. */
async function openFolder(): Promise<Reader> {
  const place = await mkdtemp(join(inject('testFolder'), 'walk-'));
  const [folder, programs] = [join(place, 'folder'), join(place, 'bin')];
  await mkdir(folder);
  await mkdir(programs);
  const words = [process.execPath, ...programWords()].map((word) => `'${word}'`).join(' ');
  await writeFile(join(programs, 'paybatch'), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(join(programs, 'paybatch'), 0o755);
  const env = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    PAYBATCH_LEDGER_DIR: await copyEmbeddedLedger(),
  };
  return { folder, env };
}

/** Types one line; a server in the foreground is ended with Ctrl-C once it listens. */
function type({ folder, env }: Reader, line: string): Promise<{ exitCode: number | null; output: string }> {
  // The port that a page names may be taken on the machine of a test.
  const child = spawn('sh', ['-c', `exec ${line.replace(/--port \d+/, '--port 0')}`], { cwd: folder, env });
  let output = '';
  let isEnded = false;
  const listen = (part: Buffer): void => {
    output += part.toString();
    if (isEnded || !/ listens at /.test(output)) return;
    isEnded = true;
    child.kill('SIGINT');
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}
