import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src', import.meta.url));

/** The use cases, and the rooms that they call. */
const rooms = ['engine', 'call', 'check', 'watch', 'account', 'propose', 'recover', 'send', 'controls'];

it('no use case, and no room that it calls, prints, reads options, ends the program or listens for signals', () => {
  const forbidden =
    /\bconsole\.(?:log|info|warn|error|debug|table|dir|trace)\b|\bprocess\.(stdout|stderr|stdin|argv|env|exit|exitCode|on|once|cwd|chdir)\b/;
  // One function reads the variables on which Node.js itself acts.
  const nodeVariable = /^(export )?function nodeVariable[\s\S]*?^}/m;
  const files = rooms.flatMap((room) =>
    readdirSync(join(folder, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(room, name)),
  );
  const source = (name: string): string => readFileSync(join(folder, name), 'utf8').replace(nodeVariable, '');
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((name) => forbidden.test(source(name)))).toEqual([]);
});
