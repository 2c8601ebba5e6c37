import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/core.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { controlHeaders } from '../sandbox/harness.ts';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { createDatabase, dropDatabase } from '../support/ledger.ts';
import { openFolder, type Reader, type } from './shell.ts';

/*
 * The days of three users, at a shell. What the program prints as the next command is run as it is printed, all of it,
 * with the exit code that belongs to it.
 */

/** What a sentence says behind the command that it names. */
const behind = / (?:proposes|lists|shows|asks)\b.*$|, when it is right$| {3}\(.*$/;

/** The commands in the output of the program, as a person copies them. */
function printedIn(output: string): string[] {
  // A table of runs names what was typed, with its time.
  const lines = output
    .split('\n')
    .filter((line) => /^ |: paybatch /.test(line) && !/ \d{4}-\d\d-\d\d /.test(line));
  const parts = lines.flatMap((line) => line.split('; '));
  const commands = parts.flatMap((part) => /(?:^|\s)(paybatch [a-z]+.*)$/.exec(part)?.[1] ?? []);
  return [...new Set(commands.map((command) => command.replace(behind, '')))];
}

interface Api {
  readonly sandbox: () => Sandbox;
  /** Starts it again, under the same address. */
  readonly restart: () => Promise<void>;
}

/** A person at a shell, and an API for all that is done in a day. */
class Day {
  readonly api: Api;
  readonly #reader: Reader;
  readonly #open = new Set<string>();
  readonly #run = new Set<string>();
  /** What the last command said. */
  said = '';

  constructor(reader: Reader, api: Api) {
    this.#reader = reader;
    this.api = api;
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(join(this.#reader.folder, name), content);
  }

  read(name: string): Promise<string> {
    return readFile(join(this.#reader.folder, name), 'utf8');
  }

  /** Types a line, and notes the commands that it prints. */
  async types(
    line: string,
    exitCode: number | null,
    ...more: LaterOf<Parameters<typeof type>>
  ): Promise<void> {
    const end = await type(this.#reader, line, ...more);
    expect({ line, ...end }).toEqual({ line, exitCode, output: end.output });
    this.said = end.output;
    for (const command of printedIn(end.output)) if (!this.#run.has(command)) this.#open.add(command);
  }

  /**
   * Runs the command that was printed last and begins so, as it was printed.
   * @param completed redirects the output, or adds words that only the person can know
   */
  async follows(
    beginning: string,
    exitCode: number,
    completed: (line: string) => string = (line) => line,
  ): Promise<void> {
    const line = [...this.#open].findLast((command) => command.startsWith(`paybatch ${beginning}`));
    if (line === undefined) throw new Error(`"paybatch ${beginning}" was not printed:\n${this.said}`);
    this.#run.add(line);
    this.#open.delete(line);
    await this.types(completed(line), exitCode);
  }

  /** Printed, and not run so far. */
  get left(): string[] {
    return [...this.#open];
  }

  /** The one file among the results whose name ends so. */
  async result(ending: string): Promise<string> {
    const names = await readdir(join(this.#reader.folder, 'results'));
    const found = names.filter((name) => name.endsWith(ending));
    expect(found).toHaveLength(1);
    return join('results', found[0] ?? '');
  }
}

type LaterOf<All extends unknown[]> = All extends [unknown, unknown, ...infer Later] ? Later : never;

async function beginDay(options: Partial<SandboxOptions> = {}): Promise<Day> {
  // On the server: every command of the day would have to start an embedded ledger, which takes seconds.
  const databaseUrl = await createDatabase();
  onTestFinished(() => dropDatabase(databaseUrl));
  const reader = await openFolder({ DATABASE_URL: databaseUrl });
  const all = { ...options, dataDir: join(reader.folder, '..', 'api') };
  let sandbox = await startSandbox(all);
  onTestFinished(() => sandbox.close());
  const port = Number(new URL(sandbox.url).port);
  const env = { ...reader.env, PAYBATCH_BASE_URL: sandbox.url, PAYBATCH_API_KEY: sandbox.apiKeys.sandbox };
  const restart = async (): Promise<void> => {
    sandbox = await startSandbox({ ...all, port });
  };
  return new Day({ ...reader, env }, { sandbox: () => sandbox, restart });
}

const long = { timeout: 400_000 };

it('the night: an import, the same again, an API that is away, files that are refused', long, async () => {
  const day = await beginDay();
  await day.write('monday.csv', csvOf(customers(3)));
  await day.types('paybatch import monday.csv', 0);
  await day.types('paybatch import monday.csv', 0);
  expect(day.said).toContain('Nothing was sent: every row was created earlier.');
  await day.types("paybatch import 'drop/*.csv' --allow-none", 0);
  await day.types("paybatch import 'drop/*.csv'", 3);

  await day.api.sandbox().close();
  await day.write("tuesday's list.csv", csvOf(customers(3, 4)));
  await day.types(`paybatch import "tuesday's list.csv" --max-attempts 1`, 4);
  await day.follows('resume', 4);
  await day.api.restart();
  await day.types(`paybatch import "tuesday's list.csv"`, 0);
  expect(day.said).toContain('All 3 rows created');

  await day.write("wednesday's list.csv", csvOf([{ ...customer(7), colour: 'red' }]));
  await day.types(`paybatch import "wednesday's list.csv"`, 3);
  await day.follows('mapping', 0, (line) => `${line} > mapping.json`);
  expect(day.said).toMatch(/colour +left out/);
  const { columns } = JSON.parse(await day.read('mapping.json'));
  await day.write('mapping.json', JSON.stringify({ columns, ignore: ['colour'] }));
  await day.follows('validate', 0);
  await day.follows('import', 0);

  await day.write('thursday.csv', csvOf([customer(8, { email: 'none' })]));
  await day.types('paybatch import thursday.csv --max-invalid 0', 3);
  await day.follows('validate', 1);
  expect(day.said).toContain('Every row is invalid');
  await day.write('thursday.csv', csvOf([customer(8)]));
  await day.types('paybatch validate thursday.csv', 0);
  await day.follows('import', 0);
  expect(day.left).toEqual([]);
});

const partner = [
  'Client No;Given name;Surname;E-mail address;Mobile;Country',
  'P-1;Achieng;Odhiambo;achieng@people.example;+254712000101;KE',
  'P-2;Baraka;Mwangi;baraka@people.example;+254712000102;KE',
  'P-3;Chebet;Koech;chebet;+254712000103;KE',
  'P-4;Daudi;Kiprop;daudi@people.example;+254712000104;KE',
].join('\n');

it("the day: a partner's file from its mapping to the account of its rows", long, async () => {
  let isRefusing = true;
  const day = await beginDay({
    onRequest: ({ body }) => (isRefusing && JSON.stringify(body ?? '').includes('Daudi') ? '422' : undefined),
  });
  await day.write('of the partner.csv', partner);
  await day.types("paybatch validate 'of the partner.csv'", 3);
  await day.follows('mapping', 0, (line) => `${line} > mapping.json`);
  await day.follows('validate', 1);
  const importing = day.left.find((line) => line.startsWith('paybatch import')) ?? '';
  await day.types(importing.replace('import', 'plan'), 3);
  expect(day.said).toContain('No person has confirmed how it is read');
  await confirm(day, 'mapping.json');
  await day.types(importing.replace('import', 'plan'), 1);
  await day.follows('submit', 1);
  isRefusing = false;
  await day.follows('retry', 1);
  expect(day.said).toContain('3 of 4 rows created');
  const failed = await day.result('.failed.csv');
  await day.write(failed, (await day.read(failed)).replace(',chebet,', ',chebet@people.example,'));
  await day.follows('plan', 0);
  await day.follows('submit', 0);
  // The corrected rows once more, and then the whole file, whose invalid row is superseded.
  await day.follows('import', 0);
  await day.follows('import', 0);
  expect(day.said).toContain('Nothing was sent');
  await day.types('paybatch status', 0);
  expect(day.said).toContain('with its corrections, 4 of 4 rows are done now');
  const [batch = ''] = /^[0-9a-f]{8}/m.exec(day.said) ?? [];
  await day.types(`paybatch reconcile ${batch}`, 0);
  await day.types(`paybatch results ${batch}`, 0);
  await day.types(`paybatch status ${batch} --row 4`, 0);
  expect(day.left).toEqual([]);
});

it('at eight in the morning: a killed run, a row in doubt, an export of the other side', long, async () => {
  let requests = 0;
  let kill = (): void => {};
  const day = await beginDay({
    latencyInMs: 50,
    onRequest: () => {
      requests += 1;
      if (requests === 8) kill();
      return undefined;
    },
  });
  const people = [...customers(30), customer(31, { last_name: 'Lost Always' })];
  await day.write('people.csv', csvOf(people));
  await day.types('paybatch import people.csv --concurrency 2', null, (child) => {
    kill = () => child.kill('SIGKILL');
  });
  await day.types('paybatch status', 0);
  expect(day.said).toContain('unfinished');
  await day.types('paybatch resume --max-attempts 1', 5);
  await day.follows('resume', 5);
  await day.follows('reconcile', 5);
  const batch = /paybatch resolve (\w+) /.exec(day.said)?.[1] ?? '';

  const objects = await heldByApi(day.api.sandbox());
  const lines = objects.map(({ id, email }) => `${id},${email}`);
  await day.write('export.csv', ['id,email', ...lines].join('\n'));
  await day.types('paybatch mapping export.csv --export > export.json', 0);
  await confirm(day, 'export.json');
  // Only the person knows which batch the export is of.
  const naming = (line: string): string => line.replace(' BATCH ', ` ${batch} `);
  await day.follows('reconcile BATCH', 5, naming);
  const verdicts = await day.result('.verdicts.csv');
  await day.write(verdicts, (await day.read(verdicts)).replace(/,,(?=[0-9a-f-]{36},\r?\n)/, ',created,'));
  await day.follows('resolve', 0);
  await day.types('paybatch resume', 0);
  await day.types(`paybatch reconcile ${batch} --against export.csv --mapping export.json`, 0);
  await day.types(`paybatch status ${batch}`, 0);
  expect(day.left).toEqual([]);
});

/** A person has read a proposed mapping. */
async function confirm(day: Day, mapping: string): Promise<void> {
  const { open: _, ...confirmed } = JSON.parse(await day.read(mapping));
  await day.write(mapping, JSON.stringify(confirmed));
}

/** What the other side has, as its dashboard would export it. */
async function heldByApi(sandbox: Sandbox): Promise<{ id: string; email: string }[]> {
  const address = `${sandbox.url}/sandbox/objects?kind=customers&mode=sandbox`;
  const answer = await fetch(address, { headers: controlHeaders(sandbox) });
  const lines = (await answer.text()).trim().split('\n');
  return lines.map((line) => {
    const { id, object } = JSON.parse(line);
    return { id, email: object.email };
  });
}
