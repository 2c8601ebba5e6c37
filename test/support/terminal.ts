import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { programWords } from './cli.ts';

/** Whether there is the program that gives another one a pseudo terminal. */
export const hasPseudoTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

/**
 * Starts the real program on a pseudo terminal, and answers its questions.
 * @param answer what is typed once the question is there, the key that ends it included
 * @param questions a text that is in each of them; each gets the same answer
 * @returns how it ended, and all the text on the terminal
 */
export async function answerOnTerminal(
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  answer: string,
  questions: readonly string[] = ['Type "yes"'],
): Promise<{ exitCode: number | null; output: string }> {
  const command = [process.execPath, ...programWords(), ...words].join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', NO_COLOR: '1', ...env },
  });
  let output = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const question = questions[answered];
    if (question === undefined || !output.includes(question)) return;
    answered += 1;
    child.stdin.write(answer);
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}
