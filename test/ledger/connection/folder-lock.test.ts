import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { afterEach, expect, inject, it, onTestFinished } from 'vitest';
import { lockFolder, thisOwner } from '../../../src/ledger/connection/folder-lock.ts';

const lockOf = (directory: string): string => join(directory, 'ledger.lock');
const newFolder = (): string => mkdtempSync(join(inject('testFolder'), 'lock-'));
const longAgo = new Date('2020-01-01T00:00:00Z');

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Another program, which has `lockFolder`. */
function startProgram(script: string, directory: string): ChildProcess {
  const module = new URL('../../../src/ledger/connection/folder-lock.ts', import.meta.url).href;
  const whole = `const { lockFolder } = await import('${module}'); ${script}`;
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const args = ['--import', tsx, '--input-type=module', '-e', whole, directory];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

/** Another program that has the folder locked until it is killed. */
async function lockElsewhere(directory: string): Promise<ChildProcess> {
  const child = startProgram(
    "await lockFolder(process.argv[1]); console.log('locked'); setInterval(() => {}, 1000);",
    directory,
  );
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return 'no lock';
  }
}

it('refuses a second opener and names the process that has the folder', async () => {
  const directory = newFolder();
  const child = await lockElsewhere(directory);
  await expect(lockFolder(directory)).rejects.toMatchObject({
    kind: 'busy',
    code: 'ledger_locked',
    message: expect.stringContaining(`process ${child.pid} on ${hostname()}`),
  });
});

it('says whose it is from its first moment on, for a process that is killed right then', async () => {
  const directory = newFolder();
  const child = startProgram(
    'for (let n = 0; n < 2_000; n += 1) (await lockFolder(process.argv[1]))();',
    directory,
  );
  const seen = new Set<string>();
  while (child.exitCode === null) {
    await turnOfEventLoop();
    for (let looks = 0; looks < 100; looks += 1) seen.add(contentOf(lockOf(directory)));
  }
  const contents = [...seen].filter((content) => content !== 'no lock');
  expect(contents.map((content) => content.includes(`"process":"${child.pid} `))).toEqual([true]);
});

it('takes over the lock of a process that was killed', async () => {
  const directory = newFolder();
  const child = await lockElsewhere(directory);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const release = await lockFolder(directory);
  expect(readFileSync(lockOf(directory), 'utf8')).toContain(`"${process.pid} `);
  release();
});

it('takes over from a dead process whose id another one has now', async () => {
  const directory = newFolder();
  const former = { host: hostname(), process: `${process.pid} 1 another-boot` };
  writeFileSync(lockOf(directory), JSON.stringify(former));
  (await lockFolder(directory))();
});

it('never takes over from another host, whose processes cannot be checked', async () => {
  const directory = newFolder();
  writeFileSync(lockOf(directory), JSON.stringify({ host: 'another-host', process: '1 1 boot' }));
  await expect(lockFolder(directory)).rejects.toMatchObject({ kind: 'busy' });
});

it('takes over at once a lock that a power cut left unreadable long ago', async () => {
  const directory = newFolder();
  writeFileSync(lockOf(directory), '');
  utimesSync(lockOf(directory), longAgo, longAgo);
  (await lockFolder(directory))();
});

it('waits until a lock without content is certainly left behind, whatever the clock says, and takes it over', async () => {
  const dayInMs = 86_400_000;
  const takenAfterInMs = await Promise.all(
    [0, dayInMs].map(async (aheadInMs) => {
      const directory = newFolder();
      writeFileSync(lockOf(directory), '');
      const madeAt = new Date(Date.now() + aheadInMs);
      utimesSync(lockOf(directory), madeAt, madeAt);
      const startedAt = performance.now();
      (await lockFolder(directory))();
      return performance.now() - startedAt;
    }),
  );
  expect(Math.min(...takenAfterInMs)).toBeGreaterThan(4_000);
});

it('takes over no lock that is just being written', async () => {
  const directory = newFolder();
  writeFileSync(lockOf(directory), '');
  const taken = lockFolder(directory);
  await sleep(300);
  writeFileSync(lockOf(directory), JSON.stringify(thisOwner()));
  await expect(taken).rejects.toMatchObject({
    kind: 'busy',
    code: 'ledger_locked',
    message: expect.stringContaining(`process ${process.pid}`),
  });
});

it('has its content on disk before it is there, so that a power cut leaves no lock without content', async () => {
  const directory = newFolder();
  const calls: string[] = [];
  const { fsyncSync, linkSync } = fs;
  const noted = (what: string, path: string): void => {
    calls.push(`${what} ${readFileSync(path, 'utf8').length > 0 ? 'with' : 'without'} content`);
  };
  Object.assign(fs, {
    fsyncSync: (file: number): void => {
      fsyncSync(file);
      noted('on disk', `${lockOf(directory)}.${process.pid}`);
    },
    linkSync: (from: string, to: string): void => {
      noted('linked', from);
      linkSync(from, to);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { fsyncSync, linkSync });
    syncBuiltinESMExports();
  });
  (await lockFolder(directory))();
  expect(calls).toEqual(['on disk with content', 'linked with content']);
});

it('is not blocked for ever by a takeover that was killed half way', async () => {
  const directory = newFolder();
  const guard = `${lockOf(directory)}.takeover`;
  writeFileSync(lockOf(directory), JSON.stringify({ host: hostname(), process: '99999999 1 boot' }));
  mkdirSync(guard);
  utimesSync(guard, longAgo, longAgo);
  (await lockFolder(directory))();
  expect(existsSync(guard)).toBe(false);
});

it('gives the folder to one of many that find a dead lock at once', async () => {
  const directory = newFolder();
  writeFileSync(lockOf(directory), JSON.stringify({ host: hostname(), process: '99999999 1 boot' }));
  const taken = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(directory)));
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('leaves no lock when it is released, and never removes the lock of a successor', async () => {
  const directory = newFolder();
  const release = await lockFolder(directory);
  writeFileSync(lockOf(directory), '{"host":"successor","process":"1"}');
  release();
  expect(existsSync(lockOf(directory))).toBe(true);
  const other = newFolder();
  (await lockFolder(other))();
  expect(existsSync(lockOf(other))).toBe(false);
});
