// The layers of docs/architecture.md, enforced. `from` may import only what its line names.
const layer = (name, ...allowed) => ({
  name: `layer-${name}`,
  severity: 'error',
  comment: `src/${name} may import only: ${['itself', ...allowed].join(', ')}`,
  from: { path: `^src/${name}/` },
  to: {
    path: '^(src|migrations)/',
    pathNot: [`^src/${name}/`, ...allowed.map((other) => `^src/${other}/`)],
  },
});

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'one-direction-between-folders',
      severity: 'error',
      comment: 'A folder may not import what, folder by folder, imports it again.',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'A file that nothing imports and that imports nothing is dead.',
      from: { orphan: true, pathNot: ['^src/cli/main\\.ts$'] },
      to: {},
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'no-development-package-in-the-product',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: ['node_modules/@types/'],
      },
    },
    layer('domain'),
    layer('resources', 'domain'),
    layer('input', 'domain'),
    layer('directory', 'domain'),
    {
      ...layer('ledger', 'domain'),
      to: { path: '^src/', pathNot: ['^src/ledger/', '^src/domain/'] },
      comment: 'src/ledger may import only: itself, domain, migrations',
    },
    layer('api', 'domain'),
    layer('pipeline', 'domain', 'resources'),
    layer('reconcile', 'domain', 'resources'),
    layer('output', 'domain'),
    layer('account', 'domain', 'resources', 'ledger', 'output'),
    layer('sandbox'),
    layer(
      'engine',
      'domain',
      'resources',
      'input',
      'directory',
      'ledger',
      'api',
      'pipeline',
      'reconcile',
      'output',
      'account',
      'sandbox',
    ),
    layer('console', 'engine', 'account', 'output', 'domain'),
    layer('cli', 'engine', 'account', 'output', 'domain', 'sandbox', 'console'),
    {
      name: 'library-knows-engine-only',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^(src|migrations)/', pathNot: '^src/(engine|account|domain)/' },
    },
    {
      name: 'only-serve-starts-the-console',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(console/|cli/commands/serve\\.ts$)' },
      to: { path: '^src/console/' },
    },
    {
      name: 'only-the-cli-knows-a-terminal',
      severity: 'error',
      comment: 'A use case reports and asks through its context; how that is shown is not its business.',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: {
        path: [
          '^(node:)?(tty|repl|readline/promises)$',
          'node_modules/(@types/)?(yargs|cli-progress|pino|string-width)/',
        ],
      },
    },
    {
      name: 'engine-knows-no-exit-codes',
      severity: 'error',
      comment: 'A call ends with an outcome; its number is for the command line, run logs and reports.',
      from: { path: '^src/', pathNot: '^src/(cli|output|account)/' },
      to: { path: '^src/output/words/exit-codes\\.ts$' },
    },
    {
      name: 'migrations-stand-alone',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'only-two-files-start-the-sandbox',
      severity: 'error',
      comment: 'The command `sandbox`, and whoever opens the API.',
      from: {
        path: '^src/',
        pathNot: [
          '^src/sandbox/',
          '^src/cli/commands/sandbox\\.ts$',
          '^src/engine/connections/opened-api\\.ts$',
        ],
      },
      to: { path: '^src/sandbox/' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Packages that are reached through their `exports` only (`csv-stringify/sync`).
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
