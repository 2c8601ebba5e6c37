import { cp, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Desk } from './cli-desk.ts';
import { copyEmbeddedLedger, createDatabase, dropDatabase } from './ledger.ts';

/** Variables of calls that use another ledger than the desk's own. */
export type Env = Readonly<Record<string, string>>;

/** The environment of calls on a copy of the desk's ledger as it is now: a backup that was restored, or a second one. */
export async function copyOfLedger({ folder, env, databaseUrl }: Desk): Promise<Env> {
  if (databaseUrl === null) {
    const copy = join(folder, `ledger-${Math.random()}`);
    await cp(env['PAYBATCH_LEDGER_DIR'] ?? '', copy, { recursive: true });
    return { PAYBATCH_LEDGER_DIR: copy };
  }
  const url = await createDatabase(new URL(databaseUrl).pathname.slice(1));
  onTestFinished(() => dropDatabase(url));
  return { DATABASE_URL: url };
}

/** The environment of calls after the desk's ledger was lost. */
export async function emptyLedger({ databaseUrl }: Desk): Promise<Env> {
  if (databaseUrl === null) return { PAYBATCH_LEDGER_DIR: await copyEmbeddedLedger() };
  const url = await createDatabase();
  onTestFinished(() => dropDatabase(url));
  return { DATABASE_URL: url };
}

/** The log of the newest batch. */
export async function logOf(desk: Desk, folder = 'results'): Promise<string> {
  const { summary } = await desk.json(['status']);
  const [{ batch = '' } = {}] = summary.batches as readonly { batch?: string }[];
  return join(desk.folder, folder, `people.${batch.slice(0, 8)}.run.jsonl`);
}

/** Old enough that no program is assumed to write to it any more. */
export async function quiet(log: string): Promise<void> {
  const before = new Date(Date.now() - 120_000);
  await utimes(log, before, before);
}

const columns = ['row', 'status', 'id', 'idempotency_key', 'attempts', 'http_status'];

/** The status of every row, as in the result file. */
export async function standing(desk: Desk): Promise<unknown> {
  return (await desk.results()).map((row) => columns.map((column) => row[`result_${column}`]));
}
