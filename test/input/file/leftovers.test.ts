import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryPrefix } from '../../../src/domain/machine/temporary-folder.ts';
import { removeLeftovers } from '../../../src/input/file/leftovers.ts';
import { temporaryFolder } from '../../../src/input/file/source.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paybatch-test-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('removes what killed processes of this machine left, and nothing of anybody else', async () => {
  const [dead, other] = [
    `${temporaryPrefix({ host: hostname(), processId: 4_000_000 })}abcdef`,
    `${temporaryPrefix({ host: 'another.host', processId: 4_000_000 })}abcdef`,
  ];
  const kept = [other, 'paybatch-abcdef', 'paybatch-notes', 'somebody-else'];
  for (const name of [dead, ...kept]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'rows.csv'), 'a,b');
  }
  const own = await temporaryFolder();
  await removeLeftovers();
  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
  ).toEqual([own, ...kept.map((name) => join(folder, name))].sort());
});

it('does nothing where there is no folder for temporary files', async () => {
  vi.stubEnv('TMPDIR', join(folder, 'nowhere'));
  await expect(removeLeftovers()).resolves.toBeUndefined();
});
