import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openServerLedger } from '../../src/ledger/connection/open.ts';
import { uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customers, readLog } from '../support/cli-files.ts';
import { after, type Moment, type Survival, seededRandom, survive, when } from '../support/crash.ts';

/** `PAYBATCH_CRASH_KILLS=100` looks for rarer moments than a test run has time for. */
const kills = Number(process.env['PAYBATCH_CRASH_KILLS'] ?? 5);
const seed = Number(process.env['PAYBATCH_CRASH_SEED'] ?? 20_261_121);

/** What can be seen of a run from outside. */
interface Watch {
  readonly desk: Desk;
  readonly requests: () => number;
  /** Lines of the run log with this event. */
  readonly logged: (event: string) => number;
  /** Bytes of result files that are not complete. */
  readonly halfWritten: () => number;
}

async function openWatched(options: Parameters<typeof openDesk>[0]): Promise<Watch> {
  let requests = 0;
  const desk = await openDesk({
    program: 'started',
    latencyInMs: 4,
    ...options,
    onRequest: () => {
      requests += 1;
      return undefined;
    },
  });
  const results = join(desk.folder, 'results');
  const names = (): string[] => (existsSync(results) ? readdirSync(results) : []);
  return {
    desk,
    requests: () => requests,
    logged: (event) => {
      const log = names().find((name) => name.endsWith('.run.jsonl'));
      const text = log === undefined ? '' : readFileSync(join(results, log), 'utf8');
      return text.split(`"event":"${event}"`).length - 1;
    },
    halfWritten: () => {
      const sizes = names()
        .filter(isHalfWritten)
        .map((name) => statSync(join(results, name), { throwIfNoEntry: false })?.size ?? 0);
      return sizes.reduce((sum, size) => sum + size, 0);
    },
  };
}

function isHalfWritten(name: string): boolean {
  return name.endsWith('.tmp');
}

/** The progress of a run, as far as it is visible from outside. */
function placeOf({ requests, logged, halfWritten }: Watch): string {
  if (halfWritten() > 0) return 'while its results were written';
  if (logged('run.started') === 0) return 'before it had begun its log';
  if (logged('row.staged') === 0) return 'before its first key';
  return `after ${requests()} requests`;
}

function once(reached: () => boolean, place: string): Moment {
  return when(() => (reached() ? place : null));
}

/** A random moment: mostly while rows are sent, sometimes during the start. */
function randomMoment(watch: Watch, random: () => number): Moment {
  const delayInMs = random() * 40;
  const place = (): string => placeOf(watch);
  if (random() < 0.2) return after(delayInMs * 40, place);
  const more = 1 + Math.floor(random() * 80);
  return async (ended) => {
    const target = watch.requests() + more;
    await once(() => watch.requests() >= target, '')(ended);
    return after(delayInMs, place)(ended);
  };
}

