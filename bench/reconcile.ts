import { mkdtemp, rm } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { openServerLedger } from '../src/ledger/open.ts';
import { inScratch, type Scratch } from '../src/ledger/scratch.ts';
import { matchSides } from '../src/reconcile/matching/match.ts';
import { createTables, loadSide, type MatchRecord } from '../src/reconcile/matching/records.ts';
import { strictRules } from '../src/reconcile/matching/rules.ts';
import { installPostgres, sharedTemporaryFolder } from '../test/support/postgres-install.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';

/*
 * Reconciles so many records a side on a PostgreSQL server, and runs a plain full outer join over the very
 * same two tables beside it: node --import tsx bench/reconcile.ts [RECORDS] [ROUNDS]
 */

const records = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);

/** Of a hundred records there, one is missing, one has another amount, one another id, and one is a second copy. */
async function* sideOf(side: 'here' | 'there'): AsyncGenerator<MatchRecord[]> {
  let group: MatchRecord[] = [];
  for (let at = 1; at <= records; at += 1) {
    // A step that is coprime to the number of records visits each once, in another order.
    const number = side === 'here' ? at : ((at * 7_919) % records) + 1;
    const spoilt = side === 'there' ? number % 100 : -1;
    if (spoilt === 1) continue;
    const cents = (number * 37) % 1_000_000;
    const record: MatchRecord = {
      file: 0,
      row: at + 1,
      id: spoilt === 3 ? null : `0b7e1c52-3d4f-4a6b-8c9d-${String(number).padStart(12, '0')}`,
      reference: `INV-${number}`,
      natural: null,
      group: null,
      amount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}${spoilt === 2 ? '1' : ''}`,
      currency: number % 3 === 0 ? 'KES' : 'UGX',
      day: `2026-11-${String((number % 28) + 1).padStart(2, '0')}`,
      fields: [],
      entry: null,
      text: null,
      status: null,
      leftOut: null,
    };
    group.push(record);
    if (spoilt === 4) group.push({ ...record, row: at + 2_000_000 });
    if (group.length >= 5_000) {
      yield group;
      group = [];
    }
  }
  yield group;
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - startedAt) / 1000 };
}

/** The plainest statement that tells the two sides' differences by id, with its result kept as ours is. */
const plainJoin = `CREATE TEMP TABLE plain ON COMMIT DROP AS
  SELECT h.n AS hn, t.n AS tn, CASE WHEN h.n IS NULL THEN 'unknown_here' WHEN t.n IS NULL THEN 'missing_there'
    WHEN h.amount = t.amount AND h.currency = t.currency AND h.day = t.day THEN 'matched' ELSE 'mismatched' END AS state
  FROM here h FULL OUTER JOIN there t ON h.id = t.id`;
const countedJoin = `SELECT count(*), count(h.n), count(t.n), count(*) FILTER (WHERE h.amount = t.amount)
  FROM here h FULL OUTER JOIN there t ON h.id = t.id`;

async function round(scratch: Scratch): Promise<Record<string, number>> {
  await createTables(scratch);
  const loaded = await timed(async () => ({
    here: await loadSide(scratch, 'here', sideOf('here')),
    there: await loadSide(scratch, 'there', sideOf('there')),
  }));
  const counted = await timed(() => scratch.query(countedJoin));
  const plain = await timed(() => scratch.run(plainJoin));
  const rules = { ...strictRules, coversFrom: '2026-11-01', coversTo: '2026-11-30' };
  const matched = await timed(() => matchSides(scratch, loaded.result.here, loaded.result.there, rules));
  for (const { side, state, records: count } of matched.result.states) {
    if (process.env['BENCH_STATES'] === 'yes') process.stdout.write(`  ${side} ${state} ${count}\n`);
  }
  return {
    load: loaded.seconds,
    countedJoin: counted.seconds,
    plainJoin: plain.seconds,
    match: matched.seconds,
    timesPlain: matched.seconds / plain.seconds,
    processPeakInMib: process.resourceUsage().maxRSS / 1024,
  };
}

const folder = await mkdtemp(join(sharedTemporaryFolder(), 'paybatch-bench-'));
const server = await startPostgresServer(await installPostgres(folder), folder);
const ledger = openServerLedger(server.urlOf('postgres'));
try {
  process.stdout.write(`${records} records a side, ${cpus().length} cores, seconds\n`);
  for (let number = 1; number <= rounds; number += 1) {
    const figures = await inScratch(ledger.database, round);
    const texts = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    process.stdout.write(`round ${number}: ${texts.join(', ')}\n`);
  }
} finally {
  await ledger.close();
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
}
