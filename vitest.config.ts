import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { processOptions } from './test/support/process-options.ts';
import { isSampled } from './test/support/sampled.ts';

/**
 * Random schedules, as many as the variables `PAYBATCH_..._SCHEDULES` and `..._SEEDS` say: a share of them in
 * `npm test`, all that there is time for in `.ci/run`.
 */
const seeds = [
  'test/simulation/exactly-once-*.test.ts',
  'test/simulation/damaged-log.test.ts',
  'test/simulation/split-brain.test.ts',
  'test/concurrency/seeds-[0-9].test.ts',
  'test/reconcile/habits/habits.test.ts',
  'test/reconcile/model/model.test.ts',
  'test/controls/approval-races.test.ts',
];

/**
 * What takes long: whole commands over several runs whose parts the quick tests check one by one, killed programs, silent
 * servers, full disks, planted mistakes, large batches, files damaged byte by byte, heaps that grow, an installed package,
 * npm itself, the check of the layers, the program compiled anew. It runs in `.ci/run` and `npm run test:long`. These files
 * share the processes that they run in.
 */
const long = [
  'test/account/channels.test.ts',
  'test/api/cut-answer.test.ts',
  'test/call/opened-api.test.ts',
  'test/cli/always-failing-rows.test.ts',
  'test/cli/answers.test.ts',
  'test/cli/audit.test.ts',
  'test/cli/close.test.ts',
  'test/cli/commands/changes.test.ts',
  'test/cli/commands/looking.test.ts',
  'test/cli/commands/reconcile-accept.test.ts',
  'test/cli/commands/reconcile-amounts.test.ts',
  'test/cli/commands/reconcile-exports.test.ts',
  'test/cli/commands/reconcile-live.test.ts',
  'test/cli/commands/reconcile-replay.test.ts',
  'test/cli/commands/reconcile-statements.test.ts',
  'test/cli/commands/resolve-many.test.ts',
  'test/cli/contradicted-reading.test.ts',
  'test/cli/controls/approval.test.ts',
  'test/cli/controls/approve.test.ts',
  'test/cli/controls/content.test.ts',
  'test/cli/controls/disown.test.ts',
  'test/cli/controls/halt.test.ts',
  'test/cli/controls/modes.test.ts',
  'test/cli/controls/people.test.ts',
  'test/cli/controls/roles.test.ts',
  'test/cli/controls/second-ledger.test.ts',
  'test/cli/controls/tampered-rows.test.ts',
  'test/cli/controls/thresholds.test.ts',
  'test/cli/corrections-at-night.test.ts',
  'test/cli/corrections.test.ts',
  'test/cli/cut-files.test.ts',
  'test/cli/damaged-log.test.ts',
  'test/cli/delivered-again.test.ts',
  'test/cli/doctor.test.ts',
  'test/cli/encoding.test.ts',
  'test/cli/expectations.test.ts',
  'test/cli/failed-file/round-trip.test.ts',
  'test/cli/failed-file/workbook.test.ts',
  'test/cli/failed-runs.test.ts',
  'test/cli/hostile-names.test.ts',
  'test/cli/https.test.ts',
  'test/cli/import-alone.test.ts',
  'test/cli/institutions.test.ts',
  'test/cli/join.test.ts',
  'test/cli/live.test.ts',
  'test/cli/lost-ledger.test.ts',
  'test/cli/mapping-commands.test.ts',
  'test/cli/mixed-days.test.ts',
  'test/cli/next-commands.test.ts',
  'test/cli/objects.test.ts',
  'test/cli/open-mapping.test.ts',
  'test/cli/partner-files.test.ts',
  'test/cli/partner-mistakes.test.ts',
  'test/cli/plan.test.ts',
  'test/cli/recover-payees.test.ts',
  'test/cli/recover.test.ts',
  'test/cli/refused-alike.test.ts',
  'test/cli/remembered-mapping.test.ts',
  'test/cli/retry.test.ts',
  'test/cli/same-titles.test.ts',
  'test/cli/several-files.test.ts',
  'test/cli/status.test.ts',
  'test/cli/stopping.test.ts',
  'test/cli/template.test.ts',
  'test/cli/unreadable-values.test.ts',
  'test/console/approval.test.ts',
  'test/console/hostile/*.test.ts',
  'test/console/killed.test.ts',
  'test/console/live.test.ts',
  'test/console/people.test.ts',
  'test/console/planted-mistakes.test.ts',
  'test/console/promises.test.ts',
  'test/console/restart.test.ts',
  'test/console/routes/damaged-numbers.test.ts',
  'test/console/routes/decisions.test.ts',
  'test/console/routes/differences.test.ts',
  'test/console/routes/downloads.test.ts',
  'test/console/routes/drafts.test.ts',
  'test/console/routes/export-mapping.test.ts',
  'test/console/routes/mapping.test.ts',
  'test/console/routes/reconcile.test.ts',
  'test/console/routes/row-edits.test.ts',
  'test/console/routes/uploads.test.ts',
  'test/console/routes/worklist.test.ts',
  'test/contract/exit-codes-of-processes.test.ts',
  'test/contract/run-log.test.ts',
  'test/crash/**/*.test.ts',
  'test/deploy/deploy.test.ts',
  'test/deploy/proxies.test.ts',
  'test/docs/days.test.ts',
  'test/docs/walk.test.ts',
  'test/engine/audit.test.ts',
  'test/engine/engine.test.ts',
  'test/engine/mapping-again.test.ts',
  'test/engine/marked-rows.test.ts',
  'test/engine/refused-without-question.test.ts',
  'test/engine/status.test.ts',
  'test/engine/worklist.test.ts',
  'test/ledger/connection/open.test.ts',
  'test/ledger/connection/roles.test.ts',
  'test/ledger/connection/server-pool.test.ts',
  'test/ledger/query-plans.test.ts',
  'test/ledger/row-states.test.ts',
  'test/promises/damaged-database.test.ts',
  'test/promises/damaged-log.test.ts',
  'test/promises/database-away.test.ts',
  'test/promises/full-disk.test.ts',
  'test/promises/full-streams.test.ts',
  'test/promises/lost-replies.test.ts',
  'test/promises/lost-worker.test.ts',
  'test/promises/refusing-system.test.ts',
  'test/promises/silent-database.test.ts',
  'test/promises/split-brain.test.ts',
  'test/promises/standby.test.ts',
  'test/propose/session/one-bad-value.test.ts',
  'test/propose/session/refused-values.test.ts',
  'test/read/sources/inputs-of-call.test.ts',
  'test/read/workbook/any-byte.test.ts',
  'test/read/workbook/whole/whole-file.test.ts',
  'test/reconcile/matching/doubts.test.ts',
  'test/reconcile/matching/shapes.test.ts',
  'test/send/batches/expectations.test.ts',
  'test/send/batches/files-while-sending.test.ts',
  'test/watch/drift/drift-watch.test.ts',
  'test/watch/series.test.ts',
];

