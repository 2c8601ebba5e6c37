import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src/engine', import.meta.url));

it('no use case prints, reads options, ends the program or listens for signals', () => {
  const forbidden = /\bconsole\.|\bprocess\.(stdout|stderr|stdin|argv|env|exit|exitCode|on|once|cwd|chdir)\b/;
  // The engine itself looks whether Node.js checks certificates, which one variable of the process turns off.
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== 'engine.ts',
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((name) => forbidden.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
});
