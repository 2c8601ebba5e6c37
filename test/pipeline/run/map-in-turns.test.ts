import { expect, it } from 'vitest';
import { mapInTurns } from '../../../src/pipeline/run/map-in-turns.ts';

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

it('maps nothing to nothing', async () => {
  expect(await mapInTurns([], () => 1)).toEqual([]);
});
