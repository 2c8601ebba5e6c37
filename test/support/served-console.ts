/* A console in a process of its own, as `paybatch serve` starts it, so that it can be killed. */

import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { RunningCli } from './cli.ts';
import type { Desk } from './cli-desk.ts';

/** The program, once it listens. */
export interface ServedConsole {
  readonly program: RunningCli;
  readonly url: string;
  /** The path that opens it once; that of signing in where people sign in. */
  readonly entry: string;
}

/** Starts it, and waits until it listens. @param words further options */
export async function serveConsole(desk: Desk, words: readonly string[]): Promise<ServedConsole> {
  const program = desk.start(['serve', ...words]);
  onTestFinished(() => {
    program.child.kill('SIGKILL');
  });
  let printed = '';
  for (;;) {
    const [, url] = /listens at (http:\/\/127\.0\.0\.1:\d+)/.exec(printed) ?? [];
    const [entry] = /\/enter\?token=\S+|sign in/.exec(printed) ?? [];
    if (url !== undefined && entry !== undefined)
      return { program, url, entry: entry === 'sign in' ? '/sign-in' : entry };
    if (program.child.stdout === null) throw new Error('the program has no output');
    const [chunk] = await once(program.child.stdout, 'data');
    printed += String(chunk);
  }
}
