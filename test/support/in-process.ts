import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { OutputStream } from '../../src/cli/views/streams.ts';

/** What a command line wrote, and how it ended. */
interface InProcessEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

let isRunning = false;

/**
 * Whether a command line can run in the test's own process now: one at a time, since the working folder is the process's
 * own, and since two runs of one process would count as the same owner of a batch.
 * @param env what Node.js itself or a library reads has to be in a process of its own
 */
export function canRunInProcess(env: Readonly<Record<string, string>>): boolean {
  return !isRunning && Object.keys(env).every((name) => /^(?:PAYBATCH_\w+|DATABASE_URL)$/.test(name));
}

/**
 * Runs a command line as the program does, in the test's own process: to start a program takes most of a second.
 * @param commandLine the program, or a copy of it that a bug was planted in
 */
export async function runInProcess(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  commandLine: typeof runCommandLine = runCommandLine,
): Promise<InProcessEnd> {
  const before = process.cwd();
  const [stdout, stderr] = [collectText(), collectText()];
  isRunning = true;
  process.chdir(cwd);
  try {
    const environment = { HOME: cwd, NO_COLOR: '1', ...env };
    const exitCode = await commandLine(words, environment, { stdout, stderr });
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before);
    isRunning = false;
  }
}

/** A stream that keeps what is written to it. */
export function collectText(): OutputStream & { readonly text: () => string } {
  const chunks: Buffer[] = [];
  return {
    write: (chunk) => chunks.push(Buffer.from(chunk)),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
