import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type LockedPackages = Readonly<Record<string, LockedPackage>>;

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const lock: { readonly packages: LockedPackages } = JSON.parse(read('package-lock.json'));

/** The entry that Node would find for a name from a package's place: the nearest `node_modules` that has it. */
function nearest(packages: LockedPackages, place: string, name: string): LockedPackage | undefined {
  const found = packages[`${place === '' ? '' : `${place}/`}node_modules/${name}`];
  if (found !== undefined || place === '') return found;
  return nearest(packages, place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1)), name);
}

/** Optional packages (those of one system, mostly) that the lock file lacks, or has in another version. */
function missing(packages: LockedPackages): string[] {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, range]) => {
      const version = nearest(packages, place, name)?.version;
      const isRange = !/^\d/.test(range);
      return version !== undefined && (isRange || version === range) ? [] : [`${place}: ${name} ${range}`];
    }),
  );
}

/** What `npm ci` says of a lock file, without a network, and installing nothing; a package for a newer Node is refused. */
function dryRun(lockText: string): { status: number | null; said: string } {
  const folder = mkdtempSync(join(inject('testFolder'), 'lock-'));
  writeFileSync(join(folder, 'package.json'), read('package.json'));
  writeFileSync(join(folder, 'package-lock.json'), lockText);
  const words = [
    'ci',
    '--dry-run',
    '--offline',
    '--engine-strict',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    // Whatever the npm that runs the tests is configured to leave out.
    '--loglevel=warn',
  ];
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describe('package-lock.json', () => {
  it('has the packages of every system, not only of the one that it was made on', () => {
    expect(missing(lock.packages)).toEqual([]);
    const { 'node_modules/@biomejs/cli-darwin-arm64': _, ...others } = lock.packages;
    expect(missing(others)).toEqual([expect.stringContaining('@biomejs/cli-darwin-arm64')]);
  });

  it('is what package.json asks for, so that npm ci takes it', () => {
    expect(dryRun(read('package-lock.json'))).toMatchObject({ status: 0 });
    const packages = { ...lock.packages, 'node_modules/knex': { version: '0.1.0' } };
    expect(dryRun(JSON.stringify({ ...lock, packages })).status).not.toBe(0);
  });

  it('has no package that asks for a newer Node, be it here or where somebody installs this one', () => {
    const name = Object.keys(lock.packages).find((place) => place.endsWith('/cookie')) ?? '';
    const newer = { ...lock.packages[name], engines: { node: '>=1000' } };
    const { status, said } = dryRun(
      JSON.stringify({ ...lock, packages: { ...lock.packages, [name]: newer } }),
    );
    expect(status).not.toBe(0);
    expect(said).toContain('EBADENGINE');
    // They count for a checkout only: a person who installs the package gets what it depends on. That is why it depends on
    // a version of what its web server brings in.
    expect(JSON.parse(read('package.json'))).not.toHaveProperty('overrides');
  });
});
