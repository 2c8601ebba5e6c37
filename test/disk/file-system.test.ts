import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReplacementFile } from '../../src/account/files/replacement-file.ts';
import { removeLeftovers, requireOutFolder } from '../../src/disk/file-system.ts';
import { temporaryFileName, temporaryPrefix } from '../../src/domain/machine/temporary-name.ts';
import { temporaryFolder } from '../../src/read/file/source.ts';
import { ownTemporaryFolder } from '../support/own-temporary-folder.ts';

describe('the folder for result files', () => {
  it('is made with everything above it, for its owner only', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'out-')), 'a', 'b');
    await requireOutFolder({ out });
    expect(statSync(out).mode & 0o777).toBe(0o700);
  });

  it('is refused if a file has its path', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'out-')), 'file');
    writeFileSync(file, '');
    await expect(requireOutFolder({ out: join(file, 'results') })).rejects.toThrow(/cannot be written to/);
  });

  it.runIf(existsSync('/proc/self'))('is refused, at once, where no folder can be made', async () => {
    await expect(requireOutFolder({ out: '/proc/results' })).rejects.toThrow(/cannot be written to/);
  });
});

const folder = ownTemporaryFolder();

it('removes the files that killed processes of this machine left, and no others', async () => {
  const [dead, other] = [
    `${temporaryPrefix({ host: hostname(), processId: 4_000_000 })}abcdef`,
    `${temporaryPrefix({ host: 'another.host', processId: 4_000_000 })}abcdef`,
  ];
  const kept = [other, 'paybatch-abcdef', 'paybatch-notes', 'somebody-else'];
  for (const name of [dead, ...kept]) {
    mkdirSync(join(folder(), name));
    writeFileSync(join(folder(), name, 'rows.csv'), 'a,b');
  }
  const own = await temporaryFolder();
  await removeLeftovers(folder());
  expect(
    readdirSync(folder())
      .map((name) => join(folder(), name))
      .sort(),
  ).toEqual([own, ...kept.map((name) => join(folder(), name))].sort());
});

it('removes half-written result files of killed processes, and none that somebody still writes', async () => {
  const [here, elsewhere] = [hostname(), 'another.host'];
  const files = [
    { owner: { host: here, processId: 4_000_000 }, ageInHours: 0, isLeft: true },
    // In a container, the process before this one had its number too.
    { owner: { host: here, processId: process.pid }, ageInHours: 1, isLeft: true },
    { owner: { host: here, processId: process.ppid }, ageInHours: 48, isLeft: false },
    { owner: { host: elsewhere, processId: 4_000_000 }, ageInHours: 23, isLeft: false },
    { owner: { host: elsewhere, processId: 4_000_000 }, ageInHours: 25, isLeft: true },
  ].map((file, at) => ({ ...file, name: temporaryFileName(file.owner, `abcde${at}`) }));
  for (const { name, ageInHours } of files) {
    writeFileSync(join(folder(), name), 'a,b');
    const changed = Date.now() / 1_000 - ageInHours * 3_600;
    utimesSync(join(folder(), name), changed, changed);
  }
  const kept = files.filter(({ isLeft }) => !isLeft).map(({ name }) => name);
  const own = await ReplacementFile.create(join(folder(), 'a.results.csv'));
  const [ownName = ''] = readdirSync(folder()).filter((name) => files.every((file) => file.name !== name));
  await removeLeftovers(folder());
  expect(readdirSync(folder()).sort()).toEqual([...kept, ownName].sort());
  await own.discard();
});

it('does nothing where there is no folder', async () => {
  await expect(removeLeftovers(join(folder(), 'nowhere'))).resolves.toBeUndefined();
});
