import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { programWords } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers } from '../support/cli-files.ts';

/** A device that refuses every write as a full disk does. */
const full = '/dev/full';

type Output = 'pipe' | 'full';

interface End {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs the program with one of its streams, or both, on a full disk; what the other says comes back. */
async function runWith(
  desk: Desk,
  words: readonly string[],
  streams: { readonly stdout: Output; readonly stderr: Output },
  onStart: (pid: number) => void = () => {},
): Promise<End> {
  const target = (output: Output): 'pipe' | number => (output === 'pipe' ? 'pipe' : openSync(full, 'w'));
  const child = spawn(process.execPath, [...programWords(), ...words], {
    cwd: desk.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: desk.folder, ...desk.env },
    stdio: ['ignore', target(streams.stdout), target(streams.stderr)],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  onStart(child.pid ?? 0);
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}

it.runIf(existsSync(full)).each<[Output, Output]>([
  ['full', 'pipe'],
  ['pipe', 'full'],
  ['full', 'full'],
])('a run ends as it would have, with standard output %s and standard error %s', async (stdout, stderr) => {
  const desk = await openDesk({ program: 'started' });
  const file = await desk.write('people.csv', csvOf(customers(30)));
  for (const options of [[], ['--json'], ['--verbose']]) {
    const end = await runWith(desk, ['import', file, ...options], { stdout, stderr });
    expect(end.exitCode).toBe(0);
    expect(end.output).not.toMatch(/ENOSPC|\bat /);
  }
  const mistake = await runWith(desk, ['import', 'nothing.csv'], { stdout, stderr });
  expect(mistake.exitCode).toBe(3);
  expect(desk.sandbox.counts().sandbox.created.customers).toBe(30);
  expect(await desk.results()).toHaveLength(30);
});

it.runIf(existsSync(full))(
  'a run that is interrupted while standard error is full leaves no row without its answer',
  async () => {
    let pid = 0;
    let requests = 0;
    const desk = await openDesk({
      program: 'started',
      latencyInMs: 150,
      onRequest: () => {
        requests += 1;
        if (requests === 10) process.kill(pid, 'SIGTERM');
        return undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(200)));
    const words = ['import', file, '--concurrency', '8'];
    const end = await runWith(desk, words, { stdout: 'full', stderr: 'full' }, (started) => {
      pid = started;
    });
    expect(end.exitCode).toBe(4);
    const statuses = (await desk.results()).map((row) => row['result_status']);
    expect(statuses.filter((status) => status === 'created')).toHaveLength(
      desk.sandbox.counts().sandbox.created.customers ?? 0,
    );
    expect(statuses).not.toContain('unknown');
  },
);
