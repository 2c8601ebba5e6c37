import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../src/ledger', import.meta.url));

it('has every device against the planner in the one file that says what happens without it', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const withDevices = files.filter((name) =>
    /OFFSET 0|\bctid\b|\benable_\w+|IS TRUE\)|\|\| ''/.test(readFileSync(`${folder}/${name}`, 'utf8')),
  );
  expect(withDevices).toEqual(['query/rows.ts']);
});
