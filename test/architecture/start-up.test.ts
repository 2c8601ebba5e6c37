import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * The packages that Node loads before a file of the program runs: everything behind its imports of values,
 * however far, and nothing behind an `import()`.
 */
function loadedWith(path: string): string[] {
  const files = [new URL(`../../${path}`, import.meta.url)];
  const packages = new Set<string>();
  const seen = new Set<string>();
  for (let file = files.pop(); file !== undefined; file = files.pop()) {
    if (seen.has(file.href)) continue;
    seen.add(file.href);
    for (const name of importsOf(readFileSync(fileURLToPath(file), 'utf8'))) {
      if (name.startsWith('.')) files.push(new URL(name, file));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  }
  return [...packages].sort();
}

/** What a source imports or exports from elsewhere, types left out. */
function importsOf(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export) (?!type )(?:([^;=]*?) from )?'([^']+)';/gm);
  return Array.from(statements)
    .filter(([, names = '']) => !/^\{(\s*type [^,}]+,?)+\s*\}$/.test(names))
    .map(([, , name = '']) => name);
}

/** WebAssembly and a web server: half of the time of a start, for those that use them. */
const costly = ['@electric-sql/pglite', 'fastify'];

describe('a start loads only what it needs', () => {
  it('nothing but its own files and the parser, for the help text', () => {
    expect(loadedWith('src/cli/main.ts')).toEqual([]);
    expect(loadedWith('src/cli/program.ts')).toEqual(['yargs']);
    expect(loadedWith('src/cli/definitions/commands.ts')).toEqual([]);
  });

  const useCases = readdirSync(new URL('../../src/engine', import.meta.url))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/engine/${name}`);
  const ownFiles = readdirSync(new URL('../../src/cli/commands', import.meta.url))
    .filter((name) => !['sandbox.ts', 'serve.ts'].includes(name))
    .map((name) => `src/cli/commands/${name}`);

  it.each([...ownFiles, ...useCases])('no database and no web server, for %s', (file) => {
    expect(loadedWith(file).filter((each) => costly.includes(each))).toEqual([]);
  });

  it('as this very search can tell', () => {
    expect(loadedWith('src/cli/commands/sandbox.ts')).toContain('fastify');
    expect(loadedWith('src/engine/engine.ts')).toContain('knex');
  });
});
