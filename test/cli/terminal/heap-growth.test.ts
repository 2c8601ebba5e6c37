import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { boundUsualHeapGrowth } from '../../../src/cli/terminal/process.ts';

const module = new URL('../../../src/cli/terminal/process.ts', import.meta.url).href;

/** MiB of the heap after 120 MiB in it are of no use any more, in a program that does not allocate anything else. */
async function leftAfterRelease(call: string): Promise<number> {
  const script = `
    const heap = await import(${JSON.stringify(module)});
    ${call}
    const used = () => process.memoryUsage().heapUsed / 2 ** 20;
    let held = Array.from({ length: 3e6 }, (_, number) => ({ number }));
    const before = used();
    held = null;
    for (let looks = 0; looks < 20 && used() > before / 2; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    console.log(before > 110 ? used() : 'nothing was held');`;
  const program = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program);
  expect(stderr).toBe('');
  return Number(stdout);
}

it.each(['heap.boundUsualHeapGrowth();', 'heap.boundUsualHeapGrowth(); heap.boundHeapGrowth();'])(
  'garbage is collected before the heap grows further: %s',
  async (call) => {
    expect(await leftAfterRelease(call)).toBeLessThan(50);
  },
);

it.each(['', 'heap.boundUsualHeapGrowth(); heap.leaveHeapGrowth();'])(
  'V8 by itself collects later: %s',
  async (call) => {
    expect(await leftAfterRelease(call)).toBeGreaterThan(70);
  },
);

it('what was collected does not count as in use afterwards', () => {
  // In MiB: before a collection and after it, then what each look finds.
  const found = [100, 30, 100, 110, 30];
  const looks = vi
    .spyOn(process, 'memoryUsage')
    .mockImplementation(() => ({ heapUsed: (found.shift() ?? 0) * 2 ** 20 }) as NodeJS.MemoryUsage);
  const looksUntil = (inMs: number): number => {
    vi.advanceTimersByTime(inMs);
    return looks.mock.calls.length;
  };
  vi.useFakeTimers();
  try {
    boundUsualHeapGrowth();
    expect(looksUntil(100)).toBe(2);
    // 100 is less than 3.5 times 30, and 110 is more: only there a second look follows, after the collection.
    expect(looksUntil(100)).toBe(3);
    expect(looksUntil(100)).toBe(5);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});
