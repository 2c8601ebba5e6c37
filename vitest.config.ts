import { defineConfig } from 'vitest/config';

/**
 * Random schedules, as many as the variables `PAYBATCH_..._SCHEDULES` and `..._SEEDS` say: a share of them in
 * `npm test`, all that there is time for in `.ci/run`.
 */
const seeds = [
  'test/simulation/exactly-once-*.test.ts',
  'test/concurrency/seeds-[0-9].test.ts',
  'test/reconcile/model/model.test.ts',
];

/**
 * What takes long (killed programs, silent servers, full disks, planted mistakes, large batches, an installed
 * package, the program compiled anew): in `.ci/run` and `npm run test:long`.
 */
const long = [
  'test/api/cut-answer.test.ts',
  'test/architecture/new-kind/new-kind.test.ts',
  'test/cli/hostile-names.test.ts',
  'test/cli/https.test.ts',
  'test/cli/join.test.ts',
  'test/cli/partner-files.test.ts',
  'test/cli/remembered-mapping.test.ts',
  'test/cli/terminal/interruption.test.ts',
  'test/concurrency/known-defects.test.ts',
  'test/concurrency/planted-bugs.test.ts',
  'test/concurrency/server-crash.test.ts',
  'test/concurrency/whole-programs.test.ts',
  'test/crash/**/*.test.ts',
  'test/docs/days.test.ts',
  'test/docs/walk.test.ts',
  'test/deploy/deploy.test.ts',
  'test/ledger/connection/open.test.ts',
  'test/ledger/page-plans.test.ts',
  'test/ledger/row-states.test.ts',
  'test/packaging/library.test.ts',
  'test/promises/database-away.test.ts',
  'test/promises/full-disk.test.ts',
  'test/promises/full-streams.test.ts',
  'test/promises/lost-replies.test.ts',
  'test/promises/lost-worker.test.ts',
  'test/promises/refusing-system.test.ts',
  'test/promises/silent-database.test.ts',
  'test/reconcile/matching/shapes.test.ts',
  'test/reconcile/model/planted-bugs.test.ts',
  'test/simulation/ledger-conformance.test.ts',
  'test/simulation/overlapping-calls.test.ts',
  'test/simulation/planted-bugs.test.ts',
];

/** What needs neither database nor process and leaves nothing behind, so that one thread can do it all. */
const pure = ['api', 'directory', 'domain', 'input', 'output', 'pipeline', 'reconcile', 'resources'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** Among those, what has a database all the same. */
const withDatabase = [
  'test/pipeline/judging/natural-key-index.test.ts',
  'test/pipeline/intake/take-in.test.ts',
  'test/reconcile/matching/bulk-insert.test.ts',
  'test/reconcile/verdicts/repeated-verdicts.test.ts',
];

/** Commands from their words to their result files, one after the other in a process that has loaded them once. */
const commands = ['cli', 'contract', 'job', 'promises'].map((folder) => `test/${folder}/**/*.test.ts`);

const times = { testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // One more than processors: a command waits for its database, a test for a program that it has started.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...times,
          name: 'pure',
          include: pure,
          exclude: [...withDatabase, ...seeds, ...long],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...times,
          name: 'ledger',
          include: ['test/ledger/**/*.test.ts', ...withDatabase],
          exclude: long,
          pool: 'forks',
          isolate: false,
        },
      },
      {
        test: { ...times, name: 'commands', include: commands, exclude: long, pool: 'forks', isolate: false },
      },
      {
        test: {
          ...times,
          name: 'programs',
          include: ['test/**/*.test.ts'],
          exclude: [...pure, 'test/ledger/**', ...commands, ...seeds, ...long],
          pool: 'forks',
          isolate: false,
        },
      },
      { test: { ...times, name: 'seeds', include: seeds, pool: 'forks' } },
      { test: { ...times, name: 'long', include: long, pool: 'forks' } },
    ],
  },
});
