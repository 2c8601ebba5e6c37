import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeLock } from '../../src/sandbox/lock.ts';
import { temporaryFolder } from './harness.ts';

it('lets one sandbox into a data folder at a time, and names the process that has it', () => {
  const folder = temporaryFolder();
  const unlock = takeLock(folder);
  expect(() => takeLock(folder)).toThrow(`in use by process ${process.pid}`);
  unlock();
  takeLock(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

it('takes over the lock of a dead process', () => {
  const folder = temporaryFolder();
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, startedAt: '1' }));
  const unlock = takeLock(folder);
  expect(() => takeLock(folder)).toThrow(`process ${process.pid}`);
  unlock();
});

it('takes over a lock that nobody can have written whole', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock'), '');
  takeLock(folder)();
});

it.runIf(existsSync('/proc/self/stat'))('is not fooled by a later process with the same number', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
  takeLock(folder)();
});