/**
 * What takes long and has a process of its own: copies of the program with planted mistakes, which a process keeps until it
 * ends, signals, locks, heaps, and what other tests of the same process would disturb.
 */
const alone = [
  'test/architecture/layers.test.ts',
  'test/architecture/additions/additions.test.ts',
  'test/cli/terminal/heap-growth.test.ts',
  'test/cli/terminal/interruption.test.ts',
  'test/cli/waiting.test.ts',
  'test/concurrency/known-defects.test.ts',
  'test/concurrency/planted-bugs.test.ts',
  'test/concurrency/server-crash.test.ts',
  'test/concurrency/whole-programs.test.ts',
  'test/controls/planted-mistakes.test.ts',
  'test/families/*.test.ts',
  'test/ledger/connection/folder-lock.test.ts',
  'test/packaging/library.test.ts',
  'test/packaging/lock-file.test.ts',
  'test/reconcile/model/planted-bugs.test.ts',
  'test/sandbox/worker.test.ts',
  'test/simulation/ledger-conformance.test.ts',
  'test/simulation/overlapping-calls.test.ts',
  'test/simulation/planted-bugs.test.ts',
  'test/simulation/restored-ledger.test.ts',
];

/** The console in a real browser, where there is one. */
const browser = ['test/browser/*.test.ts'];

/** Files with tests that are the same on both ledgers: the quick tests run those on a server, the long ones on the embedded one. */
const onBothLedgers = readdirSync(new URL('test', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) =>
    /forEachLedger\(|inject\('ledgers'\)/.test(readFileSync(new URL(path, import.meta.url), 'utf8')),
  );

/**
 * What `.ci/run` leaves to the night: the console and the engine reach a ledger by verbs alone, whose own tests run on the embedded
 * ledger all the same.
 */
const aboveVerbs = ['test/console/**', 'test/engine/**'];

/** Those that take longest, the longest first: one that begins late would end long after all others. */
const slowest = [
  'test/browser/every-page.test.ts',
  'test/deploy/deploy.test.ts',
  'test/console/planted-mistakes.test.ts',
  'test/docs/days.test.ts',
  'test/simulation/ledger-conformance.test.ts',
  'test/promises/silent-database.test.ts',
  'test/browser/row-block.test.ts',
  'test/concurrency/planted-bugs.test.ts',
  'test/promises/damaged-log.test.ts',
  'test/reconcile/model/planted-bugs.test.ts',
  'test/families/planted-bugs.test.ts',
  'test/crash/crash.test.ts',
];

/** The order of the projects: what has processes of its own first, many small files last, with which all processors stay busy. */
const order = ['browser', 'alone', 'seeds', 'long', 'embedded', 'shared'];

/** Begins with the slowest files; the others follow by project, so that a process goes on with the next file of its project. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number => {
      const at = slowest.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? slowest.length + order.indexOf(project.name) : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

const bothLedgers: ('server' | 'embedded')[] = ['server', 'embedded'];

const usual = {
  // For what hangs: a busy machine takes many times as long as a quiet one.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // As long for what a test waits for: the usual second is short where five files run on two processors.
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  execArgv: [...processOptions],
  setupFiles: ['test/support/built-in-fetch.ts'],
  provide: { ledgers: bothLedgers },
  // Copies with planted mistakes are compiled already.
  server: { deps: { external: [/\/paybatch-patched-/] } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // What one run has compiled the next one reads, found by its text: `.ci/run` runs vitest four times.
    experimental: { fsModuleCache: true },
    // More than processors: a command waits for its database, a test for a program that it has started, and for time to pass.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: SlowestFirst },
    projects: [
      // A process loads the program once for all the files that it gets: to load it takes longer than most tests.
      {
        test: {
          ...usual,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...seeds, ...long, ...alone, ...browser],
          isolate: false,
          provide: { ledgers: ['server'] },
        },
      },
      {
        test: {
          ...usual,
          name: 'embedded',
          include: onBothLedgers,
          exclude: [...long, ...alone, ...(isSampled ? aboveVerbs : [])],
          isolate: false,
          provide: { ledgers: ['embedded'] },
        },
      },
      { test: { ...usual, name: 'seeds', include: seeds, isolate: false } },
      { test: { ...usual, name: 'long', include: long, isolate: false } },
      { test: { ...usual, name: 'alone', include: alone } },
      { test: { ...usual, testTimeout: 300_000, name: 'browser', include: browser, isolate: false } },
    ],
  },
});
