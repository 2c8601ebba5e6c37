import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MeasuredApi } from './api-program.ts';
import { programPath } from './program.ts';

/**
 * Starts the project's sandbox as a program of its own, on a new folder.
 * @param latencyInMs how long each answer is held back
 */
export async function startSandboxProgram(latencyInMs = 0): Promise<MeasuredApi> {
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-bench-'));
  const program = spawn(
    process.execPath,
    [programPath, 'sandbox', '--data-dir', folder, '--latency-ms', String(latencyInMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  program.stdout.setEncoding('utf8');
  while (!output.includes('Ctrl-C')) {
    const [piece] = await once(program.stdout, 'data');
    output += piece;
  }
  const url = /listens at (\S+)/.exec(output)?.[1];
  const apiKey = /sandbox key +(\S+)/.exec(output)?.[1];
  if (url === undefined || apiKey === undefined) throw new Error('the sandbox did not say where it listens');
  return {
    url: new URL(url),
    apiKey,
    stop: async () => {
      const exited = once(program, 'exit');
      program.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
