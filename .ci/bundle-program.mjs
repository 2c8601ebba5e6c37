// The compiler writes a file for each module, and finding, reading and linking them all takes half of the start time.
// Here the program and the packages that it uses become few files: `dist/src/cli/main.js` and the parts in `bundle`
// beside it. The library (`dist/src/index.js`) stays as the compiler wrote it.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { templateName } from '../dist/src/ledger/connection/embedded/data-folder.js';
import { withDataFiles } from './data-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = 'dist/src/cli/main.js';
const parts = 'dist/src/cli/bundle';

/**
 * Optional packages, which are loaded only where they are installed, and the embedded PostgreSQL, which reads files
 * beside its own.
 */
const external = [
  '@electric-sql/pglite',
  ...['better-sqlite3', 'mariadb/callback', 'mysql', 'mysql2', 'oracledb', 'sqlite3', 'tedious'],
  ...['pg-native', 'pg-query-stream', 'tsx'],
];

/** The text of data files and styles, which is part of the modules that read them. */
const dataFiles = {
  name: 'data-files',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: withDataFiles(readFileSync(path, 'utf8'), path),
      loader: 'ts',
    }));
  },
};

/** Of undici, the client alone: most of the package is `fetch`, caches, mocks and WebSockets, which the program never uses. */
const clientOfUndici = {
  name: 'client-of-undici',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: `
        import api from './lib/api/index.js';
        import Dispatcher from './lib/dispatcher/dispatcher.js';
        Object.assign(Dispatcher.prototype, api);
        export { default as buildConnector } from './lib/core/connect.js';
        export { default as errors } from './lib/core/errors.js';
        export { default as Client } from './lib/dispatcher/client.js';
        export { default as EnvHttpProxyAgent } from './lib/dispatcher/env-http-proxy-agent.js';
        export { default as Pool } from './lib/dispatcher/pool.js';`,
    }));
  },
};

/** Help is plain text, in which every character is one column wide; to measure more than that takes a third of its time. */
const plainHelpOfYargs = {
  name: 'plain-help-of-yargs',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^string-width$/ }, ({ importer }) =>
      /[\\/](?:yargs|cliui|wrap-ansi)[\\/][^\\/]*$|[\\/]yargs[\\/]lib[\\/]/.test(importer)
        ? { path: 'plain-width', namespace: 'plain-help' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'plain-help' }, () => ({
      contents: 'export default (text) => text.length;',
    }));
  },
};

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/cli/main.ts', out: 'main' },
    // Started as threads and as a process of their own, from the files beside the part that starts them.
    { in: 'src/ledger/connection/embedded/engine-thread.ts', out: 'bundle/engine-thread' },
    { in: 'src/sandbox/worker-thread.ts', out: 'bundle/worker-thread' },
    { in: 'src/read/workbook/whole/converter.ts', out: 'bundle/converter' },
  ],
  outdir: 'dist/src/cli',
  chunkNames: 'bundle/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  plugins: [dataFiles, clientOfUndici, plainHelpOfYargs],
  // Older Node has no `navigator`; without one, pg looks for Cloudflare's and loads all of Node's `fetch` for that.
  define: { navigator: JSON.stringify({ userAgent: 'Node.js' }) },
  // Names are kept, since stack traces show them.
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  // Packages in CommonJS call `require`, which modules do not have.
  banner: {
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  allowOverwrite: true,
  metafile: true,
  logLevel: 'warning',
});

const written = new Set([...Object.keys(metafile.outputs).map((path) => basename(path)), templateName]);
for (const name of readdirSync(`${root}${parts}`)) {
  if (!written.has(name)) rmSync(`${root}${parts}/${name}`);
}
chmodSync(`${root}${program}`, 0o755);
