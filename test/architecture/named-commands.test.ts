import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Files in which the program cannot know the value of the placeholder, and why. */
const allowed: Readonly<Record<string, string>> = {
  'cli/commands/sandbox.ts': 'the server does not know which file somebody will import',
};

/** A command with a placeholder in it, in a text that the program prints. */
const withPlaceholder = /['`][^'`\n]*paybatch [a-z]+[^'`\n(]* (?:--log )?(?:FILE|BATCH|RUNLOG|EXPORT|HASH)\b/;

it('no message names a command with a placeholder where the program knows the file or the batch', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/^cli\/(?:definitions|help|options)\//.test(name),
  );
  const found = files.filter((name) => withPlaceholder.test(readFileSync(join(source, name), 'utf8')));
  expect(found.sort()).toEqual(Object.keys(allowed));
});
