/* How the tests of the console run with a mistake planted, which the variable names; test/console/planted-mistakes.test.ts starts them. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { VitestPluginContext } from 'vitest/node';
import { patchedSources } from '../simulation/patched-source.ts';
import { mistakenFolders, plantedMistakes } from './planted-mistakes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export default defineConfig(async () => {
  const planted = plantedMistakes.find(({ name }) => name === process.env['PAYBATCH_PLANTED_MISTAKE']);
  if (planted === undefined) throw new Error('PAYBATCH_PLANTED_MISTAKE names no mistake');
  const texts = new Map(
    [...(await patchedSources(mistakenFolders, [planted.edit]))].map(([file, text]) => [
      join(root, file),
      text,
    ]),
  );
  return {
    root,
    plugins: [
      {
        name: 'planted-mistake',
        enforce: 'pre' as const,
        load: (id: string): string | undefined => texts.get(id),
        // All but the files with the mistake is compiled once for all mistakes.
        configureVitest: ({ experimental_defineCacheKeyGenerator: keyByMore }: VitestPluginContext): void =>
          keyByMore(({ id }) => texts.get(id)),
      },
    ],
    test: {
      experimental: { fsModuleCache: true },
      include: [`test/console/${planted.file}`],
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: ['test/support/built-in-fetch.ts'],
      provide: { ledgers: ['server' as const] },
      pool: 'forks' as const,
      testTimeout: 60_000,
      retry: 0,
    },
  };
});
