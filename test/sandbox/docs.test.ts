import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FAULTS, MAGIC_PHRASES } from '../../src/sandbox/faults.ts';
import { SandboxDirectory } from '../../src/sandbox/institutions.ts';

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

it('describes every fault, magic phrase and seeded country', () => {
  const names = [
    ...Object.keys(FAULTS),
    ...MAGIC_PHRASES.flatMap(({ phrase, prefix }) => [phrase, prefix]),
    ...new SandboxDirectory().countries(),
  ];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
