import { expect } from 'vitest';
import { commands } from '../../src/cli/definitions/commands.ts';
import { jsonObjects } from '../../src/cli/json/commands.ts';

/** Compares what a command line printed with the schema of its command, so that each test with `--json` does. */
export function expectDocumented(words: readonly string[], printed: unknown): void {
  const command = words.find((word) => commands.some(({ name }) => name === word)) ?? '';
  const parsed = jsonObjects[command]?.safeParse(printed);
  if (parsed === undefined || parsed.success) return;
  expect.fail(`${words.join(' ')} prints what its schema does not have: ${parsed.error.message}`);
}
