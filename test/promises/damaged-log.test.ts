import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { createRandom, type Random } from '../simulation/random.ts';
import { runCli, startCli } from '../support/cli.ts';
import { csvOf, customers } from '../support/cli-files.ts';
import { type CountingApi, startCountingApi } from '../support/counting-api.ts';
import { type Damage, damaged, damages } from '../support/damaged-log.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';
import { quiet } from '../support/lost-ledger.ts';

/** How many damages of each kind every log gets: `PAYBATCH_LOG_SEEDS=100`. */
const seeds = Number(process.env['PAYBATCH_LOG_SEEDS'] ?? 3);

const rows = 90;
const file = 'people.csv';

/** A batch whose ledger is about to be lost: its folder, and the API with what it has created. */
interface LostBatch {
  readonly folder: string;
  readonly log: string;
  readonly head: string;
  readonly api: CountingApi;
  readonly env: Readonly<Record<string, string>>;
  readonly reset: () => void;
}

type Story = (call: {
  readonly api: CountingApi;
  readonly run: (...words: readonly string[]) => Promise<unknown>;
  readonly kill: (afterRequests: number, ...words: readonly string[]) => Promise<void>;
}) => Promise<void>;

const usual = ['--max-attempts', '1', '--concurrency', '4', '--refused-alike', 'off'];

/** What happened to a batch before its ledger was lost. */
const stories: Readonly<Record<string, Story>> = {
  'a run that was killed': async ({ api, kill }) => {
    api.decide = (id) => (id.endsWith('3') ? 'created_and_lost' : id.endsWith('5') ? 'refused' : 'created');
    await kill(40, 'import', file, ...usual);
  },
  'a retry under new keys that was killed': async ({ api, run, kill }) => {
    api.decide = (id) => (/[13579]$/.test(id) ? 'refused' : 'created');
    await run('import', file, ...usual);
    api.decide = (id) => (id.endsWith('3') ? 'created_and_lost' : 'created');
    await kill(20, 'retry', await batchIn(run), ...usual);
  },
  'verdicts, and a run after them': async ({ api, run, kill }) => {
    api.decide = (id) => (id.endsWith('4') ? 'lost' : id.endsWith('7') ? 'created_and_lost' : 'created');
    await run('import', file, ...usual);
    const batch = await batchIn(run);
    for (const number of [4, 14, 24]) {
      const verdict = ['--row', String(number + 1), '--as', 'not-created', '--note', 'seen'];
      await run('resolve', batch, ...verdict);
    }
    api.decide = () => 'created';
    await kill(2, 'resume', batch, ...usual);
  },
};

async function batchIn(run: (...words: readonly string[]) => Promise<unknown>): Promise<string> {
  const { stdout } = (await run('status', '--json')) as { stdout: string };
  return JSON.parse(stdout).batches[0].batch;
}

async function lostBatch(story: Story): Promise<LostBatch> {
  const api = await startCountingApi();
  const folder = await mkdtemp(join(inject('testFolder'), 'lost-'));
  const databaseUrl = await createDatabase();
  const env = {
    PAYBATCH_BASE_URL: api.url,
    PAYBATCH_MODE: 'sandbox',
    PAYBATCH_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef',
  };
  await writeFile(join(folder, file), csvOf(customers(rows)));
  const options = { cwd: folder, env: { ...env, DATABASE_URL: databaseUrl } };
  await story({
    api,
    // Each run is a process that has ended: one that may still be there would have its log left alone.
    run: (...words) => startCli(words, options).ended,
    kill: async (afterRequests, ...words) => {
      const before = [...api.created.values()].length;
      const { decide } = api;
      let requests = 0;
      const program = startCli(words, options);
      api.decide = (...request) => {
        requests += 1;
        if (requests === afterRequests) program.child.kill('SIGKILL');
        return decide(...request);
      };
      await program.ended;
      api.decide = () => 'created';
      expect(api.created.size).toBeGreaterThanOrEqual(before);
    },
  });
  await dropDatabase(databaseUrl);
  const names = await readdir(join(folder, 'results'));
  const log = names.find((name) => name.endsWith('.run.jsonl')) ?? '';
  return { folder, log, head: log.replace(/\.jsonl$/, '.head'), api, env, reset: api.remember() };
}

