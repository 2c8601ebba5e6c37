import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { RowEventFiles } from '../../../src/disk/log/read-run-log.ts';
import { createRandom } from '../../simulation/random.ts';
import { ownTemporaryFolder } from '../../support/own-temporary-folder.ts';

interface Event {
  readonly row: number;
  readonly number: number;
  readonly padding?: string;
}

const folder = ownTemporaryFolder();

async function read(files: RowEventFiles<Event>, first: number, last: number): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of files.read(first, last)) events.push(event);
  return events;
}

it('gives the events of any rows, each row in the order in which its events came', async () => {
  const random = createRandom(1);
  const files = await RowEventFiles.create<Event>();
  const added: Event[] = [];
  for (let number = 0; number < 20_000; number += 1) {
    const event = { row: random.whole(2, 5_000), number, padding: 'x'.repeat(200) };
    added.push(event);
    await files.add(event);
  }
  for (const [first, last] of [
    [2, 2],
    [1_000, 2_100],
    [4_999, 9_000],
  ] as const) {
    const expected = added.filter(({ row }) => row >= first && row <= last);
    const found = await read(files, first, last);
    const inOrder = (events: readonly Event[]): Event[] =>
      events.toSorted((one, other) => one.row - other.row || one.number - other.number);
    expect(inOrder(found)).toEqual(inOrder(expected));
    for (const row of new Set(found.map((event) => event.row))) {
      const numbers = found.filter((event) => event.row === row).map(({ number }) => number);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    }
  }
  await files.remove();
});

it('keeps them for their owner only, and takes them away', async () => {
  const files = await RowEventFiles.create<Event>();
  await files.add({ row: 2, number: 1 });
  expect(await read(files, 1, 10)).toEqual([{ row: 2, number: 1 }]);
  const [inner = ''] = readdirSync(folder());
  const [file = ''] = readdirSync(join(folder(), inner));
  expect(statSync(join(folder(), inner)).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder(), inner, file)).mode & 0o777).toBe(0o600);
  await files.remove();
  expect(readdirSync(folder())).toEqual([]);
});

it('says in a sentence that there is no place for them', async () => {
  vi.stubEnv('TMPDIR', join(folder(), 'nowhere'));
  await expect(RowEventFiles.create()).rejects.toMatchObject({ kind: 'usage', code: 'temporary_folder' });
});
