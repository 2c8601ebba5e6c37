/*
 * How the tests of the console run with mistakes planted: each mistake is a project, with the tests that have to notice it.
 * test/console/planted-mistakes.test.ts starts them.
 */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { TestModule, VitestPluginContext } from 'vitest/node';
import { patchedSources } from '../simulation/patched-source.ts';
import { processOptions } from '../support/process-options.ts';
import { mistakenFolders, type PlantedMistake, plantedMistakes } from './planted-mistakes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How a test ended that ran with a mistake planted. */
export interface PlantedEnd {
  /** The name of the mistake. */
  readonly mistake: string;
  readonly test: string;
  readonly status: 'passed' | 'failed';
}

function endsOf(module: TestModule): PlantedEnd[] {
  return [...module.children.allTests()].flatMap((test) => {
    const { state: status } = test.result();
    const isEnd = status === 'passed' || status === 'failed';
    return isEnd ? [{ mistake: module.project.name, test: test.fullName, status }] : [];
  });
}

async function projectOf({
  name,
  edit,
  file,
  test,
}: PlantedMistake): Promise<TestProjectInlineConfiguration> {
  const texts = new Map(
    [...(await patchedSources(mistakenFolders, [edit]))].map(([path, text]) => [join(root, path), text]),
  );
  return {
    root,
    plugins: [
      {
        name: 'planted-mistake',
        enforce: 'pre',
        load: (id: string): string | undefined => texts.get(id),
        configureVitest: ({
          project,
          experimental_defineCacheKeyGenerator: keyByMore,
        }: VitestPluginContext): void =>
          // All but the file with the mistake is compiled once for all mistakes. Each project is asked about the files of all.
          keyByMore(({ environment, id }) =>
            environment.getTopLevelConfig() === project.vite.config ? texts.get(id) : undefined,
          ),
      },
    ],
    test: {
      name,
      include: [`test/console/${file}`],
      setupFiles: ['test/support/built-in-fetch.ts', 'test/console/planted-setup.ts'],
      provide: { ledgers: ['server'], noticingTest: test },
      pool: 'forks',
      execArgv: [...processOptions],
      testTimeout: 60_000,
      retry: 0,
    },
  };
}

export default defineConfig(async () => ({
  root,
  test: {
    experimental: { fsModuleCache: true },
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    projects: await Promise.all(plantedMistakes.map(projectOf)),
    reporters: [
      {
        onTestRunEnd: (modules: readonly TestModule[]): void => {
          process.stdout.write(`${JSON.stringify(modules.flatMap(endsOf))}\n`);
        },
      },
    ],
  },
}));
