import { readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { RowState } from '../../src/domain/rows/row-state.ts';
import { type Ledger, openServerLedger } from '../../src/ledger/connection/open.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { openDatabaseProxy } from '../promises/database-proxy.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import type { CliEnd } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, type ResultRecord, readCsv } from '../support/cli-files.ts';

/**
 * Each row of the first file, with its corrections and other readings, is a family, which its given name identifies.
 */
export const families = ['Amina', 'Brian', 'Chao', 'Dalila'];

export const firstFile = 'june.csv';
export const readings = ['main', 'alternative'] as const;

/** A row as the ledger has it. */
export interface FamilyRow {
  readonly batch: string;
  readonly row: number;
  readonly state: RowState;
  readonly code: string | null;
  readonly attempts: number;
  readonly key: string | null;
  readonly mayExist: boolean;
}

/** What the API has, by family: how many objects, and under which keys. */
export interface ApiObject {
  readonly id: string;
  readonly family: string;
  readonly key: string;
}

/** A ledger, an API, files and a person of a schedule's own. */
export interface FamilyWorld {
  readonly desk: Desk;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Corrected files that were written, oldest first. */
  readonly corrected: string[];
  /** Failed files as they once were, oldest first. */
  readonly failed: (readonly ResultRecord[])[];
  /** How often a person had one of a family sent though another one of it was created. */
  readonly words: Map<string, number>;
  /** What happened, for the person who looks at a violation. */
  readonly story: string[];
  /** Whether programs may be killed: a program with a planted bug is never a process of its own. */
  readonly mayKill: boolean;
  /** Whether the API answers well from now on. */
  isWell: boolean;
}

/** A program with a bug, and what is done to a ledger before the first command. */
export interface Planted {
  readonly commandLine: typeof runCommandLine;
  readonly sql: string;
}

/** Opens the world of a seed; it is cleared when the test has finished. */
export async function openFamilyWorld(seed: number, planted?: Planted): Promise<FamilyWorld> {
  const random = createRandom(seed);
  const desk = await openDesk({
    onRequest: () => answerOf(world),
    ...(planted === undefined ? {} : { commandLine: planted.commandLine }),
  });
  const ledger = openServerLedger(desk.databaseUrl ?? '');
  onTestFinished(() => ledger.close());
  if (planted !== undefined && planted.sql !== '') await execute(ledger.database, planted.sql);
  const world: FamilyWorld = {
    desk,
    ledger,
    random,
    corrected: [],
    failed: [],
    words: new Map(),
    story: [],
    mayKill: planted === undefined,
    isWell: false,
  };
  await writeFirstFiles(world);
  return world;
}

/** How the API answers the next request. */
function answerOf({ isWell, random }: Pick<FamilyWorld, 'isWell' | 'random'>): FaultName | undefined {
  if (isWell) return undefined;
  const drawn = random.fraction();
  if (drawn < 0.45) return undefined;
  if (drawn < 0.65) return '422';
  if (drawn < 0.75) return 'reset_before';
  return drawn < 0.9 ? 'reset_after' : '401';
}

/** Writes the first file, and the mappings of its two readings: they take the external ids from different columns. */
async function writeFirstFiles({ desk }: FamilyWorld): Promise<void> {
  const rows = families.map((name, at) => ({
    Id: `A-${at}`,
    Other: `B-${at}`,
    Given: name,
    Family: 'Odhiambo',
    Mail: '',
  }));
  await desk.write(firstFile, csvOf(rows));
  for (const [name, used, ignored] of [
    ['main', 'Id', 'Other'],
    ['alternative', 'Other', 'Id'],
  ] as const) {
    const columns = { [used]: 'external_id', Given: 'first_name', Family: 'last_name', Mail: 'email' };
    const mapping = { kind: 'customers', columns, constants: { country: 'KE' }, ignore: [ignored] };
    await desk.write(`${name}.json`, JSON.stringify(mapping));
  }
}

