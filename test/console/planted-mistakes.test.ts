import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { PlantedEnd } from './planted.config.ts';
import { plantedMistakes } from './planted-mistakes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the tests of all mistakes, each with its own planted. One run starts sooner than one for each. */
async function runAll(): Promise<readonly PlantedEnd[]> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const names = [...new Set(plantedMistakes.map(({ test }) => test))].join('|');
  const words = ['run', '--config', 'test/console/planted.config.ts', '-t', names];
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
    // The server that the tests around it have started, with its template.
    PAYBATCH_TEST_DATABASE_URL: inject('adminUrl'),
    PAYBATCH_TEST_TEMPLATE_DATABASE: inject('templateDatabase'),
  };
  const output = await new Promise<string>((resolve) => {
    const options = { cwd: root, env, maxBuffer: 64 * 1024 * 1024 };
    // It fails, since the tests do.
    execFile(process.execPath, [vitest, ...words], options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  const ends = output.split('\n').find((line) => line.startsWith('[{'));
  if (ends === undefined) throw new Error(`no test ran: ${output}`);
  return JSON.parse(ends);
}

describe('the tests of the console notice that', () => {
  let ends: readonly PlantedEnd[];
  beforeAll(async () => {
    ends = await runAll();
  }, 1_200_000);

  it.each(plantedMistakes)('$name', ({ name }) => {
    const statuses = ends.filter(({ mistake }) => mistake === name).map(({ status }) => status);
    expect(statuses).toContain('failed');
  });
});
