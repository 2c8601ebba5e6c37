import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/core.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { type CliEnd, type CliOptions, type RunningCli, runCli, startCli } from './cli.ts';
import { type ResultRecord, readCsv } from './cli-files.ts';
import { createDurableDatabase } from './durable-database.ts';
import { expectDocumented } from './json-objects.ts';
import type { JsonSummary } from './json-shapes/shared.ts';
import { copyEmbeddedLedger, createDatabase, dropDatabase } from './ledger.ts';

/** A folder, a ledger and an API of a test's own, and the program to use them with. */
export interface Desk {
  /** The folder in which the program is started; `results` is in it. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** The environment of every call. */
  readonly env: Readonly<Record<string, string>>;
  /** Null on the embedded ledger. */
  readonly databaseUrl: string | null;
  /** Writes an input file and returns its name. */
  write(name: string, content: string | Buffer): Promise<string>;
  start(words: readonly string[], options?: Partial<CliOptions>): RunningCli;
  run(words: readonly string[], options?: CallOptions): Promise<CliEnd>;
  /** Runs with `--json` and reads the object that was printed. */
  json(words: readonly string[], options?: CallOptions): Promise<JsonEnd>;
  /** The names of the files in the results folder, sorted. */
  resultNames(): Promise<string[]>;
  /** The one file in the results folder whose name ends so, as text. */
  resultText(ending: string): Promise<string>;
  results(stem?: string): Promise<ResultRecord[]>;
}

export interface JsonEnd extends CliEnd {
  readonly summary: JsonSummary;
}

/** Whether a call starts the real program, which takes half a second; those of `start` always do. */
type Program = 'started' | 'in_process';

interface CallOptions extends Partial<CliOptions> {
  readonly program?: Program;
}

export interface DeskOptions extends Partial<SandboxOptions> {
  /** `durable` is a server that live runs accept; it takes a second to start. */
  readonly ledger?: 'server' | 'embedded' | 'durable';
  /** For every call that does not say otherwise. */
  readonly program?: Program;
  /** See `CliOptions`. */
  readonly commandLine?: CliOptions['commandLine'];
}

/** The customers that the sandbox of a desk has created. */
export const created = (desk: Pick<Desk, 'sandbox'>): number =>
  desk.sandbox.counts().sandbox.created.customers;

/** Sets a desk up; it is cleared when the test has finished. */
export async function openDesk(options: DeskOptions = {}): Promise<Desk> {
  const { ledger = 'server', program = 'in_process', commandLine, ...sandboxOptions } = options;
  const folder = await mkdtemp(join(inject('testFolder'), 'desk-'));
  const sandbox = await startSandbox({ dataDir: join(folder, 'api'), ...sandboxOptions });
  const databaseUrl = await databaseOf(ledger);
  const ledgerEnv =
    databaseUrl === null
      ? { PAYBATCH_LEDGER_DIR: await copyEmbeddedLedger() }
      : { DATABASE_URL: databaseUrl };
  onTestFinished(async () => {
    await sandbox.close();
    if (ledger === 'server' && databaseUrl !== null) await dropDatabase(databaseUrl);
    await rm(folder, { recursive: true, force: true });
  });
  const env = { PAYBATCH_BASE_URL: sandbox.url, PAYBATCH_API_KEY: sandbox.apiKeys.sandbox, ...ledgerEnv };
  const calls = commandLine === undefined ? {} : { commandLine };
  return { ...deskIn(folder, env, program, calls), folder, sandbox, env, databaseUrl };
}

/** @returns the address of an empty database; null for the embedded ledger */
async function databaseOf(ledger: NonNullable<DeskOptions['ledger']>): Promise<string | null> {
  if (ledger === 'embedded') return null;
  return ledger === 'server' ? createDatabase() : createDurableDatabase();
}

type DeskWork = Omit<Desk, 'folder' | 'sandbox' | 'env' | 'databaseUrl'>;

function deskIn(
  folder: string,
  env: Readonly<Record<string, string>>,
  usual: Program,
  calls: Pick<CliOptions, 'commandLine'>,
): DeskWork {
  const optionsOf = (options: Partial<CliOptions> = {}): CliOptions => ({
    cwd: folder,
    ...calls,
    ...options,
    env: { ...env, ...options.env },
  });
  const resultFolder = join(folder, 'results');
  const work: DeskWork = {
    async write(name, content) {
      await writeFile(join(folder, name), content);
      return name;
    },
    start: (words, options) => startCli(words, optionsOf(options)),
    run: (words, { program = usual, ...options } = {}) =>
      program === 'started' ? work.start(words, options).ended : runCli(words, optionsOf(options)),
    async json(words, options) {
      const end = await work.run([...words, '--json'], options);
      const summary = JSON.parse(end.stdout);
      expectDocumented(words, summary);
      return { ...end, summary };
    },
    resultNames: async () => (await readdir(resultFolder).catch(() => [])).sort(),
    async resultText(ending) {
      const names = (await work.resultNames()).filter((name) => name.endsWith(ending));
      if (names.length !== 1) throw new Error(`${names.length} result files end with ${ending}`);
      return readFile(join(resultFolder, names[0] ?? ''), 'utf8');
    },
    async results(stem = '') {
      const names = (await work.resultNames()).filter(
        (name) => name.startsWith(stem) && name.endsWith('.results.csv'),
      );
      if (names.length !== 1) throw new Error(`${names.length} results files begin with ${stem}`);
      return readCsv(await readFile(join(resultFolder, names[0] ?? ''), 'utf8'));
    },
  };
  return work;
}
