import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('bounding the growth of the heap is understood by this version of Node, which says nothing', async () => {
  const module = new URL('../../../src/cli/terminal/heap-growth.ts', import.meta.url).href;
  const script = `const heap = await import(${JSON.stringify(module)}); heap.boundUsualHeapGrowth(); heap.boundHeapGrowth();`;
  const program = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program);
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
});
