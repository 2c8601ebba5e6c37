import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { withoutGrowing } from '../../../src/read/sources/inputs-of-call.ts';

const minuteInMs = 60_000;

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('testFolder'), 'unfinished-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A call whose clock is so far from the true one. */
function callAt(offsetInMs: number) {
  const clock = { now: () => new Date(Date.now() + offsetInMs), monotonicInMs: () => performance.now() };
  return { clock, interrupted: new AbortController().signal };
}

async function tookInMs(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
}

it('a file is looked at twice only if it changed within a minute of the clock of the call, and does not end in a line', async () => {
  const folder = await openFolder();
  const [cut, whole] = [join(folder, 'cut.csv'), join(folder, 'whole.csv')];
  await writeFile(cut, 'a,b\n1,2');
  await writeFile(whole, 'a,b\n1,2\n');
  expect(await tookInMs(withoutGrowing([cut], callAt(2 * minuteInMs)))).toBeLessThan(1_500);
  expect(
    await tookInMs(withoutGrowing([whole, '-', folder, join(folder, 'gone.csv')], callAt(0))),
  ).toBeLessThan(1_500);
  expect(await tookInMs(withoutGrowing([cut], callAt(0)))).toBeGreaterThan(1_900);
  expect(await tookInMs(withoutGrowing([cut], callAt(-minuteInMs)))).toBeGreaterThan(1_900);
});

it('of several files those that have grown meanwhile are left alone, after one wait', async () => {
  const folder = await openFolder();
  const names = ['one.csv', 'two.csv', 'three.csv', 'four.xlsx'];
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, path.endsWith('xlsx') ? 'PK\u0003\u0004half' : 'a,b\n1,2');
  const looking = withoutGrowing(paths, callAt(0));
  setTimeout(() => {
    void appendFile(paths[1] ?? '', '2\n');
    void appendFile(paths[3] ?? '', 'more');
  }, 500);
  const begun = performance.now();
  const { paths: left, growing } = await looking;
  expect(performance.now() - begun).toBeLessThan(3_500);
  expect(left).toEqual([paths[0], paths[2]]);
  expect(growing.map(({ code, kind, file }) => [code, kind, file])).toEqual([
    ['file_may_be_growing', 'stopped', paths[1]],
    ['file_may_be_growing', 'stopped', paths[3]],
  ]);
});

it('an interruption does not wait', async () => {
  const folder = await openFolder();
  const cut = join(folder, 'cut.csv');
  await writeFile(cut, 'a,b\n1,2');
  const interrupting = new AbortController();
  setTimeout(() => interrupting.abort(), 100);
  const looking = withoutGrowing([cut], { ...callAt(0), interrupted: interrupting.signal });
  expect(await tookInMs(looking)).toBeLessThan(1_500);
});
