import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cruiser = join(root, 'node_modules/.bin/depcruise');

/** Runs the check that `npm run layers` runs, in a folder; gives the rules that are broken, each with its files. */
function violationsIn(folder: string): string[] {
  const config = join(root, '.dependency-cruiser.mjs');
  const args = ['--config', config, '--output-type', 'json', 'src', 'migrations'];
  const run = spawnSync(cruiser, args, { cwd: folder, encoding: 'utf8', maxBuffer: 100_000_000 });
  if (!run.stdout) throw new Error(`the check did not run: ${run.stderr || run.error?.message}`);
  const report: { summary: { violations: { rule: { name: string }; from: string; to: string }[] } } =
    JSON.parse(run.stdout);
  return report.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
}

it('no folder imports what its layer forbids, and nothing imports in a circle', () => {
  expect(violationsIn(root)).toEqual([]);
});

describe('the check itself', () => {
  const value = 'export const value = 1;\n';
  const importing = (path: string): string =>
    `import { value } from '${path}';\nexport const other = value;\n`;

  /** Which layer imports which other one, and should not. */
  const forbidden = [
    ['domain', 'api'],
    ['api', 'ledger'],
    ['disk', 'ledger'],
    ['ledger', 'api'],
    ['ledger', 'account'],
    ['kinds', 'read'],
    ['call', 'read'],
    ['read', 'check'],
    ['watch', 'check'],
    ['check', 'send'],
    ['account', 'api'],
    ['account', 'send'],
    ['account', 'engine'],
    ['account', 'sandbox'],
    ['propose', 'ledger'],
    ['recover', 'send'],
    ['send', 'controls'],
    ['send', 'engine'],
    ['controls', 'read'],
    ['reconcile', 'send'],
    ['sandbox', 'domain'],
    ['engine', 'cli'],
    ['console', 'ledger'],
    ['cli', 'ledger'],
  ] as const;

  const program: Readonly<Record<string, string>> = {
    'src/cli/main.ts': "import '../engine/allowed.ts';\n",
    'src/engine/allowed.ts': "import '../ledger/allowed.ts';\n",
    ...Object.fromEntries(
      ['ledger', 'domain', 'read', 'reconcile'].flatMap((layer) => [
        [`src/${layer}/one/asks.ts`, importing('../two/answers.ts')],
        [`src/${layer}/one/knows.ts`, value],
        [`src/${layer}/two/answers.ts`, importing('../one/knows.ts')],
      ]),
    ),
    'src/engine/counts.ts': importing('../disk/log/exit-codes.ts'),
    'src/disk/log/exit-codes.ts': value,
    'src/engine/asks.ts': "export { isatty } from 'node:tty';\n",
    'src/account/asks.ts': "export { createInterface } from 'node:readline/promises';\n",
    'src/ledger/schema.ts': "import '../../migrations/index.ts';\n",
    'src/ledger/allowed.ts': importing('../domain/value.ts'),
    'migrations/index.ts': importing('../src/domain/value.ts'),
    'src/domain/first.ts': importing('./second.ts'),
    'src/domain/second.ts': importing('./first.ts'),
    'src/domain/unused.ts': value,
    'src/account/type.ts': "import type { Knex } from '../api/value.ts';\nexport type Other = Knex;\n",
    ...Object.fromEntries(forbidden.map(([, to]) => [`src/${to}/value.ts`, value])),
    ...Object.fromEntries(
      forbidden.map(([from, to]) => [`src/${from}/uses-${to}.ts`, importing(`../${to}/value.ts`)]),
    ),
  };

  let folder: string;
  let violations: readonly string[];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'paybatch-layers-'));
    for (const [path, text] of Object.entries(program)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    violations = violationsIn(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(forbidden)('reports that %s imports %s', (from, to) => {
    expect(violations).toContain(`layer-${from}: src/${from}/uses-${to}.ts -> src/${to}/value.ts`);
  });

  it('reports an import of a type alone', () => {
    expect(violations).toContain('layer-account: src/account/type.ts -> src/api/value.ts');
  });

  it('reports a circle within a layer', () => {
    expect(violations.filter((violation) => violation.startsWith('no-circular'))).not.toEqual([]);
  });

  it.each(['ledger', 'domain', 'read', 'reconcile'])(
    'reports folders of %s that import each other',
    (layer) => {
      const name = 'one-direction-between-folders';
      expect(violations).toContain(`${name}: src/${layer}/one -> src/${layer}/two`);
    },
  );

  it('reports a migration that depends on the program', () => {
    expect(violations).toContain('migrations-stand-alone: migrations/index.ts -> src/domain/value.ts');
  });

  it('reports every other room that knows of a terminal', () => {
    const name = 'only-the-cli-knows-a-terminal';
    expect(violations).toContain(`${name}: src/engine/asks.ts -> tty`);
    expect(violations).toContain(`${name}: src/account/asks.ts -> readline/promises`);
  });

  it('reports a use case that knows of exit codes', () => {
    expect(violations).toContain(
      'engine-knows-no-exit-codes: src/engine/counts.ts -> src/disk/log/exit-codes.ts',
    );
  });

  it('reports every other room that starts the sandbox', () => {
    const name = 'only-two-files-start-the-sandbox';
    expect(violations).toContain(`${name}: src/account/uses-sandbox.ts -> src/sandbox/value.ts`);
  });

  it('reports a file that nothing uses', () => {
    expect(violations).toContain('no-orphans: src/domain/unused.ts -> src/domain/unused.ts');
  });

  it('lets the allowed directions pass', () => {
    expect(violations.filter((violation) => /allowed|src\/cli\/main/.test(violation))).toEqual([]);
  });
});
