import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src/engine', import.meta.url));

it('no use case prints, reads options, ends the program or listens for signals', () => {
  const forbidden =
    /\bconsole\.(?:log|info|warn|error|debug|table|dir|trace)\b|\bprocess\.(stdout|stderr|stdin|argv|env|exit|exitCode|on|once|cwd|chdir)\b/;
  // One function reads the variables on which Node.js itself acts.
  const nodeVariable = /^(export )?function nodeVariable[\s\S]*?^}/m;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const source = (name: string): string => readFileSync(join(folder, name), 'utf8').replace(nodeVariable, '');
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((name) => forbidden.test(source(name)))).toEqual([]);
});