/** Runs a command to its end, and notes it with what came of it. */
export async function call(world: FamilyWorld, words: readonly string[]): Promise<CliEnd> {
  const end = await world.desk.run([...words, ...sending(words)]);
  world.story.push(`${words.join(' ')} -> ${end.exitCode}`);
  if (end.exitCode === 70) throw new Error(`an internal error: ${end.stderr}`);
  await keepFailedFiles(world);
  return end;
}

function sending([command]: readonly string[]): readonly string[] {
  return command === 'resolve' ? [] : ['--max-attempts', '1', '--concurrency', '1'];
}

/** Statements at which a program may be killed: what begins, links, supersedes, prepares, claims, records or commits. */
const mortal = [
  /INSERT INTO batches/,
  /corrected_rows/,
  /SET staged_at = now/,
  /'superseded'/,
  /INSERT INTO requests/,
  /INSERT INTO claims/,
  /INSERT INTO created_objects/,
  /UPDATE row_states/,
  /^COMMIT/,
];

/** Starts a command as a program of its own, and kills it at some statement; it may come to its end before that. */
export async function callAndKill(world: FamilyWorld, words: readonly string[]): Promise<void> {
  const { desk, random, ledger } = world;
  const proxy = await openDatabaseProxy(desk.databaseUrl ?? '');
  const running = desk.start([...words, ...sending(words)], { env: { DATABASE_URL: proxy.databaseUrl } });
  const statement = random.pick(mortal);
  proxy.whenAsked(statement, () => running.child.kill('SIGKILL'));
  const { signal, exitCode } = await running.ended;
  world.story.push(`${words.join(' ')} -> ${signal === null ? exitCode : `killed at ${statement.source}`}`);
  await releaseKilled(ledger);
  await keepFailedFiles(world);
}

/** As if the time of its leases had passed; its connections have gone with it. */
async function releaseKilled({ database }: Ledger): Promise<void> {
  for (;;) {
    const [others] = await query<{ count: number }>(
      database,
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
    );
    if (others?.count === 0) break;
    await query(database, 'SELECT pg_sleep(0.02)');
  }
  await execute(database, "UPDATE runs SET lease_until = now() - interval '1 s' WHERE ended_at IS NULL");
}

/** A person keeps failed files, and may correct an old one. */
async function keepFailedFiles({ desk, failed }: FamilyWorld): Promise<void> {
  const known = new Set(failed.map((rows) => csvOf(rows)));
  for (const name of await desk.resultNames()) {
    if (!name.endsWith('.failed.csv')) continue;
    const rows = readCsv(await readFile(`${desk.folder}/results/${name}`, 'utf8'));
    if (rows.length > 0 && !known.has(csvOf(rows))) failed.push(rows);
  }
}

export function rowsOf({ ledger: { database } }: Pick<FamilyWorld, 'ledger'>): Promise<FamilyRow[]> {
  return query<FamilyRow>(
    database,
    `SELECT r.batch_id AS batch, r.row_number AS row, r.state, r.code, r.attempts, q.idempotency_key AS key,
       r.owned_key IS NOT NULL AND r.first_sent_at IS NOT NULL AS "mayExist"
     FROM rows r LEFT JOIN requests q USING (batch_id, row_number, generation)
     JOIN batches b ON b.id = r.batch_id AND b.staged_at IS NOT NULL
     ORDER BY b.created_at, b.id, r.row_number`,
  );
}

/** The family of a row: that of its given name. */
export async function familyOf(
  { ledger: { database } }: FamilyWorld,
  { batch, row }: FamilyRow,
): Promise<string> {
  const [found] = await query<{ name: string }>(
    database,
    "SELECT record->>'first_name' AS name FROM row_inputs WHERE batch_id = ? AND row_number = ?",
    [batch, row],
  );
  return found?.name ?? '';
}

export async function objectsOf({ desk: { sandbox } }: Pick<FamilyWorld, 'desk'>): Promise<ApiObject[]> {
  const response = await fetch(`${sandbox.url}/sandbox/objects?kind=customers`, {
    headers: { authorization: `Bearer ${sandbox.controlToken}` },
  });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const found: { id: string; idempotency_key: string; object: { first_name: string } } = JSON.parse(line);
    return { id: found.id, key: found.idempotency_key, family: found.object.first_name };
  });
}
