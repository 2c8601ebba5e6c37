import { afterEach, expect, it } from 'vitest';
import { hostileLists } from './hostile-files.ts';
import { refusalOf, removeTemporaryFiles } from './reading.ts';

afterEach(removeTemporaryFiles);

it.each(hostileLists)('%s: refused with a code', async (_, content, code) => {
  const refusal = await refusalOf(content);
  expect(refusal.code).toBe(code);
});
