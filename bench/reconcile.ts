import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { installPostgres, sharedTemporaryFolder } from '../test/support/postgres-install.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';

/*
 * Measures the built command, from export files to its own files, on a PostgreSQL server, and beside it the
 * plainest thing that could be done: both files copied into tables, one full outer join, the result copied
 * into a file. npm run build && node --import tsx bench/reconcile.ts [RECORDS...]
 */

const program = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
const sizes = process.argv.slice(2).map(Number);
const measured = sizes.length > 0 ? sizes : [10_000, 100_000, 1_000_000];
const title = 'id,reference,amount,currency,date\n';

/** Of a hundred records there, one is missing, one has another amount, one no id, and one is a second copy. */
function* linesOf(side: 'left' | 'right', records: number): Generator<string> {
  yield title;
  for (let at = 1; at <= records; at += 1) {
    // A step that is coprime to the number of records visits each once, in another order.
    const number = side === 'left' ? at : ((at * 7_919) % records) + 1;
    const spoilt = side === 'right' ? number % 100 : -1;
    if (spoilt === 1) continue;
    const cents = (number * 37) % 1_000_000;
    const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}${spoilt === 2 ? '1' : ''}`;
    const id = spoilt === 3 ? '' : `0b7e1c52-3d4f-4a6b-8c9d-${String(number).padStart(12, '0')}`;
    const currency = number % 3 === 0 ? 'KES' : 'UGX';
    const day = `2026-11-${String((number % 28) + 1).padStart(2, '0')}`;
    const line = `${id},INV-${number},${amount},${currency},${day}\n`;
    yield line;
    if (spoilt === 4) yield line;
  }
}

interface Measure {
  readonly seconds: number;
  /** The largest resident set of the program, in MiB. */
  readonly peakInMib: number;
}

async function runProgram(folder: string, databaseUrl: string): Promise<Measure> {
  const words = ['reconcile', '--left', 'left.csv', '--right', 'right.csv', '--quiet'];
  const range = ['--covers-from', '2026-11-01', '--covers-to', '2026-11-30'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, ...words, ...range], {
    cwd: folder,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], DATABASE_URL: databaseUrl },
  });
  let peakInMib = 0;
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peakInMib = Math.max(peakInMib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  if (code !== 5) throw new Error(`the command ended with ${code}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakInMib };
}

/** Tables as plain as the files: nothing is checked, and every state comes from one join. */
async function joinPlainly(folder: string, databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const startedAt = performance.now();
    await client.query('BEGIN');
    for (const side of ['left', 'right']) {
      await client.query(
        `CREATE TEMP TABLE ${side}_side (id text, reference text, amount numeric, currency text, day date) ON COMMIT DROP`,
      );
      await client.query(`COPY ${side}_side FROM '${join(folder, `${side}.csv`)}' WITH (FORMAT csv, HEADER)`);
    }
    await client.query(
      `COPY (SELECT l.*, r.*, CASE WHEN l.id IS NULL THEN 'unknown_here' WHEN r.id IS NULL THEN 'missing_there'
           WHEN l.amount = r.amount AND l.currency = r.currency AND l.day = r.day THEN 'matched' ELSE 'mismatched' END
         FROM left_side l FULL OUTER JOIN right_side r ON l.id = r.id) TO '${join(folder, 'plain.csv')}' WITH (FORMAT csv)`,
    );
    await client.query('COMMIT');
    return (performance.now() - startedAt) / 1000;
  } finally {
    await client.end();
  }
}

const folder = await mkdtemp(join(sharedTemporaryFolder(), 'paybatch-bench-'));
const server = await startPostgresServer(await installPostgres(folder), folder);
// The server reads and writes files here itself, perhaps as another user.
await chmod(folder, 0o777);
try {
  const url = server.urlOf('postgres');
  process.stdout.write(`${cpus().length} cores, seconds\n`);
  let earlier: (Measure & { readonly records: number }) | null = null;
  for (const records of measured) {
    for (const side of ['left', 'right'] as const) {
      await pipeline(linesOf(side, records), createWriteStream(join(folder, `${side}.csv`)));
      await chmod(join(folder, `${side}.csv`), 0o644);
    }
    const command = await runProgram(folder, url);
    const plain = await joinPlainly(folder, url);
    const bytes = (await stat(join(folder, 'left.csv'))).size;
    const growth =
      earlier === null
        ? ''
        : `, ${(command.seconds / earlier.seconds / (records / earlier.records)).toFixed(2)} times the growth, ` +
          `${(command.peakInMib - earlier.peakInMib).toFixed(0)} MiB more`;
    process.stdout.write(
      `${records} records a side (${(bytes / 1_048_576).toFixed(0)} MiB): command ${command.seconds.toFixed(2)}, ` +
        `plain join ${plain.toFixed(2)}, ${(command.seconds / plain).toFixed(1)} times; ` +
        `${command.peakInMib.toFixed(0)} MiB${growth}\n`,
    );
    earlier = { ...command, records };
  }
} finally {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
}
