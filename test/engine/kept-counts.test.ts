import { expect, it } from 'vitest';
import type { Connections } from '../../src/call/connections.ts';
import { KeptCounts } from '../../src/engine/kept-counts.ts';

const connections = {} as Connections;

it('counts a batch once for each of its states, and each engine by itself', async () => {
  const counts = new KeptCounts<number>();
  let counted = 0;
  const count = async (): Promise<number> => {
    counted += 1;
    return counted;
  };
  expect(await counts.of(connections, 'a', 'revision 1', count)).toBe(1);
  expect(await counts.of(connections, 'a', 'revision 1', count)).toBe(1);
  expect(await counts.of(connections, 'b', 'revision 1', count)).toBe(2);
  expect(await counts.of(connections, 'a', 'revision 2', count)).toBe(3);
  expect(await counts.of({} as Connections, 'a', 'revision 2', count)).toBe(4);
});

it('keeps those of the batches that were counted last', async () => {
  const counts = new KeptCounts<string>();
  for (let at = 0; at < 101; at += 1) await counts.of(connections, `batch ${at}`, '', async () => 'first');
  expect(await counts.of(connections, 'batch 100', '', async () => 'again')).toBe('first');
  expect(await counts.of(connections, 'batch 0', '', async () => 'again')).toBe('again');
});
