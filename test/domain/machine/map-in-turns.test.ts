import { describe, expect, it } from 'vitest';
import { eachInTurn, mapInTurns, readAhead } from '../../../src/domain/machine/map-in-turns.ts';

it('maps in order, and lets in what waits for the thread now and then', async () => {
  const items = Array.from({ length: 250 }, (_, at) => at);
  const others: number[] = [];
  let isDone = false;
  const doOthers = (): void => {
    others.push(done.length);
    if (!isDone) setImmediate(doOthers);
  };
  const done: number[] = [];
  setImmediate(doOthers);
  const results = await mapInTurns(items, (item, index) => {
    done.push(item);
    return item + index;
  });
  isDone = true;
  expect(results).toEqual(items.map((item) => 2 * item));
  expect(others).toContain(100);
  expect(others).toContain(200);
});

it('does one item after the other, and lets others in before each of them', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('another'));
  const results = await eachInTurn([1, 2], async (item) => {
    seen.push(`begun ${item}`);
    await Promise.resolve();
    seen.push(`ended ${item}`);
    return item * 2;
  });
  expect(results).toEqual([2, 4]);
  expect(seen).toEqual(['another', 'begun 1', 'ended 1', 'begun 2', 'ended 2']);
});

it('maps nothing to nothing', async () => {
  expect(await mapInTurns([], () => 1)).toEqual([]);
});

/** Groups 1, 2, 3 ..., the groups that were begun, and whether their reader was closed. */
function counted(groups: number, failAt = 0) {
  const seen = { begun: 0, isClosed: false };
  async function* read(): AsyncGenerator<number> {
    try {
      for (let group = 1; group <= groups; group += 1) {
        seen.begun = group;
        await Promise.resolve();
        if (group === failAt) throw new Error(`group ${group} cannot be read`);
        yield group;
      }
    } finally {
      seen.isClosed = true;
    }
  }
  return { seen, read };
}

const aMoment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('reading ahead', () => {
  it('gives every group once, in order', async () => {
    const groups: number[] = [];
    for await (const group of readAhead(counted(5).read())) groups.push(group);
    expect(groups).toEqual([1, 2, 3, 4, 5]);
  });

  it('has the next group read while one is worked on, and no more than that', async () => {
    const { seen, read } = counted(5);
    for await (const group of readAhead(read())) {
      await aMoment();
      expect(seen.begun).toBe(Math.min(group + 1, 5));
    }
  });

  it('throws what a group failed with when its turn comes, after those before it', async () => {
    const groups: number[] = [];
    const walk = async (): Promise<void> => {
      for await (const group of readAhead(counted(5, 3).read())) {
        groups.push(group);
        await aMoment();
      }
    };
    await expect(walk()).rejects.toThrow('group 3 cannot be read');
    expect(groups).toEqual([1, 2]);
  });

  it('lets the reader go when the caller has had enough, though the group ahead fails', async () => {
    const { seen, read } = counted(5, 2);
    for await (const _ of readAhead(read())) break;
    expect(seen.isClosed).toBe(true);
  });
});
