import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { read, utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../docs/pages.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';

/*
 * The package as a user gets it: packed, put into an empty folder, and used from there. Its dependencies are those of
 * this checkout, since a test does not ask a registry.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
let packed: readonly string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paybatch-library-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(
    execFileSync('npm', pack, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  packed = files.map(({ path }) => path);
  const installed = join(folder, 'node_modules/paybatch');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function manifest(): { version: string; bin: { paybatch: string } } {
  return JSON.parse(readFileSync(join(folder, 'node_modules/paybatch/package.json'), 'utf8'));
}

function installedProgram(): string {
  return join(folder, 'node_modules/paybatch', manifest().bin.paybatch);
}

it('holds the built program with its types, and neither sources, tests nor maps', () => {
  expect(packed).toContain('dist/src/index.js');
  expect(packed).toContain('dist/src/index.d.ts');
  expect(packed).toContain('dist/src/cli/main.js');
  const others = packed.filter((path) => !/^dist\/(src|migrations)\/.*\.(js|d\.ts)$/.test(path));
  expect(
    others.filter(
      (path) =>
        !/^(package\.json|man\/paybatch\.1|(docs|deploy)\/.*|(README|CHANGELOG|CONTRIBUTING)\.md|LICENSE.*)$/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

it('holds every page and file that its pages link', () => {
  const pages = packed.filter((path) => path.endsWith('.md'));
  expect(pages).toContain('docs/operations.md');
  const links = pages.flatMap((page) => {
    const text = readFileSync(join(folder, 'node_modules/paybatch', page), 'utf8');
    return Array.from(text.matchAll(/\]\(([^)\s#]+)/g), ([, link = '']) => join(dirname(page), link));
  });
  const files = links.filter((link) => !/^https?:/.test(link));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((link) => !packed.some((path) => `${path}/`.startsWith(`${link}/`)))).toEqual([]);
});

it('is installed by an ordinary user, with its manual page', () => {
  const [copy, prefix] = [join(folder, 'checkout'), join(folder, 'prefix')];
  cpSync(join(folder, 'node_modules/paybatch'), copy, {
    recursive: true,
    filter: (path) => !path.endsWith('node_modules'),
  });
  // What is installed is the folder itself, whose dependencies are there; a test asks no registry for them.
  const {
    dependencies: _,
    devDependencies: __,
    ...others
  } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
  writeFileSync(join(copy, 'package.json'), JSON.stringify(others));
  const [, command = ''] =
    /^(npm install --global .*)$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  execFileSync('/bin/sh', ['-c', `${command.replace('~/.local', '"$0"')} --offline`, prefix], {
    cwd: copy,
    stdio: 'ignore',
  });
  expect(realpathSync(join(prefix, 'bin/paybatch'))).toBe(realpathSync(join(copy, manifest().bin.paybatch)));
  // Where man looks for the pages of programs in this folder's bin.
  expect(readFileSync(join(prefix, 'share/man/man1/paybatch.1'), 'utf8')).toContain('paybatch');
});

it('has the program, which runs from there', () => {
  const version = execFileSync(process.execPath, [installedProgram(), '--version'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(version.trim()).toBe(manifest().version);
});

it('has the program make an embedded ledger within a third of the memory that PostgreSQL takes for it', () => {
  expect(packed).toContain('dist/src/cli/bundle/ledger-template.js');
  writeFileSync(join(folder, 'ten.csv'), csvOf(customers(10, 51)));
  const report = `process.on('exit', () => console.error('rss', process.resourceUsage().maxRSS))`;
  const words = ['plan', 'ten.csv', '--local-sandbox', '--ledger-dir', 'fresh'];
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(report)}`, installedProgram(), ...words],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(status).toBe(0);
  // In KiB; 960,000 where PostgreSQL makes it.
  expect(Number(/rss (\d+)/.exec(stderr)?.[1])).toBeLessThan(500_000);
}, 120_000);

it('has the program start its thread, the sandbox, and its process, which reads old workbooks', () => {
  const book = utils.book_new();
  utils.book_append_sheet(
    book,
    read(csvOf(customers(2, 11)), { type: 'string', raw: true }).Sheets['Sheet1'] ?? {},
  );
  writeFileSync(join(folder, 'people.xls'), write(book, { type: 'buffer', bookType: 'biff8' }));
  const words = ['import', 'people.xls', '--local-sandbox', '--json'];
  const output = execFileSync(process.execPath, [installedProgram(), ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(JSON.parse(output)).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 2 } }] });
}, 120_000);

it('has the example of docs/library.md compile, and serve several requests at a time with one engine', async () => {
  const example = blocksOf('docs/library.md').find(({ file }) => file === 'server.ts')?.text ?? '';
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(30);
  writeFileSync(join(folder, 'server.ts'), example);
  for (const [at, name] of ['one', 'two'].entries()) {
    writeFileSync(join(folder, `${name}.csv`), csvOf(customers(2, 1 + at * 10)));
  }
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, ...options, ...types, 'server.ts'], { cwd: folder });
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  execFileSync(process.execPath, [installedProgram(), 'migrate'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const port = await freePort();
  const server = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  for await (const line of createInterface(server.stderr)) if (line === 'ready') break;
  server.stderr.resume();
  const address = `http://127.0.0.1:${port}`;
  const imported = await Promise.all(
    ['one.csv', 'two.csv'].map(async (file) => {
      const reply = await fetch(`${address}/imports?file=${file}`, { method: 'POST' });
      return reply.json();
    }),
  );
  const done = { outcome: 'done', batches: [{ counts: { created: 2 } }] };
  expect(imported).toMatchObject([done, done]);
  const missing = await fetch(`${address}/imports?file=missing.csv`, { method: 'POST' });
  expect([missing.status, await missing.json()]).toMatchObject([422, { code: expect.any(String) }]);
  expect(await (await fetch(address)).json()).toMatchObject({ batches: [{}, {}] });
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}, 120_000);