/** How a recovery from a log ended, and the import after it. */
interface Outcome {
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly stderr: string;
  readonly held: number;
  readonly unsent: number;
  readonly imported: number | null;
  /** Customers that exist more than once. */
  readonly twice: readonly string[];
}

async function recoverFrom(
  lost: LostBatch,
  text: string,
  {
    withHead,
    withResults,
    words = [],
  }: { withHead: boolean; withResults: boolean; words?: readonly string[] },
): Promise<Outcome> {
  const { folder, log, head, api, env } = lost;
  lost.reset();
  const copy = await mkdtemp(join(inject('testFolder'), 'found-'));
  const databaseUrl = await createDatabase();
  try {
    await copyFile(join(folder, file), join(copy, file));
    await cp(join(folder, 'results'), join(copy, 'results'), {
      recursive: true,
      filter: (path) => !path.endsWith('.csv') || withResults,
    });
    const path = join(copy, 'results', log);
    await writeFile(path, text);
    if (!withHead) await rm(join(copy, 'results', head), { force: true });
    await quiet(path);
    const options = { cwd: copy, env: { ...env, DATABASE_URL: databaseUrl } };
    const end = await runCli(['recover', '--log', path, file, '--json', ...words], options);
    const summary = JSON.parse(end.stdout);
    const counts = summary.batches[0]?.counts ?? {};
    const imported = await runCli(['import', file, '--json', '--refused-alike', 'off'], options);
    return {
      exitCode: end.exitCode,
      error: summary.error?.message ?? null,
      stderr: end.stderr,
      held: counts.held ?? 0,
      unsent: counts.not_sent ?? 0,
      imported: imported.exitCode,
      twice: [...api.created].flatMap(([id, times]) => (times > 1 ? [id] : [])),
    };
  } finally {
    await dropDatabase(databaseUrl);
    await rm(copy, { recursive: true, force: true });
  }
}

/** Each damage of a story's log, with its seed. */
function* damagesOf(text: string, damage: Damage): Generator<{ seed: number; damagedText: string }> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random: Random = createRandom(seed * 31 + damages.indexOf(damage));
    yield { seed, damagedText: damaged(text, damage, random) };
  }
}

describe.each(Object.keys(stories))('%s, whose ledger is lost and whose log is damaged,', (title) => {
  it('creates nothing twice, whatever is changed, missing or swapped, and says where', async () => {
    const story = stories[title];
    if (story === undefined) throw new Error('there is no such story');
    const lost = await lostBatch(story);
    const text = await readFile(join(lost.folder, 'results', lost.log), 'utf8');
    const sound = await recoverFrom(lost, text, { withHead: true, withResults: false });
    expect([sound.exitCode, sound.error, sound.held, sound.twice]).toEqual([0, null, 0, []]);
    for (const damage of damages) {
      for (const { seed, damagedText } of damagesOf(text, damage)) {
        for (const withHead of [true, false]) {
          const words = damage === 'cut' && !withHead ? ['--hold-rest'] : [];
          const options = { withHead, withResults: false, words };
          const outcome = await recoverFrom(lost, damagedText, options);
          const about = `${damage}, seed ${seed}, ${withHead ? 'with' : 'without'} the head`;
          expect([about, ...outcome.twice]).toEqual([about]);
          const isSaid = outcome.exitCode === 3 && /is damaged: .*(line|head)/.test(outcome.error ?? '');
          const isHeld = outcome.held > 0 || outcome.unsent === 0;
          const isHarmless = damage === 'cut' && withHead && outcome.exitCode === 0;
          expect([about, isSaid || isHeld || isHarmless, outcome.error]).toEqual([
            about,
            true,
            outcome.error,
          ]);
          if (damage !== 'cut') expect([about, outcome.exitCode]).toEqual([about, 3]);
        }
      }
    }
  }, 3_600_000);
});
