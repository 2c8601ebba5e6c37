import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { mayBeAlive, thisOwner } from '../../../src/ledger/connection/folder-lock.ts';

const isLinux = process.platform === 'linux';

/** This program's identity, with some of its parts changed. */
function ownerWith(change: { pid?: string; start?: string; boot?: string; namespace?: string }): {
  host: string;
  process: string;
} {
  const [pid, start, boot, namespace] = thisOwner().process.split(' ');
  const parts = { pid, start, boot, namespace, ...change };
  return { host: hostname(), process: [parts.pid, parts.start, parts.boot, parts.namespace].join(' ') };
}

/** The highest id that Linux gives is 4,194,304. */
const nobody = '99999999';

it('knows that this program is alive', () => {
  expect(mayBeAlive(thisOwner())).toBe(true);
});

it.runIf(isLinux)('knows a process that is gone, and one whose id another one has now', () => {
  expect(mayBeAlive(ownerWith({ pid: nobody }))).toBe(false);
  expect(mayBeAlive(ownerWith({ start: '1' }))).toBe(false);
  expect(mayBeAlive(ownerWith({ boot: 'an-earlier-boot', namespace: 'pid:[1]' }))).toBe(false);
});

it('says nothing of a process on another host', () => {
  expect(mayBeAlive({ host: 'another-host', process: `${nobody} 1 boot pid:[1]` })).toBe(true);
});

it.runIf(isLinux)('says nothing of a process in another container of this host, whatever its name', () => {
  expect(thisOwner().process.endsWith(readlinkSync('/proc/self/ns/pid'))).toBe(true);
  expect(mayBeAlive(ownerWith({ pid: nobody, namespace: 'pid:[1]' }))).toBe(true);
  expect(mayBeAlive(ownerWith({ pid: '1', start: '1', namespace: 'pid:[1]' }))).toBe(true);
});
