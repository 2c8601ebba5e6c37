import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { plantedMistakes } from './planted-mistakes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
    }[];
  }[];
}

/** The tests of a file that ran with a mistake planted, and how they ended. */
function run(mistake: (typeof plantedMistakes)[number]): readonly (readonly [string, string])[] {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const words = ['run', '--config', 'test/console/planted.config.ts', '--reporter=json', '-t', mistake.test];
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, ...words], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
      PAYBATCH_PLANTED_MISTAKE: mistake.name,
      // The server that the tests around it have started, with its template.
      PAYBATCH_TEST_DATABASE_URL: inject('adminUrl'),
      PAYBATCH_TEST_TEMPLATE_DATABASE: inject('templateDatabase'),
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  const begin = stdout.indexOf('{');
  if (begin < 0) throw new Error(`no test ran: ${stderr}`);
  const report: Report = JSON.parse(stdout.slice(begin));
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName, status }) => [fullName, status]);
}

describe('the tests of the console notice that', () => {
  it.each(plantedMistakes)(
    '$name',
    (mistake) => {
      const ended = run(mistake);
      expect(ended.map(([, status]) => status)).toContain('failed');
    },
    300_000,
  );
});
