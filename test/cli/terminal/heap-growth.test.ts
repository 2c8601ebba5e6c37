import { execFile } from 'node:child_process';
import { Session } from 'node:inspector';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { boundUsualHeapGrowth } from '../../../src/cli/terminal/process.ts';

const module = new URL('../../../src/cli/terminal/process.ts', import.meta.url).href;

/** MiB of the heap after 80 MiB in it are of no use any more, in a program that does not allocate anything else. */
async function leftAfterRelease(call: string): Promise<number> {
  const script = `
    const heap = await import(${JSON.stringify(module)});
    ${call}
    const used = () => process.memoryUsage().heapUsed / 2 ** 20;
    let held = Array.from({ length: 2e6 }, (_, number) => ({ number }));
    const before = used();
    held = null;
    for (let looks = 0; looks < 20 && used() > before / 2; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    console.log(before > 70 ? used() : 'nothing was held');`;
  const program = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program);
  expect(stderr).toBe('');
  return Number(stdout);
}

it.each(['heap.boundUsualHeapGrowth();', 'heap.boundUsualHeapGrowth(); heap.boundHeapGrowth();'])(
  'what is of no use any more is collected before the heap grows on: %s',
  async (call) => {
    expect(await leftAfterRelease(call)).toBeLessThan(50);
  },
);

it.each(['', 'heap.boundUsualHeapGrowth(); heap.leaveHeapGrowth();'])(
  'which V8 by itself does not hurry to do: %s',
  async (call) => {
    expect(await leftAfterRelease(call)).toBeGreaterThan(70);
  },
);

it('what was collected does not count as in use afterwards, though V8 collects in a later turn', () => {
  const mib = 2 ** 20;
  let heapUsed = 100 * mib;
  vi.spyOn(process, 'memoryUsage').mockImplementation(() => ({ heapUsed }) as NodeJS.MemoryUsage);
  const asked = vi.spyOn(Session.prototype, 'post').mockImplementation(() => {});
  vi.useFakeTimers();
  try {
    boundUsualHeapGrowth();
    vi.advanceTimersByTime(1_000);
    expect(asked).toHaveBeenCalledTimes(1);
    heapUsed = 30 * mib;
    const done: unknown = asked.mock.calls[0]?.at(-1);
    if (typeof done !== 'function') throw new Error('nobody waits for the end of the collection');
    done(null);
    heapUsed = 85 * mib;
    vi.advanceTimersByTime(1_000);
    expect(asked).toHaveBeenCalledTimes(1);
    heapUsed = 95 * mib;
    vi.advanceTimersByTime(1_000);
    expect(asked).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});