/** After whatever happened: every row was created, once, and is in the results, once. */
async function expectNothingLost(
  { desk }: Watch,
  { end, kills: places }: Survival,
  rows: number,
): Promise<void> {
  console.log(`  killed ${places.length} times: ${places.join('; ')}`);
  expect(end.exitCode).toBe(0);
  const { created, duplicates } = desk.sandbox.counts().sandbox;
  expect({ created: created.customers, duplicates: duplicates.customers }).toEqual({
    created: rows,
    duplicates: 0,
  });
  const written = await desk.results();
  expect(written.map((row) => row['result_row'])).toEqual(
    Array.from({ length: rows }, (_, at) => String(at + 2)),
  );
  expect(new Set(written.map((row) => row['result_status']))).toEqual(new Set(['created']));
  expect(new Set(written.map((row) => row['result_id'])).size).toBe(rows);
  const names = await desk.resultNames();
  expect(names.filter((name) => name.endsWith('.failed.csv') || isHalfWritten(name))).toEqual([]);
  // Every line is whole but for those that a kill has cut off, which a later run says.
  const log = (await desk.resultText('.run.jsonl')).trimEnd().split('\n');
  const mended = log.filter((line) => line.includes('"log.mended"')).length;
  const pieces = log.filter((line) => !isWhole(line)).length;
  expect(pieces).toBeLessThanOrEqual(mended);
  expect(readLog(log.at(-1) ?? '')).toMatchObject([{ event: 'run.finished', exit_code: 0 }]);
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Many starts of the program take their time on a machine that is busy. */
describe('a run that is killed', { timeout: 300_000 }, () => {
  it('at every named point loses no row and creates none twice, on the server', async () => {
    const watch = await openWatched({ ledger: 'server' });
    const { requests, logged } = watch;
    const rows = 600;
    const file = await watch.desk.write('people.csv', csvOf(customers(rows)));
    const survival = await survive(
      watch.desk,
      ['import', file],
      [
        once(() => logged('run.started') > 0, 'when its log had begun'),
        once(() => logged('row.staged') > 0, 'when its first keys were on disk'),
        once(() => requests() >= 1, 'at its first request'),
        once(() => logged('row.final') >= 40, 'after 40 rows were recorded'),
        once(() => requests() >= 300, 'in the middle of sending'),
        once(() => logged('row.final') >= rows, 'when all rows were recorded'),
      ],
    );
    await expectNothingLost(watch, survival, rows);
    expect(survival.kills.length).toBeGreaterThanOrEqual(5);
  });

  it('while rows are sent and results written beside loses no row and leaves no half of a file', async () => {
    const watch = await openWatched({ ledger: 'server' });
    const rows = 6_000;
    const file = await watch.desk.write('people.csv', csvOf(customers(rows)));
    const moments = [1, 2].map(() => once(() => watch.halfWritten() > 0, 'with half of its results'));
    const survival = await survive(watch.desk, ['import', file, '--concurrency', '32'], moments);
    await expectNothingLost(watch, survival, rows);
    expect(survival.kills.length).toBeGreaterThanOrEqual(1);
  });

  it('at random moments loses no row and creates none twice, on the server', async () => {
    const watch = await openWatched({ ledger: 'server' });
    const random = seededRandom(seed);
    const rows = 60 * kills + 300;
    const file = await watch.desk.write('people.csv', csvOf(customers(rows)));
    const moments = Array.from({ length: kills }, () => randomMoment(watch, random));
    const survival = await survive(watch.desk, ['import', file, '--rate', '150'], moments);
    await expectNothingLost(watch, survival, rows);
  });

  it('loses no row and creates none twice on the embedded ledger, its first opening included', async () => {
    const watch = await openWatched({ ledger: 'embedded' });
    const { desk, requests, logged } = watch;
    const ledgerFolder = join(desk.folder, 'ledger-made-anew');
    const env = { PAYBATCH_LEDGER_DIR: ledgerFolder };
    const rows = 300;
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const moments = [
      once(() => existsSync(join(ledgerFolder, 'ledger.lock')), 'when it had locked the ledger'),
      // To unpack it takes moments: where the look comes too late, it is just made.
      once(
        () => filesIn(join(ledgerFolder, 'pgdata.new')) > 200 || existsSync(join(ledgerFolder, 'pgdata')),
        'while the ledger was made',
      ),
      once(() => logged('row.staged') > 0, 'when its first keys were on disk'),
      once(() => requests() >= 120, 'in the middle of sending'),
    ];
    const survival = await survive(desk, ['import', file], moments, { env });
    await expectNothingLost(watch, survival, rows);
  });

  it('together with the built-in sandbox in it finds there what it had created', async () => {
    const watch = await openWatched({ ledger: 'server' });
    const { desk, logged } = watch;
    const env = { PAYBATCH_BASE_URL: '', PAYBATCH_API_KEY: '', PAYBATCH_LOCAL_SANDBOX: 'true' };
    const rows = 250;
    const file = await desk.write('people.csv', csvOf(customers(rows)));
    const moments = [
      once(() => logged('row.answered') >= 20, 'after 20 answers'),
      once(() => logged('row.answered') >= 120, 'after 120 answers'),
    ];
    const words = ['import', file, '--sandbox-faults', 'latency_ms=20'];
    const { end, kills: places } = await survive(desk, words, moments, { env });
    expect({ exitCode: end.exitCode, kills: places.length }).toEqual({ exitCode: 0, kills: 2 });
    const journal = readFileSync(join(desk.folder, '.paybatch-sandbox', 'journal.jsonl'), 'utf8');
    const emails = [...journal.matchAll(/"email":"([^"]+)"/g)].map(([, email]) => email);
    expect(new Set(emails).size).toBe(rows);
    expect(new Set((await desk.results()).map((row) => row['result_id'])).size).toBe(rows);
  });

  it('in the middle of reading a large file begins anew, and nothing is staged twice', async () => {
    const watch = await openWatched({ ledger: 'server' });
    const { desk } = watch;
    const rows = 20_000;
    const people = customers(rows).map((row, at) => (at === 0 ? row : { ...row, email: 'nobody' }));
    const file = await desk.write('people.csv', csvOf(people));
    const ledger = openServerLedger(desk.databaseUrl ?? '');
    onTestFinished(() => ledger.close());
    const stagedRows = async (): Promise<number> => {
      const [found] = await query<{ count: number }>(
        ledger.database,
        'SELECT count(*)::int AS count FROM rows JOIN batches b ON b.id = batch_id WHERE b.staged_at IS NULL',
      );
      return found?.count ?? 0;
    };
    const moments = [1, 8_000].map((count) =>
      when(async () => ((await stagedRows()) >= count ? 'while the file was read' : null)),
    );
    const { end, kills: places } = await survive(desk, ['import', file], moments);
    expect({ exitCode: end.exitCode, kills: places.length }).toEqual({ exitCode: 1, kills: 2 });
    expect(await desk.results()).toHaveLength(rows);
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(1);
  });
});

/**
 * The files in a folder that a running program fills, renames and removes: 0 if the program renames or removes it
 * during the check.
 */
function filesIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}
