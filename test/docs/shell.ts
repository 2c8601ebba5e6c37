import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { programWords } from '../support/cli.ts';
import { copyEmbeddedLedger } from '../support/ledger.ts';

/** Somebody at a shell. */
export interface Reader {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * An empty folder, a shell that finds `paybatch`, and a ledger that is made already, which saves seconds.
 * @param ledger its variable; an embedded one unless stated
 */
export async function openFolder(ledger?: Readonly<Record<string, string>>): Promise<Reader> {
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
    ...(ledger ?? { PAYBATCH_LEDGER_DIR: await copyEmbeddedLedger() }),
  };
  return { folder, env };
}

/**
 * Types one line; a server in the foreground is ended with Ctrl-C once it listens.
 * @param whileRunning what happens to the program meanwhile
 */
export function type(
  { folder, env }: Reader,
  line: string,
  whileRunning: (child: ChildProcess) => void = () => {},
): Promise<{ exitCode: number | null; output: string }> {
  // The port that a page names may be taken on the machine of a test.
  const child = spawn('sh', ['-c', `exec ${line.replace(/--port \d+/, '--port 0')}`], { cwd: folder, env });
  whileRunning(child);
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
