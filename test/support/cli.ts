import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { runCommandLine } from '../../src/cli/run-command-line.ts';
import { canRunInProcess, runInProcess } from './in-process.ts';
import { programOptions } from './process-options.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a command line is run with, beside its words. */
export interface CliOptions {
  readonly cwd: string;
  /** All that the program finds in its environment, beside what a shell always sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Given to standard input, which is then closed. */
  readonly stdin?: string | Buffer;
  /** What runs the command line in this process; the program itself unless stated. */
  readonly commandLine?: typeof runCommandLine;
}

/** How a run of the program ended. */
export interface CliEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of the program that may still be going on. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliEnd>;
}

/** Starts the real program, as a shell would. */
export function startCli(words: readonly string[], options: CliOptions): RunningCli {
  const child = spawn(process.execPath, [...programWords(), ...words], {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: options.cwd, NO_COLOR: '1', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that ends before it has read its input breaks the pipe, which is allowed.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<CliEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Runs a command line to its end: in this very process where nothing of it needs one of its own. */
export async function runCli(words: readonly string[], options: CliOptions): Promise<CliEnd> {
  const { cwd, env = {}, stdin, commandLine } = options;
  if (stdin !== undefined || !canRunInProcess(env)) return startCli(words, options).ended;
  return { ...(await runInProcess(words, cwd, env, commandLine)), signal: null };
}

let chosenWords: readonly string[] | undefined;

/** How to start the program: the built one, which starts faster, when it is as new as the sources; else the sources. */
export function programWords(): readonly string[] {
  chosenWords ??= isBuildCurrent()
    ? [...programOptions, join(root, 'dist/src/cli/main.js')]
    : [...programOptions, '--import', import.meta.resolve('tsx'), join(root, 'src/cli/main.ts')];
  return chosenWords;
}

function isBuildCurrent(): boolean {
  const built = join(root, 'dist/src/cli/main.js');
  if (!existsSync(built)) return false;
  const builtAt = statSync(built).mtimeMs;
  return newestChange(join(root, 'src')) <= builtAt && newestChange(join(root, 'migrations')) <= builtAt;
}

function newestChange(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
